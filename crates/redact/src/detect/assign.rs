//! `name = value`, where the name says that the value is a secret.

use super::Found;
use super::judge::{self, Setting, is_secret};
use super::place::{self, Joint, Place, is_name};
use crate::entropy::{Mix, entropy};
use crate::rules::Strength;
use crate::shape::Shape;
use crate::window::{BEHIND, Runs, Window};

/// The value of the name that holds the word at `start..end`.
pub(crate) fn word(
    window: &Window<'_>,
    (start, end): (usize, usize),
    strength: Strength,
    runs: &mut Runs,
) -> Option<Found> {
    if !stands_alone(window, (start, end), strength) {
        return None;
    }
    let place = place::find(window, end, runs)?;
    if denies(window, start, (end, place.name_end), strength) {
        return None;
    }
    let name_start = window.run_back(start, 64, is_name);
    if place.joint == Joint::Argument && place.name_end != end {
        return None;
    }
    if place.joint == Joint::Space && window.slice(start, end).eq_ignore_ascii_case(b"pass") {
        return None;
    }
    let (setting, stop) = settle(window, &place, name_start)?;
    let value = window.slice(place.start, stop);
    let pair = strength != Strength::Password
        && window
            .slice(name_start, place.name_end)
            .to_ascii_lowercase()
            .ends_with(b"auth")
        && super::header::is_pair(value);
    (pair || is_secret(value, strength, setting)).then(|| Found::closed(place.start, stop))
}

/// How the value is written, and where it ends: a bare value ends at what ends a word in code, but in a line of
/// configuration only at space.
fn settle(window: &Window<'_>, place: &Place, name_start: usize) -> Option<(Setting, usize)> {
    if place.quoted {
        return (!place.gap || place.joint != Joint::Argument)
            .then_some((Setting::Quoted, place.end));
    }
    let option = name_start >= 1 && window.before(name_start + 1) == Some(b'-')
        || window.ends_with(name_start, b"-");
    match place.joint {
        Joint::Space if !option => return None,
        Joint::Is | Joint::Space => return Some((Setting::Bare, bare_end(window, place, false))),
        Joint::Equal | Joint::Colon | Joint::Element => {}
        Joint::Compare | Joint::Argument => return None,
    }
    let line = !place.gap && begins_line(window, name_start) && ends_line(window, place.end);
    let end = bare_end(window, place, line);
    let setting = match line {
        true => Setting::Line,
        false if is_pair(window, place, (name_start, end)) => Setting::Pair,
        false => Setting::Bare,
    };
    Some((setting, end))
}

/// `;name=value;`, `?name=value&`, ` name=value `: no space around the sign, separators on both sides.
fn is_pair(window: &Window<'_>, place: &Place, (name_start, end): (usize, usize)) -> bool {
    let separates = |byte: Option<u8>| {
        byte.is_none_or(|byte| {
            byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'?' | b'"' | b'\'' | b'\\')
        })
    };
    place.joint == Joint::Equal
        && place.start == place.name_end + 1
        && (separates(window.before(name_start)) || window.ends_with(name_start, b"-"))
        && separates(window.at(end))
}

fn bare_end(window: &Window<'_>, place: &Place, line: bool) -> usize {
    let inner = |byte: u8| line || !matches!(byte, b',' | b';' | b')' | b']' | b'}' | b'&' | b'|');
    let end = window.run(place.start, place.end, inner);
    let trailing = |byte: u8| matches!(byte, b',' | b';' | b'.' | b')');
    window.run_back(end, end - place.start, trailing)
}

/// Only space, `export`, a dash, `$env:` and the like stand before the name on its line.
fn begins_line(window: &Window<'_>, name_start: usize) -> bool {
    let begin = window.run_back(name_start, 40, |byte| byte != b'\n');
    if begin > 0 && window.before(begin) != Some(b'\n') {
        return false;
    }
    let lead = window.slice(begin, name_start).trim_ascii();
    const LEADS: [&[u8]; 12] = [
        b"", b"export", b"set", b"ENV", b"ARG", b"-", b"#", b"+", b"\"", b"'", b"- \"", b"env:",
    ];
    LEADS.contains(&lead)
}

