//! Credentials of HTTP: `Authorization`, bearer and basic schemes, `curl -u user:password`.

use super::judge::{Setting, is_blank, is_random, is_secret, is_template};
use super::{Found, is_border};
use crate::entropy::{Mix, decode, entropy};
use crate::rules::Strength;
use crate::shape::Class;
use crate::window::Window;

fn is_credential(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'@' | b'%' | b'|'
        )
}

/// What follows the word `bearer` (or another scheme with one opaque value) that ends at `after`.
pub(crate) fn bearer(window: &Window<'_>, (start, after): (usize, usize)) -> Option<Found> {
    if !is_border(window, start) {
        return None;
    }
    let from = past_space(window, after)?;
    opaque(window, from)
}

fn past_space(window: &Window<'_>, after: usize) -> Option<usize> {
    let from = window.run(after, after + 8, |byte| {
        matches!(byte, b' ' | b'\t' | b':' | b'=')
    });
    let from = if window.starts_with(after, b"%20") {
        after + 3
    } else {
        from
    };
    (from > after).then_some(from)
}

fn opaque(window: &Window<'_>, from: usize) -> Option<Found> {
    let end = window.run(from, window.len(), is_credential);
    let end = window.run_back(end, 2, |byte| byte == b'.');
    if !is_opaque(window.slice(from, end.max(from))) {
        return None;
    }
    let open = (window.is_cut() && end == window.len()).then(|| Class::of(is_credential));
    Some(Found {
        start: from,
        end,
        open,
    })
}

/// Whether a header's value looks like a credential.
pub(crate) fn is_opaque(value: &[u8]) -> bool {
    let mix = Mix::of(value);
    let kinds = [mix.lower, mix.upper, mix.digits]
        .into_iter()
        .filter(|count| *count > 0)
        .count();
    let random = match value.len() {
        0..8 => false,
        8..20 => mix.digits > 0 && mix.letters() > 0,
        _ => (mix.digits > 0 || kinds > 1) && !is_dotted_words(value),
    };
    random && entropy(value) >= 2.75 && !is_blank(value) && !is_template(value)
}

/// `oauth2.Token`, `internal/auth/BearerHeader`: letters only, in words.
fn is_dotted_words(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'/' | b'-' | b'_'))
}

/// What follows the word `basic` that ends at `after`: base64 of `user:password`.
pub(crate) fn basic(window: &Window<'_>, (start, after): (usize, usize)) -> Option<Found> {
    if !is_border(window, start) {
        return None;
    }
    let from = past_space(window, after)?;
    let end = window.run(from, from + 600, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
    });
    let end = window.run(end, end + 2, |byte| byte == b'=');
    is_pair(window.slice(from, end)).then(|| Found::closed(from, end))
}

/// Whether this is base64 of printable `user:password`.
pub(crate) fn is_pair(value: &[u8]) -> bool {
    if value.len() < 6 {
        return false;
    }
    decode(value, 600).is_some_and(|plain| {
        let text = plain
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~') || *byte >= 0x80);
        let colon = plain.iter().position(|byte| *byte == b':');
        text && std::str::from_utf8(&plain).is_ok() && colon.is_some_and(|at| at + 1 < plain.len())
    })
}

