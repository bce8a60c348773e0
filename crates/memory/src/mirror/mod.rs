//! Memories as Markdown files for git, and back (REC-12).
//!
//! One approved memory is one file: front matter (a strict subset of YAML: one key and one JSON value a line), then the content as
//! it is. Writing, reading and writing again gives the same bytes. Knows no folders and writes no files.

mod change;
mod format;
mod id;
mod read;
mod time;
mod write;

use taffrail_domain::{Artifact, MemoryType, Millis, SourceRef};

pub use change::{Change, changes};
pub use id::{ForeignId, id_in_name};
pub use read::{MirrorError, from_file};
pub use write::to_file;

/// Bytes that a file of the mirror may have: several times the largest memory.
pub const FILE_LIMIT: usize = 262_144;

/// Where a memory is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere, to its owner.
    Personal,
    /// In the project of this name.
    Project(String),
}

/// A memory as a file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Its id where it was written first.
    pub id: ForeignId,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// One sentence.
    pub summary: String,
    /// The whole text.
    pub content: String,
    /// Where it is visible.
    pub scope: Scope,
    /// When it was said.
    pub created: Millis,
    /// When a person confirmed it, there.
    pub confirmed: Option<Millis>,
    /// What it points at.
    pub sources: Vec<SourceRef>,
    /// What it is about.
    pub artifacts: Vec<Artifact>,
}

/// What was read from a file. Nothing in it is believed: it arrives pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What the file holds.
    pub memory: Exported,
    /// The hash of the text that was read.
    pub hash: TextHash,
    /// Whether the text is another one than the file's own hash says: somebody edited it.
    pub edited: bool,
}

/// SHA-256 over type, summary, content, sources and artifacts: what a change of the text is told by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash(pub [u8; 32]);

impl std::fmt::Display for TextHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl std::fmt::Debug for TextHash {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "TextHash({self})")
    }
}

impl Exported {
    /// The hash of its text.
    pub fn text_hash(&self) -> TextHash {
        format::hash(self)
    }
}

#[cfg(test)]
mod tests;