fn ends_line(window: &Window<'_>, end: usize) -> bool {
    let space = window.run(end, end + 16, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(window.at(space), None | Some(b'\n' | b'#')) || window.starts_with(space, b"\\n")
}

/// Whether the word is a word of the name, not a part of another word (`bypass`, `monkey`, `tokenizer`).
fn stands_alone(window: &Window<'_>, (start, end): (usize, usize), strength: Strength) -> bool {
    if window.ends_with(start, b"[REDACTED:") {
        return false;
    }
    let word = window.slice(start, end);
    let lower_rest = window.run(end, end + 8, |byte| byte.is_ascii_lowercase());
    let rest = window.slice(end, lower_rest);
    let rest_fits = matches!(
        rest,
        b"" | b"s"
            | b"key"
            | b"token"
            | b"value"
            | b"val"
            | b"str"
            | b"string"
            | b"string1"
            | b"data"
            | b"phrase"
            | b"hash"
            | b"id"
    ) || word.iter().all(u8::is_ascii_uppercase);
    let short = strength == Strength::Weak || word.len() <= 4;
    let before = window.before(start);
    let camel = word.first().is_some_and(u8::is_ascii_uppercase)
        && before.is_some_and(|byte| byte.is_ascii_lowercase());
    let begins = before.is_none_or(|byte| !byte.is_ascii_alphabetic())
        || camel
        || super::is_border(window, start);
    let prefixed = word.eq_ignore_ascii_case(b"pwd")
        || (word.eq_ignore_ascii_case(b"pass") && window.ends_with(start, b"db"));
    rest_fits && (!short || begins || prefixed)
}

/// Names that hold the word but no secret: what stands before it, and what stands behind it.
fn denies(
    window: &Window<'_>,
    start: usize,
    (end, name_end): (usize, usize),
    strength: Strength,
) -> bool {
    const BEFORE: &[&[u8]] = &[
        b"public",
        b"primary",
        b"foreign",
        b"sort",
        b"partition",
        b"cache",
        b"row",
        b"page",
        b"continuation",
        b"next",
        b"integrity",
        b"commit",
        b"csrf",
        b"xsrf",
        b"sync",
        b"checksum",
        b"shortcut",
        b"hot",
        b"idempotency",
        b"registry",
        b"translation",
        b"i18n",
        b"hash",
        b"data-",
        b"react",
        b"object",
        b"s3",
        b"bucket",
        b"routing",
        b"config",
        b"cancellation",
        b"cancel",
        b"lock",
    ];
    const BEHIND_WORD: &[&[u8]] = &[
        b"name",
        b"type",
        b"url",
        b"uri",
        b"path",
        b"file",
        b"dir",
        b"length",
        b"len",
        b"size",
        b"count",
        b"field",
        b"label",
        b"hint",
        b"policy",
        b"prefix",
        b"suffix",
        b"param",
        b"header",
        b"expir",
        b"ttl",
        b"lifetime",
        b"endpoint",
        b"kind",
        b"index",
        b"regex",
        b"pattern",
        b"placeholder",
        b"desc",
        b"version",
        b"algo",
        b"limit",
        b"budget",
        b"usage",
        b"encoder",
        b"strategy",
        b"provider",
        b"manager",
        b"store",
        b"ring",
        b"board",
        b"frame",
        b"event",
        b"bind",
        b"press",
        b"code",
        b"format",
        b"title",
        b"message",
        b"error",
        b"position",
        b"span",
        b"stream",
        b"tree",
        b"set",
        b"list",
        b"map",
        b"group",
        b"scope",
        b"class",
        b"style",
        b"icon",
        b"reset",
        b"ref",
        b"selector",
        b"checksum",
        b"digest",
        b"fingerprint",
        b"vault",
        b"rotation",
        b"attribute",
        b"hash_alg",
        b"date",
        b"time",
        b"management",
        b"strength",
        b"valid",
        b"require",
        b"check",
        b"verif",
        b"visib",
        b"toggle",
        b"input",
        b"confirm",
        b"variant",
    ];
    if strength == Strength::Password {
        let tail = window.slice(end, name_end).to_ascii_lowercase();
        return BEHIND_WORD.iter().any(|word| tail.ends_with(word)) || tail.starts_with(b"less");
    }
    let lead = window
        .slice(window.run_back(start, 20, is_name), start)
        .to_ascii_lowercase();
    let tail = window.slice(end, name_end).to_ascii_lowercase();
    let holds = |text: &[u8], words: &[&[u8]]| {
        words
            .iter()
            .any(|word| memchr::memmem::find(text, word).is_some())
    };
    holds(&lead, BEFORE)
        || holds(&tail, BEHIND_WORD)
        || (strength == Strength::Weak && tail.ends_with(b"id"))
}

/// The value behind a vendor's name, if it has one of the vendor's shapes.
pub(crate) fn vendor(
    window: &Window<'_>,
    (start, end): (usize, usize),
    shapes: &[Shape],
    runs: &mut Runs,
) -> Option<Found> {
    let letter = |at: Option<u8>| at.is_some_and(|byte| byte.is_ascii_lowercase());
    if end - start <= 4 && letter(window.before(start)) && letter(window.at(start)) {
        return None;
    }
    let place = place::find(window, end, runs)?;
    if place.joint == Joint::Is {
        return None;
    }
    let stop = if place.quoted {
        place.end
    } else {
        bare_end(window, &place, false)
    };
    let value = window.slice(place.start, stop);
    if value.len() > BEHIND || judge::is_blank(value) || judge::is_template(value) {
        return None;
    }
    let fits = shapes.iter().any(|shape| {
        shape
            .forward(window, place.start, runs)
            .is_some_and(|ended| ended.at == stop)
    });
    (fits && is_vendor_value(window, value, place.name_end))
        .then(|| Found::closed(place.start, stop))
}

/// Random, and no commit hash: 40 hex digits count only where the name speaks of a key or token.
fn is_vendor_value(window: &Window<'_>, value: &[u8], name_end: usize) -> bool {
    let mix = Mix::of(value);
    let digits_only = mix.digits == value.len();
    let mixed = mix.digits > 0
        && mix.letters() > 0
        && entropy(value) >= 2.8
        && judge::transitions(value) >= 2;
    let letters_only =
        mix.digits == 0 && entropy(value) >= 3.5 && value.len() >= 20 && mix.other == 0;
    let name = window
        .slice(window.run_back(name_end, 48, is_name), name_end)
        .to_ascii_lowercase();
    let hash = value.len() == 40 && judge::is_hex(value);
    let spoken = [
        &b"key"[..],
        b"tok",
        b"sec",
        b"pass",
        b"pwd",
        b"auth",
        b"cred",
        b"api",
        b"login",
        b"id",
    ];
    let named = spoken
        .iter()
        .any(|word| memchr::memmem::find(&name, word).is_some());
    (digits_only && named)
        || (mixed && (!hash || named))
        || (letters_only && named && judge::is_random(value, 3))
}
