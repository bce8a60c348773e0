//! The instruction files of other programs, in pieces (MEM-08).
//!
//! Knows where those programs keep their files and how to cut a text; opens none of them. A piece is a candidate and no more.

mod blocks;
mod build;
mod front;
mod kind;
mod places;

use sha2::{Digest, Sha256};
use taffrail_domain::MemoryType;

use front::Front;
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
    fn of(text: &str) -> Self {
        let bare = text.replace(['*', '_', '`', '#', '>'], " ").to_lowercase();
        let words: Vec<&str> = bare.split_whitespace().collect();
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

/// Cuts a file of `program` into pieces, each text once. `path` is what the file is called, and tells how it is written.
///
/// A list item and a paragraph are a piece each, with the heading and the line with a colon above them put before it; a code block
/// stays with what stands before it; imports of other files, comments and front matter are passed over.
pub fn cut(program: Program, path: &str, text: &str) -> Vec<Piece> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let front = Front::of(&lines);
    let body = lines.get(front.lines..).unwrap_or_default();
    let first = front.lines + 1;
    match (memory_file(program, path), &front.description) {
        (MemoryFile::Topic, Some(about)) => {
            let whole = build::whole(&numbered(body, first), about);
            whole.map_or_else(
                || build::build(&blocks::blocks(body, first)),
                |piece| vec![piece],
            )
        }
        (MemoryFile::Index, _) => {
            let kept: Vec<&str> = body
                .iter()
                .map(|line| if is_pointer(line) { "" } else { line })
                .collect();
            build::build(&blocks::blocks(&kept, first))
        }
        (MemoryFile::Topic | MemoryFile::None, _) => build::build(&blocks::blocks(body, first)),
    }
}

/// The lines between the first and the last with text.
fn numbered(body: &[&str], first: usize) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = body
        .iter()
        .zip(first..)
        .map(|(line, number)| (number, line.trim_end().to_owned()))
        .collect();
    let begin = lines
        .iter()
        .position(|(_, line)| !line.is_empty())
        .unwrap_or(lines.len());
    let end = lines
        .iter()
        .rposition(|(_, line)| !line.is_empty())
        .map_or(begin, |last| last + 1);
    lines.truncate(end);
    lines.split_off(begin)
}

/// What Claude Code keeps in its memory folder: an index, and one file for each fact.
enum MemoryFile {
    Index,
    Topic,
    None,
}

fn memory_file(program: Program, path: &str) -> MemoryFile {
    match path.rsplit_once("/memory/") {
        Some((_, "MEMORY.md")) if program == Program::Claude => MemoryFile::Index,
        Some(_) if program == Program::Claude => MemoryFile::Topic,
        _ => MemoryFile::None,
    }
}

/// `- [Title](file.md) — hook`: the file itself is cut.
fn is_pointer(line: &str) -> bool {
    let target = blocks::marker(line)
        .filter(|text| text.starts_with('['))
        .and_then(|text| text.split_once("]("))
        .and_then(|(_, rest)| rest.split_once(')'));
    target.is_some_and(|(target, _)| target.ends_with(".md") && !target.contains("://"))
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
