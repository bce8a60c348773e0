//! Throwing away what a run changed: its diff, its checkout. The rows stay (FA-31).
//!
//! A decision is a row before its effect. Where the disk takes no row any more that order would keep for ever what takes the
//! room. Then the checkout's folder gets another name, which says the same as the row and needs no byte; it is emptied; and
//! the rows are written into the room that came of it, by this command or by a later one.

use std::path::{Path, PathBuf};

use taffrail_confine::fs::{FsError, Root, remove_tree};
use taffrail_confine::process;
use taffrail_domain::{ChangeState, ErrorCode, RepoPath, RunId, RunStatus};
use taffrail_store::{CheckoutState, Decision, RunRow, StoreError, files};

use super::decide::{clear, live, not_pending};
use super::review::{Reviewed, find_to_discard};
use super::sweep::{self, Swept, lives};
use super::view::Folders;
use crate::{App, AppError};

/// What the name of a checkout's folder ends in once it is thrown away without a row.
const BEGUN: &str = ".discarded";

/// A checkout that was thrown away without a row.
pub(super) struct Begun {
    /// The run, in its short form.
    pub run: String,
    folder: PathBuf,
}

/// Throws away the run that a person names: of a change that could not be captured the tree alone. Makes room first where
/// there is none for a row.
///
/// # Errors
/// `NotFound`, `Ambiguous`; `RunLive` while something runs in it; `NotPending` once it is decided on; what the store and the
/// disk can give.
pub fn by_name(app: &App, name: &str) -> Result<Reviewed, AppError> {
    match attempt(app, name) {
        Err(error) if is_full(&error) => {}
        done => return done,
    }
    let row = app.store.find_run(name)?;
    may_go(app, &row)?;
    rows(app, &make_room(app, &row)?)
}

fn attempt(app: &App, name: &str) -> Result<Reviewed, AppError> {
    // What a command that was cut off left may be in the way, and could not be cleared when this one began.
    sweep::of_run(app, &app.store.find_run(name)?.id)?;
    let reviewed = find_to_discard(app, name)?;
    discard(app, &reviewed)?;
    Ok(reviewed)
}

fn is_full(error: &AppError) -> bool {
    error.code() == ErrorCode::DiskFull
}

/// Throws the change away: its diff, its checkout. The rows stay.
///
/// # Errors
/// As for [`by_name`].
pub fn discard(app: &App, reviewed: &Reviewed) -> Result<(), AppError> {
    let folders = Folders::of(&app.home, &reviewed.row.id);
    match &reviewed.change {
        Some(change) if change.state == ChangeState::Pending => {
            app.store.decide_change(
                &reviewed.row.id,
                Decision::Discard,
                &change.hash,
                &App::owner()?,
            )?;
            finish(app, &reviewed.row.id, &folders)?;
        }
        Some(change) if change.state != ChangeState::Empty => {
            return Err(not_pending(reviewed, change.state));
        }
        Some(_) | None => withdraw(app, reviewed)?,
    }
    clear(app, reviewed, &folders)
}

/// The effect and the result of a discard that is on record.
pub(super) fn finish(app: &App, run: &RunId, folders: &Folders) -> Result<(), AppError> {
    remove_diffs(folders)?;
    Ok(app.store.finish_discard(run)?)
}

fn remove_diffs(folders: &Folders) -> Result<(), AppError> {
    files::remove(&folders.patch())?;
    files::remove(&folders.first_patch())?;
    Ok(())
}

/// Where nothing was changed there is no decision that keeps others away, so the tree itself is taken: never one that
/// something runs in.
fn withdraw(app: &App, reviewed: &Reviewed) -> Result<(), AppError> {
    let row = &reviewed.row;
    match row.checkout.state {
        CheckoutState::Preparing | CheckoutState::Live => Err(live(reviewed)),
        CheckoutState::Kept => {
            app.store.reopen_checkout(&row.id, &App::owner()?)?;
            Ok(app
                .store
                .set_checkout_state(&row.id, CheckoutState::Captured)?)
        }
        CheckoutState::Captured | CheckoutState::Removed => Ok(()),
    }
}

/// That nobody is in it, and nobody has decided otherwise.
fn may_go(app: &App, row: &RunRow) -> Result<(), AppError> {
    let goes_on = matches!(row.status, RunStatus::Preparing | RunStatus::Running)
        || matches!(
            row.checkout.state,
            CheckoutState::Preparing | CheckoutState::Live
        );
    if goes_on && lives(&row.checkout.owner) {
        let pid = row.checkout.owner.pid;
        return Err(AppError::RunLive { pid });
    }
    if let Some(state @ (ChangeState::Landed | ChangeState::Discarded)) = row.change {
        return Err(StoreError::NotPending { state }.into());
    }
    let mut open = app.store.open_decisions()?.into_iter();
    match open.find(|open| open.run == row.id && lives(&open.decided.owner)) {
        Some(_) => Err(StoreError::Deciding.into()),
        None => Ok(()),
    }
}

/// Takes the checkout away from where it is looked for, and the diff that nobody wants any more.
fn make_room(app: &App, row: &RunRow) -> Result<Begun, AppError> {
    process::sweep_marked(&row.id);
    let folders = Folders::of(&app.home, &row.id);
    let begun = Begun::of(app, row.id.short());
    match Root::open(&folders.checkout) {
        Err(FsError::NotFound { .. }) => {}
        _ => files::put_in_place(&folders.checkout, &begun.folder)?,
    }
    remove_diffs(&folders)?;
    Ok(begun)
}

impl Begun {
    fn of(app: &App, run: String) -> Self {
        let folder = app.home.checkouts().join(format!("{run}{BEGUN}"));
        Self { run, folder }
    }
}

/// Empties the folder, which goes on saying what was decided until the rows do.
fn rows(app: &App, begun: &Begun) -> Result<Reviewed, AppError> {
    empty(&begun.folder)?;
    let done = attempt(app, &begun.run);
    if !done.as_ref().is_err_and(is_full) {
        remove_tree(&begun.folder)?;
    }
    done
}

fn empty(folder: &Path) -> Result<(), AppError> {
    let folder = match Root::open(folder) {
        Err(FsError::NotFound { .. }) => return Ok(()),
        opened => opened?,
    };
    for entry in folder.entries(None)? {
        if let Ok(name) = RepoPath::new(entry.name) {
            folder.remove_tree(&name)?;
        }
    }
    Ok(())
}

/// What was thrown away without a row, and has none yet.
pub(super) fn begun(app: &App) -> Result<Vec<Begun>, AppError> {
    let checkouts = match Root::open(&app.home.checkouts()) {
        Err(FsError::NotFound { .. }) => return Ok(Vec::new()),
        opened => opened?,
    };
    let names = checkouts.entries(None)?.into_iter().filter_map(|entry| {
        let name = String::from_utf8(entry.name).ok()?;
        name.strip_suffix(BEGUN).map(str::to_owned)
    });
    Ok(names.map(|run| Begun::of(app, run)).collect())
}

/// Writes the rows of a discard that had no room for them.
pub(super) fn carry_on(app: &App, begun: &Begun) -> Result<Option<Swept>, AppError> {
    let reviewed = rows(app, begun)?;
    let run = reviewed.row.id;
    Ok(Some(Swept::Discarded { run }))
}
