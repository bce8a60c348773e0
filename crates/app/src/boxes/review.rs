//! Looking at boxes: the list, what one changed, its record.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};

use taffrail_confine::fs::{FsError, Root};
use taffrail_domain::{ChangeState, ErrorCode, RunKind, RunStatus};
use taffrail_store::{Captured, CheckoutState, EventRow, RunFilter, RunRow, StoreError, files};

use super::finish;
use super::report::ChangeReport;
use super::sweep::lives;
use super::view::Folders;
use crate::external::exports;
use crate::{App, AppError};

/// A diff is shown to a person up to this size; landing and the stored file have no such limit.
const SHOWN_LIMIT: u64 = 64 << 20;

/// A box and what is known of its change.
pub struct Reviewed {
    /// The run.
    pub row: RunRow,
    /// Its captured change; none when the checkout could not be captured.
    pub change: Option<Captured>,
}

/// Boxes, the newest first. `all` lists decided ones too.
pub fn list(app: &App, all: bool) -> Result<Vec<RunRow>, AppError> {
    Ok(app.store.runs(&RunFilter {
        common_dir: None,
        open_only: !all,
        limit: None,
    })?)
}

/// A box by name, run id or the beginning of one. An uncaptured tree that a killed run left is captured first.
pub fn find(app: &App, name: &str) -> Result<Reviewed, AppError> {
    let row = app.store.find_run(name)?;
    let row = if take_uncaptured(app, &row)? {
        let row = capture_left(app, &row)?;
        // The record that the sweep made could not know what changed.
        exports::after_kill(app, &row.id)?;
        row
    } else {
        row
    };
    let change = app.store.captured(&row.id)?;
    Ok(Reviewed { row, change })
}

/// [`find`] for a person who throws the box away: a tree that cannot be captured, because its project is gone or
/// something in it cannot be read, or whose diff there is no room for, does not stand in the way.
pub(super) fn find_to_discard(app: &App, name: &str) -> Result<Reviewed, AppError> {
    let is_no_matter = |error: &AppError| {
        matches!(
            error.code(),
            ErrorCode::CaptureFailed
                | ErrorCode::CheckoutGone
                | ErrorCode::DiskFull
                | ErrorCode::QuotaFull
        )
    };
    match find(app, name) {
        Err(error) if is_no_matter(&error) => {}
        other => return other,
    }
    // The attempt to capture it left it live, and ours.
    let run = app.store.find_run(name)?.id;
    app.store.set_checkout_state(&run, CheckoutState::Kept)?;
    let (row, change) = (app.store.run(&run)?, app.store.captured(&run)?);
    Ok(Reviewed { row, change })
}

/// What happened in a box, in order.
pub fn events(app: &App, reviewed: &Reviewed) -> Result<Vec<EventRow>, AppError> {
    Ok(app.store.events(&reviewed.row.id)?)
}

/// Writes the stored diff for reading, redacted, line by line; at most 64 MiB, and a line that says what was cut.
pub fn write_diff(app: &App, reviewed: &Reviewed, out: &mut dyn Write) -> Result<(), AppError> {
    let path = Folders::of(&app.home, &reviewed.row.id).patch();
    let file = open(&path)?;
    let failed = |source| AppError::Write {
        path: path.clone(),
        source,
    };
    let mut reader = BufReader::new(file.take(SHOWN_LIMIT));
    let mut stream = app.redactor.stream();
    let mut clean = Vec::new();
    loop {
        let chunk = reader.fill_buf().map_err(failed)?;
        if chunk.is_empty() {
            break;
        }
        let read = chunk.len();
        stream.push(chunk, &mut clean);
        reader.consume(read);
        out.write_all(&clean).map_err(AppError::Output)?;
        clean.clear();
    }
    stream.finish(&mut clean);
    out.write_all(&clean).map_err(AppError::Output)?;
    let total = reviewed
        .change
        .as_ref()
        .map_or(0, |change| change.patch_bytes);
    if total > SHOWN_LIMIT {
        let note = format!(
            "\n… {} more bytes of the diff are not shown\n",
            total - SHOWN_LIMIT
        );
        out.write_all(note.as_bytes()).map_err(AppError::Output)?;
    }
    Ok(())
}

fn open(path: &std::path::Path) -> Result<File, AppError> {
    files::open_private(path)?.ok_or_else(|| AppError::PatchMissing {
        path: path.to_owned(),
    })
}

/// Takes the tree of a run that is over into our hands when what is in it is not, or not as it is now, on record.
/// Of two that look at once one gets it; the other sees what is on record.
fn take_uncaptured(app: &App, row: &RunRow) -> Result<bool, AppError> {
    if matches!(row.status, RunStatus::Preparing | RunStatus::Running) {
        return Ok(false);
    }
    let (from, to) = (&row.checkout.owner, App::owner()?);
    match row.checkout.state {
        CheckoutState::Kept if row.change.is_none() => {
            match app.store.reopen_checkout(&row.id, &to) {
                Err(StoreError::CheckoutLive { .. }) => Ok(false),
                other => Ok(other.map(|()| true)?),
            }
        }
        // Whoever ran or captured in it was cut off, or could not capture it.
        CheckoutState::Live if !lives(from) => Ok(app.store.claim_checkout(&row.id, from, &to)?),
        CheckoutState::Preparing
        | CheckoutState::Live
        | CheckoutState::Captured
        | CheckoutState::Kept
        | CheckoutState::Removed => Ok(false),
    }
}

fn capture_left(app: &App, row: &RunRow) -> Result<RunRow, AppError> {
    let folders = Folders::of(&app.home, &row.id);
    // Of a tree that is not there nothing can be said, least of all that its files were removed.
    if let Err(FsError::NotFound { .. }) = Root::open(&folders.tree) {
        let name = row.name.clone();
        return Err(AppError::CheckoutGone { name });
    }
    let project = app.project_at(&row.project.root);
    let project = project.map_err(|error| finish::not_captured(&error, &folders))?;
    let change = finish::capture(app, &project, row.id, &folders)?;
    // Nobody goes back into the checkout of an agent's run: where it changed nothing, nothing is left to decide on.
    let is_done = row.kind == RunKind::External && change.state == ChangeState::Empty;
    finish::settle(app, row.id, &folders, !is_done)?;
    Ok(app.store.find_run(&row.id.short())?)
}

impl Reviewed {
    /// The change as a report; empty where there is none on record.
    pub fn report(&self) -> Option<ChangeReport> {
        self.change.clone().map(ChangeReport::from)
    }

    /// Whether its stored diff is still there to be shown.
    pub fn has_diff(&self) -> bool {
        self.change.as_ref().is_some_and(|change| {
            matches!(change.state, ChangeState::Pending | ChangeState::Landed)
        })
    }

    /// Whether a person can decide on it.
    pub fn is_pending(&self) -> bool {
        self.change
            .as_ref()
            .is_some_and(|change| change.state == ChangeState::Pending)
    }
}
