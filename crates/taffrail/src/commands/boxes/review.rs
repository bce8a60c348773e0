//! `taffrail box review NAME`: what a box changed, what is flagged, what is on record.

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::boxes::review::{self, Reviewed};
use taffrail_domain::{Enforcement, ExitCode, RunKind};
use taffrail_store::EventRow;
use taffrail_text::Shown;

use super::words;
use crate::cli::ReviewArgs;
use crate::commands::Ending;
use crate::failure::Failure;
use crate::output::{Colour, DiffPrinter, Envelope, Moment, print_json, timestamp};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, app: &App, args: &ReviewArgs) -> Ending {
    let reviewed = review::find(app, &args.name)?;
    match args {
        ReviewArgs { json: true, .. } => {
            print_json(&invocation.output, &Envelope::Data(answer(app, &reviewed)?))?
        }
        ReviewArgs { record: true, .. } => record(invocation, app, &reviewed)?,
        ReviewArgs { stat: true, .. } => invocation
            .output
            .data(head(invocation, &reviewed).as_bytes())?,
        ReviewArgs { .. } => {
            page(invocation, app, &reviewed)?;
            say_what_is_next(invocation, &reviewed);
        }
    }
    Ok(ExitCode::Done)
}

fn say_what_is_next(invocation: &Invocation, reviewed: &Reviewed) {
    if reviewed.is_pending() {
        let (kind, name) = (reviewed.row.kind, &reviewed.row.name);
        let (land, discard) = (
            words::command(kind, "land", name),
            words::command(kind, "discard", name),
        );
        let hint = format!("hint: {land}, or {discard}");
        invocation.output.say(&hint);
    }
}

/// Heading, files, flags, the diff.
pub fn page(invocation: &Invocation, app: &App, reviewed: &Reviewed) -> Result<(), Failure> {
    invocation
        .output
        .data(head(invocation, reviewed).as_bytes())?;
    if reviewed
        .report()
        .is_some_and(|report| !report.changes.is_empty())
        && reviewed.has_diff()
    {
        let mut printer = DiffPrinter::new(&invocation.output);
        review::write_diff(app, reviewed, &mut printer)?;
        printer.finish()?;
    }
    Ok(())
}

fn head(invocation: &Invocation, reviewed: &Reviewed) -> String {
    let (row, paint) = (&reviewed.row, invocation.output.paint());
    let mut lines = vec![
        format!(
            "{} {}{}",
            paint.with(Colour::Strong, noun(row.kind)),
            words::name(&row.name),
            if row.name == row.id.short() {
                String::new()
            } else {
                format!(" · {}", row.id)
            }
        ),
        format!("command  {}", Shown::line(&row.command)),
        format!(
            "status   {}{}",
            row.status.name(),
            row.reason
                .as_deref()
                .map(|why| format!(" ({})", Shown::line(why)))
                .unwrap_or_default()
        ),
    ];
    if let Some(report) = reviewed.report() {
        lines.push(format!(
            "change   {}, {}",
            report.state.name(),
            words::totals(&report)
        ));
        lines.push(format!("hash     {}", report.hash));
        lines.extend(words::changes(&report, paint, true));
    }
    lines.push(String::new());
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const fn noun(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Box => "box",
        RunKind::External => "run",
    }
}

/// The record: what was run, what was enforced and proven, what could not be seen, what was decided.
fn record(invocation: &Invocation, app: &App, reviewed: &Reviewed) -> Result<(), Failure> {
    let row = &reviewed.row;
    let mut text = head(invocation, reviewed);
    text.push_str(&format!(
        "project  {}\n",
        Shown::line(&row.project.root.display().to_string())
    ));
    text.push_str(&format!("created  {}\n", timestamp(row.times.created)));
    text.push_str(&format!("facts    {}\n", Shown::line(&row.facts)));
    if let Some(enforcement) = enforcement(reviewed) {
        for line in words::enforced(&enforcement, invocation.output.paint()) {
            text.push_str(&format!("{line}\n"));
        }
        for probe in &enforcement.probes {
            let held = if probe.held { "held" } else { "FAILED" };
            text.push_str(&format!(
                "  probe {held}: {} ({})\n",
                Shown::line(&probe.what),
                Shown::line(&probe.saw)
            ));
        }
    }
    text.push_str("not seen: what the command did step by step; only its result is on record\n");
    for event in review::events(app, reviewed)? {
        text.push_str(&format!(
            "{} {} {}\n",
            timestamp(event.at),
            Shown::line(&event.kind),
            Shown::line(&event.body)
        ));
    }
    Ok(invocation.output.data(text.as_bytes())?)
}

fn enforcement(reviewed: &Reviewed) -> Option<Enforcement> {
    reviewed
        .row
        .enforcement
        .as_deref()
        .and_then(|json| serde_json::from_str(json).ok())
}

#[derive(Serialize)]
struct Answer {
    run: String,
    name: String,
    project: String,
    command: String,
    agent: Option<String>,
    status: &'static str,
    reason: Option<String>,
    base: Option<String>,
    enforcement: Option<Enforcement>,
    facts: serde_json::Value,
    change: Option<words::ChangeAnswer>,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    seq: i64,
    ts: Moment,
    #[serde(rename = "type")]
    kind: String,
    body: serde_json::Value,
}

fn answer(app: &App, reviewed: &Reviewed) -> Result<Answer, Failure> {
    let row = &reviewed.row;
    Ok(Answer {
        run: row.id.short(),
        name: row.name.clone(),
        project: row.project.root.display().to_string(),
        command: row.command.clone(),
        agent: row.agent.clone(),
        status: row.status.name(),
        reason: row.reason.clone(),
        base: row.base.as_ref().map(ToString::to_string),
        enforcement: enforcement(reviewed),
        facts: serde_json::from_str(&row.facts).unwrap_or_default(),
        change: reviewed.report().as_ref().map(words::ChangeAnswer::from),
        events: review::events(app, reviewed)?
            .into_iter()
            .map(event)
            .collect(),
    })
}

fn event(row: EventRow) -> Event {
    Event {
        seq: row.seq,
        ts: row.at.into(),
        kind: row.kind,
        body: serde_json::from_str(&row.body).unwrap_or_default(),
    }
}
