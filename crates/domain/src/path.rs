//! A path inside a repository: bytes, relative, with neither `.` nor `..` nor empty parts.

use std::fmt;

use thiserror::Error;

/// Why bytes are not a path inside a repository. Carries the path as text for a message (lossy, not escaped).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// Nothing at all.
    #[error("the path is empty")]
    Empty,
    /// Begins with `/`.
    #[error("`{0}` is absolute")]
    Absolute(String),
    /// Has an empty part, `.` or `..`.
    #[error("`{0}` has an empty part, `.` or `..`")]
    Dots(String),
    /// Has a NUL byte.
    #[error("`{0}` has a NUL byte")]
    Nul(String),
}

/// A path inside a repository, as git writes it: bytes joined by `/`, in no particular encoding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Checks the bytes; nothing is normalised.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, PathError> {
        let bytes = bytes.into();
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes.starts_with(b"/") {
            return Err(PathError::Absolute(text()));
        }
        if bytes.contains(&0) {
            return Err(PathError::Nul(text()));
        }
        if bytes
            .split(|byte| *byte == b'/')
            .any(|part| matches!(part, b"" | b"." | b".."))
        {
            return Err(PathError::Dots(text()));
        }
        Ok(Self(bytes))
    }

    /// The bytes, without a leading or trailing `/`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The parts between the slashes, each neither empty nor `.` nor `..`.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    /// The last part.
    pub fn name(&self) -> &[u8] {
        self.parts().last().unwrap_or_default()
    }

    /// Lossy text, **not** escaped: wrap it in `Shown` before it reaches a screen.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "RepoPath({:?})", self.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_leaves_the_repository() {
        for bad in [
            "",
            "/etc/passwd",
            "a/../b",
            "..",
            "a//b",
            "./a",
            "a/",
            "a\0b",
        ] {
            assert!(RepoPath::new(bad).is_err(), "{bad:?} was taken");
        }
        for good in ["a", "a/b", ".git2", "..a", "a/...", "\u{feff}x"] {
            assert!(RepoPath::new(good).is_ok(), "{good:?} was refused");
        }
    }
}
