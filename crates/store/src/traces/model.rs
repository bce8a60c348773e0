//! What goes into a trace and what comes out.

use taffrail_domain::{
    Grade, MemoryId, MemoryStatus, MemoryType, Millis, ProjectId, TraceId, words,
};
use taffrail_redact::Clean;

words! {
    /// What asked for a recall.
    TraceSurface, "surface" {
        /// `taffrail memory search`.
        Search "search",
        /// `taffrail prompt show`.
        Prompt "prompt",
        /// A turn of the built-in agent.
        Chat "chat",
        /// A box's command.
        Box "box",
        /// A node of a workflow.
        Workflow "workflow",
        /// A client of the MCP server.
        Mcp "mcp",
        /// A hook of another program.
        Hook "hook",
    }
}

words! {
    /// What became of a candidate.
    TraceOutcome, "outcome" {
        /// The turn was given it.
        Given "given",
        /// Others ranked before it.
        NotInTop "not_in_top",
        /// Its score was below the floor.
        BelowFloor "below_floor",
        /// The section had no room left for it.
        Budget "budget",
        /// It reads the same as one that was given.
        Repeats "repeats",
        /// Nothing of it was left to read.
        Blank "blank",
        /// The seal of its approval did not verify.
        Seal "seal",
        /// It was past its `stale_after`.
        Stale "stale",
        /// Its status or bits did not fit the grades that were asked for.
        Grade "grade",
        /// It is another project's.
        Project "project",
        /// It is never offered by itself.
        Withheld "withheld",
    }
}

/// For how long traces and misses are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceKeep {
    /// The oldest that is kept, in milliseconds before the newest.
    pub age_millis: i64,
    /// How many are kept.
    pub count: u64,
}

impl Default for TraceKeep {
    /// 90 days and 10,000 traces: what a team's busiest month leaves, in about 10 MB.
    fn default() -> Self {
        Self {
            age_millis: 90 * 24 * 3_600_000,
            count: 10_000,
        }
    }
}

/// One recall, before it is on record.
#[derive(Debug, Clone)]
pub struct NewTrace {
    /// Its id.
    pub id: TraceId,
    /// When.
    pub at: Millis,
    /// What asked.
    pub surface: TraceSurface,
    /// The session or run that it was for, as it is shown.
    pub session: Option<Clean>,
    /// The turn of that session.
    pub turn: Option<u64>,
    /// The project; none for personal memories only.
    pub project: Option<ProjectId>,
    /// What was asked.
    pub query: Clean,
    /// The terms that the index was asked for; they come from the query.
    pub terms: Vec<String>,
    /// The grades that were allowed.
    pub grades: Vec<Grade>,
    /// The limits that the section was made with, as JSON: a replay reads them.
    pub limits: Clean,
    /// How many memories were scored.
    pub candidates: u64,
    /// The score below which nothing is known.
    pub floor: Option<f64>,
    /// SHA-256 of the section's bytes, where there was a section.
    pub section_hash: Option<[u8; 32]>,
    /// Nothing was known: the question goes on the list of misses too.
    pub missed: bool,
    /// The candidates worth keeping, best first, at most 256; those beyond are not kept.
    pub items: Vec<NewTraceItem>,
}

/// One candidate of a recall.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTraceItem {
    /// Which memory.
    pub memory: MemoryId,
    /// The revision of its text that was read.
    pub revision: u64,
    /// As what it was considered.
    pub grade: Grade,
    /// How well it fits, before its age counts.
    pub relevance: f64,
    /// The factor of its age.
    pub fade: f64,
    /// Their product.
    pub score: f64,
    /// What was said beside its kind: `evidence`, `pending`, `open`.
    pub marks: Vec<String>,
    /// What became of it.
    pub outcome: TraceOutcome,
}

/// A recall on record. Its texts are redacted and untrusted.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceRow {
    /// Order.
    pub seq: i64,
    /// Its id.
    pub id: TraceId,
    /// When.
    pub at: Millis,
    /// What asked.
    pub surface: TraceSurface,
    /// The session or run, as it is shown.
    pub session: Option<String>,
    /// The turn of it.
    pub turn: Option<u64>,
    /// The project.
    pub project: Option<ProjectId>,
    /// The project's name.
    pub project_name: Option<String>,
    /// What was asked.
    pub query: String,
    /// The terms that the index was asked for.
    pub terms: Vec<String>,
    /// The grades that were allowed.
    pub grades: Vec<Grade>,
    /// The limits of the section, JSON.
    pub limits: String,
    /// How many memories were scored.
    pub candidates: u64,
    /// The floor.
    pub floor: Option<f64>,
    /// SHA-256 of the section's bytes.
    pub section_hash: Option<[u8; 32]>,
}

/// One candidate on record, with its text as it was then.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceItem {
    /// Place among the candidates, from 0.
    pub place: u32,
    /// Which memory.
    pub memory: MemoryId,
    /// The revision that was read.
    pub revision: u64,
    /// As what it was considered.
    pub grade: Grade,
    /// How well it fitted.
    pub relevance: f64,
    /// The factor of its age.
    pub fade: f64,
    /// Their product.
    pub score: f64,
    /// What was said beside its kind.
    pub marks: Vec<String>,
    /// What became of it.
    pub outcome: TraceOutcome,
    /// Its text then; none once it is purged.
    pub text: Option<TraceText>,
}

/// The text that a recall read, and what is fixed about its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceText {
    /// Its type.
    pub kind: MemoryType,
    /// One sentence.
    pub summary: String,
    /// The whole.
    pub content: String,
    /// When it was said.
    pub created: Millis,
    /// Its status today, not then.
    pub status_today: MemoryStatus,
}

/// Which traces to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct TraceFilter {
    /// Only of this session or run, as it is shown.
    pub session: Option<String>,
    /// Only of this turn.
    pub turn: Option<u64>,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// At most so many; 0 means 50.
    pub limit: u32,
}

/// A recall that considered a memory, and what became of the memory there.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The recall.
    pub trace: TraceRow,
    /// The memory's place, from 0.
    pub place: u32,
    /// The revision that was read.
    pub revision: u64,
    /// Its score.
    pub score: f64,
    /// What became of it.
    pub outcome: TraceOutcome,
}

/// A memory that was derived from another, at whatever distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The derived one.
    pub memory: MemoryId,
    /// How many derivations lie between, from 1.
    pub distance: u32,
    /// Its status.
    pub status: MemoryStatus,
    /// One sentence; none once it is purged.
    pub summary: Option<String>,
}

/// A question that nothing was known about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissRow {
    /// When.
    pub at: Millis,
    /// The project.
    pub project: Option<ProjectId>,
    /// What was asked.
    pub query: String,
}

/// One item of a place that was imported from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportedItem {
    /// What it is called there.
    pub item: String,
    /// SHA-256 of its text.
    pub hash: [u8; 32],
}
