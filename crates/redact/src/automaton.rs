//! The automaton over keywords: one table look-up per byte, and its state can be kept between parts of a text.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::{Builder, DFA};
use aho_corasick::{Anchored, MatchKind, PatternID, StartKind};

/// Compiles words; ASCII case does not matter. A DFA because its cost per byte does not depend on the text.
pub(crate) fn build<W: AsRef<[u8]>>(words: &[W]) -> DFA {
    Builder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .start_kind(StartKind::Unanchored)
        .prefilter(false)
        .build(words)
        // Fails only beyond 2^31 states; the words are a few hundred literals of this crate, and a test builds them.
        .unwrap_or_else(|error| unreachable!("keywords are literals: {error}"))
}

/// A position in the automaton.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk(StateID);

impl Walk {
    /// At the start: nothing seen.
    pub(crate) fn new(automaton: &DFA) -> Self {
        Self(automaton.start_state(Anchored::No).unwrap_or_default())
    }

    /// Takes bytes until one ends a match; gives how many were taken. All of them when nothing matches.
    #[inline]
    pub(crate) fn advance(&mut self, automaton: &DFA, bytes: &[u8]) -> Option<usize> {
        let mut state = self.0;
        for (taken, byte) in bytes.iter().enumerate() {
            state = automaton.next_state(Anchored::No, state, *byte);
            if automaton.is_special(state) && automaton.is_match(state) {
                self.0 = state;
                return Some(taken + 1);
            }
        }
        self.0 = state;
        None
    }

    /// The words that end here, longest first.
    pub(crate) fn matches(self, automaton: &DFA) -> impl Iterator<Item = PatternID> + '_ {
        (0..automaton.match_len(self.0)).map(move |at| automaton.match_pattern(self.0, at))
    }

    /// Whether any word stands in `bytes`.
    pub(crate) fn any(mut self, automaton: &DFA, bytes: &[u8]) -> bool {
        self.advance(automaton, bytes).is_some()
    }
}
