//! `name = value`, where the name says that the value is a secret.

use super::Found;
use super::judge::{self, Setting, is_secret};
use super::place::{self, Joint, Place, is_name};
use super::told;
use crate::entropy::{Mix, entropy};
use crate::rules::Strength;
use crate::sets::{Set, any_in, set};
use crate::shape::Shape;
use crate::window::{Runs, Window};

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
    let name_start = window.run_back(start, 64, is_name);
    let word = window.slice(start, end);
    let verb = word.eq_ignore_ascii_case(b"pass") || window.before(start) == Some(b'/');
    match place.joint {
        Joint::Argument if verb || place.name_end != end => return None,
        Joint::Space if verb => return None,
        _ => {}
    }
    let (setting, stop) = settle(window, &place, name_start)?;
    let value = window.slice(place.start, stop);
    let told = || {
        strength == Strength::Password
            && told::is_told(window, &place, (name_start, start), setting, stop)
    };
    if strength == Strength::Password && judge::is_plain(value) && !told() {
        return None;
    }
    let name_tail = window.slice(place.name_end.saturating_sub(4), place.name_end);
    let pair = name_tail.eq_ignore_ascii_case(b"auth") && super::header::is_pair(value);
    let header = strength == Strength::Secret && is_quoted_header(window, &place, name_start);
    let secret = pair
        || is_secret(value, strength, setting)
        || (header && super::header::is_opaque(value))
        || told();
    let denied = secret
        && (denies(window, start, (end, place.name_end), strength)
            || is_kind(window, name_start, &place)
            || is_session_number(word, value));
    (secret && !denied).then(|| Found::closed(place.start, stop))
}

/// How the value is written, and where it ends: a bare value ends at what ends a word in code, but in a line of
/// configuration only at space.
fn settle(window: &Window<'_>, place: &Place, name_start: usize) -> Option<(Setting, usize)> {
    if place.quoted {
        let setting = if place.called {
            Setting::Bare
        } else {
            Setting::Quoted
        };
        return (!place.gap || place.joint != Joint::Argument).then_some((setting, place.end));
    }
    let option = window.at(name_start) == Some(b'-') || window.ends_with(name_start, b"ENV ");
    match place.joint {
        Joint::Space if !option => return None,
        Joint::Is | Joint::Space => {
            return Some((Setting::Pair, bare_end(window, place, false)));
        }
        Joint::Equal | Joint::Colon | Joint::Element => {}
        Joint::Compare | Joint::Argument => return None,
    }
    let whole = begins_line(window, name_start) && ends_line(window, place.end);
    let line = !place.gap && (whole || is_quoted_header(window, place, name_start));
    let end = bare_end(window, place, line);
    let setting = match line {
        true => Setting::Line,
        false if is_pair(window, place, (name_start, end)) => Setting::Pair,
        false => Setting::Bare,
    };
    Some((setting, end))
}

