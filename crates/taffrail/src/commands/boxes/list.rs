//! `taffrail box list`

use serde::Serialize;
use taffrail_app::boxes::review;
use taffrail_app::external::show;
use taffrail_app::{App, AppError};
use taffrail_domain::{ExitCode, RunKind};
use taffrail_store::RunRow;
use taffrail_text::Shown;

use super::words;
use crate::commands::Ending;
use crate::output::{Envelope, Moment, Table, ago, print_json};
use crate::startup::Invocation;

/// Columns of a command line in the table; scripts get it whole.
const COMMAND_COLUMNS: usize = 40;

pub fn run(invocation: &Invocation, app: &App, all: bool, json: bool) -> Ending {
    let rows = review::list(app, all)?;
    if json {
        let rows: Vec<Line<'_>> = rows.iter().map(Line::from).collect();
        print_json(&invocation.output, &Envelope::Data(rows))?;
        return Ok(ExitCode::Done);
    }
    if rows.is_empty() {
        let (saw, hint) = if all {
            ("there is no box yet", "taffrail box -- claude")
        } else {
            ("no box waits for a decision", "taffrail box list --all")
        };
        invocation.output.say(saw);
        invocation.output.say(&format!("hint: {hint}"));
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new([
        "name", "project", "status", "change", "checkout", "when", "command",
    ]);
    for row in &rows {
        let project = row
            .project
            .root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        table.row([
            words::name(&row.name),
            words::name(&project.unwrap_or_default()),
            row.status.name().to_owned(),
            row.change
                .map_or("-", taffrail_domain::ChangeState::name)
                .to_owned(),
            row.checkout.state.name().to_owned(),
            ago(row.times.created, invocation.now()),
            Shown::line(&about(app, row)?)
                .truncated(COMMAND_COLUMNS)
                .to_string(),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
}

/// The command; of an agent that is driven its task, as its command is the same in every run.
fn about(app: &App, row: &RunRow) -> Result<String, AppError> {
    let task = match row.kind {
        RunKind::External => show::task(app, &row.id)?,
        RunKind::Box => None,
    };
    let agent = row.agent.as_deref().unwrap_or_default();
    Ok(task.map_or_else(|| row.command.clone(), |task| format!("{agent}: {task}")))
}

#[derive(Serialize)]
struct Line<'a> {
    run: String,
    name: &'a str,
    project: String,
    command: &'a str,
    agent: Option<&'a str>,
    status: &'static str,
    reason: Option<&'a str>,
    change: Option<&'static str>,
    checkout: &'static str,
    checkout_path: String,
    created: Moment,
}

impl<'a> From<&'a RunRow> for Line<'a> {
    fn from(row: &'a RunRow) -> Self {
        Self {
            run: row.id.short(),
            name: &row.name,
            project: row.project.root.display().to_string(),
            command: &row.command,
            agent: row.agent.as_deref(),
            status: row.status.name(),
            reason: row.reason.as_deref(),
            change: row.change.map(taffrail_domain::ChangeState::name),
            checkout: row.checkout.state.name(),
            checkout_path: row.checkout.path.display().to_string(),
            created: row.times.created.into(),
        }
    }
}
