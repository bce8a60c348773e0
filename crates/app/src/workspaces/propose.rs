//! What a closed slate proposes: each seed a draft, through the guardrails like every other (XSL-09, MEM-01, MEM-02).

use taffrail_domain::{Channel, MemoryType, ProposalId, SeedKind, Source, SourceRef};
use taffrail_memory::draft::{Blocked, Draft, Scope, of_slate, screen};
use taffrail_redact::Clean;
use taffrail_slate::external::{Anchors, Client, Group, Seed, groups};
use taffrail_store::{NewCandidate, NewMemory, NewProposal};

use super::{SeedFacts, evidence};
use crate::memory::write::screen_all;
use crate::{App, AppError};

/// A closed generation of a slate, as its file or an unbound candidate holds it.
pub(crate) struct Closed<'a> {
    /// Whose memories its seeds become.
    pub scope: Scope,
    /// The id that the other program gave it.
    pub external_id: &'a str,
    /// Which opening of that id.
    pub generation: u32,
    /// Its seeds, redacted, oldest first.
    pub seeds: &'a [Seed],
    /// What git said when it was closed, redacted: `{"branch", "base", "change": {"diff", "count", "files": [{"path", "added",
    /// "removed"}]}}`, each absent where it is not known.
    pub evidence: Option<&'a serde_json::Value>,
    /// Where the work stood.
    pub anchors: &'a Anchors,
}

/// One proposal per kind of seed; exact repeats once. A seed that the guardrails refuse is a blocked candidate with the reason,
/// which the store journals with the others: nothing is passed over silently. Nothing is written here.
///
/// # Errors
/// What the system can give for random bytes.
pub(crate) fn proposals(app: &App, of: &Closed<'_>) -> Result<Vec<NewProposal>, AppError> {
    let groups = groups(of.seeds);
    let drafts = groups.iter().flat_map(|group| {
        group
            .seeds
            .iter()
            .map(|seed| draft(app, of, seed, group.kind))
    });
    let mut screened = screen_all(app, drafts.collect())?.into_iter();
    groups
        .iter()
        .map(|group| {
            let answers = screened.by_ref().take(group.seeds.len()).collect();
            proposal(app, group, answers)
        })
        .collect()
}

fn proposal(
    app: &App,
    group: &Group<'_>,
    answers: Vec<Result<NewMemory, Blocked>>,
) -> Result<NewProposal, AppError> {
    let candidates = group.seeds.iter().zip(answers);
    Ok(NewProposal {
        id: new_proposal_id(app)?,
        kind: group.kind,
        candidates: candidates
            .map(|(seed, answer)| NewCandidate {
                seed: facts(app, seed),
                memory: answer,
            })
            .collect(),
    })
}

fn draft(app: &App, of: &Closed<'_>, seed: &Seed, kind: SeedKind) -> Draft {
    let (memory_type, is_open) = of_slate(Some(kind.name()));
    let content = seed.text().to_owned();
    let mut draft = Draft::new(of.scope, memory_type, content, Channel::External);
    let task = format!("{}#{}", of.external_id, of.generation);
    draft.is_open = is_open;
    draft.slate_kind = Some(kind.name().to_owned());
    draft.is_redacted = true;
    draft.source_refs = vec![SourceRef {
        kind: "slate".to_owned(),
        uri: format!("slate:{task}/{}", seed.id),
        title: None,
        timestamp: None,
    }];
    draft.source = Source {
        runtime: runtime(seed).to_owned(),
        task: Some(task),
        session: Some(of.external_id.to_owned()),
        client: seed.origin.client.as_ref().map(named),
        ..Source::default()
    };
    draft.evidence = Some(evidence::of_seed(of, seed));
    whole(app, draft)
}

/// A page that holds its thing is no reference to it, and still is something learnt: it stays whole, as a lesson.
fn whole(app: &App, mut draft: Draft) -> Draft {
    if draft.kind == MemoryType::Output
        && matches!(
            screen(draft.clone(), &app.redactor),
            Err(Blocked::Inlined { .. })
        )
    {
        draft.kind = MemoryType::Lesson;
    }
    draft
}

/// Who wrote it: the agent of a run, where the run's own process took it in; else some program.
fn runtime(seed: &Seed) -> &str {
    if seed.origin.is_of_run() {
        &seed.origin.harness
    } else {
        "slate"
    }
}

/// The program's own words about itself.
pub(super) fn named(client: &Client) -> String {
    format!("{} {}", client.name, client.version)
        .trim()
        .to_owned()
}

/// The seed without its text, as the candidate's row keeps it.
fn facts(app: &App, seed: &Seed) -> Clean {
    app.redactor.clean(&SeedFacts::of(seed).to_json())
}

fn new_proposal_id(app: &App) -> Result<ProposalId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    let now = app.inputs.clock.now().0.unsigned_abs();
    Ok(ProposalId::new(now, random))
}
