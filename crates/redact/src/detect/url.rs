//! Passwords inside URLs and data source names: `scheme://user:PASSWORD@host`.

use super::Found;
use super::judge::{is_blank, is_template};
use crate::entropy::{Mix, entropy};
use crate::window::Window;

/// The longest user and password together.
const LONGEST: usize = 300;

/// User names and passwords of documentation, which give nothing away.
const SHOWN: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "user",
    "username",
    "xxx",
    "p",
    "pa55",
    "passw0rd1",
    "example",
    "changeme",
    "null",
    "none",
    "undefined",
    "redacted",
    "hidden",
    "key",
    "api_key",
    "access_token",
    "mypassword",
    "yourpassword",
    "your_password",
    "my_password",
    "credentials",
    "foo",
    "bar",
    "baz",
    "foobar",
    "qux",
];

/// The password of the URL whose `://` ends at `after`.
pub(crate) fn find(window: &Window<'_>, (start, after): (usize, usize)) -> Option<Found> {
    window.before(start).filter(u8::is_ascii_alphanumeric)?;
    let user_end = window.run(after, after + LONGEST, |byte| {
        is_user_byte(byte) && !matches!(byte, b':' | b'/' | b'@')
    });
    match window.at(user_end) {
        Some(b':') => password(window, after, user_end),
        Some(b'@') => lone(window, after, user_end),
        _ => None,
    }
}

fn is_user_byte(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x7f)
}

fn password(window: &Window<'_>, after: usize, colon: usize) -> Option<Found> {
    let start = colon + 1;
    let near = window.run(start, start + LONGEST, |byte| {
        is_user_byte(byte) && !matches!(byte, b'/' | b'?' | b'#' | b',')
    });
    let end = last_at(window, start, near).or_else(|| beyond_slash(window, start))?;
    let (user, value) = (window.slice(after, colon), window.slice(start, end));
    is_password(user, value).then(|| Found::closed(start, end))
}

/// A password that holds an unescaped `/`, `?`, `#` or `,`: what follows the colon is no port, and one `@` comes before
/// any second colon.
fn beyond_slash(window: &Window<'_>, start: usize) -> Option<usize> {
    const REACH: usize = 64;
    let digits = window.run(start, start + REACH, |byte| byte.is_ascii_digit());
    if digits > start && matches!(window.at(digits), Some(b'/' | b'?' | b'#')) {
        return None;
    }
    let end = window.run(start, start + REACH, |byte| {
        is_user_byte(byte) && !matches!(byte, b'@' | b':')
    });
    let host = window
        .at(end + 1)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'[');
    (window.at(end) == Some(b'@') && host && end > start).then_some(end)
}

fn last_at(window: &Window<'_>, start: usize, stop: usize) -> Option<usize> {
    let at = window
        .slice(start, stop)
        .iter()
        .rposition(|byte| *byte == b'@')?;
    (at > 0).then_some(start + at)
}

fn is_password(user: &[u8], value: &[u8]) -> bool {
    !is_blank(value)
        && !is_template(value)
        && !value.starts_with(b"[REDACTED")
        && !value.eq_ignore_ascii_case(user)
        && !SHOWN
            .iter()
            .any(|shown| value.eq_ignore_ascii_case(shown.as_bytes()))
        && value.len() >= 4
}

/// A token in place of the user: `https://TOKEN@host`.
fn lone(window: &Window<'_>, after: usize, at: usize) -> Option<Found> {
    let value = window.slice(after, at);
    let mix = Mix::of(value);
    let random = value.len() >= 20
        && mix.digits >= 3
        && mix.letters() >= 3
        && entropy(value) >= 3.0
        && !is_blank(value)
        && !is_template(value);
    random.then(|| Found::closed(after, at))
}

/// The password of a data source name without scheme: `user:PASSWORD@tcp(host)`, `user/PASSWORD@//host`. `at` is the `@`.
pub(crate) fn source_name(window: &Window<'_>, at: usize) -> Option<Found> {
    let begin = window.run_back(at, 128, is_user_byte);
    let part = window.slice(begin, at);
    let split = part
        .iter()
        .position(|byte| matches!(byte, b':' | b'/'))
        .filter(|split| *split > 0)?;
    let skip = match memchr::memmem::find(part, b"thin:") {
        Some(_) => memchr::memchr(b'/', part)?,
        None => split,
    };
    let (user, value) = (part.get(..skip)?, part.get(skip + 1..)?);
    let found = Found::closed(begin + skip + 1, at);
    (is_password(user, value) && !value.contains(&b'/')).then_some(found)
}
