//! Requests of the agent that the driver has not answered yet.

use std::collections::BTreeMap;

use super::RequestKey;
use crate::wire::Id;

/// How many may wait at once; the next ones are refused by name.
pub(super) const MOST: usize = 64;

/// One request that waits.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) id: Id,
    pub(super) kind: OpenKind,
}

/// What it waits for.
#[derive(Debug)]
pub(super) enum OpenKind {
    Permission {
        allow: Option<String>,
        reject: Option<String>,
    },
    Read,
    Write,
}

#[derive(Debug, Default)]
pub(super) struct Pending {
    next: u64,
    open: BTreeMap<RequestKey, Open>,
}

impl Pending {
    pub(super) fn add(&mut self, id: Id, kind: OpenKind) -> RequestKey {
        let key = RequestKey(self.next);
        self.next += 1;
        self.open.insert(key, Open { id, kind });
        key
    }

    /// Takes a request out if it is one that `fits`: it is answered once.
    pub(super) fn take(&mut self, key: RequestKey, fits: fn(&OpenKind) -> bool) -> Option<Open> {
        if !self.open.get(&key).is_some_and(|open| fits(&open.kind)) {
            return None;
        }
        self.open.remove(&key)
    }

    pub(super) fn by_id(&self, id: &Id) -> Option<RequestKey> {
        let found = self.open.iter().find(|(_, open)| open.id == *id);
        found.map(|(key, _)| *key)
    }

    pub(super) fn remove(&mut self, key: RequestKey) -> Option<Open> {
        self.open.remove(&key)
    }

    pub(super) fn take_all(&mut self) -> BTreeMap<RequestKey, Open> {
        std::mem::take(&mut self.open)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
}
