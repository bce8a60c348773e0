//! How workspaces and proposals are told: for people with everything of others escaped, for scripts by stable keys.

use serde::Serialize;
use serde_json::Value;
use taffrail_app::workspaces::{CandidateView, ProposalView, WorkspaceView};
use taffrail_domain::{Millis, SeedKind, Shelf};
use taffrail_store::CandidateOutcome;
use taffrail_text::Shown;

use crate::commands::memory::seeds::{Said, closed, who};
use crate::commands::memory::words::{field, status};
use crate::output::{Colour, Moment, Paint, ago};

/// Columns of a summary or of a seed's text in a list.
pub const SUMMARY: usize = 80;
/// Columns of a title.
pub const TITLE: usize = 60;

/// A workspace for scripts.
#[derive(Serialize)]
pub struct WorkspaceLine {
    workspace: String,
    title: String,
    project: Option<String>,
    status: &'static str,
    proposals: u64,
    waiting: u64,
    created: Moment,
    archived: Option<Moment>,
}

impl WorkspaceLine {
    /// All that is on record of it.
    pub fn of(view: &WorkspaceView) -> Self {
        Self {
            workspace: view.row.id.short(),
            title: view.row.title.clone(),
            project: view.project.clone(),
            status: view.row.status.name(),
            proposals: view.row.proposals,
            waiting: view.row.waiting,
            created: view.row.created_at.into(),
            archived: view.row.archived_at.map(Moment),
        }
    }
}

/// A proposal for scripts.
#[derive(Serialize)]
pub struct ProposalLine {
    proposal: String,
    kind: &'static str,
    workspace: String,
    title: String,
    project: Option<String>,
    slate: String,
    generation: u32,
    trigger: &'static str,
    waiting: usize,
    created: Moment,
    anchors: Value,
    evidence: Option<Value>,
    candidates: Vec<CandidateLine>,
}

#[derive(Serialize)]
struct CandidateLine {
    outcome: &'static str,
    memory: Option<String>,
    status: Option<&'static str>,
    shelf: Option<&'static str>,
    r#type: Option<&'static str>,
    summary: Option<String>,
    reason: Option<String>,
    #[serde(flatten)]
    said: Said,
}

impl ProposalLine {
    /// All that is on record of it.
    pub fn of(view: &ProposalView) -> Self {
        let row = &view.row;
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        Self {
            proposal: row.id.short(),
            kind: row.kind.name(),
            workspace: row.workspace.short(),
            title: row.title.clone(),
            project: view.project.clone(),
            slate: row.external_id.clone(),
            generation: row.generation,
            trigger: row.trigger.name(),
            waiting: row.waiting(),
            created: row.created_at.into(),
            anchors: json(&row.anchors),
            evidence: row.evidence.as_deref().map(json),
            candidates: view.candidates.iter().map(candidate_line).collect(),
        }
    }
}

fn candidate_line(view: &CandidateView) -> CandidateLine {
    let memory = view.memory.as_ref();
    CandidateLine {
        outcome: view.row.outcome.name(),
        memory: view.row.memory.map(|id| id.short()),
        status: view.row.status.map(|status| status.name()),
        shelf: memory.map(|memory| memory.shelf.name()),
        r#type: memory.map(|memory| memory.kind.name()),
        summary: memory.map(|memory| memory.reviewed_text().summary.clone()),
        reason: view.row.reason.clone(),
        said: Said::of(view.seed.as_ref()),
    }
}

/// The head of a proposal: `prp_…  decision  2 to review  3 min ago`, and where it came from.
pub fn proposal_head(paint: Paint, view: &ProposalView, now: Millis) -> String {
    let row = &view.row;
    let waiting = match row.waiting() {
        0 => "all decided".to_owned(),
        count => format!("{count} to review"),
    };
    let head = format!(
        "{}  {}  {waiting}  {}\n",
        paint.with(Colour::Strong, &row.id.short()),
        row.kind,
        ago(row.created_at, now),
    );
    let slate = format!(
        "{} generation {}, {} {}",
        Shown::line(&row.external_id),
        row.generation,
        closed(row.trigger),
        ago(row.created_at, now),
    );
    head + &field(paint, "slate", &slate)
}

/// One candidate: what it says, what was decided, who wrote it.
pub fn candidate(paint: Paint, view: &CandidateView) -> String {
    let head = match (&view.memory, view.row.outcome) {
        (Some(memory), outcome) => {
            let again = match outcome {
                CandidateOutcome::Repeat => ", said before",
                CandidateOutcome::New | CandidateOutcome::Blocked => "",
            };
            let apart = match memory.shelf {
                Shelf::Quarantine => paint.with(Colour::Warn, ", quarantine"),
                Shelf::Queue => String::new(),
            };
            let summary = Shown::line(&memory.reviewed_text().summary).truncated(SUMMARY);
            let status = status(memory);
            format!("{}  {status}{apart}{again}  {summary}", memory.id)
        }
        (None, CandidateOutcome::Blocked) => {
            let reason = view.row.reason.as_deref().unwrap_or("refused");
            format!("refused: {}", Shown::line(reason))
        }
        (None, CandidateOutcome::New | CandidateOutcome::Repeat) => "erased since".to_owned(),
    };
    format!(
        "{}{}",
        field(paint, "candidate", &head),
        field(paint, "", &format!("by {}", who(view.seed.as_ref())))
    )
}

/// `3 seeds: 2 follow-up, 1 risk`
pub fn counted(kinds: &[(SeedKind, usize)]) -> String {
    let all: usize = kinds.iter().map(|(_, count)| count).sum();
    let each: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    match all {
        0 => "no seed that can be read".to_owned(),
        1 => format!("1 seed: {}", each.join(", ")),
        all => format!("{all} seeds: {}", each.join(", ")),
    }
}

/// The title of a workspace with its id.
pub fn named(view: &WorkspaceView) -> String {
    let title = Shown::line(&view.row.title).truncated(TITLE);
    format!("{} {title}", view.row.id)
}
