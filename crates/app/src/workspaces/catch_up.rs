//! What waits for a person, each group apart: proposals, seeds that were refused, slates of no workspace, files that cannot
//! be read (XSL-09). What was decided is not in it, and neither is what never held a seed.

use taffrail_domain::{Millis, SeedKind, UnboundState};
use taffrail_slate::external::Seed;
use taffrail_store::{
    CandidateOutcome, CandidateRow, ProposalFilter, ProposalRow, UnboundRow, Whose,
};

use super::list::{ProposalView, all, project_name, proposal, view, whose};
use super::{SeedFacts, WorkspaceView};
use crate::memory::queue;
use crate::memory::write::Owner;
use crate::{App, AppError};

/// A refused seed asks for no decision, so it is told for so long and no longer: 14 days, in milliseconds. `workspace show`
/// has it for ever.
const BLOCKED_TOLD: i64 = 14 * 86_400_000;

/// How far a person looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span<'a> {
    /// The project of the working directory; what is personal where there is none.
    Here,
    /// Every project, and what belongs to none.
    Everywhere,
    /// One workspace.
    Workspace(&'a str),
}

/// What waits.
#[derive(Debug, Clone, Default)]
pub struct CatchUp {
    /// The workspace that was asked for.
    pub workspace: Option<WorkspaceView>,
    /// Proposals with a candidate that nobody has decided on, oldest first.
    pub proposals: Vec<ProposalView>,
    /// Seeds that the guardrails refused lately.
    pub blocked: Vec<BlockedSeed>,
    /// The seeds of closed slates that belong to no workspace, oldest first.
    pub unbound: Vec<UnboundView>,
}

impl CatchUp {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.proposals.is_empty() && self.blocked.is_empty() && self.unbound.is_empty()
    }
}

/// A seed that the guardrails refused.
#[derive(Debug, Clone)]
pub struct BlockedSeed {
    /// The proposal that it would have been in.
    pub proposal: String,
    /// The workspace of that.
    pub workspace: String,
    /// The slate, by the id that the other program gave it, and its generation.
    pub slate: (String, u32),
    /// The seed's id, where it is known.
    pub seed: Option<String>,
    /// What kind of seed.
    pub kind: SeedKind,
    /// Why, in words of ours.
    pub reason: String,
    /// When it arrived.
    pub at: Millis,
}

/// An unbound candidate with its seeds.
#[derive(Debug, Clone)]
pub struct UnboundView {
    /// The row.
    pub row: UnboundRow,
    /// The name of its project; none outside of every project.
    pub project: Option<String>,
    /// How many workspaces it could be bound to.
    pub active: usize,
    /// The seeds; empty where the row holds something else.
    pub seeds: Vec<UnboundSeed>,
}

/// A seed that waits in no workspace.
#[derive(Debug, Clone)]
pub struct UnboundSeed {
    /// Who wrote it, when, its label of trust.
    pub facts: SeedFacts,
    /// What kind of knowledge; a follow-up where its writer did not say.
    pub kind: SeedKind,
    /// What it says. Untrusted.
    pub text: String,
}

impl UnboundView {
    /// How many seeds of each kind, the most frequent first. A seed without a kind counts as a follow-up.
    pub fn kinds(&self) -> Vec<(SeedKind, usize)> {
        let of = |kind: SeedKind| {
            let is = |seed: &&UnboundSeed| seed.kind == kind;
            (kind, self.seeds.iter().filter(is).count())
        };
        let mut kinds: Vec<_> = SeedKind::ALL.iter().copied().map(of).collect();
        kinds.retain(|(_, count)| *count > 0);
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        kinds
    }
}

/// What waits within a span.
///
/// # Errors
/// `NotFound`, `Ambiguous` for a workspace; what git and the store can give.
pub fn catch_up(app: &App, span: Span<'_>) -> Result<CatchUp, AppError> {
    let (whose, workspace) = match span {
        Span::Here => (queue::whose(app, Some(Owner::Current))?, None),
        Span::Everywhere => (Whose::All, None),
        Span::Workspace(typed) => {
            let row = app.store.find_workspace(&Whose::All, typed)?;
            (Whose::All, Some(view(app, row)?))
        }
    };
    let filter = ProposalFilter {
        whose,
        workspace: workspace.as_ref().map(|one| one.row.id),
        ..ProposalFilter::default()
    };
    let unbound = match workspace {
        // An unbound candidate is of no workspace.
        Some(_) => Vec::new(),
        None => unbound(app, &whose)?,
    };
    Ok(CatchUp {
        proposals: waiting(app, &filter)?,
        blocked: blocked(app, &filter)?,
        unbound,
        workspace,
    })
}

fn waiting(app: &App, filter: &ProposalFilter) -> Result<Vec<ProposalView>, AppError> {
    let waiting = ProposalFilter {
        waiting: true,
        ..filter.clone()
    };
    let rows = all(app, waiting)?.into_iter();
    rows.map(|row| proposal(app, row)).collect()
}

fn blocked(app: &App, filter: &ProposalFilter) -> Result<Vec<BlockedSeed>, AppError> {
    let now = app.inputs.clock.now();
    let refused = ProposalFilter {
        refused_since: Some(Millis(now.0.saturating_sub(BLOCKED_TOLD))),
        ..filter.clone()
    };
    let of = |row: &ProposalRow| {
        let refused = row
            .candidates
            .iter()
            .filter(|one| one.outcome == CandidateOutcome::Blocked);
        refused.map(|one| refusal(row, one)).collect::<Vec<_>>()
    };
    Ok(all(app, refused)?.iter().flat_map(of).collect())
}

fn refusal(row: &ProposalRow, candidate: &CandidateRow) -> BlockedSeed {
    BlockedSeed {
        proposal: row.id.short(),
        workspace: row.workspace.short(),
        slate: (row.external_id.clone(), row.generation),
        seed: SeedFacts::read(&candidate.seed).map(|seed| seed.id),
        kind: row.kind,
        reason: candidate.reason.clone().unwrap_or_default(),
        at: row.created_at,
    }
}

fn unbound(app: &App, whose: &Whose) -> Result<Vec<UnboundView>, AppError> {
    let rows = app.store.unbound(whose, Some(UnboundState::Waiting))?;
    rows.into_iter().map(|row| unbound_view(app, row)).collect()
}

fn unbound_view(app: &App, row: UnboundRow) -> Result<UnboundView, AppError> {
    let seeds: Vec<Seed> = serde_json::from_str(&row.seeds).unwrap_or_default();
    let active = app.store.workspaces(&whose(row.project), false)?.len();
    Ok(UnboundView {
        active,
        project: project_name(app, row.project.as_ref())?,
        seeds: seeds.iter().map(unbound_seed).collect(),
        row,
    })
}

fn unbound_seed(seed: &Seed) -> UnboundSeed {
    UnboundSeed {
        facts: SeedFacts::of(seed),
        kind: seed.kind.unwrap_or(SeedKind::FollowUp),
        text: seed.text().to_owned(),
    }
}
