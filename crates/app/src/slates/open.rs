//! `slate.open`: what is open is given back as it is; else a generation begins, bound to a workspace where one is clear.

use taffrail_domain::{WorkspaceId, WorkspaceStatus};
use taffrail_slate::external::{Anchors, AnchorsSent, ExternalId, OPEN_LIMIT, Slate};
use taffrail_store::{CreateError, Held, ResolvedWorkspace};

use super::standing::{Standing, standing};
use super::{Desk, Opened, SlateFault, named, now, reclaim};
use crate::{App, AppError};

/// What a caller sends.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// Its id for the slate.
    pub id: &'a str,
    /// A workspace of the project, as it is shown.
    pub workspace: Option<&'a str>,
    /// Where its work stands.
    pub anchors: &'a AnchorsSent,
}

/// Which generation begins, and what it takes over.
pub(super) struct Beginning {
    /// Its number.
    pub generation: u32,
    /// The workspace that it is bound to.
    pub workspace: Option<WorkspaceId>,
    /// Where the work stands.
    pub anchors: Anchors,
}

pub(super) fn open(desk: &Desk, app: &App, ask: &Open<'_>) -> Result<Opened, AppError> {
    let id = named(app, ask.id)?;
    let anchors = Anchors::new(ask.anchors, &app.redactor).map_err(SlateFault::from)?;
    reclaim::idle_ones(desk, app, &id)?;
    let held = desk.lock(&id)?;
    let mut note = None;
    match standing(desk, app, &held, &id)? {
        Standing::Open(slate) => return Ok(Opened { slate, note }),
        Standing::Free => {}
        Standing::Damaged { why } => note = Some(set_aside(app, &held, &why)?),
    }
    let generation = next_generation(desk, app, &id)?;
    if generation > 1 {
        note.get_or_insert_with(|| {
            format!("an earlier slate of this id was closed; this is generation {generation}")
        });
    }
    let workspace = match ask.workspace {
        Some(typed) => Some(named_workspace(desk, app, typed)?),
        None => clear_workspace(desk, app, &anchors, &id),
    };
    let beginning = Beginning {
        generation,
        workspace,
        anchors,
    };
    let slate = begin(app, &held, &id, beginning)?;
    Ok(Opened { slate, note })
}

/// Makes the record of a generation.
pub(super) fn begin(
    app: &App,
    held: &Held<'_>,
    id: &ExternalId,
    beginning: Beginning,
) -> Result<Slate, AppError> {
    let mut slate = Slate::new(id, beginning.generation, beginning.anchors, now(app));
    slate.workspace_id = beginning.workspace.map(|id| id.short());
    match held.create(&slate) {
        Ok(()) => Ok(slate),
        Err(CreateError::TooManyOpen) => Err(SlateFault::TooManyOpen { limit: OPEN_LIMIT }.into()),
        Err(CreateError::Store(error)) => Err(error.into()),
    }
}

fn set_aside(app: &App, held: &Held<'_>, why: &str) -> Result<String, AppError> {
    let to = held.set_aside(now(app))?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!(
        "the file of this slate was damaged ({why}); it was set aside as {name}, and a new generation begins"
    ))
}

/// One more than the newest on record, imports too: a generation has one outcome.
pub(super) fn next_generation(desk: &Desk, app: &App, id: &ExternalId) -> Result<u32, AppError> {
    let newest = app.store.newest_closure(desk.project(), id)?;
    Ok(newest.map_or(1, |newest| newest.generation.saturating_add(1)))
}

/// A workspace that the caller names: of this scope, and open to proposals (XSL-06).
fn named_workspace(desk: &Desk, app: &App, typed: &str) -> Result<WorkspaceId, AppError> {
    let row = app.store.workspace_named(&desk.whose(), typed)?;
    match row.status {
        WorkspaceStatus::Active => Ok(row.id),
        WorkspaceStatus::Archived => Err(SlateFault::Archived { id: row.id.short() }.into()),
    }
}

/// The one active workspace, or a new one where there is none; none where there are several. A failure leaves the slate
/// unbound and still opens it (XSL-06).
pub(super) fn clear_workspace(
    desk: &Desk,
    app: &App,
    anchors: &Anchors,
    id: &ExternalId,
) -> Option<WorkspaceId> {
    let title = taffrail_slate::external::workspace_title(anchors, id);
    let new = WorkspaceId::new(now(app).0.unsigned_abs(), crate::context::random().ok()?);
    let title = app.redactor.clean(&title);
    let resolved = app.store.resolve_workspace(desk.project(), new, &title);
    match resolved.ok()? {
        ResolvedWorkspace::One(row) | ResolvedWorkspace::Made(row) => Some(row.id),
        ResolvedWorkspace::Several(_) => None,
    }
}
