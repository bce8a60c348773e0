//! The sessions of a connection and their turns.

use std::collections::BTreeMap;

use super::TurnKey;
use crate::wire::Id;

/// Sessions of one connection at most.
pub(super) const MOST: usize = 64;

/// A turn that goes on.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub key: TurnKey,
    /// The prompt that is answered at its end.
    pub prompt: Id,
    pub is_cancelled: bool,
    /// What it asked the client and has no answer to.
    pub asked: Option<u64>,
}

/// Every session, with the turn that goes on in it.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    turns: BTreeMap<String, Option<Turn>>,
}

impl Sessions {
    pub fn is_full(&self) -> bool {
        self.turns.len() >= MOST
    }

    pub fn add(&mut self, session: String) {
        self.turns.entry(session).or_insert(None);
    }

    /// The place of a session's turn; none for a session that is not there.
    pub fn turn_of(&mut self, session: &str) -> Option<&mut Option<Turn>> {
        self.turns.get_mut(session)
    }

    pub fn remove(&mut self, session: &str) -> Option<Option<Turn>> {
        self.turns.remove(session)
    }

    /// The turn with this key and its session, while it goes on.
    pub fn find(&mut self, key: TurnKey) -> Option<(&str, &mut Turn)> {
        let mut turns = self.turns.iter_mut();
        turns.find_map(|(session, turn)| {
            let turn = turn.as_mut().filter(|turn| turn.key == key)?;
            Some((session.as_str(), turn))
        })
    }

    /// The turn that is to answer this request of the client's.
    pub fn turn_for(&mut self, prompt: &Id) -> Option<&mut Turn> {
        let mut turns = self.turns.values_mut().flatten();
        turns.find(|turn| turn.prompt == *prompt)
    }

    /// Takes every turn away.
    pub fn end_all(&mut self) -> impl Iterator<Item = Turn> {
        self.turns.values_mut().filter_map(Option::take)
    }

    /// The turn that waits for the answer to this request of ours.
    pub fn waiting(&mut self, request: u64) -> Option<&mut Turn> {
        let mut turns = self.turns.values_mut().flatten();
        turns.find(|turn| turn.asked == Some(request))
    }

    /// Takes a turn that is over away.
    pub fn end(&mut self, key: TurnKey) -> Option<Turn> {
        let mut places = self.turns.values_mut();
        places
            .find(|place| place.as_ref().is_some_and(|turn| turn.key == key))
            .and_then(Option::take)
    }
}
