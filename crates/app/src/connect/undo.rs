//! Taking back what was written: to the byte where nobody changed the file since, else our entry alone.

use std::path::PathBuf;

use taffrail_confine::fs::{Swapped, lock_folder, remove_empty};
use taffrail_store::ConnectionRow;

use super::document::Format;
use super::file::{Seen, State, fault, record_of, rows_of};
use super::places::format;
use super::record::{Record, hash};
use super::unfit::{ConnectFault, Unfit};
use super::{FileReport, Outcome, Program, diff};
use crate::{App, AppError};

/// How often a file may change under our hands before it is left alone.
const TRIES: usize = 8;

/// What a file is to hold.
enum After {
    /// What it holds.
    Kept,
    /// This.
    Text(String),
    /// There was none.
    Gone,
}

/// Takes back what is on record of a program. The row of a file goes after its bytes are as they were. With `dry_run` nothing
/// is written.
///
/// # Errors
/// `NotConnected` where nothing is on record; `Unfit` where an entry has to be taken out by hand.
pub fn undo(app: &App, program: Program, dry_run: bool) -> Result<Vec<FileReport>, AppError> {
    let _lock = lock_folder(app.home.root())?;
    let rows = rows_of(app, program.name())?;
    if rows.is_empty() {
        let program = program.name();
        return Err(ConnectFault::NotConnected { program }.into());
    }
    rows.iter()
        .map(|row| take_back(app, program, row, dry_run))
        .collect()
}

fn take_back(
    app: &App,
    program: Program,
    row: &ConnectionRow,
    dry_run: bool,
) -> Result<FileReport, AppError> {
    let record = record_of(row)?;
    let format = format(&app.inputs, program, &row.path);
    for _ in 0..TRIES {
        let seen = Seen::at(&row.path)?;
        let (outcome, after) = plan(&seen, format, row, &record)?;
        let report = report(app, &seen, outcome, &after);
        if dry_run {
            return Ok(report);
        }
        let swapped = match &after {
            After::Kept => Swapped::Done,
            After::Text(text) => seen.write(text, &[])?,
            After::Gone => seen.remove()?,
        };
        if swapped == Swapped::Done {
            seen.sweep(row);
            let folders: Vec<PathBuf> = record.folders.iter().map(PathBuf::from).collect();
            remove_empty(&folders);
            app.store.take_connection(program.name(), &row.path)?;
            return Ok(report);
        }
    }
    Err(fault(
        &row.path,
        Unfit::whole("is written all the time by another process; close it and try again"),
    ))
}

fn plan(
    seen: &Seen,
    format: Format,
    row: &ConnectionRow,
    record: &Record,
) -> Result<(Outcome, After), AppError> {
    match seen.state(Some((row, record))) {
        State::Ours(steps) => match seen.as_it_was(row, steps) {
            Some(Some(text)) => Ok((Outcome::Restored, After::Text(text))),
            Some(None) => Ok((Outcome::Gone, After::Gone)),
            None => changed(seen, format, row, record),
        },
        State::Fresh | State::Before => Ok((Outcome::Unwritten, After::Kept)),
        State::Changed => changed(seen, format, row, record),
    }
}

/// A file that somebody changed since: what is ours goes, what is theirs stays.
fn changed(
    seen: &Seen,
    format: Format,
    row: &ConnectionRow,
    record: &Record,
) -> Result<(Outcome, After), AppError> {
    let Some(now) = &seen.text else {
        return Ok((Outcome::Missing, After::Kept));
    };
    if format == Format::Ours {
        return Ok((Outcome::Left, After::Kept));
    }
    let unfit = |unfit| fault(&seen.path, unfit);
    let mut text = now.clone();
    for piece in record.pieces.iter().rev() {
        let left = format
            .take_out(&text, &piece.piece(), piece.made, &record.steps)
            .map_err(unfit)?;
        text = left.unwrap_or(text);
    }
    let is_ours_alone = row.before_hash.is_none();
    if text == *now {
        Ok((Outcome::Missing, After::Kept))
    } else if Some(hash(text.as_bytes())) == row.before_hash {
        Ok((Outcome::Restored, After::Text(text)))
    } else if is_ours_alone && holds_nothing(format, &text) {
        Ok((Outcome::Gone, After::Gone))
    } else {
        Ok((Outcome::Removed, After::Text(text)))
    }
}

/// Whether a document says nothing, and has no comment either.
fn holds_nothing(format: Format, text: &str) -> bool {
    let is_bare = text
        .chars()
        .all(|at| at.is_whitespace() || "{}".contains(at));
    is_bare && format.read(text).is_ok_and(|node| node.is_empty())
}

fn report(app: &App, seen: &Seen, outcome: Outcome, after: &After) -> FileReport {
    let before = seen.text.as_deref();
    let change = match after {
        After::Kept => None,
        After::Text(text) => Some(diff::unified(&seen.path, before, Some(text))),
        After::Gone => Some(diff::unified(&seen.path, before, None)),
    };
    FileReport {
        path: seen.path.clone(),
        outcome,
        diff: change.map(|diff| app.redactor.clean(&diff).into_string()),
    }
}
