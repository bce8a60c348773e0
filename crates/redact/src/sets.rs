//! Sets of words that are looked for together, in any case, anywhere in a short text.

use std::sync::LazyLock;

use aho_corasick::dfa::DFA;

use crate::automaton;

/// A compiled set.
pub(crate) type Set = LazyLock<DFA>;

/// Compiles a set at its first use.
pub(crate) fn set(words: &[&str]) -> DFA {
    automaton::build(words)
}

/// Whether any word of the set stands in `text`.
pub(crate) fn any_in(set: &DFA, text: &[u8]) -> bool {
    automaton::Walk::new(set).any(set, text)
}
