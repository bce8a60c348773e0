//! What a killed taffrail left: found by the next command that opens the home for writing (FA-12).
//!
//! Never removes a live or an uncaptured tree: the tree of a run that was cut off is kept and offered.

use taffrail_confine::fs::remove_tree;
use taffrail_confine::process::{self, ProcessId};
use taffrail_domain::{ChangeState, RunId, RunKind, RunStatus};
use taffrail_store::{CheckoutState, Decision, Leftover, OpenDecision, Owner};

use super::discard;
use super::view::Folders;
use crate::external::exports;
use crate::{App, AppError};

/// What the sweep found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swept {
    /// A run was cut off while its command ran; its tree is kept, this many of its processes were ended.
    CutOff {
        /// The family whose commands it is reviewed with.
        kind: RunKind,
        /// The run's name.
        name: String,
        /// Processes that were still there.
        killed: usize,
    },
    /// A checkout that was never used, or whose change is on record, was removed.
    Removed {
        /// The run's name.
        name: String,
    },
    /// A landing was cut off; the change waits again.
    Reopened {
        /// The run.
        run: RunId,
    },
    /// A discard was cut off, and is done now.
    Discarded {
        /// The run.
        run: RunId,
    },
    /// Something could not be swept and is tried again next time.
    Failed {
        /// The run's name.
        name: String,
        /// Why.
        why: String,
    },
}

/// Sweeps everything whose owner is gone.
pub fn sweep(app: &App) -> Result<Vec<Swept>, AppError> {
    let mut swept = Vec::new();
    for begun in discard::begun(app)? {
        let done = discard::carry_on(app, &begun);
        swept.extend(done.unwrap_or_else(|error| failed(begun.run, &error)));
    }
    for open in app.store.open_decisions()? {
        let name = open.run.short();
        swept.extend(decision(app, &open).unwrap_or_else(|error| failed(name, &error)));
    }
    for left in app.store.leftovers()? {
        let name = left.name.clone();
        swept.extend(checkout(app, &left).unwrap_or_else(|error| failed(name, &error)));
    }
    Ok(swept)
}

/// The same for one run, where the first thing that fails is an error.
pub(super) fn of_run(app: &App, run: &RunId) -> Result<(), AppError> {
    for open in app.store.open_decisions()? {
        if open.run == *run {
            decision(app, &open)?;
        }
    }
    for left in app.store.leftovers()? {
        if left.run == *run {
            checkout(app, &left)?;
        }
    }
    Ok(())
}

#[allow(clippy::unnecessary_wraps)] // the shape of what it stands for
fn failed(name: String, error: &AppError) -> Option<Swept> {
    let why = error.to_string();
    Some(Swept::Failed { name, why })
}

fn checkout(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    if left.checkout.state == CheckoutState::Kept {
        return decided(app, left);
    }
    // Of two commands that sweep at once, one gets it.
    if lives(&left.checkout.owner)
        || !app
            .store
            .claim_checkout(&left.run, &left.checkout.owner, &App::owner()?)?
    {
        return Ok(None);
    }
    let over = !matches!(left.status, RunStatus::Preparing | RunStatus::Running);
    let swept = match (left.checkout.state, over) {
        (CheckoutState::Preparing, _) => forget(app, left, over),
        (CheckoutState::Live, false) => cut_off(app, left),
        (CheckoutState::Live, true) => keep(app, left),
        (CheckoutState::Captured, _) => remove(app, left),
        (CheckoutState::Kept | CheckoutState::Removed, _) => Ok(None),
    }?;
    exports::after_kill(app, &left.run)?;
    Ok(swept)
}

/// A kept tree is a person's, until they decided: then whoever carried that out was cut off before the tree was gone.
fn decided(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    if !matches!(
        left.change,
        Some(ChangeState::Landed | ChangeState::Discarded)
    ) {
        return Ok(None);
    }
    let change = app.store.captured(&left.run)?;
    let decision = change.and_then(|change| change.decisions.last().cloned());
    if decision.is_some_and(|decision| lives(&decision.owner)) {
        return Ok(None);
    }
    remove(app, left)
}

/// Cut off before the command was started: nothing of anyone's is in it.
fn forget(app: &App, left: &Leftover, over: bool) -> Result<Option<Swept>, AppError> {
    process::sweep_marked(&left.run);
    if !over {
        app.store
            .run_ended(&left.run, RunStatus::Died, "taffrail_killed", None)?;
    }
    remove(app, left)
}

fn cut_off(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    let killed = process::sweep_marked(&left.run).killed;
    app.store
        .run_ended(&left.run, RunStatus::Died, "taffrail_killed", None)?;
    app.store
        .set_checkout_state(&left.run, CheckoutState::Kept)?;
    Ok(Some(Swept::CutOff {
        kind: left.kind,
        name: left.name.clone(),
        killed,
    }))
}

/// Cut off after the end of the run: while it was captured, or while a person was back in it. A change on record may
/// be older than the tree, so such a tree stays live, of its dead owner, until whoever looks at it captures it anew.
fn keep(app: &App, left: &Leftover) -> Result<Option<Swept>, AppError> {
    process::sweep_marked(&left.run);
    if left.change.is_none() {
        app.store
            .set_checkout_state(&left.run, CheckoutState::Kept)?;
    } else {
        app.store
            .claim_checkout(&left.run, &App::owner()?, &left.checkout.owner)?;
    }
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
/// second try takes it as it is in the first case. A discard is finished: its diff may be gone already.
fn decision(app: &App, open: &OpenDecision) -> Result<Option<Swept>, AppError> {
    if lives(&open.decided.owner) {
        return Ok(None);
    }
    let run = open.run;
    match open.decided.decision {
        Decision::Landing => {
            app.store.fail_landing(&run, "interrupted")?;
            Ok(Some(Swept::Reopened { run }))
        }
        Decision::Discard => {
            discard::finish(app, &run, &Folders::of(&app.home, &run))?;
            Ok(Some(Swept::Discarded { run }))
        }
    }
}

/// Whether the process that answers for something still runs.
pub(crate) fn lives(owner: &Owner) -> bool {
    ProcessId {
        pid: owner.pid,
        start_ticks: owner.start_ticks,
        boot_id: owner.boot_id.clone(),
    }
    .is_alive()
}
