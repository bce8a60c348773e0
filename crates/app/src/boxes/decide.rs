//! A person's decision on what a run changed, to land it as a branch. One per run (FA-31).

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use sha2::{Digest, Sha256};
use taffrail_confine::fs::remove_tree;
use taffrail_domain::{Change, ChangeHash, ChangeState, Flag};
use taffrail_gitbox::{Identity, LandPlan, Landed, Project, Step};
use taffrail_store::{Captured, CheckoutState, Decision, files};
use taffrail_text::Shown;

use super::first;
use super::review::Reviewed;
use super::view::Folders;
use crate::{App, AppError};

/// The message of the commit that holds what was uncommitted.
const FIRST_MESSAGE: &str = "uncommitted changes\n";

/// What a person confirmed, and how the commit shall look.
#[derive(Debug, Clone, Default)]
pub struct LandRequest {
    /// What was typed: the first twelve hex digits of the hash.
    pub typed: String,
    /// Flags confirmed by name.
    pub confirmed: BTreeSet<Flag>,
    /// The branch; none means `external/<run-id>`.
    pub branch: Option<String>,
    /// The message; none means the task of an agent that was driven, else the command that was run.
    pub message: Option<String>,
}

/// Flags that a person has not confirmed, in their order.
pub fn unconfirmed(change: &Captured, confirmed: &BTreeSet<Flag>) -> Vec<Flag> {
    let flags: BTreeSet<Flag> = change
        .changes
        .iter()
        .flat_map(|change| change.flags.iter().copied())
        .collect();
    flags.difference(confirmed).copied().collect()
}

/// Whether there is anything to ask a person about: it is pending, its diff is there, nothing in it is refused.
pub fn may_be_asked(app: &App, reviewed: &Reviewed) -> Result<(), AppError> {
    let change = pending(reviewed)?;
    refuse_read_only(app, reviewed)?;
    stored_diff_fits(&Folders::of(&app.home, &reviewed.row.id), change)?;
    refuse_refused(change)
}

/// Makes a local branch of the change. The checks come in the order of FA-31.
pub fn land(app: &App, reviewed: &Reviewed, request: &LandRequest) -> Result<Landed, AppError> {
    let change = pending(reviewed)?;
    refuse_read_only(app, reviewed)?;
    let folders = Folders::of(&app.home, &reviewed.row.id);
    stored_diff_fits(&folders, change)?;
    confirmation_fits(change, &request.typed)?;
    content_may_land(change, &request.confirmed)?;
    let run = reviewed.row.id;
    app.store
        .decide_change(&run, Decision::Landing, &change.hash, &App::owner()?)?;
    match carry_out(app, reviewed, change, &folders, request) {
        Ok(landed) => {
            app.store
                .finish_landing(&run, &landed.commit, &landed.branch)?;
            clear(app, reviewed, &folders)?;
            Ok(landed)
        }
        Err(error) => {
            app.store.fail_landing(&run, error.code().row().name)?;
            Err(error)
        }
    }
}

pub(super) fn live(reviewed: &Reviewed) -> AppError {
    AppError::RunLive {
        pid: reviewed.row.checkout.owner.pid,
    }
}

fn pending(reviewed: &Reviewed) -> Result<&Captured, AppError> {
    match &reviewed.change {
        Some(change) if change.state == ChangeState::Pending => Ok(change),
        Some(change) => Err(not_pending(reviewed, change.state)),
        None => match reviewed.row.checkout.state {
            CheckoutState::Preparing | CheckoutState::Live | CheckoutState::Kept => {
                Err(live(reviewed))
            }
            CheckoutState::Captured | CheckoutState::Removed => Err(AppError::CheckoutGone {
                name: reviewed.row.name.clone(),
            }),
        },
    }
}

/// An agent that may not write had its change thrown away, had its run come to an end in order. One that was cut off waits
/// to be thrown away.
fn refuse_read_only(app: &App, reviewed: &Reviewed) -> Result<(), AppError> {
    match app.store.agent_run(&reviewed.row.id)? {
        Some(run) if !run.may_write => Err(AppError::NotPending {
            name: reviewed.row.name.clone(),
            state: "that of a run that may not write",
        }),
        Some(_) | None => Ok(()),
    }
}

pub(super) fn not_pending(reviewed: &Reviewed, state: ChangeState) -> AppError {
    AppError::NotPending {
        name: reviewed.row.name.clone(),
        state: state.name(),
    }
}

/// The bytes on disk are the bytes that were reviewed.
fn stored_diff_fits(folders: &Folders, change: &Captured) -> Result<(), AppError> {
    let path = folders.patch();
    let file =
        files::open_private(&path)?.ok_or_else(|| AppError::PatchMissing { path: path.clone() })?;
    let found = hash(BufReader::with_capacity(1 << 20, file))
        .map_err(|source| AppError::Write { path, source })?;
    if found == change.hash {
        Ok(())
    } else {
        Err(mismatch("the stored diff", change))
    }
}