/// The value of an `Authorization` header whose name ends at `after`, with or without a scheme.
pub(crate) fn authorization(window: &Window<'_>, (start, after): (usize, usize)) -> Option<Found> {
    // `"AWS::Config::AggregationAuthorization": "…"`: a kind of things in a table.
    let name = window.run_back(start, 48, |byte| byte.is_ascii_alphanumeric());
    if window.ends_with(name, b"::") {
        return None;
    }
    let closed = window.run(after, after + 4, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\' | b']' | b' ')
    });
    let colon = window.run(closed, closed + 2, |byte| {
        matches!(byte, b':' | b'=' | b',' | b'>')
    });
    if colon == closed {
        return None;
    }
    let open = window.run(colon, colon + 5, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\' | b' ' | b'`')
    });
    let scheme = window.run(open, open + 24, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'-'
    });
    let spaced = window.at(scheme) == Some(b' ') && scheme > open;
    if spaced && window.slice(open, scheme).eq_ignore_ascii_case(b"basic") {
        return basic(window, (open, scheme));
    }
    if spaced {
        return opaque(window, scheme + 1);
    }
    opaque(window, open).filter(|found| is_random(window.slice(found.start, found.end), 3))
}

/// The password of `-u user:password` or `--user user:password`; the option ends at `after`. The caller knows that a
/// `curl` stands before it.
pub(crate) fn curl_user(window: &Window<'_>, (start, after): (usize, usize)) -> Option<Found> {
    if window
        .before(start)
        .is_some_and(|byte| !byte.is_ascii_whitespace())
    {
        return None;
    }
    let from = window.run(after, after + 5, |byte| matches!(byte, b' ' | b'=' | b'\t'));
    let quote = window.at(from).filter(|byte| matches!(byte, b'"' | b'\''));
    let from = from + usize::from(quote.is_some());
    let stops = |byte: u8| match quote {
        Some(quote) => byte == quote || byte == b'\n',
        None => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\'),
    };
    let colon = window.run(from, from + 100, |byte| !stops(byte) && byte != b':');
    let end = window.run(colon, colon + 200, |byte| !stops(byte));
    if window.at(colon) != Some(b':') {
        return None;
    }
    pair(window, from, colon, end)
}

fn pair(window: &Window<'_>, from: usize, colon: usize, end: usize) -> Option<Found> {
    const SHOWN: [&[u8]; 12] = [
        b"password",
        b"pass",
        b"passwd",
        b"pwd",
        b"test",
        b"token",
        b"changeme",
        b"changeit",
        b"secret",
        b"api_key",
        b"apikey",
        b"key",
    ];
    let (user, value) = (window.slice(from, colon), window.slice(colon + 1, end));
    let shown = |part: &[u8]| {
        part.len() < 3
            || is_blank(part)
            || is_template(part)
            || SHOWN.iter().any(|known| part.eq_ignore_ascii_case(known))
    };
    if value.starts_with(b":") || memchr::memmem::find(value, b"->").is_some() {
        return None;
    }
    if !shown(value) {
        return Some(Found::closed(colon + 1, end));
    }
    let key_as_user =
        value.len() <= 1 && !shown(user) && Mix::of(user).digits > 0 && user.len() >= 12;
    key_as_user.then(|| Found::closed(from, colon))
}

/// Whether `login` and `password` at these places are of one netrc entry: `machine HOST login NAME password …`.
pub(crate) fn is_netrc(window: &Window<'_>, login: usize, password: usize) -> bool {
    let name = window.slice(login + b"login".len(), password);
    let before = window.slice(login.saturating_sub(160), login);
    let holds = |text: &[u8]| memchr::memmem::find(before, text).is_some();
    let spaced = name.first().is_some_and(u8::is_ascii_whitespace)
        && name.last().is_some_and(u8::is_ascii_whitespace);
    let names = name
        .split(u8::is_ascii_whitespace)
        .filter(|part| !part.is_empty())
        .count();
    spaced && names == 1 && (holds(b"machine ") || holds(b"default"))
}

/// The password of a database client: `mysql -pSECRET`, `redis-cli -a SECRET`, `sshpass -p SECRET`. The option ends at `after`;
/// the caller knows that a client stands before it.
pub(crate) fn client_password(window: &Window<'_>, after: usize) -> Option<Found> {
    let from = window.run(after, after + 2, |byte| byte == b' ');
    let quote = window.at(from).filter(|byte| matches!(byte, b'"' | b'\''));
    let from = from + usize::from(quote.is_some());
    let end = window.run(from, from + 100, |byte| {
        byte > b' '
            && !matches!(
                byte,
                b'"' | b'\'' | b'`' | b'\\' | b';' | b'|' | b'&' | 0x7f
            )
    });
    let value = window.slice(from, end);
    let letters = Mix::of(value).letters() > 0 && !value.starts_with(b"-");
    let secret = letters && is_secret(value, Strength::Password, Setting::Pair);
    secret.then(|| Found::closed(from, end))
}
