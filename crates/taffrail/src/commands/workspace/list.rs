//! `taffrail workspace list`

use taffrail_app::workspaces;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use super::words::{TITLE, WorkspaceLine};
use crate::cli::WorkspaceListArgs;
use crate::commands::memory::owner_or_all;
use crate::output::{Envelope, Table, ago, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &WorkspaceListArgs) -> Ending {
    let app = invocation.open()?;
    let owner = owner_or_all(&args.scope, args.all_projects);
    let views = workspaces::list(&app, owner, args.archived)?;
    let output = &invocation.output;
    if args.json {
        let lines: Vec<_> = views.iter().map(WorkspaceLine::of).collect();
        print_json(output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    if views.is_empty() {
        output.say("there is no workspace here: a program's first slate makes one, or you do");
        output.say("hint: taffrail workspace create TITLE");
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new([
        "workspace",
        "status",
        "whose",
        "to review",
        "proposals",
        "made",
        "title",
    ]);
    for view in &views {
        let whose = view.project.as_deref().unwrap_or("personal");
        table.row([
            view.row.id.short(),
            view.row.status.to_string(),
            Shown::line(whose).to_string(),
            view.row.waiting.to_string(),
            view.row.proposals.to_string(),
            ago(view.row.created_at, invocation.now()),
            Shown::line(&view.row.title).truncated(TITLE).to_string(),
        ]);
    }
    output.rows(&table)?;
    Ok(ExitCode::Done)
}
