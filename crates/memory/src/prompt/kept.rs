//! The recall of a session, kept to the byte until another set of memories is chosen.

use taffrail_domain::MemoryId;

use crate::inject::Injected;

/// What the recall section of a session holds now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    /// The memories in it with their lines, in order.
    pub chosen: Vec<(MemoryId, String)>,
    /// Its bytes; empty where nothing is recalled.
    pub section: String,
}

impl Kept {
    /// What a fresh recall holds.
    pub fn of(fresh: &Injected) -> Self {
        let chosen = fresh.given.iter().copied().zip(fresh.lines.iter().cloned());
        Self {
            chosen: chosen.collect(),
            section: fresh.section.clone(),
        }
    }

    /// What to send after a fresh recall, and whether its bytes are new: the same memories with the same text in another order
    /// change nothing, so that a provider's cache stays good. A memory whose text was edited is another one.
    #[must_use]
    pub fn next(&self, fresh: &Injected) -> (Self, bool) {
        let fresh = Self::of(fresh);
        if fresh.sorted() == self.sorted() {
            (self.clone(), false)
        } else {
            (fresh, true)
        }
    }

    fn sorted(&self) -> Vec<&(MemoryId, String)> {
        let mut chosen: Vec<_> = self.chosen.iter().collect();
        chosen.sort();
        chosen
    }
}
