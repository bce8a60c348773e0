//! `taffrail agents external show RUN`: what was asked, who said what and why, what was enforced, and what could not be seen or
//! controlled (FA-29). Everything of an agent goes through `Shown`.

mod lists;

use std::path::Path;

use serde_json::Value;
use taffrail_app::boxes::ChangeReport;
use taffrail_app::external::show::{self, RunRecord};
use taffrail_domain::{ChangeState, ExitCode, RunStatus};
use taffrail_store::GrantSource;
use taffrail_text::Shown;

use crate::cli::ExternalShowArgs;
use crate::commands::{Ending, boxes};
use crate::output::{Colour, Envelope, Paint, print_json, timestamp};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalShowArgs) -> Ending {
    let app = boxes::open(invocation)?;
    if args.json {
        let document = show::document(&app, &args.run)?;
        print_json(&invocation.output, &Envelope::Data(document))?;
        return Ok(ExitCode::Done);
    }
    let record = show::shown(&app, &args.run)?;
    let lines = page(&record, invocation.output.paint());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    invocation.output.data(text.as_bytes())?;
    say_what_is_next(invocation, &record);
    Ok(ExitCode::Done)
}

fn say_what_is_next(invocation: &Invocation, record: &RunRecord) {
    let folder = Shown::line(&record.folder);
    let say = |line: &str| invocation.output.say(line);
    say(&format!("the whole record: {folder}"));
    let waits = |change: &&ChangeReport| change.state == ChangeState::Pending;
    if record.change.as_ref().filter(waits).is_some() {
        let run = record.row.id.short();
        say(&format!(
            "hint: taffrail agents external review {run}, then land or discard"
        ));
    }
}

/// The record, section by section.
pub(super) fn page(record: &RunRecord, paint: Paint) -> Vec<String> {
    let mut lines = head(record, paint);
    let mut section = |name: &'static str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(paint.with(Colour::Strong, name));
            lines.extend(body);
        }
    };
    section("asked and answered", lists::decisions(record, paint));
    section("asked of the client", lists::requests(record, paint));
    section("tool calls, as the agent tells them", lists::calls(record));
    section("enforced", enforced(record, paint));
    section("hosts that were asked for", lists::hosts(record, paint));
    section("not seen or not controlled", unseen(record));
    section("notes", lists::bullets(&record.notes));
    lines
}

fn head(record: &RunRecord, paint: Paint) -> Vec<String> {
    let (row, agent) = (&record.row, &record.agent);
    let mut lines = vec![format!(
        "{} {} · {}",
        paint.with(Colour::Strong, "run"),
        row.id,
        who(record)
    )];
    let mut line = |name: &str, text: &str| lines.push(format!("{name:9}{text}"));
    line("task", Shown::line(&agent.task).as_str());
    line("command", Shown::line(&row.command).as_str());
    line("project", &path(&row.project.root));
    line("began", &timestamp(row.times.created));
    line("status", &status(record));
    if let Some(detail) = agent.end_detail.as_deref().filter(|text| !text.is_empty()) {
        line("detail", Shown::line(detail).as_str());
    }
    line("result", &result(record));
    line("usage", &usage(record));
    if let Some(change) = &record.change {
        let totals = boxes::totals(change);
        line("change", &format!("{}, {totals}", change.state.name()));
        lines.extend(boxes::change_lines(change, paint, false));
    }
    lines
}

/// The agent by its id, and what it calls itself.
fn who(record: &RunRecord) -> String {
    let agent = &record.agent;
    let id = Shown::line(&agent.agent);
    let name = agent.agent_name.as_deref().unwrap_or("it told no name");
    let version = agent.agent_version.as_deref().unwrap_or_default();
    let own = Shown::line(format!("{name} {version}").trim()).into_string();
    match agent.protocol {
        Some(protocol) => format!("{id} ({own}, ACP {protocol})"),
        None => format!("{id} ({own})"),
    }
}

fn status(record: &RunRecord) -> String {
    let row = &record.row;
    let why = row.reason.as_deref().map(Shown::line);
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let ended = row.ended.map(|ended| format!(", {ended}"));
    format!("{}{why}{}", row.status.name(), ended.unwrap_or_default())
}

