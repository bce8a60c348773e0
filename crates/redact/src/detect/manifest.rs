//! Kubernetes manifests: the entries below `data:` of a `kind: Secret`.

use super::Found;
use super::judge::{is_blank, is_template};
use crate::entropy::decode;
use crate::window::Window;

/// How far the two keys of one manifest may be apart.
pub(crate) const APART: usize = 2048;

/// Whether `kind` at `start` is a manifest's kind, and that is `Secret`.
pub(crate) fn is_secret_kind(window: &Window<'_>, end: usize) -> bool {
    let from = window.run(end, end + 6, |byte| {
        matches!(byte, b':' | b' ' | b'"' | b'\'')
    });
    window.slice(end, from).contains(&b':')
        && window.starts_with(from, b"Secret")
        && !window.at(from + 6).is_some_and(super::is_word)
}

/// The values below `data:` (or `stringData:`), whose word `data` is at `start..end`, and where they begin.
pub(crate) fn entries(
    window: &Window<'_>,
    (start, end): (usize, usize),
) -> Option<(Vec<Found>, usize)> {
    let line_start = window.run_back(start, 16, |byte| byte != b'\n');
    let lead = window.slice(line_start, start);
    let blank = lead.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    let newline = window.run(end, end + 8, |byte| matches!(byte, b':' | b' ' | b'\r'));
    if !(blank || lead.trim_ascii() == b"string") || window.at(newline) != Some(b'\n') {
        return None;
    }
    let indent = lead
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let found = values(window, newline + 1, indent);
    (!found.is_empty()).then_some((found, newline))
}

/// Where a secret's kind stands between `from` and `end`.
pub(crate) fn kind_between(window: &Window<'_>, from: usize, end: usize) -> Option<usize> {
    let rest = window.slice(from, end);
    let mut kinds = memchr::memmem::find_iter(rest, b"kind:").map(|at| from + at);
    kinds.find(|at| is_secret_kind(window, at + b"kind".len()))
}

/// Whether one document ends and another begins between `from` and `end`.
pub(crate) fn is_parted(window: &Window<'_>, from: usize, end: usize) -> bool {
    memchr::memmem::find(window.slice(from, end), b"\n---").is_some()
}

fn values(window: &Window<'_>, from: usize, indent: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut line = from;
    while line < window.len() {
        let end = window.run(line, window.len(), |byte| byte != b'\n');
        let first = window.run(line, end, |byte| matches!(byte, b' ' | b'\t'));
        if first - line <= indent {
            break;
        }
        found.extend(value_of_line(window, first, end));
        line = end + 1;
    }
    found
}

fn value_of_line(window: &Window<'_>, first: usize, end: usize) -> Option<Found> {
    let colon = window.run(first, end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'"' | b'\'')
    });
    let start = if window.at(colon) == Some(b':') {
        window.run(colon + 1, end, |byte| matches!(byte, b' ' | b'"' | b'\''))
    } else {
        first
    };
    let stop = window.run(start, end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
    });
    let value = window.slice(start, stop);
    let whole = window.run(stop, end, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'')
    }) == end;
    let fits =
        whole && value.len() >= 4 && value.len().is_multiple_of(4) && decode(value, 4096).is_some();
    (fits && !is_blank(value) && !is_template(value)).then(|| Found::closed(start, stop))
}
