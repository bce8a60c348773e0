//! `slate.close`: what a slate held becomes proposals, or an unbound candidate; nothing is ever dropped (XSL-09).

use taffrail_domain::{CloseTrigger, UnboundId, WorkspaceId};
use taffrail_slate::external::{Anchors, ExternalId, Slate};
use taffrail_store::{Closure, Held, Live, NewClosure, NewOutcome, NewUnbound};

use super::{Desk, SlateFault, named, now, reclaim};
use crate::workspaces::{self, Closed};
use crate::{App, AppError};

pub(super) fn close(desk: &Desk, app: &App, id: &str) -> Result<Closure, AppError> {
    let id = named(app, id)?;
    reclaim::idle_ones(desk, app, &id)?;
    let held = desk.lock(&id)?;
    match held.read()? {
        Live::Open(slate) => settle(desk, app, &held, slate, CloseTrigger::Close),
        Live::Closed(slate) => finish(desk, app, &held, &slate),
        Live::Malformed { why } => {
            let id = id.to_string();
            Err(SlateFault::Damaged { id, why }.into())
        }
        Live::None => {
            let not_open = || SlateFault::NotOpen { id: id.to_string() };
            Ok(last_closed(desk, app, &id)?.ok_or_else(not_open)?)
        }
    }
}

/// What came of the last generation that was open here: an import under the same id is none.
pub(super) fn last_closed(
    desk: &Desk,
    app: &App,
    id: &ExternalId,
) -> Result<Option<Closure>, AppError> {
    let mut found = app.store.newest_closure(desk.project(), id)?;
    while let Some(import) = found.take_if(|found| found.trigger == CloseTrigger::Import) {
        let before = import.generation.saturating_sub(1);
        found = app.store.closure_of(desk.project(), id, before)?;
    }
    Ok(found)
}

/// Closes what is open under the id, if anything is.
pub(super) fn close_if_open(desk: &Desk, app: &App, id: &str) -> Result<Option<Closure>, AppError> {
    let Ok(id) = named(app, id) else {
        return Ok(None);
    };
    if !desk.folder().path().is_dir() {
        return Ok(None);
    }
    let held = desk.lock(&id)?;
    match held.read()? {
        Live::Open(slate) => settle(desk, app, &held, slate, CloseTrigger::Close).map(Some),
        Live::Closed(slate) => finish(desk, app, &held, &slate).map(Some),
        Live::None | Live::Malformed { .. } => Ok(None),
    }
}

/// Puts on record what comes of an open slate, then moves its file away.
pub(super) fn settle(
    desk: &Desk,
    app: &App,
    held: &Held<'_>,
    mut slate: Slate,
    trigger: CloseTrigger,
) -> Result<Closure, AppError> {
    if slate.seeds().is_empty() && trigger == CloseTrigger::Close {
        // Nobody is ever shown what a slate without seeds was about, and opening and closing must not fill the disk. One that
        // was idle goes on with its anchors.
        slate.anchors = Anchors::default();
    }
    let closure = outcome(desk, app, &slate, trigger)?;
    slate.close(closure.trigger, closure.closed_at);
    held.put(&slate)?;
    held.retire(&slate)?;
    Ok(closure)
}

/// Moves a file away whose slate was closed by somebody who did not come to the end of it.
pub(super) fn finish(
    desk: &Desk,
    app: &App,
    held: &Held<'_>,
    slate: &Slate,
) -> Result<Closure, AppError> {
    let trigger = slate.closed_by.unwrap_or(CloseTrigger::Close);
    let closure = outcome(desk, app, slate, trigger)?;
    held.retire(slate)?;
    Ok(closure)
}

/// The one outcome of this generation: the one on record, or the one that is put there now.
fn outcome(
    desk: &Desk,
    app: &App,
    slate: &Slate,
    trigger: CloseTrigger,
) -> Result<Closure, AppError> {
    let id: ExternalId = slate.id().parse().map_err(SlateFault::from)?;
    let known = app
        .store
        .closure_of(desk.project(), &id, slate.generation)?;
    if let Some(known) = known {
        return Ok(known);
    }
    // Without a seed there is nothing to give evidence for.
    let holds_seeds = !slate.seeds().is_empty();
    let evidence = holds_seeds.then(|| evidence(app, slate)).flatten();
    let workspace = workspace_of(desk, app, slate);
    let closed = Closed {
        scope: desk.place().scope(),
        external_id: slate.id(),
        generation: slate.generation,
        seeds: slate.seeds(),
        evidence: evidence.as_ref(),
        anchors: &slate.anchors,
    };
    let json = |value: serde_json::Result<String>| app.redactor.clean(&value.unwrap_or_default());
    let unbound = NewUnbound {
        id: UnboundId::new(now(app).0.unsigned_abs(), crate::context::random()?),
        seeds: json(serde_json::to_string(slate.seeds())),
    };
    let outcome = match workspace {
        _ if !holds_seeds => NewOutcome::Nothing,
        Some(_) => NewOutcome::Proposals {
            proposals: workspaces::proposals(app, &closed)?,
            otherwise: unbound,
        },
        None => NewOutcome::Unbound(unbound),
    };
    Ok(app.store.close_slate(NewClosure {
        project: desk.project().copied(),
        external_id: id,
        generation: slate.generation,
        trigger,
        workspace,
        anchors: json(serde_json::to_string(&slate.anchors)),
        evidence: evidence.map(|evidence| app.redactor.clean(&evidence.to_string())),
        seeds: slate.seeds().len() as u64,
        outcome,
    })?)
}

/// What the work changed: of a run what is on its record, of any other program what git says of the working directory.
fn evidence(app: &App, slate: &Slate) -> Option<serde_json::Value> {
    if slate.seeds().iter().any(|seed| seed.origin.is_of_run()) {
        return crate::memory::evidence_of_run(app, slate.id()).ok();
    }
    super::evidence::of_folder(app, &app.inputs.cwd)
}

/// The workspace that it was bound to, where that is still there. None is ever made at close.
fn workspace_of(desk: &Desk, app: &App, slate: &Slate) -> Option<WorkspaceId> {
    let typed = slate.workspace_id.as_deref()?;
    let found = app.store.workspace_named(&desk.whose(), typed);
    found.ok().map(|row| row.id)
}
