//! Where the value of a name is: behind `=`, `:`, `=>` and their kin, in every quoting of configuration and code.

use super::is_word;
use super::judge::LONGEST;
use crate::window::{Runs, Window};

/// Number of the run that names share.
pub(crate) const NAME_RUN: usize = 0;
/// Number of the run that bare values share.
pub(crate) const VALUE_RUN: usize = 1;

/// Number of the run up to the next byte that can join name and value.
pub(crate) const JOINT_RUN: usize = 3;
/// Number of the run up to the next quote.
pub(crate) const QUOTE_RUN: usize = 4;

/// Whether this byte can be a part of what joins name and value, or begin a quoted value.
pub(crate) fn joins(byte: u8) -> bool {
    matches!(
        byte,
        b'=' | b':'
            | b'>'
            | b','
            | b'('
            | b'|'
            | b'-'
            | b'%'
            | b'\\'
            | b'"'
            | b'\''
            | b'`'
            | b'\n'
            | 0xef
    )
}

/// Whether something that joins name and value is near: a cheap test that most words of prose fail.
pub(crate) fn has_joint(window: &Window<'_>, word_end: usize, runs: &mut Runs) -> bool {
    runs.end(JOINT_RUN, window, word_end, |byte| !joins(byte)) <= word_end + LONGEST_NAME + 24
}

/// The longest rest of a name behind the word that was found in it.
const LONGEST_NAME: usize = 64;

/// How name and value are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `=`, `:=`, `=>`, `<-`, `?=`, `||=` …
    Equal,
    /// `:`
    Colon,
    /// `==`, `!=`
    Compare,
    /// `,` or `(`: an argument after the name.
    Argument,
    /// `>`: the content of an element.
    Element,
    /// Only space.
    Space,
    /// The words `is` or `are`.
    Is,
}

/// A value and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) quoted: bool,
    pub(crate) joint: Joint,
    /// The value is an argument of a call.
    pub(crate) called: bool,
    /// Other words stand between the name and the joint.
    pub(crate) gap: bool,
    /// End of the name.
    pub(crate) name_end: usize,
}

pub(crate) fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b'$') || byte >= 0x80
}

/// The value of the name in which a word ends at `word_end`.
pub(crate) fn find(window: &Window<'_>, word_end: usize, runs: &mut Runs) -> Option<Place> {
    let name_end = name_end(window, word_end, runs)?;
    let (at, joint, gap) = joint(window, name_end)?;
    let near = runs.end(QUOTE_RUN, window, at, |byte| !is_quote(Some(byte))) < at + 96;
    let (from, called) = past_opening(window, at, joint, near);
    let place = |(start, end, quoted)| Place {
        called,
        start,
        end,
        quoted,
        joint,
        gap,
        name_end,
    };
    value(window, from, joint, runs)
        .map(place)
        .filter(|place| !window.holds_mask(name_end, place.start))
}

fn name_end(window: &Window<'_>, word_end: usize, runs: &mut Runs) -> Option<usize> {
    let end = runs.end(NAME_RUN, window, word_end, is_name);
    if end - word_end > LONGEST_NAME {
        return None;
    }
    let end = before_wide(window, word_end, end);
    let arrow = window.at(end) == Some(b'>') && window.ends_with(end, b"-");
    let end = if arrow { end - 1 } else { end };
    Some(window.run_back(end, end - word_end, |byte| byte == b'.'))
}

/// `：` and `＝`, the colon and the sign of equality in texts of the East.
const WIDE: [(&[u8], Joint); 2] = [
    ("：".as_bytes(), Joint::Colon),
    ("＝".as_bytes(), Joint::Equal),
];

/// Letters of all languages may stand in a name, those two may not.
fn before_wide(window: &Window<'_>, start: usize, end: usize) -> usize {
    let name = window.slice(start, end);
    let wide = memchr::memchr_iter(0xef, name).find(|at| {
        let rest = name.get(*at..).unwrap_or_default();
        WIDE.iter().any(|(sign, _)| rest.starts_with(sign))
    });
    wide.map_or(end, |at| start + at)
}

/// The end of the joint, its kind, and whether other words came before it.
fn joint(window: &Window<'_>, name_end: usize) -> Option<(usize, Joint, bool)> {
    let closed = window.run(name_end, name_end + 6, |byte| {
        matches!(
            byte,
            b'\\' | b'"' | b'\'' | b'`' | b']' | b')' | b'[' | b'*'
        )
    });
    let closed = skip_entity(window, closed);
    if let Some(at) = value_attribute(window, name_end, closed) {
        return Some((at, Joint::Equal, false));
    }
    let spaced = window.run(closed, closed + 12, |byte| matches!(byte, b' ' | b'\t'));
    if let Some((at, joint)) = operator(window, spaced) {
        let quoted = closed > name_end || window.at(spaced) != Some(b',');
        return quoted.then_some((at, joint, false));
    }
    if spaced == closed {
        return None;
    }
    if matches!(window.at(spaced), Some(b'"' | b'\'')) {
        return Some((spaced, Joint::Space, false));
    }
    if window.starts_with(spaced, b"is ")
        || window.starts_with(spaced, b"are ")
        || window.starts_with(spaced, b"is: ")
    {
        let end = window.run(spaced, spaced + 4, |byte| !matches!(byte, b' '));
        return Some((end, Joint::Is, false));
    }
    over_words(window, spaced)
        .or_else(|| (window.at(spaced) != Some(b'`')).then_some((spaced, Joint::Space, false)))
}

