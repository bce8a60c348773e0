//! The instruction files of other programs, in pieces (MEM-08).
//!
//! Knows where those programs keep their files and how to cut a text; opens none of them. A piece is a candidate and no more.

mod places;

use sha2::{Digest, Sha256};
use taffrail_domain::MemoryType;

pub use places::{Place, Root, claude_folder, places};

/// Whose files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Program {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Any program that reads AGENTS.md.
    AgentsMd,
}

impl Program {
    /// Every program, in the order of the command line.
    pub const ALL: &'static [Self] = &[
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::AgentsMd,
    ];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::AgentsMd => "agents-md",
        }
    }
}

/// A stretch of a file that says one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// One sentence, at most 512 characters.
    pub summary: String,
    /// The text, at most 8,192 characters.
    pub content: String,
    /// What kind of knowledge it seems to be.
    pub kind: MemoryType,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// What it is known by at the next import.
    pub key: PieceKey,
}

/// SHA-256 over a piece's words, without markup, case and spacing: the same text elsewhere in the file is the same piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PieceKey(pub [u8; 32]);

impl PieceKey {
    /// The key of a text.
    pub fn of(content: &str) -> Self {
        let words: Vec<&str> = content.split_whitespace().collect();
        Self(Sha256::digest(words.join(" ").as_bytes()).into())
    }
}

impl std::fmt::Display for PieceKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl std::fmt::Debug for PieceKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "PieceKey({self})")
    }
}

/// Cuts a file of `program` into pieces. `path` is what it is called, and tells how it is written (`.mdc`, `MEMORY.md`).
pub fn cut(program: Program, path: &str, text: &str) -> Vec<Piece> {
    let _ = (program, path, text);
    Vec::new()
}

/// The pieces that were not there before, each once: what a second import shows.
pub fn new_since(before: &[PieceKey], pieces: Vec<Piece>) -> Vec<Piece> {
    let mut seen: std::collections::BTreeSet<PieceKey> = before.iter().copied().collect();
    pieces
        .into_iter()
        .filter(|piece| seen.insert(piece.key))
        .collect()
}

#[cfg(test)]
mod tests;
