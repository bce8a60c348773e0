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
    let start = window.run_back(dot, 30, is_base64url);
    let first = window.slice(start, dot);
    if !(23..=28).contains(&first.len()) || !matches!(first.first(), Some(b'M' | b'N' | b'O')) {
        return None;
    }
    if window.run(dot + 1, second, is_base64url) != second {
        return None;
    }
    let end = window.run(second + 1, second + 60, is_base64url);
    let last = window.slice(second + 1, end);
    if !(27..=45).contains(&last.len())
        || window.before(start).is_some_and(is_word)
        || window.is_masked(end)
    {
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
    if window.is_masked(window.run(start, start + 200, |byte| {
        is_base64url(byte) || byte == b'%'
    })) {
        return None;
    }
    let percent = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'%';
    let end = window.run(start, start + 200, percent);
    let bearer =
        run - start >= 21 && (80..=150).contains(&(end - start)) && is_border(window, start);
    if bearer && is_mixed(window.slice(run, end)) {
        return Some(Found::closed(start, end));
    }
    let begin = window.run_back(start, 13, |byte| byte.is_ascii_alphanumeric());
    let end = window.run(start, start + 64, |byte| is_base64url(byte) || byte == b'=');
    let sized = (10..=12).contains(&(start - begin)) && (50..=56).contains(&(end - start));
    let dropbox = sized && is_border(window, begin) && is_mixed(window.slice(run, end));
    dropbox.then(|| Found::closed(begin, end))
}

fn is_mixed(value: &[u8]) -> bool {
    Mix::of(value).digits > 0 && entropy(value) >= 3.0
}
