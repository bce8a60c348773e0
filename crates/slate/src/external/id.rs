//! The id that another program gives its slate, and the name of the file that holds it (XSL-04).

use std::fmt;
use std::str::FromStr;

use super::{ID_LIMIT, SlateError};

/// 1 to 128 of `A-Z a-z 0-9 _ -`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExternalId(String);

/// Names that are devices on some systems, in lower case.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];
/// What an encoded name begins with. No plain name holds a dot, so none collides.
const ENCODED: &str = "x.";

impl ExternalId {
    /// The id as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file's name without `.json`: the id itself where it is lower-case and no device's name; else `x.` and the id
    /// with `.` before each capital, in lower case. No two ids share one on any file system.
    pub fn file_stem(&self) -> String {
        let plain = !self.0.bytes().any(|at| at.is_ascii_uppercase()) && !is_device(&self.0);
        if plain {
            return self.0.clone();
        }
        let mut stem = String::from(ENCODED);
        for at in self.0.chars() {
            if at.is_ascii_uppercase() {
                stem.push('.');
            }
            stem.push(at.to_ascii_lowercase());
        }
        stem
    }
}

fn is_device(name: &str) -> bool {
    let numbered = |port: &str| {
        name.strip_prefix(port)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|at| at.is_ascii_digit()))
    };
    DEVICES.contains(&name) || numbered("com") || numbered("lpt")
}

impl FromStr for ExternalId {
    type Err = SlateError;

    fn from_str(text: &str) -> Result<Self, SlateError> {
        let allowed = |at: u8| at.is_ascii_alphanumeric() || at == b'_' || at == b'-';
        if text.is_empty() || text.len() > ID_LIMIT || !text.bytes().all(allowed) {
            let given = text.to_owned();
            return Err(SlateError::Id { given });
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ExternalId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}
