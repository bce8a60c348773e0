//! What is new since the last import.

use std::collections::{BTreeMap, BTreeSet};

use super::{ForeignId, TextHash};

/// What became of a memory since the last import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// It was not there.
    New,
    /// Its text is another one.
    Changed,
    /// It is not there any more.
    Missing,
    /// Nothing.
    Same,
    /// A second file has the same id: somebody copied one. It is not read.
    Repeated,
}

impl Change {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Same => "same",
            Self::Repeated => "repeated",
        }
    }
}

/// What became of each memory between two imports: those of `now` in their order, then those that are missing, by id.
pub fn changes(
    since: &[(ForeignId, TextHash)],
    now: &[(ForeignId, TextHash)],
) -> Vec<(ForeignId, Change)> {
    let before: BTreeMap<&ForeignId, &TextHash> =
        since.iter().map(|(id, hash)| (id, hash)).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::with_capacity(now.len());
    for (id, hash) in now {
        let change = match before.get(id) {
            _ if !seen.insert(id) => Change::Repeated,
            None => Change::New,
            Some(old) if *old == hash => Change::Same,
            Some(_) => Change::Changed,
        };
        found.push((id.clone(), change));
    }
    let missing = before.keys().filter(|id| !seen.contains(*id));
    found.extend(missing.map(|id| ((*id).clone(), Change::Missing)));
    found
}
