//! `taffrail memory why`: what a recall was asked, what it considered, what it gave (REC-06).

use serde::Serialize;
use taffrail_app::traces::{self, Replay, Why};
use taffrail_domain::hex;
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{TraceItem, TraceOutcome, TraceRow};
use taffrail_text::Shown;

use super::Ending;
use crate::cli::WhyArgs;
use crate::failure::Failure;
use crate::output::{Colour, Envelope, Moment, Paint, Table, ago, print_json, timestamp};
use crate::startup::Invocation;

/// Candidates that a person is shown of one recall; JSON has all that are kept.
const SHOWN_ITEMS: usize = 20;

pub fn run(invocation: &Invocation, args: &WhyArgs) -> Ending {
    let app = invocation.open()?;
    let Some(what) = &args.what else {
        return list(invocation, &traces::newest(&app)?, args.json);
    };
    let whys = traces::why(&app, what)?;
    let mut answers = Vec::new();
    for why in &whys {
        let replay = match args.replay {
            true => Some(traces::replay(&app, &why.trace)?),
            false => None,
        };
        answers.push((why, replay));
    }
    let is_same = answers
        .iter()
        .all(|(_, replay)| replay.as_ref().is_none_or(|replay| replay.is_same));
    if args.json {
        let wires: Vec<_> = answers
            .iter()
            .map(|(why, replay)| wire(why, replay.as_ref()))
            .collect();
        print_json(&invocation.output, &Envelope::Data(wires))?;
    } else {
        for (why, replay) in &answers {
            let text = told(invocation.output.paint(), why, replay.as_ref());
            invocation.output.data(text.as_bytes())?;
        }
    }
    if is_same {
        return Ok(ExitCode::Done);
    }
    if args.json {
        return Ok(ExitCode::Failure);
    }
    let message = "a section is not the same any more";
    Err(Failure::new(ErrorCode::HashMismatch, message)
        .hinting("texts that were given were purged since"))
}

fn list(invocation: &Invocation, rows: &[TraceRow], json: bool) -> Ending {
    let output = &invocation.output;
    if json {
        let wires: Vec<_> = rows.iter().map(head).collect();
        print_json(output, &Envelope::Data(wires))?;
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["trace", "when", "by", "turn", "asked"]);
    for row in rows {
        table.row([
            row.id.short(),
            ago(row.at, invocation.now()),
            row.surface.name().to_owned(),
            turn(row),
            Shown::line(&row.query).to_string(),
        ]);
    }
    output.rows(&table)?;
    Ok(ExitCode::Done)
}

/// The session and turn that a recall was for, as they are typed again.
pub fn turn(row: &TraceRow) -> String {
    let session = row
        .session
        .as_deref()
        .map(|session| Shown::line(session).to_string());
    match (session, row.turn) {
        (Some(session), Some(turn)) => format!("{session}:{turn}"),
        (Some(session), None) => session,
        (None, _) => "-".to_owned(),
    }
}

fn told(paint: Paint, why: &Why, replay: Option<&Replay>) -> String {
    let row = &why.trace;
    let mut text = format!(
        "{}  {}  by {}  {}\n",
        paint.with(Colour::Strong, &row.id.short()),
        timestamp(row.at),
        row.surface.name(),
        turn(row),
    );
    let whose = row.project_name.as_deref().unwrap_or("personal only");
    text += &format!("  asked     {}\n", Shown::line(&row.query));
    text += &format!("  terms     {}\n", Shown::line(&row.terms.join(", ")));
    text += &format!("  of        {}, {}\n", Shown::line(whose), grades(row));
    text += &format!("  scored    {}\n", row.candidates);
    if let Some(floor) = row.floor {
        text += &format!("  floor     {floor:.3}\n");
    }
    if let Some(hash) = row.section_hash {
        text += &format!("  section   sha256 {}\n", hex(&hash));
    }
    if why.items.is_empty() {
        text += "  nothing was known\n";
    }
    for item in why.items.iter().take(SHOWN_ITEMS) {
        text += &line(paint, item);
    }
    let more = why.items.len().saturating_sub(SHOWN_ITEMS);
    if more > 0 {
        text += &format!("  … {more} more with --json\n");
    }
    text + &replay.map(replayed).unwrap_or_default()
}

