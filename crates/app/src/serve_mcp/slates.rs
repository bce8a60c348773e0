//! `slate.*`: from the wire to the desk and back.

use taffrail_domain::Millis;
use taffrail_mcp::{Caller, answers, args};
use taffrail_slate::external::{Anchors, AnchorsSent, Seed};
use taffrail_store::Closure;

use super::{Server, client};
use crate::AppError;
use crate::slates::{NewSeed, Open};

pub(super) fn open(
    server: &Server,
    args: &args::SlateOpen,
) -> Result<answers::SlateOpened, AppError> {
    let app = server.app()?;
    let sent = args.anchors.clone().unwrap_or_default();
    let anchors = AnchorsSent {
        root: sent.root,
        touched: sent.touched,
        note: sent.note,
    };
    let ask = Open {
        id: &args.external_session_id,
        workspace: args.workspace_id.as_deref(),
        anchors: &anchors,
    };
    let opened = app.desk()?.open(&app, &ask)?;
    let slate = opened.slate;
    Ok(answers::SlateOpened {
        external_session_id: slate.id().to_owned(),
        generation: slate.generation,
        workspace_id: slate.workspace_id.clone(),
        anchors: shown_anchors(&slate.anchors),
        seeds: slate.seeds().iter().map(shown_seed).collect(),
        last_write_at: moment(slate.last_write_at),
        note: opened.note,
    })
}

pub(super) fn write_seed(
    server: &Server,
    caller: &Caller,
    args: &args::SlateWriteSeed,
) -> Result<answers::SeedWritten, AppError> {
    let app = server.app()?;
    let new = NewSeed {
        id: &args.external_session_id,
        text: &args.text,
        kind: args.kind.as_deref(),
        key: args.idempotency_key.as_deref(),
        client: client(&app, caller),
        harness: &server.harness,
    };
    let wrote = app.desk()?.write(&app, &new)?;
    Ok(answers::SeedWritten {
        seed: shown_seed(&wrote.seed),
        redacted: wrote.redacted.into_iter().map(str::to_owned).collect(),
        note: wrote.note,
    })
}

pub(super) fn close(
    server: &Server,
    args: &args::SlateClose,
) -> Result<answers::SlateClosed, AppError> {
    let app = server.app()?;
    let closure = app.desk()?.close(&app, &args.external_session_id)?;
    Ok(shown_closure(closure))
}

fn shown_closure(closure: Closure) -> answers::SlateClosed {
    let proposals = closure.proposals.iter().map(|proposal| answers::Proposal {
        id: proposal.id.short(),
        kind: proposal.kind.name().to_owned(),
        candidates: proposal.candidates,
    });
    let blocked = closure
        .proposals
        .iter()
        .flat_map(|proposal| &proposal.blocked);
    answers::SlateClosed {
        closed: true,
        generation: closure.generation,
        workspace_id: closure.workspace.map(|id| id.short()),
        proposals: proposals.collect(),
        unbound: closure.unbound.is_some(),
        blocked: blocked
            .map(|(seed, reason)| answers::BlockedSeed {
                seed: seed.clone(),
                reason: reason.clone(),
            })
            .collect(),
        external_session_id: closure.external_id,
    }
}

fn shown_anchors(anchors: &Anchors) -> answers::Anchors {
    answers::Anchors {
        root: anchors.root().to_owned(),
        touched: anchors.touched().to_vec(),
        note: anchors.note().map(str::to_owned),
    }
}

fn shown_seed(seed: &Seed) -> answers::Seed {
    let client = seed.origin.client.as_ref();
    answers::Seed {
        id: seed.id.clone(),
        text: seed.text().to_owned(),
        ts: moment(seed.ts),
        kind: seed.kind.map(|kind| kind.name().to_owned()),
        origin: answers::Origin {
            harness: seed.origin.harness.clone(),
            client: client.map(|client| answers::Client {
                name: client.name.clone(),
                version: client.version.clone(),
            }),
        },
        trust: seed.trust.name(),
    }
}

/// `2026-11-30T02:15:00.000Z`
pub(super) fn moment(at: Millis) -> String {
    let stamp = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    format!("{stamp:.3}")
}
