//! `taffrail audit`: the journal, checked and shown.

use std::io::{BufWriter, Write};
use std::path::Path;
use taffrail_domain::hex;

use serde::Serialize;
use taffrail_app::memory::audit::{self, Audit};
use taffrail_app::{App, AppError};
use taffrail_domain::{ExitCode, MemoryId};
use taffrail_store::{JournalRow, files};
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{AuditArgs, AuditCommand};
use crate::failure::Failure;
use crate::output::{Colour, Envelope, Moment, Table, print_json, timestamp};
use crate::startup::Invocation;

pub fn wants_json(args: &AuditArgs) -> bool {
    match &args.command {
        AuditCommand::Verify { json } | AuditCommand::Show { json, .. } => *json,
        AuditCommand::Export { .. } => false,
    }
}

pub fn run(invocation: &Invocation, args: &AuditArgs) -> Ending {
    let app = invocation.open()?;
    match &args.command {
        AuditCommand::Verify { json } => verify(invocation, &app, *json),
        AuditCommand::Show {
            memory,
            limit,
            json,
        } => show(invocation, &app, memory.as_deref(), *limit, *json),
        AuditCommand::Export { file } => export(invocation, &app, file.as_deref()),
    }
}

#[derive(Serialize)]
struct Verdict {
    holds: bool,
    entries: u64,
    broken: Option<String>,
    anchored: Option<u64>,
    sealed: u64,
    unsealed: Vec<Unsealed>,
    notebooks: Vec<Withheld>,
    no_key: Option<String>,
}

#[derive(Serialize)]
struct Withheld {
    project: String,
    why: String,
}

#[derive(Serialize)]
struct Unsealed {
    memory: String,
    why: &'static str,
}

fn verdict(audit: &Audit) -> Verdict {
    Verdict {
        holds: audit.holds(),
        entries: audit.entries,
        broken: audit.broken.map(|broken| broken.to_string()),
        anchored: audit.anchored,
        sealed: audit.sealed,
        unsealed: audit
            .unsealed
            .iter()
            .map(|(row, fault)| Unsealed {
                memory: row.memory.short(),
                why: fault.why(),
            })
            .collect(),
        notebooks: audit
            .notebooks
            .iter()
            .map(|(project, why)| Withheld {
                project: project.clone(),
                why: why.clone(),
            })
            .collect(),
        no_key: audit.closed.clone(),
    }
}

/// Exit 1 where something does not hold, with the findings on stdout like those that do.
fn verify(invocation: &Invocation, app: &App, json: bool) -> Ending {
    let audit = audit::verify(app)?;
    let verdict = verdict(&audit);
    if json {
        print_json(&invocation.output, &Envelope::Data(&verdict))?;
    } else {
        invocation
            .output
            .data(sentences(invocation, &verdict).as_bytes())?;
    }
    Ok(if audit.holds() {
        ExitCode::Done
    } else {
        ExitCode::Failure
    })
}

fn sentences(invocation: &Invocation, verdict: &Verdict) -> String {
    let paint = invocation.output.paint();
    let mut text = match &verdict.broken {
        None => format!(
            "journal: {} entries, each follows the one before it\n",
            verdict.entries
        ),
        Some(broken) => format!("{}\n", paint.with(Colour::Removed, broken)),
    };
    text.push_str(&match (verdict.anchored, &verdict.no_key) {
        (Some(entry), _) if verdict.broken.is_none() => format!(
            "anchor: entry {entry} as it was at the last review, kept with the secrets: the journal holds it\n"
        ),
        (Some(entry), _) => {
            format!("anchor: entry {entry} at the last review, kept with the secrets\n")
        }
        (None, Some(why)) => format!("anchor: none ({})\n", Shown::line(why)),
        (None, None) => "anchor: none before the first review\n".to_owned(),
    });
    text.push_str(&format!("approvals: {} sealed\n", verdict.sealed));
    for unsealed in &verdict.unsealed {
        let line = format!("{}: not approved, {}\n", unsealed.memory, unsealed.why);
        text.push_str(&paint.with(Colour::Removed, &line));
    }
    for withheld in &verdict.notebooks {
        let (project, why) = (Shown::line(&withheld.project), Shown::line(&withheld.why));
        let line = format!("notebook of {project}: given to no turn, {why}\n");
        text.push_str(&paint.with(Colour::Removed, &line));
    }
    text
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: Moment,
    kind: &'a str,
    subject: Option<String>,
    memory: Option<String>,
    facts: &'a str,
    previous: String,
    hash: String,
}

fn line(row: &JournalRow) -> Line<'_> {
    Line {
        seq: row.seq,
        at: row.at.into(),
        kind: &row.kind,
        subject: row.subject.map(|bytes| hex(&bytes)),
        memory: memory_of(row),
        facts: &row.facts,
        previous: hex(&row.previous),
        hash: hex(&row.hash),
    }
}

fn show(
    invocation: &Invocation,
    app: &App,
    memory: Option<&str>,
    limit: u32,
    json: bool,
) -> Ending {
    let rows = audit::entries(app, memory, limit)?;
    if json {
        let lines: Vec<Line<'_>> = rows.iter().map(line).collect();
        print_json(&invocation.output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["entry", "at", "what", "memory", "facts"]);
    for row in &rows {
        table.row([
            row.seq.to_string(),
            timestamp(row.at),
            Shown::line(&row.kind).to_string(),
            memory_of(row).unwrap_or_else(|| "-".to_owned()),
            facts(&row.facts),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
}

/// The memory that an entry is about, where it is about one.
fn memory_of(row: &JournalRow) -> Option<String> {
    let about_memory = row.kind.starts_with("memory_");
    let bytes = row.subject.filter(|_| about_memory)?;
    Some(MemoryId::from_bytes(bytes).short())
}

/// The facts of an entry in one readable line; hashes and ids by their beginning. JSON has them whole.
fn facts(text: &str) -> String {
    let Ok(serde_json::Value::Object(facts)) = serde_json::from_str(text) else {
        return Shown::line(text).to_string();
    };
    let words: Vec<String> = facts
        .iter()
        .filter(|(_, value)| !matches!(value, serde_json::Value::Array(list) if list.is_empty()))
        .map(|(name, value)| match value {
            serde_json::Value::String(text) => format!("{name} {}", short_hash(text)),
            other => format!("{name} {other}"),
        })
        .collect();
    Shown::line(&words.join(" · ")).to_string()
}

fn short_hash(text: &str) -> String {
    let is_hash = text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.chars()
        .take(if is_hash { 12 } else { usize::MAX })
        .collect()
}

fn export(invocation: &Invocation, app: &App, file: Option<&Path>) -> Ending {
    let count = match file {
        None => write_lines(app, &mut std::io::stdout().lock())?,
        Some(path) => {
            let mut out = files::create_private_writer(path).map_err(AppError::from)?;
            let count = write_lines(app, &mut out)?;
            files::finish_writer(&out, path).map_err(AppError::from)?;
            count
        }
    };
    invocation.output.say(&format!("{count} entries"));
    Ok(ExitCode::Done)
}

fn write_lines(app: &App, out: &mut dyn Write) -> Result<u64, Failure> {
    let mut out = BufWriter::new(out);
    let count = audit::export(app, &mut |row| {
        serde_json::to_writer(&mut out, &line(row))
            .map_err(std::io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(AppError::Output)
    })?;
    out.flush()?;
    Ok(count)
}