/// `token string = "…"`, `api key for x: …`: up to 20 bytes of words between name and joint.
fn over_words(window: &Window<'_>, from: usize) -> Option<(usize, Joint, bool)> {
    const REACH: usize = 24;
    let end = window.run(from, from + REACH, |byte| {
        is_word(byte) || matches!(byte, b' ' | b'\t' | b'-' | b'.' | b'*' | b'&')
    });
    let closed = window.run(end, end + 3, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\' | b')' | b' ')
    });
    let (at, joint) = operator(window, closed)?;
    matches!(
        joint,
        Joint::Equal | Joint::Colon | Joint::Argument | Joint::Element
    )
    .then_some((at, joint, true))
}

/// `"name": "PASSWORD", "value": "…"`, `key="Password" value="…"`, and the same over two lines of YAML.
fn value_attribute(window: &Window<'_>, name_end: usize, closed: usize) -> Option<usize> {
    if closed == name_end && window.at(closed) != Some(b'\n') && window.at(closed) != Some(b'\r') {
        return None;
    }
    let from = window.run(closed, closed + 40, |byte| {
        matches!(
            byte,
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'"' | b'\'' | b'\\' | b';'
        )
    });
    if from == closed || !window.starts_with_any_case(from, b"value") {
        return None;
    }
    let end = from + b"value".len();
    let end = window.run(end, end + 3, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\' | b' ')
    });
    window.at(end).filter(|byte| matches!(byte, b'=' | b':'))?;
    Some(end + 1)
}

/// The operator at `at`, with its end.
fn operator(window: &Window<'_>, at: usize) -> Option<(usize, Joint)> {
    if let Some((sign, joint)) = WIDE.iter().find(|(sign, _)| window.starts_with(at, sign)) {
        return Some((at + sign.len(), *joint));
    }
    let end = window.run(at, at + 5, |byte| {
        matches!(
            byte,
            b'=' | b':' | b'>' | b'?' | b'|' | b'.' | b'+' | b'!' | b'<' | b'-' | b'~'
        )
    });
    // By far the most frequent one, before the comparisons of texts.
    if end == at + 1 && window.at(at) == Some(b'=') {
        return Some((end, Joint::Equal));
    }
    let text = window.slice(at, end);
    let joint = match text {
        b"=" | b":=" | b"::=" | b":::=" | b"?=" | b"=>" | b"->" | b"<-" | b"<<-" | b"||="
        | b"|=" | b"+=" | b".=" | b"||" | b"=~" | b"??=" | b"-->" => Joint::Equal,
        b"==" | b"===" | b"!=" | b"!==" => Joint::Compare,
        b":" | b":>" | b":|" => Joint::Colon,
        b":-" | b":=-" => Joint::Equal,
        b"" => return argument(window, at),
        b">" => Joint::Element,
        [b'=', rest @ ..] | [b':', b'=', rest @ ..] => {
            let joint = Joint::Equal;
            return Some((end - rest.len(), joint));
        }
        [b':', rest @ ..] if rest.first() != Some(&b':') => {
            return Some((end - rest.len(), Joint::Colon));
        }
        [b'>', rest @ ..] => return Some((end - rest.len(), Joint::Element)),
        _ => return None,
    };
    Some((end, joint))
}

fn argument(window: &Window<'_>, at: usize) -> Option<(usize, Joint)> {
    if window.starts_with(at, b"%3D")
        || window.starts_with(at, b"%3d")
        || window.starts_with(at, b"%3A")
    {
        return Some((at + 3, Joint::Equal));
    }
    if window.starts_with(at, b"\\u003d") || window.starts_with(at, b"\\u003D") {
        return Some((at + 6, Joint::Equal));
    }
    matches!(window.at(at), Some(b',' | b'(')).then_some((at + 1, Joint::Argument))
}

pub(crate) fn is_quote(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'"' | b'\'' | b'`'))
}

const ENTITIES: [&[u8]; 4] = [b"&quot;", b"&#34;", b"&#39;", b"&apos;"];

fn skip_entity(window: &Window<'_>, at: usize) -> usize {
    if window.at(at) != Some(b'&') {
        return at;
    }
    ENTITIES
        .iter()
        .find(|entity| window.starts_with(at, entity))
        .map_or(at, |entity| at + entity.len())
}

