//! Discord bot tokens: no keyword, only a shape around two dots (base64 of the bot's number, time, signature).

use super::{Found, is_word};
use crate::entropy::{Mix, decode};
use crate::window::Window;

/// Bytes between the two dots.
const MIDDLE: std::ops::RangeInclusive<usize> = 6..=7;

/// The token whose first dot is at `dot`.
pub(crate) fn find(window: &Window<'_>, dot: usize) -> Option<Found> {
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
    if !(27..=45).contains(&last.len()) || window.before(start).is_some_and(is_word) {
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
