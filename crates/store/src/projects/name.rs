//! What a project may be called (NB-01).

use std::fmt;

use taffrail_redact::Clean;
use thiserror::Error;

/// Characters in a project's name.
const LIMIT: usize = 64;

/// A project's name: 1 to 64 characters, a lower-case letter first, then lower-case letters, digits, `-`, `_`, `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectName(String);

/// Why a text is not a project's name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` cannot be a project's name: 1 to 64 of a-z 0-9 `-` `_` `.`, and a lower-case letter first"
)]
pub struct ProjectNameError(String);

impl ProjectName {
    /// The name in this text.
    ///
    /// # Errors
    /// Where it does not keep the rule; the error shows its first 64 characters.
    pub fn new(text: &Clean) -> Result<Self, ProjectNameError> {
        let text = text.as_str();
        if fits(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ProjectNameError(text.chars().take(LIMIT).collect()))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn fits(text: &str) -> bool {
    text.len() <= LIMIT
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte)
        })
}

impl fmt::Display for ProjectName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use taffrail_redact::{Options, Redactor};

    use super::*;

    #[test]
    fn nb_01_a_name_keeps_the_rule() {
        let clean = |text: &str| Redactor::new(Options::default()).clean(text);
        let longest = "a".repeat(LIMIT);
        for good in ["a", "taffrail", "a-b_c.9", &longest] {
            assert_eq!(ProjectName::new(&clean(good)).unwrap().as_str(), good);
        }
        let long = "a".repeat(LIMIT + 1);
        for bad in [
            "",
            "A",
            "9a",
            "-a",
            ".a",
            "a b",
            "a/b",
            "caf\u{e9}",
            "a\n",
            &long,
        ] {
            assert!(ProjectName::new(&clean(bad)).is_err(), "{bad} was taken");
        }
    }
}
