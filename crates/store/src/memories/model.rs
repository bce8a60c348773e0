//! What is written about memories and read back.

use taffrail_domain::{
    Artifact, Channel, ContentHash, Lifecycle, MemoryId, MemoryStatus, MemoryType, Millis,
    PolicyBits, ProjectId, Provenance, Shelf, Source, SourceRef,
};

/// One revision of a memory's text. Untrusted: wrap it before it reaches a screen.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRow {
    /// Its number, from 1.
    pub revision: u64,
    /// One sentence.
    pub summary: String,
    /// The whole text.
    pub content: String,
    /// Sentences that stood before it, in reading order.
    pub context_before: Vec<String>,
    /// Sentences that stood after it.
    pub context_after: Vec<String>,
    /// Things outside that it points at.
    pub source_refs: Vec<SourceRef>,
    /// Things that it is about.
    pub artifacts: Vec<Artifact>,
    /// The random bytes of its hash.
    pub salt: [u8; 16],
    /// Its hash, made from the text when it was read: the hash column is not believed.
    pub hash: ContentHash,
    /// When the revision was made.
    pub at: Millis,
}

/// A memory on record.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRow {
    /// Order of arrival.
    pub seq: i64,
    /// Its id.
    pub id: MemoryId,
    /// The project it belongs to; none for a personal one.
    pub project: Option<ProjectId>,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// How it first came to be said.
    pub first_provenance: Provenance,
    /// What a person made of that.
    pub provenance: Provenance,
    /// By which door it came.
    pub channel: Channel,
    /// What it may be used for, by the row; a seal has to agree.
    pub bits: PolicyBits,
    /// What a person decided.
    pub status: MemoryStatus,
    /// Whether it is in force.
    pub lifecycle: Lifecycle,
    /// Where in the queue it stands.
    pub shelf: Shelf,
    /// How sure its writer was, 0 to 1.
    pub confidence: Option<f64>,
    /// The kind of the seed that it came from.
    pub slate_kind: Option<String>,
    /// A risk that nobody has settled.
    pub is_open: bool,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// Who wrote it.
    pub source: Source,
    /// The text in force.
    pub text: TextRow,
    /// A text that waits for a person while the other stays in force.
    pub draft: Option<TextRow>,
    /// What took its place.
    pub retired_by: Option<MemoryId>,
    /// Counts every change of the row; a review names the one it saw.
    pub version: u64,
    /// The journal entry of the last review.
    pub review_entry: Option<u64>,
    /// The signature of an approval.
    pub seal: Option<[u8; 64]>,
    /// Independent tasks and sources that said the same, the first one included.
    pub witnesses: u64,
    /// Machine evidence that came with it, redacted JSON.
    pub evidence: Option<String>,
    /// When it was said.
    pub created_at: Millis,
    /// When the row was made.
    pub inserted_at: Millis,
    /// When a person confirmed it last.
    pub confirmed_at: Option<Millis>,
}

impl MemoryRow {
    /// The text that a review is about: the one that waits, else the one in force.
    pub fn reviewed_text(&self) -> &TextRow {
        self.draft.as_ref().unwrap_or(&self.text)
    }
}

/// What became of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A row was made.
    New,
    /// The same thing was there.
    Repeat {
        /// Independent tasks and sources that have said it now.
        witnesses: u64,
    },
}

/// The row that holds what a draft said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Its id: the first row's, for a repeat.
    pub memory: MemoryId,
    /// Whether it is new.
    pub outcome: Outcome,
}

/// An approved memory that another resembles.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourRow {
    /// The approved one.
    pub memory: MemoryId,
    /// Jaccard similarity of stems, 0 to 1.
    pub similarity: f64,
}

/// Rows by what was decided about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusCount {
    /// The status.
    pub status: MemoryStatus,
    /// The shelf.
    pub shelf: Shelf,
    /// How many.
    pub rows: u64,
}

/// Whose memories are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// Everybody's.
    #[default]
    All,
    /// The personal ones.
    Personal,
    /// Those of one project.
    Project(ProjectId),
}

/// Which memories a list holds.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    /// With this status; every status with none.
    pub status: Option<MemoryStatus>,
    /// Whose.
    pub whose: Whose,
    /// Of this kind.
    pub kind: Option<MemoryType>,
    /// On this shelf.
    pub shelf: Option<Shelf>,
    /// With these words one after the other in the summary or content in force, letter case of ASCII aside.
    pub text: Option<String>,
    /// Older than this place.
    pub cursor: Option<MemoryCursor>,
    /// At most so many: 50 with none, never more than 200.
    pub limit: Option<u32>,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryPage {
    /// The rows.
    pub rows: Vec<MemoryRow>,
    /// Where the next page begins; none after the last.
    pub next: Option<MemoryCursor>,
}

/// A place in a list of memories: `m` and a number in hex. It stays right while rows come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryCursor(pub(crate) i64);

impl MemoryCursor {
    /// The place of a memory, by its number.
    pub const fn at(number: i64) -> Self {
        Self(number)
    }
}

impl std::fmt::Display for MemoryCursor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "m{:x}", self.0)
    }
}

impl std::str::FromStr for MemoryCursor {
    type Err = crate::StoreError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('m').filter(|digits| {
            // No sign, no second spelling of the same place.
            digits
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
                && !digits.starts_with('0')
        });
        digits
            .and_then(|digits| i64::from_str_radix(digits, 16).ok())
            .map(Self)
            .ok_or_else(|| crate::StoreError::BadCursor {
                text: text.chars().take(64).collect(),
            })
    }
}

/// One line of a memory's history.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRow {
    /// Order of the reviews.
    pub seq: i64,
    /// What was done.
    pub action: taffrail_domain::ReviewAction,
    /// On which surface.
    pub surface: String,
    /// The other memory of a merge or replacement.
    pub other: Option<MemoryId>,
    /// The decision was about the other memory, and this one went by it.
    pub went: bool,
    /// What the person wrote beside it.
    pub notes: Option<String>,
    /// The journal entry.
    pub entry: u64,
    /// It was taken back.
    pub undone: bool,
    /// When.
    pub at: Millis,
}
