//! One detector per kind of evidence. Each looks at a window around a keyword and says where a secret is.

pub(crate) mod assign;
pub(crate) mod bare;
pub(crate) mod header;
pub(crate) mod judge;
pub(crate) mod manifest;
pub(crate) mod pem;
pub(crate) mod pii;
pub(crate) mod place;
pub(crate) mod token;
pub(crate) mod told;
pub(crate) mod url;

use crate::shape::Class;
use crate::window::Window;

/// Where a secret is, as indices into the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The secret goes on behind the window as long as these bytes follow.
    pub(crate) open: Option<Class>,
}

impl Found {
    pub(crate) fn closed(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            open: None,
        }
    }
}

/// Whether a word may begin at `at`: nothing, a byte that is no word byte, or an escape (`\n`, `%3D`, `\u003d`, `\x3d`,
/// `[31m`) stands before it.
pub(crate) fn is_border(window: &Window<'_>, at: usize) -> bool {
    match window.before(at) {
        None => true,
        Some(byte) if !is_word(byte) => true,
        Some(byte) => {
            let escape = matches!(byte, b'n' | b'r' | b't' | b'b' | b'f');
            (escape && window.ends_with(at - 1, b"\\"))
                || ends_in_code(window, at)
                || (byte == b'm' && ends_colour(window, at - 1))
        }
    }
}

fn ends_in_code(window: &Window<'_>, at: usize) -> bool {
    let digits = window.run_back(at, 2, |byte| byte.is_ascii_hexdigit());
    digits + 2 == at
        && (window.ends_with(digits, b"%")
            || window.ends_with(digits, b"\\x")
            || window.ends_with(digits, b"\\u00"))
}

/// `[31` of `\\u001b[31m`: a colour that is spelled out.
fn ends_colour(window: &Window<'_>, at: usize) -> bool {
    let start = window.run_back(at, 16, |byte| byte.is_ascii_digit() || byte == b';');
    window.before(start) == Some(b'[')
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
