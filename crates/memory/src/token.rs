//! One tokenizer for index and query, for all scripts (REC-03).
//!
//! Words become stems, identifiers become their parts beside the whole, scripts without spaces become pairs of
//! characters. Nothing in a text is an operator, and no text is an error. Knows nothing of the index.

mod identifier;
mod script;
mod stop;

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

pub use script::fold;

/// Terms of a query that are looked up: the rarest of those that there are (REC-03).
pub const QUERY_TERMS: usize = 32;
/// Different terms of a query that are counted before the rarest are chosen; a longer text is cut here.
pub const COUNTED_TERMS: usize = 256;
/// Longest term, in characters: longer runs are no word that anybody types again.
const LONGEST: usize = 64;

/// The terms of a text, in order, with repetitions; the same for a row and for a question.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_term(text, |term| found.push(term.to_owned()));
    found
}

/// The different terms of a text, sorted: for comparing two texts.
pub fn stems(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().collect()
}

/// The different terms of a question in the order of the question, at most [`COUNTED_TERMS`].
pub fn query_terms(query: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for term in terms(query) {
        if found.len() == COUNTED_TERMS {
            break;
        }
        if seen.insert(term.clone()) {
            found.push(term);
        }
    }
    found
}

/// Calls `take` with every term of the text.
pub fn each_term(text: &str, mut take: impl FnMut(&str)) {
    let mut run = Run::default();
    let plain = text.is_ascii();
    let mut step = |letter: char| run.push(letter, &mut take);
    if plain {
        text.chars().for_each(&mut step);
    } else {
        text.nfkc().for_each(&mut step);
    }
    run.finish(&mut take);
}

/// The characters that belong together so far.
#[derive(Default)]
struct Run {
    text: String,
    paired: bool,
}

impl Run {
    fn push(&mut self, letter: char, take: &mut impl FnMut(&str)) {
        let paired = script::is_paired(letter);
        let belongs = paired || script::is_word(letter) || script::joins(letter);
        if !belongs || paired != self.paired {
            self.finish(take);
        }
        if belongs {
            self.paired = paired;
            self.text.push(letter);
        }
    }

    fn finish(&mut self, take: &mut impl FnMut(&str)) {
        if self.text.is_empty() {
            return;
        }
        if self.paired {
            pairs(&self.text, take);
        } else {
            identifier::parts(&self.text, take);
        }
        self.text.clear();
    }
}

/// Every two neighbours; a character that stands alone as itself.
fn pairs(text: &str, take: &mut impl FnMut(&str)) {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let end_of = |place: usize| starts.get(place).copied().unwrap_or(text.len());
    if starts.len() == 1 {
        take(text);
        return;
    }
    for (place, start) in starts.iter().enumerate().take(starts.len() - 1) {
        take(text.get(*start..end_of(place + 2)).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests;
