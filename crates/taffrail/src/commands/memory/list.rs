//! `taffrail memory list`

use serde::Serialize;
use taffrail_app::memory::{Candidate, queue};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{MemoryCursor, MemoryFilter};
use taffrail_text::Shown;

use super::{Ending, owner_or_all, show::Memory, words};
use crate::cli::ListArgs;
use crate::failure::Failure;
use crate::output::{Envelope, Table, ago, print_json};
use crate::startup::Invocation;

/// Columns of a summary.
const SUMMARY: usize = 70;

#[derive(Serialize)]
struct Listed {
    memories: Vec<Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

pub fn run(invocation: &Invocation, args: &ListArgs) -> Ending {
    let cursor = args
        .cursor
        .as_deref()
        .map(str::parse::<MemoryCursor>)
        .transpose();
    let cursor = cursor.map_err(|error| Failure::new(ErrorCode::Usage, &error.to_string()))?;
    if args.limit == 0 || args.limit > 200 {
        let message = format!("--limit is {}: from 1 to 200", args.limit);
        return Err(Failure::new(ErrorCode::Usage, &message));
    }
    let app = invocation.open()?;
    let filter = MemoryFilter {
        status: args.status,
        whose: queue::whose(&app, owner_or_all(&args.scope, args.all))?,
        kind: args.kind,
        shelf: args.shelf,
        text: None,
        cursor,
        limit: Some(args.limit),
    };
    let page = queue::list(&app, &filter)?;
    let next = page.next.map(|next| next.to_string());
    if args.json {
        let memories = page.rows.iter().map(Memory::of).collect();
        print_json(
            &invocation.output,
            &Envelope::Data(Listed { memories, next }),
        )?;
        return Ok(ExitCode::Done);
    }
    if page.rows.is_empty() {
        invocation
            .output
            .say("no memory like that is here: taffrail memory add writes one down");
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["memory", "type", "status", "whose", "written", "summary"]);
    page.rows
        .iter()
        .for_each(|row| table.row(line(invocation, row)));
    invocation.output.rows(&table)?;
    if let Some(next) = next {
        invocation
            .output
            .say(&format!("there are more: --cursor {next}"));
    }
    Ok(ExitCode::Done)
}

fn line(invocation: &Invocation, candidate: &Candidate) -> [String; 6] {
    let row = &candidate.row;
    let whose = candidate.project.as_deref().unwrap_or("personal");
    [
        row.id.short(),
        row.kind.to_string(),
        words::status(row),
        Shown::line(whose).to_string(),
        ago(row.inserted_at, invocation.now()),
        Shown::line(&row.text.summary)
            .truncated(SUMMARY)
            .to_string(),
    ]
}
