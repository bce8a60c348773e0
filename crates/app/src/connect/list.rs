//! Which programs are connected, and how their files stand.

use std::path::PathBuf;

use taffrail_domain::Millis;
use taffrail_store::ConnectionRow;

use super::file::{Seen, State, record_of};
use super::places::{format, targets};
use super::{Program, Standing};
use crate::{App, AppError};

/// A program with the files of it that we wrote into.
#[derive(Debug, Clone)]
pub struct Connection {
    /// The program.
    pub program: Program,
    /// Its files, by path; none where it is not connected.
    pub files: Vec<ConnectedFile>,
}

/// A file that we wrote into.
#[derive(Debug, Clone)]
pub struct ConnectedFile {
    /// Where.
    pub path: PathBuf,
    /// How it stands.
    pub standing: Standing,
    /// Why it cannot be read, where that is so.
    pub why: Option<String>,
    /// When it was written last.
    pub written_at: Millis,
}

/// Every program that can be connected, in the order of the list.
///
/// # Errors
/// What the store can give. A file that cannot be read is part of the answer.
pub fn list(app: &App) -> Result<Vec<Connection>, AppError> {
    let rows = app.store.connections()?;
    let of = |program: Program| Connection {
        program,
        files: rows
            .iter()
            .filter(|row| row.program == program.name())
            .map(|row| file(app, program, row))
            .collect(),
    };
    Ok(Program::ALL.iter().copied().map(of).collect())
}

fn file(app: &App, program: Program, row: &ConnectionRow) -> ConnectedFile {
    let (standing, why) = match standing(app, program, row) {
        Ok(standing) => (standing, None),
        Err(error) => (Standing::Unreadable, Some(error.to_string())),
    };
    ConnectedFile {
        path: row.path.clone(),
        standing,
        why,
        written_at: row.written_at,
    }
}

fn standing(app: &App, program: Program, row: &ConnectionRow) -> Result<Standing, AppError> {
    let record = record_of(row)?;
    let seen = Seen::at(&row.path)?;
    let format = format(&app.inputs, program, &row.path);
    let is_whole = record.pieces.is_empty();
    match seen.state(Some((row, &record))) {
        State::Fresh | State::Before => return Ok(Standing::Unwritten),
        // A process was killed between the record of a newer entry and its file: the older one is there, whole.
        State::Ours(_) if seen.hash() != Some(row.after_hash) => return Ok(Standing::Outdated),
        State::Ours(_) if is_whole => return Ok(Standing::Connected),
        State::Changed if seen.text.is_none() => return Ok(Standing::Missing),
        State::Changed if is_whole => return Ok(Standing::Edited),
        State::Ours(_) | State::Changed => (),
    }
    let now = seen.node(format)?;
    let pieces = record.pieces();
    let found: Vec<_> = pieces.iter().map(|piece| (piece, now.at(piece))).collect();
    if found.iter().any(|(_, node)| node.is_none()) {
        return Ok(Standing::Missing);
    }
    let is_edited = |(piece, node): &(&super::node::Piece, Option<&super::node::Node>)| {
        node.is_none_or(|node| !node.says(&piece.value))
    };
    if found.iter().any(is_edited) {
        return Ok(Standing::Edited);
    }
    Ok(match is_of_this_executable(app, program, row, &pieces) {
        true => Standing::Connected,
        false => Standing::Outdated,
    })
}

/// Whether what is on record is what would be written today.
fn is_of_this_executable(
    app: &App,
    program: Program,
    row: &ConnectionRow,
    pieces: &[super::node::Piece],
) -> bool {
    let hooks = pieces.iter().any(|piece| piece.key.is_none());
    let Ok(targets) = targets(&app.inputs, program, hooks) else {
        return false;
    };
    let mut targets = targets.iter().filter(|target| target.path == row.path);
    targets.any(|target| {
        pieces.iter().all(|piece| {
            let mut wanted = target.pieces.iter();
            wanted.any(|wanted| {
                wanted.path == piece.path
                    && wanted.key == piece.key
                    && wanted.value.says(&piece.value)
            })
        })
    })
}
