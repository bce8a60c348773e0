//! Tokens without a keyword: Discord bots (base64 of number, time and signature around two dots), and tokens that are known
//! by a long run of `A` (zero bytes in base64).

use super::{Found, is_border, is_word};
use crate::entropy::{Mix, decode, entropy};
use crate::window::Window;

/// Bytes between the two dots.
const MIDDLE: std::ops::RangeInclusive<usize> = 6..=7;

/// The token whose first dot is at `dot`.
pub(crate) fn dotted(window: &Window<'_>, dot: usize) -> Option<Found> {
    let second = MIDDLE
        .map(|length| dot + 1 + length)
        .find(|at| window.at(*at) == Some(b'.'))?;
    let start = past_escape(window, window.run_back(dot, 30, is_base64url));
    let first = window.slice(start, dot);
    if !(23..=28).contains(&first.len()) || !matches!(first.first(), Some(b'M' | b'N' | b'O')) {
        return None;
    }
    if window.run(dot + 1, second, is_base64url) != second {
        return None;
    }
    let end = window.run(second + 1, second + 60, is_base64url);
    let last = window.slice(second + 1, end);
    if !(27..=45).contains(&last.len()) || !is_border(window, start) || window.is_masked(end) {
        return None;
    }
    let number = decode(first, 30)?;
    let mixed = Mix::of(last);
    let plain = number.iter().all(u8::is_ascii_digit) || (mixed.digits > 0 && mixed.upper > 2);
    plain.then(|| Found::closed(start, end))
}

fn is_base64url(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// The shortest run of `A` that means something.
pub(crate) const ZEROS: usize = 10;

/// The Twitter or Dropbox token in which a run of `A` starts at `start`.
pub(crate) fn zeros(window: &Window<'_>, start: usize) -> Option<Found> {
    let run = window.run(start, start + 64, |byte| byte == b'A');
    let begin = window.run_back(start, 14, |byte| byte.is_ascii_alphanumeric());
    let begin = past_escape(window, begin);
    let found = match (
        run - start >= 21,
        (10..=12).contains(&start.saturating_sub(begin)),
    ) {
        (true, _) if begin == start => bearer(window, start),
        (_, true) => dropbox(window, begin, start),
        (_, false) => None,
    }?;
    let random = is_mixed(window.slice(run, found.end)) && is_border(window, found.start);
    (random && !window.is_masked(found.end)).then_some(found)
}

fn bearer(window: &Window<'_>, start: usize) -> Option<Found> {
    let end = window.run(start, start + 200, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'%'
    });
    (80..=150)
        .contains(&(end - start))
        .then(|| Found::closed(start, end))
}

fn dropbox(window: &Window<'_>, begin: usize, start: usize) -> Option<Found> {
    let end = window.run(start, start + 64, |byte| is_base64url(byte) || byte == b'=');
    (50..=56)
        .contains(&(end - start))
        .then(|| Found::closed(begin, end))
}

fn is_mixed(value: &[u8]) -> bool {
    Mix::of(value).digits > 0 && entropy(value) >= 3.0
}

/// A run of letters behind `\` or `%` begins with the rest of an escape (`\n`, `%22`), which is no part of a token.
fn past_escape(window: &Window<'_>, start: usize) -> usize {
    let code = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
    match window.before(start) {
        Some(b'\\') if matches!(window.at(start), Some(b'n' | b'r' | b't')) => start + 1,
        Some(b'%') if code(window.at(start)) && code(window.at(start + 1)) => start + 2,
        _ => start,
    }
}
