//! Text that has been through the redactor.

use std::fmt;

/// Text without secrets: only the redactor makes it, and what is kept for reading or leaves the house takes only this.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clean(String);

impl Clean {
    pub(crate) fn made(text: String) -> Self {
        Self(text)
    }

    /// Our own words, as they are. Only literals fit, so nothing untrusted can come in by this door.
    pub fn ours(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Clean texts one after the other, with `between` from our own words.
    pub fn joined<'a>(parts: impl IntoIterator<Item = &'a Clean>, between: &'static str) -> Self {
        let parts: Vec<&str> = parts.into_iter().map(Clean::as_str).collect();
        Self(parts.join(between))
    }

    /// The first `bytes` bytes at most, cut on a character border.
    pub fn cut(&self, bytes: usize) -> Self {
        let end = self.0.floor_char_boundary(bytes);
        Self(self.0.get(..end).unwrap_or_default().to_owned())
    }

    /// The text. It is free of secrets, not of control characters: wrap it in `Shown` for a screen.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Clean({:?})", self.0)
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
