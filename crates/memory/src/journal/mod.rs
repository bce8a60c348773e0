//! The journal's entries, their chain of hashes, and its verification (REV-05).
//!
//! An entry holds ids, words, numbers and keyed hashes, never text: the texts lie in rows that can be erased, so that a
//! purge and the chain agree. Knows nothing of where entries are kept.

mod facts;
#[cfg(test)]
mod tests;
mod verify;

use taffrail_domain::Millis;

use crate::hashing::Hashing;

pub use facts::{Facts, KeyedHash};
pub use verify::{Broken, How, Verified, Verifier};

/// The closed list of what the journal records.
macro_rules! kinds {
    ($($(#[$about:meta])* $variant:ident $word:literal,)+) => {
        /// What happened: a closed list of words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventKind {
            $($(#[$about])* $variant,)+
        }

        impl EventKind {
            /// Every kind, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable word, as in rows and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

kinds! {
    /// A memory arrived and was kept.
    MemoryWritten "memory_written",
    /// A draft was refused by the guardrails.
    MemoryBlocked "memory_blocked",
    /// A memory was said again by another task or source.
    MemoryWitnessed "memory_witnessed",
    /// A person decided on a memory.
    MemoryReviewed "memory_reviewed",
    /// A memory's text got a new revision.
    MemoryEdited "memory_edited",
    /// A project's notebook changed.
    NotebookChanged "notebook_changed",
    /// An entry for a notebook arrived.
    SuggestionWritten "suggestion_written",
    /// A person accepted or dismissed an entry.
    SuggestionDecided "suggestion_decided",
    /// A project was made, renamed, given roots or deleted.
    ProjectChanged "project_changed",
    /// An import ran.
    Imported "imported",
    /// Memories left the house in an export.
    Exported "exported",
    /// Texts were erased.
    Purged "purged",
    /// A setting of the home changed.
    SettingChanged "setting_changed",
    /// A backup took the place of the database.
    BackupRestored "backup_restored",
    /// A stored secret was set or removed.
    SecretChanged "secret_changed",
    /// The seal key was made, exported, restored or wrapped.
    SealKeyChanged "seal_key_changed",
    /// A question of an agent was answered.
    QuestionDecided "question_decided",
    /// The database was repaired.
    Repaired "repaired",
    /// A workspace was made, archived or taken back.
    WorkspaceChanged "workspace_changed",
    /// A generation of an external slate was closed.
    SlateClosed "slate_closed",
    /// A person bound or dismissed the seeds of a slate without a workspace, or took a dismissal back.
    UnboundDecided "unbound_decided",
}

impl std::str::FromStr for EventKind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .iter()
            .find(|kind| kind.name() == text)
            .copied()
            .ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

impl std::fmt::Display for EventKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(self.name())
    }
}

impl serde::Serialize for EventKind {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

/// A word that is no kind of event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a kind of journal entry")]
pub struct UnknownKind(pub String);

/// A point of the chain: the number of an entry and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// Number of the entry, from 1; 0 before the first.
    pub seq: u64,
    /// Its hash; zero bytes before the first.
    pub head: [u8; 32],
}

impl Anchor {
    /// Before the first entry.
    pub const START: Self = Self {
        seq: 0,
        head: [0; 32],
    };
}

/// One entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: Millis,
    /// What happened.
    pub kind: EventKind,
    /// To what: the sixteen bytes of an id; absent for the home itself.
    pub subject: Option<[u8; 16]>,
    /// Ids, words, numbers and keyed hashes: canonical JSON from [`Facts`].
    pub facts: String,
    /// The hash of the entry before; zero bytes for the first.
    pub previous: [u8; 32],
    /// The hash over all of the above.
    pub hash: [u8; 32],
}

impl Entry {
    /// The entry that follows `head`.
    pub fn after(
        head: &Anchor,
        at: Millis,
        kind: EventKind,
        subject: Option<[u8; 16]>,
        facts: &Facts,
    ) -> Self {
        let seq = head.seq.saturating_add(1);
        let facts = facts.json();
        Self {
            hash: hash(&head.head, seq, at, kind.name(), subject, &facts),
            seq,
            at,
            kind,
            subject,
            facts,
            previous: head.head,
        }
    }

    /// The point of the chain that this entry is.
    pub fn anchor(&self) -> Anchor {
        Anchor {
            seq: self.seq,
            head: self.hash,
        }
    }

    /// The entry as a verifier takes it.
    pub fn row(&self) -> Row<'_> {
        Row {
            seq: self.seq,
            at: self.at,
            kind: self.kind.name(),
            subject: self.subject,
            facts: &self.facts,
            previous: self.previous,
            hash: self.hash,
        }
    }
}

/// An entry as it was found, believed in nothing: its kind may be any word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Number.
    pub seq: u64,
    /// When.
    pub at: Millis,
    /// What, as written.
    pub kind: &'a str,
    /// To what.
    pub subject: Option<[u8; 16]>,
    /// Facts, as written.
    pub facts: &'a str,
    /// The hash of the entry before, as written.
    pub previous: [u8; 32],
    /// The hash, as written.
    pub hash: [u8; 32],
}

/// The hash of an entry over its canonical form: every field with its length in front, numbers in 8 bytes big end first.
pub fn hash(
    previous: &[u8; 32],
    seq: u64,
    at: Millis,
    kind: &str,
    subject: Option<[u8; 16]>,
    facts: &str,
) -> [u8; 32] {
    Hashing::new("taffrail.journal.entry.v1")
        .field(previous)
        .field(&seq.to_be_bytes())
        .field(&at.0.to_be_bytes())
        .field(kind.as_bytes())
        .optional(subject.as_ref().map(<[u8; 16]>::as_slice))
        .field(facts.as_bytes())
        .finish()
}
