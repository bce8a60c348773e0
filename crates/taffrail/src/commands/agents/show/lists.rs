//! The lists of a record in words.

use serde_json::Value;
use taffrail_app::external::show::RunRecord;
use taffrail_domain::{Served, Verdict};
use taffrail_store::{ActionDecisionRow, QuestionRow, ToolCallRow};
use taffrail_text::Shown;

use crate::commands::agents::words;
use crate::output::{Colour, Paint};

/// Paths and notes that are listed one by one.
pub(super) const MOST: usize = 50;
/// Columns of a text that an agent wrote, in a list.
const COLUMNS: usize = 100;

/// What was judged: verdict, ground, risk, action; then who answered, and the reasons.
pub(super) fn decisions(record: &RunRecord, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for (row, question) in &record.decisions {
        lines.extend(decision(row, question.as_ref(), paint));
    }
    lines.extend(more(record.counts.decisions, record.decisions.len()));
    if lines.is_empty() {
        lines.push("  nothing".to_owned());
    }
    lines
}

fn decision(row: &ActionDecisionRow, question: Option<&QuestionRow>, paint: Paint) -> Vec<String> {
    let verdict = match row.verdict {
        Verdict::Allowed => paint.with(Colour::Added, "allowed"),
        Verdict::Refused => paint.with(Colour::Removed, "refused"),
    };
    let risk = if row.destructive && row.risk.name() != "destructive" {
        format!("{}, destructive", row.risk.name())
    } else {
        row.risk.name().to_owned()
    };
    let (ground, door) = (row.ground.name(), row.source.name());
    let mut lines = vec![format!(
        "  {verdict} by {ground}: {} [{risk}; {door}; policy says {}]",
        short(&row.shown),
        row.answer.name()
    )];
    if let Some(answer) = question.and_then(|question| question.answer.as_ref()) {
        let said = answer.reason.as_deref().map(short);
        let said = said.map(|said| format!(": {said}")).unwrap_or_default();
        let (reply, surface) = (answer.reply.name(), answer.surface.name());
        lines.push(format!(
            "      a person said {reply} at the {surface}{said}"
        ));
    } else if let Some(question) = question {
        let state = question.state.name();
        lines.push(format!("      a person was asked: {state}"));
    }
    if let Some(rule) = &row.rule {
        lines.push(format!("      rule {}", short(rule)));
    }
    let reasons: Vec<String> = serde_json::from_str(&row.reasons).unwrap_or_default();
    lines.extend(reasons.iter().map(|why| format!("      {}", short(why))));
    lines
}

/// Files, terminals, tools of our MCP server, methods that nobody knows.
pub(super) fn requests(record: &RunRecord, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &record.requests {
        let outcome = match row.outcome {
            Served::Served => paint.with(Colour::Added, "served "),
            Served::Refused => paint.with(Colour::Removed, "refused"),
            Served::Ignored => "ignored".to_owned(),
        };
        let beneath = |text: &str| short(&words::beneath(text, Some(&record.checkout)));
        let what = row.what.as_deref().map(beneath).unwrap_or_default();
        let reason = row.reason.as_deref().map(beneath);
        let end = reason.map_or_else(
            || match row.bytes {
                0 => String::new(),
                bytes => format!(", {bytes} bytes"),
            },
            |reason| format!(": {reason}"),
        );
        lines.push(format!("  {outcome} {} {what}{end}", short(&row.method)));
    }
    lines.extend(more(record.counts.requests, record.requests.len()));
    lines
}

/// Calls of tools.
pub(super) fn calls(record: &RunRecord) -> Vec<String> {
    let mut lines: Vec<String> = record.tool_calls.iter().map(call).collect();
    lines.extend(more(record.counts.tool_calls, record.tool_calls.len()));
    lines
}

fn call(row: &ToolCallRow) -> String {
    let word = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), short);
    let title = row.title.as_deref().unwrap_or(&row.call);
    format!(
        "  {} {}: {}",
        word(&row.kind),
        word(&row.status),
        short(title)
    )
}

/// One line each.
/// What its proxy was asked for: verdict, place, how often; of a refusal why.
pub(super) fn hosts(record: &RunRecord, paint: Paint) -> Vec<String> {
    let shown = record.hosts.iter().take(MOST);
    let mut lines: Vec<String> = shown.map(|row| host(row, paint)).collect();
    lines.extend(more(record.hosts.len() as u64, lines.len()));
    lines
}

fn host(row: &Value, paint: Paint) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let number = |name: &str| row.get(name).and_then(Value::as_u64).unwrap_or_default();
    let verdict = match text("verdict").unwrap_or_default() {
        refused @ "refused" => paint.with(Colour::Removed, refused),
        reached @ ("allowed" | "asked") => paint.with(Colour::Added, reached),
        other => Shown::line(other).into_string(),
    };
    let why = text("why").map(|why| format!(" ({})", short(why)));
    format!(
        "  {verdict} {}:{}, {}×{}",
        short(text("host").unwrap_or_default()),
        number("port"),
        number("connections"),
        why.unwrap_or_default()
    )
}

pub(super) fn bullets(texts: &[String]) -> Vec<String> {
    let shown = texts.iter().take(MOST);
    let mut lines: Vec<String> = shown
        .map(|text| format!("  - {}", Shown::line(text)))
        .collect();
    let hidden = texts.len().saturating_sub(MOST);
    lines.extend((hidden > 0).then(|| format!("  … and {hidden} more")));
    lines
}

fn more(all: u64, shown: usize) -> Option<String> {
    let hidden = all.saturating_sub(shown as u64);
    (hidden > 0).then(|| format!("  … and {hidden} more: they are in the whole record"))
}

fn short(text: &str) -> String {
    Shown::line(text).truncated(COLUMNS).into_string()
}
