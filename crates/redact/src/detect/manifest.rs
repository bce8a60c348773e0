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

/// The values below `data:` (or `stringData:`), whose word `data` is at `start..end`. `kind_before` says that the kind
/// stands shortly before.
pub(crate) fn entries(
    window: &Window<'_>,
    (start, end): (usize, usize),
    kind_before: bool,
) -> Vec<Found> {
    let line_start = window.run_back(start, 16, |byte| byte != b'\n');
    let lead = window.slice(line_start, start);
    let blank =
        lead.iter().all(|byte| matches!(byte, b' ' | b'\t')) || lead.trim_ascii() == b"string";
    let newline = window.run(end, end + 8, |byte| matches!(byte, b':' | b' ' | b'\r'));
    if !blank || window.at(newline) != Some(b'\n') || !window.slice(end, newline).contains(&b':') {
        return Vec::new();
    }
    let indent = lead
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let found = values(window, newline + 1, indent);
    let named = !found.is_empty() && (kind_before || kind_follows(window, newline));
    if named { found } else { Vec::new() }
}

fn kind_follows(window: &Window<'_>, from: usize) -> bool {
    let rest = window.slice(from, from + APART);
    let rest = memchr::memmem::find(rest, b"\n---")
        .and_then(|end| rest.get(..end))
        .unwrap_or(rest);
    memchr::memmem::find_iter(rest, b"kind:").any(|at| is_secret_kind(window, from + at + 4))
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
    let fits = whole && value.len() >= 4 && value.len() % 4 == 0 && decode(value, 4096).is_some();
    (fits && !is_blank(value) && !is_template(value)).then(|| Found::closed(start, stop))
}
