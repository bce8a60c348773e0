//! `slate.writeSeed`: one seed more, masked before it reaches any disk.

use taffrail_domain::{CloseTrigger, SeedKind, WorkspaceId, WorkspaceStatus};
use taffrail_slate::external::{
    Anchors, Client, ExternalId, Origin, Seed, Slate, idempotency_hash,
};
use taffrail_store::{Closure, Held};

use super::open::{self, Beginning};
use super::standing::{Standing, standing};
use super::{Desk, SlateFault, Wrote, close, named, now, reclaim};
use crate::{App, AppError};

/// What a caller sends.
#[derive(Debug, Clone)]
pub struct NewSeed<'a> {
    /// Its id for the slate.
    pub id: &'a str,
    /// The text, as it was sent.
    pub text: &'a str,
    /// One of the six kinds.
    pub kind: Option<&'a str>,
    /// The same key again is the same seed.
    pub key: Option<&'a str>,
    /// The program that asked.
    pub client: Option<Client>,
    /// By which surface it comes in: `mcp-external`, or `external:` and the agent of a run.
    pub harness: &'a str,
}

pub(super) fn write(desk: &Desk, app: &App, new: &NewSeed<'_>) -> Result<Wrote, AppError> {
    let id = named(app, new.id)?;
    Seed::check(new.text).map_err(SlateFault::from)?;
    let kind = new.kind.map(str::parse::<SeedKind>).transpose();
    let kind = kind.map_err(|error| SlateFault::Kind(error.to_string()))?;
    let key = new.key.map(idempotency_hash).transpose();
    let key = key.map_err(SlateFault::from)?;
    reclaim::idle_ones(desk, app, &id)?;
    let held = desk.lock(&id)?;
    let (mut slate, note) = open_slate(desk, app, &held, &id)?;
    let redacted = families(app, new.text);
    let known = key
        .as_deref()
        .and_then(|key| slate.seed_of_key(key))
        .cloned();
    if let Some(seed) = known {
        return Ok(Wrote {
            seed,
            redacted,
            note,
        });
    }
    let text = app.redactor.clean(new.text);
    let origin = Origin {
        harness: new.harness.to_owned(),
        client: new.client.clone(),
    };
    let mut seed = Seed::new(crate::context::random()?, text, now(app), kind, origin);
    seed.key_hash = key;
    slate.add(seed.clone()).map_err(SlateFault::from)?;
    held.put(&slate)?;
    Ok(Wrote {
        seed,
        redacted,
        note,
    })
}

/// What was masked, by family, each once.
fn families(app: &App, text: &str) -> Vec<&'static str> {
    let mut families: Vec<&'static str> = app
        .redactor
        .findings(text)
        .iter()
        .map(|finding| finding.family.as_str())
        .collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// The slate that is open under the id; one that was closed for idleness goes on as its next generation (XSL-11).
fn open_slate(
    desk: &Desk,
    app: &App,
    held: &Held<'_>,
    id: &ExternalId,
) -> Result<(Slate, Option<String>), AppError> {
    match standing(desk, app, held, id)? {
        Standing::Open(slate) => return Ok((slate, None)),
        Standing::Free => {}
        Standing::Damaged { why } => {
            let id = id.to_string();
            return Err(SlateFault::Damaged { id, why }.into());
        }
    }
    let not_open = || SlateFault::NotOpen { id: id.to_string() };
    let before = close::last_closed(desk, app, id)?.ok_or_else(not_open)?;
    match before.trigger {
        CloseTrigger::Idle => go_on(desk, app, held, id, &before),
        CloseTrigger::Close => {
            let next = open::next_generation(desk, app, id)?;
            let id = id.to_string();
            Err(SlateFault::Closed { id, next }.into())
        }
        CloseTrigger::Import => Err(not_open().into()),
    }
}

fn go_on(
    desk: &Desk,
    app: &App,
    held: &Held<'_>,
    id: &ExternalId,
    before: &Closure,
) -> Result<(Slate, Option<String>), AppError> {
    let anchors: Anchors = serde_json::from_str(&before.anchors).unwrap_or_default();
    let workspace = still_active(desk, app, before.workspace)
        .or_else(|| open::clear_workspace(desk, app, &anchors, id));
    let generation = open::next_generation(desk, app, id)?;
    let beginning = Beginning {
        generation,
        workspace,
        anchors,
    };
    let slate = open::begin(app, held, id, beginning)?;
    let closed = before.generation;
    let note = format!(
        "generation {closed} was closed because nobody wrote for {}; its seeds wait for a review, and this is generation {generation}",
        *app.config.slate.idle_ttl
    );
    Ok((slate, Some(note)))
}

fn still_active(desk: &Desk, app: &App, workspace: Option<WorkspaceId>) -> Option<WorkspaceId> {
    let typed = workspace?.short();
    let row = app.store.workspace_named(&desk.whose(), &typed).ok()?;
    (row.status == WorkspaceStatus::Active).then_some(row.id)
}
