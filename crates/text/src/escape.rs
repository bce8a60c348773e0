//! Escaping: one pass, each character either stays or is spelled out.

use std::fmt::Write as _;
use std::str::Chars;

use unicode_width::UnicodeWidthChar;

use crate::scripts::{BLACK_FLAG, TAG_FLAGS, is_control, is_hidden, is_ordinary};

/// Marks on one letter. Pointed Hebrew and Tibetan stacks have up to four; more only paint over the lines around, or are
/// dropped by the terminal, and then what is shown is not what is there.
const MOST_MARKS: usize = 4;

/// How newline and tab are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Escaped like every other control character.
    Line,
    /// Kept.
    Block,
}

pub(crate) fn escape(text: &str, layout: Layout) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text, layout);
    out
}

pub(crate) fn escape_bytes(bytes: &[u8], layout: Layout) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        escape_into(&mut out, chunk.valid(), layout);
        for byte in chunk.invalid() {
            push_byte(&mut out, *byte);
        }
    }
    out
}

fn escape_into(out: &mut String, text: &str, layout: Layout) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push_str(text);
        return;
    }
    let mut rest = text.chars();
    let mut marks = 0;
    while let Some(letter) = rest.next() {
        marks = match letter.width() {
            Some(0) => marks + 1,
            _ => 0,
        };
        if is_control(letter) {
            push_control(out, letter, layout);
        } else if letter == BLACK_FLAG {
            out.push(letter);
            rest = push_tag_flag(out, rest.as_str());
        } else if marks > MOST_MARKS
            || is_hidden(letter) && !is_ordinary(letter, before(text, letter, &rest), rest.as_str())
        {
            push_code_point(out, letter);
        } else {
            out.push(letter);
        }
    }
}

/// The text in front of `letter`, which was just taken from `rest`.
fn before<'a>(text: &'a str, letter: char, rest: &Chars<'_>) -> &'a str {
    let end = text.len() - rest.as_str().len() - letter.len_utf8();
    text.get(..end).unwrap_or_default()
}

fn push_tag_flag<'a>(out: &mut String, rest: &'a str) -> Chars<'a> {
    for tags in TAG_FLAGS {
        if let Some(after) = rest.strip_prefix(tags) {
            out.push_str(tags);
            return after.chars();
        }
    }
    rest.chars()
}

fn push_control(out: &mut String, letter: char, layout: Layout) {
    match letter {
        '\n' | '\t' if layout == Layout::Block => out.push(letter),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        _ => match u8::try_from(letter) {
            Ok(byte) if byte.is_ascii() => push_byte(out, byte),
            _ => push_code_point(out, letter),
        },
    }
}

fn push_byte(out: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    write!(out, "\\x{byte:02x}").unwrap_or_default();
}

fn push_code_point(out: &mut String, letter: char) {
    write!(out, "⟨U+{:04X}⟩", u32::from(letter)).unwrap_or_default();
}
