//! A person's word on an unbound candidate: into which workspace its seeds go, or that they are not wanted (XSL-09).

use serde_json::Value;
use taffrail_domain::{UnboundId, UnboundState, WorkspaceStatus};
use taffrail_memory::draft::Scope;
use taffrail_slate::external::{Anchors, Seed};
use taffrail_store::{Closure, StoreError, UnboundRow, WorkspaceRow};

use super::list::{new_id, view, whose};
use super::{Closed, WorkspaceView, proposals};
use crate::memory::gate;
use crate::{App, AppError};

/// Which workspace is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The only active one of the project.
    Only,
    /// This one, by its id or the beginning of it.
    Named(&'a str),
    /// A new one of this title.
    New(&'a str),
}

/// What binding came to.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The unbound candidate.
    pub unbound: UnboundId,
    /// The workspace.
    pub workspace: WorkspaceView,
    /// Whether it was made for this.
    pub is_new: bool,
    /// What came of the slate: the proposals, one per kind of seed.
    pub closure: Closure,
}

/// Makes of an unbound candidate what its close would have made in a workspace: the same proposals.
///
/// # Errors
/// `AgentPresent`; `UnboundDecided` where somebody decided already; `WorkspaceUnclear` where no workspace is named and
/// not exactly one is active; `WorkspaceArchived`; what the store can give.
pub fn bind(app: &App, typed: &str, target: Target<'_>) -> Result<Bound, AppError> {
    gate::person_only(app)?;
    let unbound = app.store.find_unbound(typed)?;
    waiting(&unbound)?;
    let seeds: Vec<Seed> =
        serde_json::from_str(&unbound.seeds).map_err(|error| AppError::UnboundDamaged {
            id: unbound.id.short(),
            why: error.to_string(),
        })?;
    let anchors: Anchors = serde_json::from_str(&unbound.anchors).unwrap_or_default();
    let evidence: Option<Value> = unbound
        .evidence
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok());
    // What belongs to a project stays in it.
    let of = Closed {
        scope: unbound.project.map_or(Scope::Personal, Scope::Project),
        external_id: &unbound.external_id,
        generation: unbound.generation,
        seeds: &seeds,
        evidence: evidence.as_ref(),
        anchors: &anchors,
    };
    let store = &app.store;
    let (workspace, closure) = match target {
        Target::New(title) => {
            let (new, title) = (new_id(app)?, app.redactor.clean(title.trim()));
            let made = proposals(app, &of)?;
            let closure = store.bind_unbound_to_new(&unbound.id, &new, &title, made)?;
            (new, closure)
        }
        Target::Named(_) | Target::Only => {
            let found = existing(app, &unbound, target)?.id;
            let made = proposals(app, &of)?;
            (found, store.bind_unbound(&unbound.id, &found, made)?)
        }
    };
    let row = store.find_workspace(&whose(unbound.project), &workspace.short())?;
    Ok(Bound {
        unbound: unbound.id,
        workspace: view(app, row)?,
        is_new: matches!(target, Target::New(_)),
        closure,
    })
}

/// Says that an unbound candidate is not wanted, or with `undo` lets it wait again. Its seeds are kept.
///
/// # Errors
/// `AgentPresent`; `UnboundDecided`; what the store can give.
pub fn dismiss(app: &App, typed: &str, undo: bool) -> Result<UnboundRow, AppError> {
    gate::person_only(app)?;
    let unbound = app.store.find_unbound(typed)?;
    Ok(match undo {
        true => app.store.recall_dismissed(&unbound.id)?,
        false => app.store.dismiss_unbound(&unbound.id)?,
    })
}

/// The workspace that is meant, where it is there already.
fn existing(app: &App, unbound: &UnboundRow, target: Target<'_>) -> Result<WorkspaceRow, AppError> {
    let found = match target {
        Target::Named(typed) => app.store.find_workspace(&whose(unbound.project), typed)?,
        Target::Only | Target::New(_) => only(app, unbound)?,
    };
    if found.status == WorkspaceStatus::Archived {
        let id = found.id.short();
        return Err(StoreError::WorkspaceArchived { id }.into());
    }
    Ok(found)
}

/// Asked first: what was decided is said before anything else.
fn waiting(unbound: &UnboundRow) -> Result<(), AppError> {
    match unbound.state {
        UnboundState::Waiting => Ok(()),
        state @ (UnboundState::Bound | UnboundState::Dismissed) => {
            let id = unbound.id.short();
            Err(StoreError::UnboundDecided { id, state }.into())
        }
    }
}

fn only(app: &App, unbound: &UnboundRow) -> Result<WorkspaceRow, AppError> {
    let mut active = app.store.workspaces(&whose(unbound.project), false)?;
    match (active.pop(), active.len()) {
        (Some(one), 0) => Ok(one),
        (found, rest) => Err(AppError::WorkspaceUnclear {
            active: usize::from(found.is_some()) + rest,
        }),
    }
}
