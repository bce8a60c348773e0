//! The one type for untrusted text on a screen.

use std::fmt;

use crate::escape::{Layout, escape, escape_bytes};
use crate::width::{fitting, width};

/// Text that is safe to write to a terminal or a page: it was escaped, or it is our own literal.
///
/// It holds no control character but, in a block, `\n` and `\t`; no bidi control; no invisible character except where
/// ordinary writing needs it (joiners in Persian or Hindi, emoji families, variation selectors after emoji). There is
/// no way to make one without escaping, except from a `&'static str` by [`Shown::ours`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Shown(String);

impl Shown {
    /// One line: newlines, carriage returns and tabs become `\n`, `\r` and `\t`.
    pub fn line(text: &str) -> Self {
        Self(escape(text, Layout::Line))
    }

    /// Several lines: `\n` and `\t` stay, everything else that moves a cursor is escaped.
    pub fn block(text: &str) -> Self {
        Self(escape(text, Layout::Block))
    }

    /// Like [`Shown::line`] for bytes in no particular encoding: what is not UTF-8 becomes `\xNN`.
    pub fn bytes_line(bytes: &[u8]) -> Self {
        Self(escape_bytes(bytes, Layout::Line))
    }

    /// Like [`Shown::block`] for bytes in no particular encoding: what is not UTF-8 becomes `\xNN`.
    pub fn bytes_block(bytes: &[u8]) -> Self {
        Self(escape_bytes(bytes, Layout::Block))
    }

    /// Our own words, as they are. Only literals fit, so nothing untrusted can come in by this door.
    pub fn ours(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// The escaped text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The escaped text, owned.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Columns on a terminal (see [`width()`]); of a block, as if it were one line.
    pub fn width(&self) -> usize {
        width(&self.0)
    }

    /// The lines of a block, each still escaped.
    pub fn lines(&self) -> impl Iterator<Item = Shown> + '_ {
        self.0.lines().map(|line| Self(line.to_owned()))
    }

    /// At most `columns` wide; what was cut is marked by a final `…`. Zero columns give nothing.
    pub fn truncated(&self, columns: usize) -> Self {
        if self.width() <= columns {
            return self.clone();
        }
        let Some(room) = columns.checked_sub(1) else {
            return Self::default();
        };
        Self(format!("{}…", fitting(&self.0, room)))
    }

    /// This text followed by another.
    pub fn then(mut self, next: &Shown) -> Self {
        self.0.push_str(&next.0);
        self
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

impl AsRef<str> for Shown {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
