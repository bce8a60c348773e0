//! `taffrail restore`: a home from a backup, and what that means for approvals.

use std::path::{Path, PathBuf};

use taffrail_memory::journal::{EventKind, Facts};
use taffrail_store::{Manifest, Peek, RestorePlan, restore as put_back};

use crate::boxes::sweep::lives;
use crate::context::find_home;
use crate::memory::gate::person_only;
use crate::memory::seals::{self, Checker};
use crate::{App, AppError, AppInputs, secrets};

/// What is to be restored.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The archive.
    pub archive: &'a Path,
    /// Move what is there to `backups/` first.
    pub replace: bool,
    /// Take the seal key of the archive too; its passphrase is asked for.
    pub with_seal_key: bool,
}

/// What was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What the archive held.
    pub manifest: Manifest,
    /// Where what was there lies now.
    pub moved_to: Option<PathBuf>,
    /// Whether the archive holds a seal key that was not taken.
    pub seal_key_left: bool,
    /// How approvals stand.
    pub approvals: Approvals,
}

/// How the approvals of a restored home stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approvals {
    /// The journal reaches back to its anchor, or nothing was ever approved.
    Hold,
    /// The backup is older than the last review here: no approval counts until a person takes the older state as it is.
    Older,
    /// There is no key on this machine that made them: they are pending again.
    NoKey,
}

/// Restores a home and opens it; the journal says so.
///
/// # Errors
/// `RunLive`; `Archive` (the home is then as it was); `SecretFault` for the seal key, after the restore.
pub fn restore(inputs: AppInputs, request: &Request<'_>) -> Result<(App, Report), AppError> {
    let home = find_home(&inputs)?;
    refuse_live(&home)?;
    let archive = inputs.cwd.join(request.archive);
    let plan = RestorePlan {
        archive: &archive,
        replace: request.replace,
        now: inputs.clock.now(),
    };
    let restored = put_back(&home, &plan)?;
    let app = App::open(inputs)?;
    let entries = i64::try_from(restored.manifest.journal_entries).unwrap_or(i64::MAX);
    let facts = Facts::new().number("entries", entries);
    app.store
        .record_event(EventKind::BackupRestored, None, facts)?;
    let wrapped = restored.wrapped_seal_key;
    let seal_key_left = wrapped.is_some() && !request.with_seal_key;
    if let Some(wrapped) = wrapped.filter(|_| request.with_seal_key) {
        // The file of secrets is in no backup: on another machine the choice came without it.
        secrets::begin_anew_where_gone(&app)?;
        secrets::restore_wrapped(&app, &wrapped, false)?;
    }
    let report = Report {
        manifest: restored.manifest,
        moved_to: restored.moved_to,
        seal_key_left,
        approvals: approvals(&app)?,
    };
    Ok((app, report))
}

/// A run that goes on would write into a home that is not there any more.
fn refuse_live(home: &taffrail_store::Home) -> Result<(), AppError> {
    // A database that cannot be read is a reason to restore.
    let Ok(Some(peek)) = Peek::open(home) else {
        return Ok(());
    };
    let left = peek.leftovers().unwrap_or_default();
    let live = left.iter().find(|left| lives(&left.checkout.owner));
    match live {
        Some(left) => Err(AppError::RunLive {
            pid: left.checkout.owner.pid,
        }),
        None => Ok(()),
    }
}

fn approvals(app: &App) -> Result<Approvals, AppError> {
    Ok(match seals::checker(app) {
        Checker::Closed { .. } if app.store.all_seal_facts(None)?.is_empty() => Approvals::Hold,
        Checker::Closed { .. } => Approvals::NoKey,
        checker @ Checker::Ready { .. } if checker.reaches(app)? => Approvals::Hold,
        Checker::Ready { .. } => Approvals::Older,
    })
}

/// Takes the older state as it is: the anchor moves back to the journal's present end. Only a person can, as for an
/// approval; the seal key signs it.
///
/// # Errors
/// `AgentPresent`; those of the place of secrets.
pub fn accept_older(app: &App) -> Result<(), AppError> {
    person_only(app)?;
    let opened = seals::open(app)?;
    seals::take_anchor(app, &opened.key())
}