fn hash(mut bytes: impl BufRead) -> std::io::Result<ChangeHash> {
    let mut digest = Sha256::new();
    loop {
        let chunk = bytes.fill_buf()?;
        if chunk.is_empty() {
            return Ok(ChangeHash::new(digest.finalize().into()));
        }
        digest.update(chunk);
        let read = chunk.len();
        bytes.consume(read);
    }
}

fn confirmation_fits(change: &Captured, typed: &str) -> Result<(), AppError> {
    if typed.trim() == change.hash.confirmation() {
        Ok(())
    } else {
        Err(mismatch("what was typed", change))
    }
}

fn mismatch(what: &'static str, change: &Captured) -> AppError {
    AppError::HashMismatch {
        what,
        hash: change.hash.to_string(),
    }
}

fn refuse_refused(change: &Captured) -> Result<(), AppError> {
    let refused: Vec<Change> = change
        .changes
        .iter()
        .filter(|change| change.refused.is_some())
        .cloned()
        .collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(AppError::ChangeRefused(refused))
    }
}

/// The error for flags that a person did not confirm: binary files have one of their own.
pub fn not_confirmed(change: &Captured, missing: Vec<Flag>) -> AppError {
    if !missing.contains(&Flag::Binary) {
        return AppError::Flagged(missing);
    }
    let is_binary = |change: &&Change| change.flags.contains(&Flag::Binary);
    AppError::Binary(change.changes.iter().filter(is_binary).cloned().collect())
}

fn content_may_land(change: &Captured, confirmed: &BTreeSet<Flag>) -> Result<(), AppError> {
    refuse_refused(change)?;
    let missing = unconfirmed(change, confirmed);
    if missing.is_empty() {
        Ok(())
    } else {
        Err(not_confirmed(change, missing))
    }
}

fn carry_out(
    app: &App,
    reviewed: &Reviewed,
    change: &Captured,
    folders: &Folders,
    request: &LandRequest,
) -> Result<Landed, AppError> {
    let row = &reviewed.row;
    let project = app.project_at(&row.project.root)?;
    let base = row.base.clone().ok_or_else(|| AppError::CheckoutGone {
        name: row.name.clone(),
    })?;
    let branch = request
        .branch
        .clone()
        .unwrap_or_else(|| format!("external/{}", row.id));
    let message = match &request.message {
        Some(message) => message.clone(),
        None => {
            let driven = app.store.agent_run(&row.id)?;
            let about = driven.as_ref().map_or(&row.command, |run| &run.task);
            message(about, &row.id.short())
        }
    };
    let first = match row.first_commit {
        Some(_) => Some(first::read(folders)?),
        None => None,
    };
    let (patch, first_patch) = (folders.patch(), folders.first_patch());
    let first = first.as_deref().map(|changes| Step {
        patch: &first_patch,
        changes,
        message: FIRST_MESSAGE,
    });
    let landed = taffrail_gitbox::land(
        app.git(),
        &project,
        &LandPlan {
            base: &base,
            first,
            change: Step {
                patch: &patch,
                changes: &change.changes,
                message: &message,
            },
            branch: &branch,
            author: &author(&project),
            committer: &committer(row.agent.as_deref().unwrap_or("box")),
            when: app.inputs.clock.now(),
            scratch: &folders.session,
        },
    );
    let places = [&*folders.session, &*project.common_dir];
    landed.map_err(|error| AppError::from(error).or_full(&places))
}

/// The operator, as their own git would name them; a stand-in where git knows no name.
fn author(project: &Project) -> Identity {
    let unknown = || Identity {
        name: "unknown".into(),
        email: "unknown@localhost".into(),
    };
    project.operator.clone().unwrap_or_else(unknown)
}

fn committer(agent: &str) -> Identity {
    Identity {
        name: format!("taffrail ({agent})"),
        email: "taffrail@localhost".into(),
    }
}

/// Subject: what it was about, cut to what a log shows in one line. Body: which run.
fn message(about: &str, run: &str) -> String {
    const SUBJECT: usize = 72;
    let mut lines = about.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let subject: String = Shown::line(line).as_str().chars().take(SUBJECT).collect();
    let subject = if subject.is_empty() {
        "box".to_owned()
    } else {
        subject
    };
    format!("{subject}\n\nTaffrail-Run: {run}\n")
}

pub(super) fn clear(app: &App, reviewed: &Reviewed, folders: &Folders) -> Result<(), AppError> {
    if reviewed.row.checkout.state != CheckoutState::Removed {
        remove_tree(&folders.checkout)?;
        app.store
            .set_checkout_state(&reviewed.row.id, CheckoutState::Removed)?;
    }
    Ok(())
}
