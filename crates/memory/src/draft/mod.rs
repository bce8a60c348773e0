//! What somebody wants remembered, and the guardrails that it passes before anything is stored (MEM-03, MEM-04).
//!
//! Everything that writes a memory goes through [`screen`]: what comes out is clean, within its limits, and cannot be made
//! any other way. Knows nothing of rows and of what a person decides later.

mod blocked;
mod keys;
mod screen;
mod sentence;
#[cfg(test)]
mod tests;

use taffrail_domain::{
    Artifact, Channel, MemoryId, MemoryType, Millis, ProjectId, Provenance, Shelf, Source,
    SourceRef,
};
use taffrail_redact::Clean;

use crate::orders;

pub use blocked::Blocked;
pub use keys::{
    HashedText, content_hash, idempotency_key, normalised, text_key, text_key_of, witness,
};
pub use screen::{inked, screen};
pub use sentence::{CUT_MARK, cut_for_workflow, first_sentence};

/// Longest summary, in characters.
pub const SUMMARY_LIMIT: usize = 512;
/// Longest content, in characters.
pub const CONTENT_LIMIT: usize = 8_192;
/// Longest sentence of the context, in characters.
pub const CONTEXT_LIMIT: usize = 512;
/// Sentences kept on each side of the source.
pub const CONTEXT_SENTENCES: usize = 3;
/// Content of a reference (`output`, `artifact_reference`) longer than this is the thing itself and no reference to it.
pub const REFERENCE_LIMIT: usize = 2_048;
/// Longest place of a source ref or artifact, in characters.
pub const URI_LIMIT: usize = 2_048;
/// Longest title, description, kind or other short field, in characters.
pub const FIELD_LIMIT: usize = 512;
/// Source refs, and artifacts, of one memory.
pub const REFS_LIMIT: usize = 32;
/// Foreign ids of one memory.
pub const FOREIGN_IDS_LIMIT: usize = 16;
/// Memories that one memory is derived from.
pub const DERIVED_LIMIT: usize = 64;
/// Longest machine evidence, in characters of JSON (MEM-07).
pub const EVIDENCE_LIMIT: usize = 65_536;

/// Whom a memory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everyone who works on a project.
    Project(ProjectId),
    /// The operator, in no project in particular.
    Personal,
}

/// The sentences around the source, in reading order: found by, never shown as the memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// What stood before it; the last one is the nearest. Only the nearest three are kept.
    pub before: Vec<String>,
    /// What stood after it; the first one is the nearest. Only the nearest three are kept.
    pub after: Vec<String>,
}

/// What somebody wants remembered: nothing of it is believed yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Whom it is for.
    pub scope: Scope,
    /// What kind of knowledge.
    pub kind: MemoryType,
    /// One sentence; absent, the first of the content is taken.
    pub summary: Option<String>,
    /// The whole text.
    pub content: String,
    /// The sentences around its source.
    pub context: Context,
    /// What it points at.
    pub source_refs: Vec<SourceRef>,
    /// What it is about.
    pub artifacts: Vec<Artifact>,
    /// How sure its writer was, 0 to 1.
    pub confidence: Option<f64>,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// By which door it came.
    pub channel: Channel,
    /// How it came to be said. `user_confirmed` cannot be claimed here: it is taken as `observed`.
    pub provenance: Provenance,
    /// Who wrote it.
    pub source: Source,
    /// The kind of the seed that it came from.
    pub slate_kind: Option<String>,
    /// A risk that nobody has settled.
    pub is_open: bool,
    /// When it was said, for an import; else the row's own time.
    pub created: Option<Millis>,
    /// Ids that it has elsewhere.
    pub foreign_ids: Vec<String>,
    /// The memories that it was derived from. The caller lowers the channel to the lowest of theirs.
    pub derived_from: Vec<MemoryId>,
    /// Machine evidence, JSON (MEM-07).
    pub evidence: Option<String>,
    /// It went through the redactor earlier (seeds, findings of runs): it keeps its masks, and what is found now is
    /// masked and not refused.
    pub is_redacted: bool,
}