/// `-H "Name: value"`: the same quote before the name and behind the value.
fn is_quoted_header(window: &Window<'_>, place: &Place, name_start: usize) -> bool {
    let quote = window
        .before(name_start)
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let bare = !place.quoted && !place.gap && place.joint == Joint::Colon;
    bare && quote.is_some() && window.at(place.end) == quote
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

/// What stands before the word in names of other things.
static BEFORE: Set = Set::new(|| {
    set(&[
        "public",
        "primary",
        "foreign",
        "sort",
        "partition",
        "cache",
        "row",
        "page",
        "continuation",
        "next",
        "integrity",
        "commit",
        "csrf",
        "xsrf",
        "sync",
        "checksum",
        "shortcut",
        "hot",
        "idempotency",
        "registry",
        "translation",
        "i18n",
        "hash",
        "data-",
        "react",
        "object",
        "s3",
        "bucket",
        "routing",
        "cancellation",
        "cancel",
        "lock",
    ])
});

/// What stands behind the word in names of other things.
static BEHIND_WORD: Set = Set::new(|| {
    set(&[
        "name",
        "type",
        "url",
        "uri",
        "path",
        "file",
        "dir",
        "length",
        "len",
        "size",
        "count",
        "field",
        "label",
        "hint",
        "policy",
        "prefix",
        "suffix",
        "param",
        "header",
        "expir",
        "ttl",
        "lifetime",
        "endpoint",
        "kind",
        "index",
        "regex",
        "pattern",
        "placeholder",
        "desc",
        "version",
        "algo",
        "limit",
        "budget",
        "usage",
        "encoder",
        "strategy",
        "provider",
        "manage",
        "store",
        "ring",
        "board",
        "frame",
        "event",
        "bind",
        "press",
        "code",
        "format",
        "title",
        "message",
        "error",
        "position",
        "span",
        "stream",
        "tree",
        "set",
        "list",
        "map",
        "group",
        "scope",
        "class",
        "style",
        "icon",
        "ref",
        "selector",
        "checksum",
        "digest",
        "fingerprint",
        "vault",
        "rotation",
        "attribute",
        "date",
        "time",
        "strength",
        "valid",
        "require",
        "check",
        "verif",
        "visib",
        "toggle",
        "input",
        "confirm",
        "variant",
        // `PSK_WITH_AES_128`: a cipher.
        "_with_",
        "through",
    ])
});

/// Whether the name holds the word but names something else (`token_type`, `public_key`, `password_reset_url`).
fn denies(
    window: &Window<'_>,
    start: usize,
    (end, name_end): (usize, usize),
    strength: Strength,
) -> bool {
    let tail = window.slice(end, name_end);
    // A string is no ring.
    let tail = tail.strip_suffix(b"_string").unwrap_or(tail);
    let other = any_in(&BEHIND_WORD, tail);
    if matches!(strength, Strength::Password | Strength::Phrase) {
        return other || begins_with(tail, b"less");
    }
    let lead = window.slice(window.run_back(start, 20, is_name), start);
    // `NEXTAUTH_SECRET`: the name of a program, not the next one of something.
    let lead = match (begins_with(lead, b"nextauth"), strength) {
        (true, _) => lead.get(b"next".len()..).unwrap_or_default(),
        // `primary_access_key`: only what is no more than a key is one of a table.
        (false, Strength::Secret) if begins_with(lead, b"primary") => b"",
        (false, _) => lead,
    };
    other || any_in(&BEFORE, lead) || (strength == Strength::Weak && tail.ends_with(b"id"))
}

/// ASCII case does not matter.
fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// Programs number their sessions with UUIDs; what lets a browser in is no UUID.
fn is_session_number(word: &[u8], value: &[u8]) -> bool {
    begins_with(word, b"session") && judge::is_uuid(value)
}

/// `"AWS::IAM::AccessKey": "…"`: kinds of things in a table, not names of values.
fn is_kind(window: &Window<'_>, name_start: usize, place: &Place) -> bool {
    place.joint == Joint::Colon && place.quoted && window.ends_with(name_start, b"::")
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
    if !place::has_joint(window, end, runs) {
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
    let fits = shapes.iter().any(|shape| {
        shape
            .forward(window, place.start, runs)
            .is_some_and(|ended| ended.at == stop)
    });
    let value = window.slice(place.start, stop);
    let secret = fits
        && is_vendor_value(window, value, place.name_end)
        && !judge::is_blank(value)
        && !judge::is_template(value);
    secret.then(|| Found::closed(place.start, stop))
}

/// Parts of names that say key, token or password.
static SPOKEN: Set = Set::new(|| {
    set(&[
        "key", "tok", "sec", "pass", "pwd", "auth", "cred", "api", "login", "id",
    ])
});

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
    let name = window.slice(window.run_back(name_end, 48, is_name), name_end);
    let hash = value.len() == 40 && judge::is_hex(value);
    let named = any_in(&SPOKEN, name);
    let pair = value.contains(&b':') && mix.other == 1;
    (digits_only && named)
        || pair
        || (mixed && (!hash || named))
        || (letters_only && named && judge::is_random(value, 3))
}