fn line(paint: Paint, item: &TraceItem) -> String {
    let mark = match item.outcome {
        TraceOutcome::Given => paint.with(Colour::Added, "given"),
        _ => item.outcome.name().to_owned(),
    };
    let summary = match &item.text {
        Some(text) => Shown::line(&text.summary).to_string(),
        None => "(purged)".to_owned(),
    };
    format!(
        "  {:>3}  {}  {:.3} = {:.3} × {:.2}  {}  {mark}\n       {summary}\n",
        item.place + 1,
        item.memory,
        item.score,
        item.relevance,
        item.fade,
        item.grade,
    )
}

fn replayed(replay: &Replay) -> String {
    let mut text = match (&replay.section, replay.is_same) {
        (None, _) => "  it made no section\n".to_owned(),
        (Some(_), true) => "  the same bytes again:\n".to_owned(),
        (Some(_), false) => "  NOT the same bytes:\n".to_owned(),
    };
    for memory in &replay.purged {
        text += &format!("  {memory} was given, and its text was purged since\n");
    }
    if let Some(section) = &replay.section {
        for line in section.lines() {
            text += &format!("  │ {}\n", Shown::line(line));
        }
    }
    text
}

fn grades(row: &TraceRow) -> String {
    let words: Vec<_> = row.grades.iter().map(|grade| grade.name()).collect();
    words.join(" + ")
}

/// A recall without its items, as JSON.
#[derive(Serialize)]
pub struct Head {
    trace: String,
    at: Moment,
    surface: &'static str,
    session: Option<String>,
    turn: Option<u64>,
    project: Option<String>,
    query: String,
    terms: Vec<String>,
    grades: Vec<&'static str>,
    limits: serde_json::Value,
    candidates: u64,
    floor: Option<f64>,
    section_hash: Option<String>,
}

#[derive(Serialize)]
struct Wire {
    #[serde(flatten)]
    head: Head,
    items: Vec<WireItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<WireReplay>,
}

#[derive(Serialize)]
struct WireItem {
    place: u32,
    memory: String,
    revision: u64,
    grade: &'static str,
    relevance: f64,
    fade: f64,
    score: f64,
    outcome: &'static str,
    summary: Option<String>,
    content: Option<String>,
}

#[derive(Serialize)]
struct WireReplay {
    section: Option<String>,
    same: bool,
    purged: Vec<String>,
}

/// A recall without its items, as JSON.
pub fn head(row: &TraceRow) -> Head {
    Head {
        trace: row.id.short(),
        at: row.at.into(),
        surface: row.surface.name(),
        session: row.session.clone(),
        turn: row.turn,
        project: row.project_name.clone(),
        query: row.query.clone(),
        terms: row.terms.clone(),
        grades: row.grades.iter().map(|grade| grade.name()).collect(),
        limits: serde_json::from_str(&row.limits).unwrap_or_default(),
        candidates: row.candidates,
        floor: row.floor,
        section_hash: row.section_hash.map(|hash| hex(&hash)),
    }
}

fn wire(why: &Why, replay: Option<&Replay>) -> Wire {
    Wire {
        head: head(&why.trace),
        items: why.items.iter().map(wire_item).collect(),
        replay: replay.map(|replay| WireReplay {
            section: replay.section.clone(),
            same: replay.is_same,
            purged: replay.purged.iter().map(|memory| memory.short()).collect(),
        }),
    }
}

fn wire_item(item: &TraceItem) -> WireItem {
    WireItem {
        place: item.place,
        memory: item.memory.short(),
        revision: item.revision,
        grade: item.grade.name(),
        relevance: item.relevance,
        fade: item.fade,
        score: item.score,
        outcome: item.outcome.name(),
        summary: item.text.as_ref().map(|text| text.summary.clone()),
        content: item.text.as_ref().map(|text| text.content.clone()),
    }
}
