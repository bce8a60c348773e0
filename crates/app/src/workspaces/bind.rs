//! A person's word on an unbound candidate: into which workspace its seeds go, or that they are not wanted (XSL-09).

use serde_json::Value;
use taffrail_domain::{UnboundId, UnboundState, WorkspaceStatus};
use taffrail_memory::draft::Scope;
use taffrail_slate::external::{Anchors, Seed};
use taffrail_store::{Closure, StoreError, UnboundRow, WorkspaceRow};

use super::list::{make, view, whose};
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
    let (workspace, is_new) = workspace(app, &unbound, target)?;
    let made = proposals(
        app,
        &Closed {
            scope: workspace
                .row
                .project
                .map_or(Scope::Personal, Scope::Project),
            external_id: &unbound.external_id,
            generation: unbound.generation,
            seeds: &seeds,
            evidence: evidence.as_ref(),
            anchors: &anchors,
        },
    )?;
    let closure = app
        .store
        .bind_unbound(&unbound.id, &workspace.row.id, made)?;
    Ok(Bound {
        unbound: unbound.id,
        workspace,
        is_new,
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

/// The workspace that is meant, and whether it was made now.
fn workspace(
    app: &App,
    unbound: &UnboundRow,
    target: Target<'_>,
) -> Result<(WorkspaceView, bool), AppError> {
    let found = match target {
        Target::New(title) => return Ok((make(app, title, unbound.project)?, true)),
        // What belongs to a project stays in it.
        Target::Named(typed) => app.store.find_workspace(&whose(unbound.project), typed)?,
        Target::Only => only(app, unbound)?,
    };
    if found.status == WorkspaceStatus::Archived {
        let id = found.id.short();
        return Err(StoreError::WorkspaceArchived { id }.into());
    }
    Ok((view(app, found)?, false))
}

/// Asked before a workspace is made for it.
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
