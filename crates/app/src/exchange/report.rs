//! What an import says of each thing that it met.

use serde::Serialize;
use taffrail_memory::draft::Blocked;
use taffrail_store::Written;

use super::Skipped;
use super::jsonl::status;

/// What an import came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// What is new or changed, or not there any more.
    pub items: Vec<Item>,
    /// How many are as the last import left them.
    pub same: usize,
    /// What was not read, and why.
    pub skipped: Vec<Skipped>,
}

/// One thing that an import met.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Where it is, for people.
    pub place: String,
    /// `new`, `changed`, `missing` or `repeated`, since the last import from there.
    pub change: &'static str,
    /// One sentence of it.
    pub summary: String,
    /// The memory that holds it now, if it came in.
    pub memory: Option<String>,
    /// `new`, `repeat` or `blocked`; none where nothing was written.
    pub status: Option<&'static str>,
    /// Why it was blocked.
    pub reason: Option<String>,
}

impl Item {
    /// Something that nothing is written of.
    pub(super) fn only(place: String, change: &'static str, summary: String) -> Self {
        Self {
            place,
            change,
            summary,
            memory: None,
            status: None,
            reason: None,
        }
    }

    /// What became of its draft.
    pub(super) fn settle(&mut self, done: &Result<Written, Blocked>) {
        match done {
            Ok(written) => {
                self.memory = Some(written.memory.short());
                self.status = Some(status(written.outcome));
            }
            Err(blocked) => {
                self.status = Some("blocked");
                self.reason = Some(blocked.to_string());
            }
        }
    }
}
