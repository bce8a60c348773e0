//! What is written about workspaces, closed slates and their seeds, and read back.

use std::path::PathBuf;

use taffrail_domain::{
    CloseTrigger, MemoryId, MemoryStatus, Millis, ProjectId, ProposalId, SeedKind, UnboundId,
    UnboundState, WorkspaceId, WorkspaceStatus, words,
};
use taffrail_memory::draft::Blocked;
use taffrail_redact::Clean;
use taffrail_slate::external::ExternalId;

use crate::memories::{NewMemory, Whose};

/// Longest title of a workspace, in characters.
pub const TITLE_LIMIT: usize = 200;

/// A workspace on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceRow {
    /// Its id.
    pub id: WorkspaceId,
    /// The project it belongs to; none for a personal one.
    pub project: Option<ProjectId>,
    /// What it is about: 1 to 200 characters. Untrusted: wrap it before it reaches a screen.
    pub title: String,
    /// Whether a person made it. Else a slate did, the title is its agent's, and no agent may be shown it.
    pub by_person: bool,
    /// Whether it takes proposals.
    pub status: WorkspaceStatus,
    /// When it was made.
    pub created_at: Millis,
    /// When it was archived last.
    pub archived_at: Option<Millis>,
    /// Proposals that it holds.
    pub proposals: u64,
    /// Memories of its candidates that nobody has decided on, each once.
    pub waiting: u64,
}

/// A workspace without what it holds: one look into an index, whatever was closed into it (XSL-12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWorkspace {
    /// Its id.
    pub id: WorkspaceId,
    /// The project it belongs to; none for a personal one.
    pub project: Option<ProjectId>,
    /// What it is about. Untrusted.
    pub title: String,
    /// Whether it takes proposals.
    pub status: WorkspaceStatus,
}

/// What was found for a slate that names no workspace (XSL-06).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedWorkspace {
    /// One is active: that one.
    One(FoundWorkspace),
    /// None was: this one was made.
    Made(FoundWorkspace),
    /// So many are active: nobody can say which is meant.
    Several(u64),
}

/// One generation of a slate that is to be closed.
#[derive(Debug, Clone)]
pub struct NewClosure {
    /// The project whose slate it is; none outside of every project.
    pub project: Option<ProjectId>,
    /// The id that the other program gave it.
    pub external_id: ExternalId,
    /// Which opening of that id, from 1.
    pub generation: u32,
    /// What closes it.
    pub trigger: CloseTrigger,
    /// The workspace that it was bound to when it was opened.
    pub workspace: Option<WorkspaceId>,
    /// Where the work stood, JSON.
    pub anchors: Clean,
    /// Machine evidence, JSON (MEM-07).
    pub evidence: Option<Clean>,
    /// How many seeds it holds.
    pub seeds: u64,
    /// What is to come of it.
    pub outcome: NewOutcome,
}

/// What is to come of a closed slate.
#[derive(Debug, Clone)]
pub enum NewOutcome {
    /// Proposals in its workspace. Where there is none that takes proposals any more (archived or gone since the slate
    /// was opened), the seeds wait unbound, so that nothing is lost.
    Proposals {
        /// One per kind.
        proposals: Vec<NewProposal>,
        /// The same seeds, for that case.
        otherwise: NewUnbound,
    },
    /// The seeds wait for a person.
    Unbound(NewUnbound),
    /// It holds no seeds: there is nothing to review, and nothing is listed.
    Nothing,
}

/// An unbound candidate to be.
#[derive(Debug, Clone)]
pub struct NewUnbound {
    /// Its id.
    pub id: UnboundId,
    /// The seeds, a JSON array.
    pub seeds: Clean,
}

/// A proposal to be: the seeds of one kind.
#[derive(Debug, Clone)]
pub struct NewProposal {
    /// Its id.
    pub id: ProposalId,
    /// Their kind.
    pub kind: SeedKind,
    /// The seeds, oldest first.
    pub candidates: Vec<NewCandidate>,
}

/// A seed on its way to being a memory.
#[derive(Debug, Clone)]
pub struct NewCandidate {
    /// The seed without its text: id, time, kind, origin, trust, hash. A JSON object with the member `id`.
    pub seed: Clean,
    /// The draft that passed the guardrails, or why they refused it.
    pub memory: Result<NewMemory, Blocked>,
}

/// What came of one generation of a slate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closure {
    /// The project whose slate it was; none outside of every project.
    pub project: Option<ProjectId>,
    /// The id that the other program gave it.
    pub external_id: String,
    /// Which opening of that id, from 1.
    pub generation: u32,
    /// What closed it.
    pub trigger: CloseTrigger,
    /// The workspace that holds its proposals.
    pub workspace: Option<WorkspaceId>,
    /// Where the work stood, JSON. Untrusted.
    pub anchors: String,
    /// Its proposals, in the order of their kinds' arrival; those that a person bound later too.
    pub proposals: Vec<ClosureProposal>,
    /// The unbound candidate that holds its seeds, whatever became of it since.
    pub unbound: Option<UnboundId>,
    /// How many seeds it held.
    pub seeds: u64,
    /// When it was closed.
    pub closed_at: Millis,
}

/// One proposal, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosureProposal {
    /// Its id.
    pub id: ProposalId,
    /// The kind of its seeds.
    pub kind: SeedKind,
    /// How many of them became memories, or were there already.
    pub candidates: u64,
    /// Those that the guardrails refused: the seed's id, and why.
    pub blocked: Vec<(String, String)>,
}

