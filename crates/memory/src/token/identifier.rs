//! Words, identifiers and paths: the whole, and the parts that somebody may ask for.

use super::{LONGEST, script, stop};

use rust_stemmers::{Algorithm, Stemmer};

/// The terms of a run of letters, digits and `_ . / -`.
pub(super) fn parts(run: &str, take: &mut impl FnMut(&str)) {
    let run = run.trim_matches(script::joins);
    if run.is_empty() {
        return;
    }
    if !run.contains(script::joins) {
        return word(run, take);
    }
    whole(run, take);
    if run.contains('/') {
        // A file is asked for by its name as often as by its path.
        for component in run.split('/') {
            let component = component.trim_matches(script::joins);
            if component.contains(script::joins) {
                whole(component, take);
            }
        }
    }
    run.split(script::joins)
        .filter(|part| !part.is_empty())
        .for_each(|part| word(part, take));
}

/// A word without joints: itself as a stem, and its parts where the case changes inside.
fn word(text: &str, take: &mut impl FnMut(&str)) {
    stem(text, take);
    let mut rest = text;
    let mut divided = false;
    while let Some(at) = case_change(rest) {
        let (part, after) = rest.split_at(at);
        stem(part, take);
        rest = after;
        divided = true;
    }
    if divided {
        stem(rest, take);
    }
}

/// Where the first part ends: before a capital after a small letter or digit, or before the last of several capitals
/// that a small letter follows (`HTTPRequest`).
fn case_change(text: &str) -> Option<usize> {
    let mut before: Option<char> = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
        let changes = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && next_is_small)
            });
        if changes {
            return Some(at);
        }
        before = Some(letter);
    }
    None
}

fn whole(text: &str, take: &mut impl FnMut(&str)) {
    give(&script::fold(text), take);
}

fn stem(text: &str, take: &mut impl FnMut(&str)) {
    let folded = script::fold(text);
    if stop::is_stop(&folded) {
        return;
    }
    if folded.bytes().all(|byte| byte.is_ascii_lowercase()) {
        give(&Stemmer::create(Algorithm::English).stem(&folded), take);
    } else {
        give(&folded, take);
    }
}

/// A term, cut at a length that no word reaches.
fn give(term: &str, take: &mut impl FnMut(&str)) {
    let end = term
        .char_indices()
        .nth(LONGEST)
        .map_or(term.len(), |(at, _)| at);
    match term.get(..end) {
        None | Some("") => {}
        Some(term) => take(term),
    }
}
