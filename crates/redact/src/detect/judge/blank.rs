//! Values that are none: filling, and places that something else fills.

use crate::entropy::{Mix, entropy};
use crate::sets::{Set, any_in, set};

/// Nothing but filling: `xxxx`, `****`, `...`, one byte again and again, or words that ask for a value.
pub(crate) fn is_blank(value: &[u8]) -> bool {
    is_filling(value) || (any_in(&ASKS, value) && !is_chance(value, &SIGNS))
}

/// One byte of filling or several in turn.
pub(super) fn is_filling(value: &[u8]) -> bool {
    value.iter().all(|byte| {
        matches!(
            byte,
            b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b' '
        )
    })
}

static ASKS: Set = Set::new(|| set(&["xxxxxx", "******", "......", "your", "<"]));

/// Those that no random value holds.
static SIGNS: Set = Set::new(|| set(&["xxxxxx", "******", "......", "<"]));

/// Whether a short word stands in this value by chance: one random token of a hundred letters in ten thousand holds `your`
/// in some case. `longer` are the words that never do.
pub(super) fn is_chance(value: &[u8], longer: &Set) -> bool {
    let mix = Mix::of(value);
    value.len() >= 32
        && mix.digits >= 4
        && mix.upper >= 4
        && mix.lower >= 4
        && entropy(value) >= 4.2
        && !any_in(longer, value)
}

/// What opens and closes a place that something else fills.
const PLACES: &[(&[u8], u8)] = &[
    (b"${", b'}'),
    (b"{{", b'}'),
    (b"$(", b')'),
    (b"#{", b'}'),
    (b"%{", b'}'),
    (b"%(", b')'),
    (b"@{", b'}'),
    (b"!{", b'}'),
    (b"&{", b'}'),
    (b"<%", b'>'),
    (b"[REDACTED", b']'),
];

/// A place where something else puts the value: `${NAME}`, `{{ name }}`, `%s`, `$NAME`, `{name}`.
pub(crate) fn is_template(value: &[u8]) -> bool {
    let marks = |byte: &u8| matches!(byte, b'$' | b'{' | b'%' | b'[' | b'_' | b'@' | b'#' | b'<');
    value.iter().any(marks)
        && (holds_place(value)
            || value.starts_with(b"$$")
            || is_format(value)
            || is_reference(value))
}

fn holds_place(value: &[u8]) -> bool {
    PLACES.iter().any(|(open, close)| {
        memchr::memmem::find_iter(value, open).any(|at| {
            closes(
                value.get(at + open.len()..).unwrap_or_default(),
                open,
                *close,
            )
        })
    })
}

/// Whether what opened closes again, around a name or an expression; or the value ends inside it.
fn closes(rest: &[u8], open: &[u8], close: u8) -> bool {
    let inner = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b' '
                    | b'.'
                    | b':'
                    | b'|'
                    | b'"'
                    | b'\''
                    | b'('
                    | b')'
                    | b'/'
                    | b'='
                    | b'?'
                    | b','
                    | b'+'
                    | b'-'
            )
            || !byte.is_ascii()
    };
    let end = rest
        .iter()
        .take_while(|byte| inner(**byte) && **byte != close)
        .count();
    let doubled = open != b"{{" || rest.get(end + 1) == Some(&close);
    rest.get(end).is_none_or(|byte| *byte == close && doubled)
}

/// `%s:%s`
fn is_format(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"%s").is_some() && !value.iter().any(u8::is_ascii_digit)
}

fn is_reference(value: &[u8]) -> bool {
    let name = |part: &[u8]| {
        !part.is_empty()
            && part.iter().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'.' | b'-' | b':' | b' ' | b'?')
            })
    };
    match value {
        [b'$', rest @ ..] => {
            name(rest) && !rest.first().is_some_and(u8::is_ascii_digit) || rest.len() <= 1
        }
        [b'%', letter] => letter.is_ascii_alphabetic(),
        [b'%', rest @ .., b'%'] | [b'{', rest @ .., b'}'] | [b'[', rest @ .., b']'] => {
            name(rest) || rest.is_empty()
        }
        [b'_', b'_', rest @ .., b'_', b'_'] | [b'@', rest @ .., b'@'] => name(rest),
        _ => false,
    }
}