impl Draft {
    /// A draft with nothing but what every draft has.
    pub fn new(scope: Scope, kind: MemoryType, content: String, channel: Channel) -> Self {
        Self {
            scope,
            kind,
            summary: None,
            content,
            context: Context::default(),
            source_refs: Vec::new(),
            artifacts: Vec::new(),
            confidence: None,
            stale_after: None,
            channel,
            provenance: Provenance::Generated,
            source: Source::default(),
            slate_kind: None,
            is_open: false,
            created: None,
            foreign_ids: Vec::new(),
            derived_from: Vec::new(),
            evidence: None,
            is_redacted: false,
        }
    }
}

/// What the guardrails let through. Read it like a [`Kept`]; only [`screen`] makes one, and nobody changes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Screened(Kept);

impl std::ops::Deref for Screened {
    type Target = Kept;

    fn deref(&self) -> &Kept {
        &self.0
    }
}

/// The fields of a screened draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Whom it is for.
    pub scope: Scope,
    /// What kind of knowledge.
    pub kind: MemoryType,
    /// One sentence, 1 to 512 characters.
    pub summary: Clean,
    /// The whole text, 1 to 8,192 characters.
    pub content: Clean,
    /// Up to three sentences before the source, in reading order.
    pub context_before: Vec<Clean>,
    /// Up to three sentences after it.
    pub context_after: Vec<Clean>,
    /// `context_before` as the row keeps it: a JSON array of strings.
    pub context_before_json: Clean,
    /// `context_after` as the row keeps it.
    pub context_after_json: Clean,
    /// What it points at; every string is clean.
    pub source_refs: Vec<SourceRef>,
    /// `source_refs` as the row keeps them: a JSON array.
    pub source_refs_json: Clean,
    /// What it is about; every string is clean.
    pub artifacts: Vec<Artifact>,
    /// `artifacts` as the row keeps them: a JSON array.
    pub artifacts_json: Clean,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// By which door it came.
    pub channel: Channel,
    /// How it came to be said; never `user_confirmed`.
    pub provenance: Provenance,
    /// Who wrote it; every string is clean.
    pub source: Source,
    /// `source` as the row keeps it: a JSON object.
    pub source_json: Clean,
    /// The kind of the seed that it came from.
    pub slate_kind: Option<Clean>,
    /// A risk that nobody has settled.
    pub is_open: bool,
    /// When it was said, for an import.
    pub created: Option<Millis>,
    /// Ids that it has elsewhere, each once.
    pub foreign_ids: Vec<Clean>,
    /// The memories that it was derived from, each once.
    pub derived_from: Vec<MemoryId>,
    /// Machine evidence, JSON.
    pub evidence: Option<Clean>,
    /// It went through the redactor earlier: a surface says that there may be masks.
    pub is_redacted: bool,
    /// Why it reads as orders to an agent, if it does.
    pub reads_as_orders: Option<orders::Reason>,
}

/// Where in the queue a candidate stands (MEM-06): apart when it came from a tool or the web, or when anything in it that a
/// turn may be given reads as orders.
pub fn shelf(screened: &Screened) -> Shelf {
    let by_door = match screened.channel {
        Channel::Tool | Channel::Web => true,
        Channel::Operator | Channel::Model | Channel::External | Channel::Import => false,
    };
    if by_door || screened.reads_as_orders.is_some() {
        Shelf::Quarantine
    } else {
        Shelf::Queue
    }
}

/// Why a candidate reads as orders to an agent, if it does: the summary, the content, the titles and the descriptions.
pub fn reads_as_orders(screened: &Screened) -> Option<orders::Reason> {
    screened.reads_as_orders
}

/// What a slate's kind of seed becomes, and whether it stays open (MEM-01). Absent or unknown kinds are open questions.
pub fn of_slate(kind: Option<&str>) -> (MemoryType, bool) {
    match kind {
        Some("decision") => (MemoryType::Decision, false),
        Some("contract-change") => (MemoryType::Constraint, false),
        Some("risk") => (MemoryType::Constraint, true),
        Some("memory-entry") => (MemoryType::Lesson, false),
        Some("wiki-update") => (MemoryType::Output, false),
        Some("follow-up" | _) | None => (MemoryType::OpenQuestion, false),
    }
}
