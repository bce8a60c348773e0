//! What a secret is called.

use std::fmt;
use std::str::FromStr;

use crate::SecretsError;

/// Longest name in bytes: an account of every keychain takes it behind a home's id.
const LONGEST: usize = 64;
/// Names that begin so are the program's own.
const RESERVED: [&str; 2] = ["seal-", "journal-"];

/// The name of a secret: `^[a-z][a-z0-9._-]{0,63}$`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The private key that seals approvals (REV-04).
    pub fn seal_key() -> Self {
        Self("seal-key".to_owned())
    }

    /// Sequence and head hash of the journal at the last review (REV-05).
    pub fn journal_anchor() -> Self {
        Self("journal-anchor".to_owned())
    }

    /// A name of the program's own: `seal-` or `journal-` and what it is for.
    ///
    /// # Errors
    /// `NameUnfit` when it is not reserved or no name at all.
    pub fn own(text: &str) -> Result<Self, SecretsError> {
        let name: Self = text.parse()?;
        if name.is_reserved() {
            Ok(name)
        } else {
            Err(unfit(
                text,
                "names of the program's own begin with `seal-` or `journal-`",
            ))
        }
    }

    /// Whether it is one of the program's own, which no person sets or removes by name.
    pub fn is_reserved(&self) -> bool {
        RESERVED.iter().any(|prefix| self.0.starts_with(prefix))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = SecretsError;

    fn from_str(text: &str) -> Result<Self, SecretsError> {
        let mut bytes = text.bytes();
        if !bytes.next().is_some_and(|first| first.is_ascii_lowercase()) {
            return Err(unfit(text, "it begins with a lower-case letter"));
        }
        if text.len() > LONGEST {
            return Err(unfit(text, "it has at most 64 characters"));
        }
        let fits = |at: u8| matches!(at, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        if !bytes.all(fits) {
            let why = "it holds lower-case letters, digits, `.`, `_` and `-` only";
            return Err(unfit(text, why));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The name is not told: what was typed in its place may be the value.
fn unfit(_text: &str, why: &'static str) -> SecretsError {
    SecretsError::NameUnfit { why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_01_names_follow_the_pattern() {
        for fits in ["a", "openai", "anthropic.key_2-x", &"a".repeat(64)] {
            assert_eq!(fits.parse::<Name>().unwrap().as_str(), fits);
        }
        for unfit in [
            "",
            "A",
            "1a",
            "-a",
            "a b",
            "a/b",
            "ä",
            "a\n",
            &"a".repeat(65),
        ] {
            assert!(unfit.parse::<Name>().is_err(), "{unfit:?}");
        }
    }

    #[test]
    fn the_programs_own_names_are_reserved() {
        assert!(Name::seal_key().is_reserved());
        assert!(Name::journal_anchor().is_reserved());
        assert!(Name::own("seal-public-key").unwrap().is_reserved());
        assert!(Name::own("openai").is_err());
        assert!(!"sealed".parse::<Name>().unwrap().is_reserved());
    }

    #[test]
    fn sec_02_a_value_typed_in_the_place_of_a_name_is_not_repeated() {
        let error = "sk-SECRET-9".parse::<Name>().unwrap_err();
        assert!(!error.to_string().contains("SECRET"), "{error}");
        assert!(!format!("{error:?}").contains("SECRET"));
    }
}
