//! The end of a run: status, captured change, ledger. The tree goes only when its change is on record (FA-12).

use std::io::{BufWriter, Write};

use taffrail_confine::fs::remove_tree;
use taffrail_confine::supervise::{Cause, Outcome};
use taffrail_domain::{ChangeState, Ended, Enforcement, ErrorCode, RunId, RunStatus};
use taffrail_gitbox::{CapturePlan, Captured, Listing, Project};
use taffrail_store::{CheckoutState, NewChange, files};

use super::job::Job;
use super::report::{BoxReport, ChangeReport};
use super::view::Folders;
use crate::{App, AppError};

/// A listing holds a line per file: a million files of 100 bytes each.
const LISTING_LIMIT: u64 = 256 << 20;

/// What the command came to: proof and outcome.
pub(crate) struct Driven {
    pub enforcement: Option<Enforcement>,
    pub outcome: Result<Outcome, AppError>,
}

/// Records how the run ended, captures what it changed, clears the checkout.
pub(crate) fn finish(
    job: &Job<'_>,
    name: String,
    keep: bool,
    driven: Driven,
) -> Result<BoxReport, AppError> {
    let (app, run, folders) = (job.app, job.run, &job.folders);
    let (status, reason) = verdict(&driven);
    let ended = driven.outcome.as_ref().ok().map(|outcome| outcome.ended);
    app.store.run_ended(&run, status, reason, ended)?;
    job.plan.gate.record(app, &run)?;
    let change = capture(app, &job.plan.project, run, folders)?;
    let kept = keep || change.state == ChangeState::Pending && driven.outcome.is_err();
    settle(app, run, folders, kept)?;
    let outcome = driven.outcome?;
    Ok(BoxReport {
        run,
        name,
        status,
        reason,
        ended,
        lasted: outcome.lasted,
        left: outcome.left,
        enforcement: driven.enforcement,
        net: job.plan.net.clone(),
        hosts: job.plan.gate.hosts(),
        change,
        kept: kept.then(|| folders.tree.clone()),
    })
}

fn verdict(driven: &Driven) -> (RunStatus, &'static str) {
    let outcome = match &driven.outcome {
        Ok(outcome) => outcome,
        Err(error) => return (RunStatus::Error, error.code().row().name),
    };
    match (outcome.cause, outcome.ended) {
        (Cause::Exit, Ended::Exited(0)) => (RunStatus::Completed, "exit"),
        (Cause::Exit, Ended::Exited(_)) => (RunStatus::Error, "exit_code"),
        (Cause::Exit, Ended::Signalled(_)) => (RunStatus::Died, "signal"),
        (Cause::Cancelled(_) | Cause::Stopped, _) => (RunStatus::Cancelled, "cancelled"),
        (Cause::Timeout, _) => (RunStatus::Timeout, "timeout"),
        (Cause::SupervisorLost, _) => (RunStatus::Died, "supervisor_lost"),
    }
}

/// Captures the checkout's difference from its base and puts it on record. A run can be captured again as long as
/// nobody decided on it.
pub(crate) fn capture(
    app: &App,
    project: &Project,
    run: RunId,
    folders: &Folders,
) -> Result<ChangeReport, AppError> {
    let keeps = |error: &AppError| not_captured(error, folders);
    let captured = captured(app, project, run, folders).map_err(|error| keeps(&error))?;
    let state = if captured.changes.is_empty() {
        ChangeState::Empty
    } else {
        ChangeState::Pending
    };
    let ignored = captured.ignored.iter().map(|ignored| ignored.files).sum();
    let change = NewChange {
        hash: &captured.hash,
        state,
        patch_bytes: captured.patch_bytes,
        changes: &captured.changes,
        ignored_count: ignored,
    };
    let recorded = app.store.record_change(&run, &change);
    recorded.map_err(|error| keeps(&error.into()))?;
    Ok(ChangeReport {
        state,
        hash: captured.hash,
        changes: captured.changes,
        ignored,
    })
}

/// An error that says as well where the tree is kept.
pub(crate) fn not_captured(error: &AppError, folders: &Folders) -> AppError {
    let failed = AppError::CaptureFailed {
        path: folders.tree.clone(),
        why: error.to_string(),
    };
    match error.code() {
        ErrorCode::DiskFull => AppError::DiskFull {
            path: folders.session.clone(),
            why: failed.to_string(),
        },
        ErrorCode::QuotaFull => AppError::NotKept {
            why: failed.to_string(),
        },
        _ => failed.or_full(&[&folders.session]),
    }
}

/// The diff goes to a file beside the last one and takes its place when it is whole and synced.
fn captured(
    app: &App,
    project: &Project,
    run: RunId,
    folders: &Folders,
) -> Result<Captured, AppError> {
    let listing = files::read_bounded(&folders.listing(), LISTING_LIMIT)?.unwrap_or_default();
    let listing = Listing::from_bytes(&listing)?;
    let (path, fresh) = (folders.patch(), folders.session.join("change.patch.new"));
    files::remove(&fresh)?;
    let file = files::create_private_writer(&fresh)?;
    let mut patch = BufWriter::new(&file);
    let captured = taffrail_gitbox::capture(
        app.git(),
        project,
        &CapturePlan {
            listing: &listing,
            worktree: &folders.tree,
            kept: Some(&folders.kept),
            is_secret: &|bytes| {
                !app.redactor
                    .findings(&String::from_utf8_lossy(bytes))
                    .is_empty()
            },
        },
        &mut patch,
    )?;
    patch.flush().map_err(|source| AppError::Write {
        path: fresh.clone(),
        source,
    })?;
    drop(patch);
    if let Err(error) = within_quota(app, run, captured.patch_bytes) {
        files::remove(&fresh)?;
        return Err(error);
    }
    files::finish_writer(&file, &fresh)?;
    files::put_in_place(&fresh, &path)?;
    Ok(captured)
}

/// Whether the home may keep a diff of this size beside the others (STO-06).
fn within_quota(app: &App, run: RunId, bytes: u64) -> Result<(), AppError> {
    let limit = app.config.record.diffs_mib.value << 20;
    let kept = app.store.captured_bytes_beside(&run)?;
    if kept.saturating_add(bytes) <= limit {
        return Ok(());
    }
    Err(AppError::OverQuota { kept, bytes, limit })
}

/// Removes the checkout, or keeps it on purpose; the ledger says which.
pub(crate) fn settle(app: &App, run: RunId, folders: &Folders, keep: bool) -> Result<(), AppError> {
    if keep {
        return Ok(app.store.set_checkout_state(&run, CheckoutState::Kept)?);
    }
    app.store
        .set_checkout_state(&run, CheckoutState::Captured)?;
    remove_tree(&folders.checkout)?;
    Ok(app.store.set_checkout_state(&run, CheckoutState::Removed)?)
}
