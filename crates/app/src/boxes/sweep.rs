//! What a killed taffrail left: found by the next command that opens the home for writing (FA-12).
//!
//! Never removes a live or an uncaptured tree: the tree of a run that was cut off is kept and offered.

use taffrail_confine::fs::remove_tree;
use taffrail_confine::process::{self, ProcessId};
use taffrail_domain::{RunId, RunStatus};
use taffrail_store::{CheckoutState, Leftover, OpenDecision, Owner};

use super::view::Folders;
use crate::{App, AppError};

/// What the sweep found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swept {
    /// A run was cut off while its command ran; its tree is kept, this many of its processes were ended.
    CutOff {
        /// The box's name.
        name: String,
        /// Processes that were still there.
        killed: usize,
    },
    /// A checkout that was never used, or whose change is on record, was removed.
    Removed {
        /// The box's name.
        name: String,
    },
    /// A landing was cut off; the change waits again.
    Reopened {
        /// The run.
        run: RunId,
    },
    /// Something could not be swept and is tried again next time.
    Failed {
        /// The box's name.
        name: String,
        /// Why.
        why: String,
    },
}

/// Sweeps everything whose owner is gone.
pub fn sweep(app: &App) -> Result<Vec<Swept>, AppError> {
    let mut swept = Vec::new();
    for open in app.store.open_decisions()? {
        swept.extend(reopen(app, &open)?);
    }
    for left in app.store.leftovers()? {
        if left.checkout.state == CheckoutState::Kept || lives(&left.checkout.owner) {
            continue;
        }
        let name = left.name.clone();
        swept.extend(one(app, &left).unwrap_or_else(|error| {
            Some(Swept::Failed {
                name,
                why: error.to_string(),
            })
        }));
    }
    Ok(swept)
}

fn one(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    // Of two commands that sweep at once, one gets it.
    if !app
        .store
        .claim_checkout(&left.run, &left.checkout.owner, &App::owner()?)?
    {
        return Ok(None);
    }
    let over = !matches!(left.status, RunStatus::Preparing | RunStatus::Running);
    match (left.checkout.state, over) {
        (CheckoutState::Preparing, _) => forget(app, left),
        (CheckoutState::Live, false) => cut_off(app, left),
        (CheckoutState::Live, true) => keep(app, left),
        (CheckoutState::Captured, _) => remove(app, left),
        (CheckoutState::Kept | CheckoutState::Removed, _) => Ok(None),
    }
}

/// Cut off before the command was started: nothing of anyone's is in it.
fn forget(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    process::sweep_marked(&left.run);
    app.store
        .run_ended(&left.run, RunStatus::Died, "taffrail_killed", None)?;
    remove(app, left)
}

fn cut_off(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    let killed = process::sweep_marked(&left.run).killed;
    app.store
        .run_ended(&left.run, RunStatus::Died, "taffrail_killed", None)?;
    keep(app, left)?;
    Ok(Some(Swept::CutOff {
        name: left.name.clone(),
        killed,
    }))
}

fn keep(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    app.store
        .set_checkout_state(&left.run, CheckoutState::Kept)?;
    Ok(None)
}

fn remove(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    remove_tree(&Folders::of(&app.home, &left.run).checkout)?;
    app.store
        .set_checkout_state(&left.run, CheckoutState::Removed)?;
    Ok(Some(Swept::Removed {
        name: left.name.clone(),
    }))
}

/// A landing whose process was killed: the branch is made by one step of git, so it is there or it is not, and a
/// second try says `branch-exists` in the first case.
fn reopen(app: &App, open: &OpenDecision) -> Result<Option<Swept>, AppError> {
    if lives(&open.decided.owner) {
        return Ok(None);
    }
    app.store.fail_landing(&open.run, "interrupted")?;
    Ok(Some(Swept::Reopened { run: open.run }))
}

fn lives(owner: &Owner) -> bool {
    ProcessId {
        pid: owner.pid,
        start_ticks: owner.start_ticks,
        boot_id: owner.boot_id.clone(),
    }
    .is_alive()
}
