//! Seeds of slates for the tests, as a close brings them in.

use taffrail_domain::{
    Channel, CloseTrigger, ProjectId, ProposalId, SeedKind, Source, UnboundId, WorkspaceId,
};
use taffrail_memory::draft::{Blocked, Draft, Scope, of_slate};
use taffrail_slate::external::ExternalId;
use taffrail_store::{
    Closure, NewCandidate, NewClosure, NewOutcome, NewProposal, NewUnbound, Store,
};

use super::clean;
use super::memory::{new, random};

pub fn workspace_id() -> WorkspaceId {
    WorkspaceId::new(1_800_000_000_000, random())
}

pub fn unbound_id() -> UnboundId {
    UnboundId::new(1_800_000_000_000, random())
}

pub fn proposal_id() -> ProposalId {
    ProposalId::new(1_800_000_000_000, random())
}

pub fn external(id: &str) -> ExternalId {
    id.parse().unwrap()
}

/// Seeds as a slate holds them.
pub fn seeds_json(texts: &[&str]) -> String {
    let seeds: Vec<_> = (0..)
        .zip(texts)
        .map(|(at, text)| serde_json::json!({"id": seed_id(at), "text": text}))
        .collect();
    serde_json::Value::from(seeds).to_string()
}

pub fn seed_id(at: usize) -> String {
    format!("seed-{at}")
}

/// A seed that passed the guardrails.
pub fn candidate(project: Option<ProjectId>, task: &str, at: usize, text: &str) -> NewCandidate {
    let scope = project.map_or(Scope::Personal, Scope::Project);
    let (kind, is_open) = of_slate(Some("decision"));
    let mut draft = Draft::new(scope, kind, text.to_owned(), Channel::External);
    draft.source = Source {
        runtime: "slate".to_owned(),
        task: Some(task.to_owned()),
        ..Source::default()
    };
    (draft.is_open, draft.is_redacted) = (is_open, true);
    draft.slate_kind = Some("decision".to_owned());
    NewCandidate {
        seed: seed_json(at),
        memory: Ok(new(draft)),
    }
}

/// A seed that the guardrails refused.
pub fn refused(at: usize) -> NewCandidate {
    NewCandidate {
        seed: seed_json(at),
        memory: Err(Blocked::Empty {
            place: "content".to_owned(),
        }),
    }
}

fn seed_json(at: usize) -> taffrail_redact::Clean {
    let seed = serde_json::json!({"id": seed_id(at), "trust": "external-unverified"});
    clean(&seed.to_string())
}

pub fn proposal(candidates: Vec<NewCandidate>) -> NewProposal {
    NewProposal {
        id: proposal_id(),
        kind: SeedKind::Decision,
        candidates,
    }
}

pub fn proposals(project: Option<ProjectId>, task: &str, texts: &[&str]) -> Vec<NewProposal> {
    let candidates = (0..)
        .zip(texts)
        .map(|(at, text)| candidate(project, task, at, text));
    vec![proposal(candidates.collect())]
}

/// A slate with these seeds on its way to its close; bound where a workspace is named.
pub fn closing(
    project: Option<ProjectId>,
    id: &str,
    generation: u32,
    workspace: Option<WorkspaceId>,
    texts: &[&str],
) -> NewClosure {
    let seeds = NewUnbound {
        id: unbound_id(),
        seeds: clean(&seeds_json(texts)),
    };
    let outcome = match workspace {
        Some(_) => NewOutcome::Proposals {
            proposals: proposals(project, &format!("{id}#{generation}"), texts),
            otherwise: seeds,
        },
        None => NewOutcome::Unbound(seeds),
    };
    NewClosure {
        project,
        external_id: external(id),
        generation,
        trigger: CloseTrigger::Close,
        workspace,
        anchors: clean(r#"{"root":"/harbour"}"#),
        evidence: Some(clean(r#"{"branch":"main"}"#)),
        seeds: texts.len() as u64,
        outcome,
    }
}

pub fn close(store: &Store, new: NewClosure) -> Closure {
    store.close_slate(new).unwrap()
}