/// Over space, a type annotation, brackets, a string prefix or a call, up to the quote or the first byte of the value.
fn past_opening(window: &Window<'_>, at: usize, joint: Joint, quote: bool) -> (usize, bool) {
    let at = if joint == Joint::Colon && quote {
        past_type(window, at)
    } else {
        at
    };
    let space = |from: usize| window.run(from, from + 64, |byte| matches!(byte, b' ' | b'\t'));
    let mut from = space(at);
    let lines = window.run(from, from + 80, |byte| byte.is_ascii_whitespace());
    let over_lines = matches!(joint, Joint::Equal | Joint::Colon) && is_quote(window.at(lines));
    if lines > from && (joint == Joint::Element || over_lines) {
        from = lines;
    }
    if matches!(window.at(from), Some(b'|' | b'>')) && joint == Joint::Colon && lines > 0 {
        let block = window.run(from + 1, from + 80, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'-' | b'+')
        });
        if window.slice(from, block).contains(&b'\n') {
            return (block, false);
        }
    }
    let starred = window.run(from, from + 2, |byte| byte == b'*');
    if starred > from {
        from = space(starred);
    }
    from = skip_entity(window, from);
    let opened = window.run(from, from + 2, |byte| matches!(byte, b'(' | b'[' | b'{'));
    let opened = space(opened);
    if is_quoted(window, opened) {
        return (opened, false);
    }
    match quote.then(|| past_call(window, from)).flatten() {
        Some(end) => (end, end > from + 2),
        None => (from, false),
    }
}

fn is_quoted(window: &Window<'_>, at: usize) -> bool {
    let at = window.run(at, at + 3, |byte| byte == b'\\');
    is_quote(window.at(at))
}

/// `String::from("`, `b"`, `@"`, `new Password("`, `std::string("`.
fn past_call(window: &Window<'_>, at: usize) -> Option<usize> {
    const LONGEST_CALL: usize = 48;
    let end = window.run(at, at + LONGEST_CALL, |byte| {
        is_word(byte)
            || matches!(
                byte,
                b':' | b'.' | b'<' | b'>' | b'@' | b'&' | b'$' | b'!' | b'[' | b']' | b' ' | b'('
            )
    });
    let called = end > at && is_quoted(window, end) && {
        let prefix = end - at <= 2
            && window
                .slice(at, end)
                .iter()
                .all(|byte| byte.is_ascii_alphabetic() || *byte == b'@');
        prefix || window.ends_with(end, b"(")
    };
    called.then_some(end)
}

/// `: String =`, `: &'static str =`, `: string | undefined =`.
fn past_type(window: &Window<'_>, at: usize) -> usize {
    let end = window.run(at, at + 40, |byte| {
        is_word(byte)
            || matches!(
                byte,
                b'<' | b'>' | b'&' | b'\'' | b'[' | b']' | b'?' | b':' | b'.' | b'|' | b' ' | b','
            )
    });
    let assigned = window.at(end) == Some(b'=') && window.ends_with(end, b" ") && end > at + 2;
    let quoted = window.run(end + 1, end + 8, |byte| byte == b' ');
    if assigned && is_quoted(window, quoted) {
        end + 1
    } else {
        at
    }
}

/// Start, end and whether it is quoted.
fn value(
    window: &Window<'_>,
    from: usize,
    joint: Joint,
    runs: &mut Runs,
) -> Option<(usize, usize, bool)> {
    let slashes = window.run(from, from + 3, |byte| byte == b'\\');
    if let Some(quote) = window.at(slashes).filter(|byte| is_quote(Some(*byte))) {
        let triple = [quote, quote, quote];
        let start = if window.starts_with(slashes, &triple) {
            slashes + 3
        } else {
            slashes + 1
        };
        return quoted(window, start, quote, slashes > from);
    }
    if matches!(joint, Joint::Compare | Joint::Argument) {
        return None;
    }
    if joint == Joint::Element {
        let end = window.run(from, from + LONGEST, |byte| {
            byte != b'<' && !byte.is_ascii_whitespace()
        });
        let space = window.run(end, end + 80, |byte| byte.is_ascii_whitespace());
        return (end > from && window.starts_with(space, b"</")).then_some((from, end, true));
    }
    let end = runs.end(VALUE_RUN, window, from, is_bare);
    (end > from && end - from <= LONGEST).then_some((from, end, false))
}

fn quoted(
    window: &Window<'_>,
    start: usize,
    quote: u8,
    escaped: bool,
) -> Option<(usize, usize, bool)> {
    let mut end = start;
    let stop = start + LONGEST + 1;
    loop {
        end = window.run(end, stop, |byte| {
            byte != quote && byte != b'\\' && byte != b'\n'
        });
        match window.at(end) {
            Some(b'\\') if escaped => break,
            Some(b'\\') => end += 2,
            _ => break,
        }
    }
    let closed =
        matches!(window.at(end), Some(byte) if byte == quote || (escaped && byte == b'\\'));
    let torn = window.at(end).is_none() && !window.is_cut();
    ((closed || torn) && end > start && end <= stop).then_some((start, end.min(window.len()), true))
}

fn is_bare(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>')
}
