//! Going back into a kept checkout, sandboxed as before. What changed is captured again afterwards.

use std::ffi::OsString;
use std::time::Duration;

use taffrail_confine::fs::{FsError, Root};
use taffrail_confine::supervise::{self, Event};
use taffrail_domain::{ChangeState, Enforcement, RunStatus};
use taffrail_store::CheckoutState;

use super::finish;
use super::job::Job;
use super::plan::{self, Plan};
use super::report::ChangeReport;
use super::review::Reviewed;
use super::view::Folders;
use crate::network::Gate;
use crate::{App, AppError};

/// What came of it.
pub struct Entered {
    /// How the command ended.
    pub ended: taffrail_domain::Ended,
    /// How long it took.
    pub lasted: Duration,
    /// The change as it stands now.
    pub change: ChangeReport,
}

/// Runs a command in the kept checkout of a box. `ready` is called when the sandbox stands.
pub fn enter(
    app: &App,
    reviewed: &Reviewed,
    command: &[OsString],
    ready: &mut dyn FnMut(&Enforcement),
) -> Result<Entered, AppError> {
    let row = &reviewed.row;
    let in_use = matches!(row.status, RunStatus::Preparing | RunStatus::Running)
        || row.checkout.state == CheckoutState::Live;
    if in_use {
        return Err(AppError::RunLive {
            pid: row.checkout.owner.pid,
        });
    }
    if row.checkout.state != CheckoutState::Kept {
        return Err(AppError::CheckoutGone {
            name: row.name.clone(),
        });
    }
    if let Some(change) = &reviewed.change
        && !matches!(change.state, ChangeState::Pending | ChangeState::Empty)
    {
        return Err(AppError::NotPending {
            name: row.name.clone(),
            state: change.state.name(),
        });
    }
    let folders = Folders::of(&app.home, &row.id);
    if let Err(FsError::NotFound { .. }) = Root::open(&folders.tree) {
        return Err(AppError::CheckoutGone {
            name: row.name.clone(),
        });
    }
    let plan = plan_again(app, reviewed)?;
    let job = Job {
        app,
        plan: &plan,
        run: row.id,
        folders,
    };
    let command = if command.is_empty() {
        vec![OsString::from("bash")]
    } else {
        command.to_vec()
    };
    let launch = job.launch(&command)?;
    app.store.reopen_checkout(&row.id, &App::owner()?)?;
    let outcome = supervise::run(&launch, &mut |event| {
        if let Event::Enforced(enforcement) = event {
            ready(enforcement);
        }
        Ok(())
    });
    plan.gate.record(app, &row.id)?;
    // A tree that cannot be captured stays live: whoever looks next captures it, and nobody lands what was before.
    let change = finish::capture(app, &plan.project, row.id, &job.folders)?;
    app.store.set_checkout_state(&row.id, CheckoutState::Kept)?;
    let outcome = outcome?;
    Ok(Entered {
        ended: outcome.ended,
        lasted: outcome.lasted,
        change,
    })
}

/// The plan of the first run, as far as the record holds it: same project, same agent, same network.
fn plan_again(app: &App, reviewed: &Reviewed) -> Result<Plan, AppError> {
    let row = &reviewed.row;
    let (rung, ladder) = plan::rung(app, true)?;
    let entry = row
        .agent
        .as_ref()
        .and_then(|id| app.config.agents.get(id).cloned());
    let own = entry.as_ref().map(|entry| &entry.loopback_ports[..]);
    Ok(Plan {
        project: app.project_at(&row.project.root)?,
        gate: Gate::open(&row.net, rung, own.unwrap_or_default())?,
        entry,
        net: row.net.clone(),
        rung,
        ladder,
        subfolder: std::path::PathBuf::new(),
        carry: Vec::new(),
        setup: None,
        notices: Vec::new(),
    })
}
