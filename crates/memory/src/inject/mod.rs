//! What of a recall a turn is given: lines that cannot forge a section (REC-05).
//!
//! Knows nothing of ranking and statuses: what comes in is already chosen, in the order of its rank.

use taffrail_domain::{MemoryId, MemoryType};

/// One recalled memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Which memory.
    pub id: MemoryId,
    /// What kind of knowledge it is.
    pub kind: MemoryType,
    /// One sentence.
    pub summary: String,
    /// The whole text.
    pub content: String,
    /// What must be said beside the kind: `evidence`, `pending`, `open`.
    pub marks: Vec<String>,
}

/// How much a turn is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Items at most.
    pub items: usize,
    /// Characters of a whole line, the bullet included.
    pub line_chars: usize,
    /// Characters of the whole section, its frame included; absent: no limit.
    pub total_chars: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            items: 5,
            line_chars: 200,
            total_chars: None,
        }
    }
}

/// Why a chosen memory was not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// As many items as allowed were given.
    Items,
    /// The section would have been longer than allowed.
    Budget,
    /// It reads the same as one that was given.
    Repeats,
    /// Nothing of it is left to read.
    Blank,
}

impl Reason {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Budget => "budget",
            Self::Repeats => "repeats",
            Self::Blank => "blank",
        }
    }
}

/// What a turn is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Injected {
    /// The whole section; empty where nothing was given.
    pub section: String,
    /// The memories in it, in order.
    pub given: Vec<MemoryId>,
    /// Their lines, in the same order.
    pub lines: Vec<String>,
    /// What was chosen and is not in it, with the reason.
    pub left_out: Vec<(MemoryId, Reason)>,
}

/// One line for each item, in a data section that no item can close or add to.
pub fn render(items: &[Item], limits: &Limits) -> Injected {
    let _ = (items, limits);
    Injected::default()
}
