//! Ids: UUIDv7, a newtype per kind. Shown as the kind and ten base32 characters; never used for order.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use uuid::Uuid;

/// Crockford's alphabet in lower case: no `i`, `l`, `o`, `u`, so that a spoken id is not misheard.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters shown of an id: 50 bits, all random, so that 10,000 ids collide with a chance below 1 in 10⁷.
const SHOWN: u32 = 10;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IdError {
    /// The text does not begin with the kind of id that is asked for.
    #[error("`{text}` is not an id of this kind: it begins with `{kind}`")]
    Kind {
        /// What was typed.
        text: String,
        /// What ids of this kind begin with.
        kind: &'static str,
    },
    /// A character outside the alphabet, or more than ten of them.
    #[error("`{text}` is not an id: after `{kind}` come at most ten of 0-9 a-z without i, l, o, u")]
    Text {
        /// What was typed.
        text: String,
        /// What ids of this kind begin with.
        kind: &'static str,
    },
}

/// A kind of id: sixteen bytes of a UUIDv7 in rows, a kind and ten characters for people.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// What every shown id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// An id from the wall clock (milliseconds since 1970) and ten random bytes.
            pub fn new(unix_millis: u64, random: [u8; 10]) -> Self {
                Self(uuid::Builder::from_unix_timestamp_millis(unix_millis, &random).into_uuid())
            }

            /// The id whose sixteen bytes a row holds.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The sixteen bytes that a row holds.
            pub fn bytes(&self) -> [u8; 16] {
                *self.0.as_bytes()
            }

            /// The shown form: the kind and ten characters of the id's random end.
            pub fn short(&self) -> String {
                shown($prefix, self.bytes())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.short())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}({})", stringify!($name), self.short())
            }
        }
    )+};
}

ids! {
    /// The id of a run, which is the id of its session.
    RunId "run_";
    /// The id of a project.
    ProjectId "prj_";
    /// The id of a memory.
    MemoryId "mem_";
    /// The id of a suggestion for a notebook.
    SuggestionId "sug_";
    /// The id of the trace of one recall.
    TraceId "trc_";
    /// The id of a workspace.
    WorkspaceId "wsp_";
    /// The id of a proposal.
    ProposalId "prp_";
    /// The id of an unbound candidate: the seeds of a closed slate that belongs to no workspace.
    UnboundId "unb_";
    /// The id of a question that waits for a person.
    QuestionId "qst_";
}

fn shown(prefix: &str, bytes: [u8; 16]) -> String {
    let bits = u128::from_be_bytes(bytes);
    let digits = (0..SHOWN).rev().map(|at| digit(bits >> (at * 5)));
    std::iter::once(prefix.to_owned())
        .chain(digits.map(String::from))
        .collect()
}

fn digit(bits: u128) -> char {
    let index = (bits & 31) as usize;
    ALPHABET.get(index).map_or('0', |byte| char::from(*byte))
}

/// A typed prefix of a run id, as a person writes it: `run_4k7`, or the whole shown form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPrefix(String);

impl RunPrefix {
    /// The prefix in the shown form, `run_` included.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunPrefix {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        id_prefix(RunId::PREFIX, text).map(Self)
    }
}

/// A typed prefix of an id of any kind, checked against the kind that is asked for: `mem_4k7`.
///
/// # Errors
/// `Kind` where the text does not begin with `kind`; `Text` for a character that no id has, or too many.
pub fn id_prefix(kind: &'static str, text: &str) -> Result<String, IdError> {
    let digits = text.strip_prefix(kind).ok_or_else(|| IdError::Kind {
        text: text.to_owned(),
        kind,
    })?;
    let fits =
        digits.len() <= SHOWN as usize && digits.bytes().all(|byte| ALPHABET.contains(&byte));
    if fits {
        Ok(text.to_owned())
    } else {
        Err(IdError::Text {
            text: text.to_owned(),
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_ten_characters_of_the_random_end() {
        let id = RunId::new(1_700_000_000_000, [0xff; 10]);
        assert_eq!(id.short(), "run_zzzzzzzzzz");
        assert_eq!(RunId::from_bytes(id.bytes()), id);
    }

    #[test]
    fn a_prefix_is_typed() {
        assert_eq!("run_4k7".parse::<RunPrefix>().unwrap().as_str(), "run_4k7");
        assert!(matches!(
            "4k7".parse::<RunPrefix>(),
            Err(IdError::Kind { .. })
        ));
        assert!(matches!(
            "run_../x".parse::<RunPrefix>(),
            Err(IdError::Text { .. })
        ));
        assert!(matches!(
            id_prefix(MemoryId::PREFIX, "run_4k7"),
            Err(IdError::Kind { .. })
        ));
    }
}