/// What the result document says, or why there is none.
fn result(record: &RunRecord) -> String {
    let agent = &record.agent;
    let Some(document) = &agent.result else {
        if matches!(record.row.status, RunStatus::Preparing | RunStatus::Running) {
            return "none yet: it goes on".to_owned();
        }
        let why = agent.result_verdict.as_deref().unwrap_or("missing");
        let why = Shown::line(why);
        let partial = agent
            .partial
            .as_ref()
            .map(|_| "; what it said last is kept as partial");
        return format!("no valid document ({why}){}", partial.unwrap_or_default());
    };
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let text = |name: &str| {
        let text = document.get(name).and_then(Value::as_str);
        Shown::line(text.unwrap_or_default()).into_string()
    };
    format!("{}: {}", text("status"), text("summary"))
}

/// In the agent's own figures and currency; what it did not report is missing.
fn usage(record: &RunRecord) -> String {
    let parsed = |json: &Option<String>| -> Option<Value> {
        json.as_deref()
            .and_then(|json| serde_json::from_str(json).ok())
    };
    let field = |value: &Value, name: &str| match value.get(name) {
        Some(Value::String(text)) => Shown::line(text).into_string(),
        Some(Value::Number(number)) => number.to_string(),
        _ => "missing".to_owned(),
    };
    let tokens = parsed(&record.agent.usage).map_or_else(
        || "tokens missing".to_owned(),
        |usage| {
            format!(
                "{} of {} tokens",
                field(&usage, "used"),
                field(&usage, "size")
            )
        },
    );
    let cost = parsed(&record.agent.cost).map_or_else(
        || "cost missing".to_owned(),
        |cost| {
            format!(
                "cost {} {}",
                field(&cost, "amount"),
                field(&cost, "currency")
            )
        },
    );
    format!("{tokens}, {cost}")
}

fn enforced(record: &RunRecord, paint: Paint) -> Vec<String> {
    let agent = &record.agent;
    let sandbox = record.enforcement.as_ref();
    let mut lines = sandbox.map_or_else(
        || vec!["  nothing was started".to_owned()],
        |enforcement| {
            let lines = boxes::enforced_lines(enforcement, paint);
            lines.iter().map(|line| format!("  {line}")).collect()
        },
    );
    let (asked, counted) = (agent.mode_requested.name(), agent.mode_effective.name());
    let clamped = if asked == counted { "" } else { ": clamped" };
    lines.push(format!(
        "  policy: mode {asked} was asked for, {counted} counted{clamped}"
    ));
    lines.push(format!("  agent's own mode: {}", own_mode(record)));
    let write = if agent.may_write {
        "it may write, through the protocol too"
    } else {
        "nothing that it writes is kept"
    };
    let grant = match (agent.may_write, agent.grant) {
        (false, _) => "every edit is refused",
        (true, GrantSource::None) => "every edit is asked about",
        (true, GrantSource::Config) => {
            "edits inside the checkout were allowed by the configuration"
        }
        (true, GrantSource::Human) => "a person said yes to all edits inside the checkout",
    };
    let asks = if agent.unattended {
        "nobody was asked"
    } else {
        "a person could be asked"
    };
    lines.push(format!("  {write}; {grant}; {asks}"));
    lines.push(format!("  our MCP server: {}", offer(record)));
    lines
}

fn own_mode(record: &RunRecord) -> String {
    let agent = &record.agent;
    let Some(mode) = agent.agent_mode.as_deref() else {
        return "none was asked for".to_owned();
    };
    let verified = match agent.agent_mode_verified {
        Some(true) => "confirmed",
        Some(false) | None => "NOT confirmed",
    };
    format!("{}, {verified}", Shown::line(mode))
}

fn offer(record: &RunRecord) -> String {
    let offer: Value = serde_json::from_str(&record.agent.mcp).unwrap_or_default();
    let text = |name: &str| {
        let text = offer.get(name).and_then(Value::as_str);
        Shown::line(text.unwrap_or("unknown")).into_string()
    };
    match offer.get("offered").and_then(Value::as_bool) {
        Some(true) => format!("offered, it reads the {}", text("scope")),
        Some(false) | None => format!("not offered: {}", text("reason")),
    }
}

fn unseen(record: &RunRecord) -> Vec<String> {
    let mut lines = Vec::new();
    for unseen in &record.unseen {
        lines.push(format!("  - {}", Shown::line(&unseen.what)));
        let items = unseen.items.iter().take(lists::MOST);
        lines.extend(items.map(|item| format!("      {}", Shown::line(item))));
        let more = unseen.items.len().saturating_sub(lists::MOST);
        lines.extend((more > 0).then(|| format!("      … and {more} more")));
    }
    lines
}

fn path(path: &Path) -> String {
    Shown::line(&path.display().to_string()).into_string()
}
