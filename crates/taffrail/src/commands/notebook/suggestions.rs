//! `taffrail notebook suggestions`: what waits, and on a terminal one key for each.

use serde::Serialize;
use taffrail_app::memory::gate;
use taffrail_app::notebook;
use taffrail_domain::{ExitCode, Source};
use taffrail_store::SuggestionRow;
use taffrail_text::Shown;

use super::{At, words};
use crate::commands::Ending;
use crate::failure::Failure;
use crate::output::{Colour, Envelope, Key, Moment, Table, ago, ask_key, print_json};

/// Columns of an entry in the table; scripts get it whole.
const ENTRY_COLUMNS: usize = 60;
const QUESTION: &str = "[a]ccept  [d]ismiss  [s]kip  [q]uit";

pub(super) fn run(at: &At<'_>, json: bool) -> Ending {
    let rows = notebook::open(at.app, at.project)?;
    if json {
        let lines: Vec<Line<'_>> = rows.iter().map(Line::from).collect();
        print_json(&at.invocation.output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    if rows.is_empty() {
        at.say("nothing waits for this notebook");
        return Ok(ExitCode::Done);
    }
    if at.at_terminal() {
        gate::person_only(at.app)?;
        return one_by_one(at, &rows);
    }
    list(at, &rows)
}

#[derive(Serialize)]
struct Line<'a> {
    suggestion: String,
    section: &'a str,
    entry: &'a str,
    channel: &'static str,
    source: &'a Source,
    at: Moment,
}

impl<'a> From<&'a SuggestionRow> for Line<'a> {
    fn from(row: &'a SuggestionRow) -> Self {
        Self {
            suggestion: row.id.short(),
            section: &row.section,
            entry: &row.entry,
            channel: row.channel.name(),
            source: &row.source,
            at: row.at.into(),
        }
    }
}

fn list(at: &At<'_>, rows: &[SuggestionRow]) -> Ending {
    let mut table = Table::new(["suggestion", "from", "section", "when", "entry"]);
    for row in rows {
        table.row([
            row.id.short(),
            format!("{} ({})", words::source(&row.source), row.channel),
            Shown::line(&row.section).to_string(),
            ago(row.at, at.invocation.now()),
            Shown::line(&row.entry).truncated(ENTRY_COLUMNS).to_string(),
        ]);
    }
    at.invocation.output.data(table.render().as_bytes())?;
    at.say("hint: run it in a terminal to accept or dismiss them");
    Ok(ExitCode::Done)
}

/// What a person wants done with one suggestion.
enum Choice {
    Accept,
    Dismiss,
    Skip,
    Quit,
}

fn one_by_one(at: &At<'_>, rows: &[SuggestionRow]) -> Ending {
    let (mut accepted, mut dismissed) = (0_usize, 0_usize);
    for (number, row) in rows.iter().enumerate() {
        at.invocation
            .output
            .page(&described(at, row, number + 1, rows.len()))?;
        match choose(at)? {
            Choice::Accept => {
                let version = notebook::accept(at.app, row)?;
                at.say(&format!("accepted, saved as version {version}"));
                accepted += 1;
            }
            Choice::Dismiss => {
                notebook::dismiss(at.app, row)?;
                at.say("dismissed");
                dismissed += 1;
            }
            Choice::Skip => at.say("skipped, it waits"),
            Choice::Quit => break,
        }
    }
    let waiting = rows.len() - accepted - dismissed;
    at.say(&format!(
        "{accepted} accepted, {dismissed} dismissed, {waiting} waiting"
    ));
    Ok(ExitCode::Done)
}

/// Asks until the key is one of those that are offered.
fn choose(at: &At<'_>) -> Result<Choice, Failure> {
    loop {
        match ask_key(&at.invocation.output, QUESTION)? {
            Key::Char('a') => return Ok(Choice::Accept),
            Key::Char('d') => return Ok(Choice::Dismiss),
            Key::Char('s') => return Ok(Choice::Skip),
            Key::Char('q') | Key::Interrupt | Key::End => return Ok(Choice::Quit),
            Key::Char(_) => {}
        }
    }
}

/// The whole text with its origin, escaped.
fn described(at: &At<'_>, row: &SuggestionRow, number: usize, of: usize) -> String {
    let paint = at.invocation.output.paint();
    let head = format!("{number} of {of}  {}", row.id);
    format!(
        "\n{}  {}\nfrom     {} ({})\nsection  {}\nentry    {}\n",
        paint.with(Colour::Strong, &head),
        ago(row.at, at.invocation.now()),
        words::source(&row.source),
        row.channel,
        Shown::line(&row.section),
        Shown::line(&row.entry)
    )
}