words! {
    /// What became of a seed.
    CandidateOutcome, "outcome of a candidate" {
        /// A memory was made.
        New "new",
        /// The same memory was there already.
        Repeat "repeat",
        /// The guardrails refused it.
        Blocked "blocked",
    }
}

/// A seed of a proposal, and the memory that it became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateRow {
    /// Its place, from 0.
    pub position: u32,
    /// The seed without its text, JSON. Untrusted.
    pub seed: String,
    /// The memory; none where the guardrails refused it, and where it was erased since.
    pub memory: Option<MemoryId>,
    /// Where that memory stands.
    pub status: Option<MemoryStatus>,
    /// What became of the seed.
    pub outcome: CandidateOutcome,
    /// Why it was refused.
    pub reason: Option<String>,
}

impl CandidateRow {
    /// Whether a person has yet to decide.
    pub fn waits(&self) -> bool {
        self.status == Some(MemoryStatus::Pending)
    }
}

/// A proposal on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    /// Order of arrival; a page goes on after it.
    pub seq: i64,
    /// Its id.
    pub id: ProposalId,
    /// The kind of its seeds.
    pub kind: SeedKind,
    /// The workspace that holds it.
    pub workspace: WorkspaceId,
    /// What that is about. Untrusted.
    pub title: String,
    /// The project of the workspace; none for a personal one.
    pub project: Option<ProjectId>,
    /// The slate that it came from, by the id that the other program gave it.
    pub external_id: String,
    /// Which opening of that id.
    pub generation: u32,
    /// What closed the slate.
    pub trigger: CloseTrigger,
    /// Where the work stood, JSON. Untrusted.
    pub anchors: String,
    /// Machine evidence, JSON.
    pub evidence: Option<String>,
    /// When it arrived.
    pub created_at: Millis,
    /// Its seeds.
    pub candidates: Vec<CandidateRow>,
}

impl ProposalRow {
    /// How many memories a person has yet to decide on.
    pub fn waiting(&self) -> usize {
        self.candidates.iter().filter(|one| one.waits()).count()
    }
}

/// Which proposals a list holds, oldest first.
#[derive(Debug, Clone, Default)]
pub struct ProposalFilter {
    /// Whose.
    pub whose: Whose,
    /// In this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only those with a memory that nobody has decided on.
    pub waiting: bool,
    /// Only those that arrived at this time or later with a seed that the guardrails refused.
    pub refused_since: Option<Millis>,
    /// After this place: the `seq` of the last one of the page before.
    pub after: Option<i64>,
    /// At most so many: 50 with none, never more than 200.
    pub limit: Option<u32>,
}

/// An unbound candidate on record: the seeds of a closed slate that belongs to no workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnboundRow {
    /// Its id.
    pub id: UnboundId,
    /// The project whose slate it was; none outside of every project.
    pub project: Option<ProjectId>,
    /// The id that the other program gave the slate.
    pub external_id: String,
    /// Which opening of that id.
    pub generation: u32,
    /// What closed the slate.
    pub trigger: CloseTrigger,
    /// Where the work stood, JSON. Untrusted.
    pub anchors: String,
    /// Machine evidence, JSON.
    pub evidence: Option<String>,
    /// The seeds, a JSON array, untrusted. Once it is bound only those that the guardrails refused are left: the others
    /// are memories.
    pub seeds: String,
    /// How many seeds the slate held.
    pub count: u64,
    /// What became of it.
    pub state: UnboundState,
    /// The workspace that a person bound it to.
    pub workspace: Option<WorkspaceId>,
    /// When it arrived.
    pub created_at: Millis,
    /// When a person decided.
    pub decided_at: Option<Millis>,
}

/// A seed that became a memory: shown at its review (XSL-15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedOriginRow {
    /// The proposal that holds it.
    pub proposal: ProposalId,
    /// The workspace that holds that.
    pub workspace: WorkspaceId,
    /// What the workspace is about. Untrusted.
    pub title: String,
    /// The kind that it was proposed as.
    pub kind: SeedKind,
    /// The id that the other program gave the slate.
    pub external_id: String,
    /// Which opening of that id.
    pub generation: u32,
    /// What closed the slate.
    pub trigger: CloseTrigger,
    /// The seed without its text, JSON: its origin, its trust. Untrusted.
    pub seed: String,
    /// Where the work stood, JSON. Untrusted.
    pub anchors: String,
    /// When the slate was closed.
    pub closed_at: Millis,
}

/// What `taffrail connect` writes into a file of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConnection {
    /// The program: `claude`, `codex` …
    pub program: String,
    /// The file.
    pub path: PathBuf,
    /// What is done, JSON; no text of the file's owner is in it.
    pub edit: Clean,
    /// SHA-256 of the file before; none where there was no file.
    pub before_hash: Option<[u8; 32]>,
    /// SHA-256 of the file after.
    pub after_hash: [u8; 32],
}

/// What `taffrail connect` wrote into a file of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionRow {
    /// The program.
    pub program: String,
    /// The file.
    pub path: PathBuf,
    /// What was done, JSON.
    pub edit: String,
    /// SHA-256 of the file before; none where there was no file.
    pub before_hash: Option<[u8; 32]>,
    /// SHA-256 of the file after.
    pub after_hash: [u8; 32],
    /// When it was written.
    pub written_at: Millis,
}
