//! `taffrail audit`: the journal, checked and shown.

use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use taffrail_app::memory::audit::{self, Audit};
use taffrail_app::{App, AppError};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{JournalRow, files};
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{AuditArgs, AuditCommand};
use crate::failure::Failure;
use crate::output::{Colour, Envelope, Table, print_json, timestamp};
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
    no_key: Option<String>,
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
        (Some(entry), _) => format!(
            "anchor: entry {entry}, which the journal still holds unless it says otherwise above\n"
        ),
        (None, Some(why)) => format!("anchor: none ({})\n", Shown::line(why)),
        (None, None) => "anchor: none before the first review\n".to_owned(),
    });
    text.push_str(&format!("approvals: {} sealed\n", verdict.sealed));
    for unsealed in &verdict.unsealed {
        let line = format!("{}: not approved, {}\n", unsealed.memory, unsealed.why);
        text.push_str(&paint.with(Colour::Removed, &line));
    }
    text
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: String,
    kind: &'a str,
    subject: Option<String>,
    facts: &'a str,
    previous: String,
    hash: String,
}

fn line(row: &JournalRow) -> Line<'_> {
    Line {
        seq: row.seq,
        at: timestamp(row.at),
        kind: &row.kind,
        subject: row.subject.map(|bytes| hex(&bytes)),
        facts: &row.facts,
        previous: hex(&row.previous),
        hash: hex(&row.hash),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
    let mut table = Table::new(["entry", "at", "what", "facts"]);
    for row in &rows {
        table.row([
            row.seq.to_string(),
            timestamp(row.at),
            Shown::line(&row.kind).to_string(),
            Shown::line(&row.facts).to_string(),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
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
    out.flush()
        .map_err(|error| Failure::new(ErrorCode::Io, &error.to_string()))?;
    Ok(count)
}
