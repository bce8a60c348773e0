//! Why a draft is refused: the thing, the value and the limit, never the secret.

use taffrail_domain::MemoryType;
use taffrail_redact::Family;

/// Why the guardrails refuse a draft.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Blocked {
    /// A secret. The text is not kept anywhere.
    #[error("{place} holds a secret ({family}): nothing was kept")]
    Secret {
        /// What kind.
        family: Family,
        /// Where: `summary`, `content`, `source ref 2` …
        place: String,
    },
    /// A text is too long.
    #[error("{place} has {characters} characters: at most {limit}")]
    TooLong {
        /// Where.
        place: String,
        /// How long it is.
        characters: usize,
        /// How long it may be.
        limit: usize,
    },
    /// Nothing but blanks where something must stand.
    #[error("{place} is empty")]
    Empty {
        /// Where.
        place: String,
    },
    /// A reference that points at nothing.
    #[error("a memory of type `{kind}` needs at least 1 source ref and has 0")]
    MissingSourceRef {
        /// The type.
        kind: MemoryType,
    },
    /// A reference that holds the thing itself.
    #[error("a memory of type `{kind}` says where a thing lies and does not hold it: {what}")]
    Inlined {
        /// The type.
        kind: MemoryType,
        /// What was found, with its size and limit.
        what: String,
    },
    /// Too many of a thing.
    #[error("{count} {what}: at most {limit}")]
    TooMany {
        /// What.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A number outside its range.
    #[error("confidence is {value}: from 0 to 1")]
    Confidence {
        /// The number.
        value: f64,
    },
}

impl Blocked {
    /// One word for the journal.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Secret { .. } => "secret",
            Self::TooLong { .. } => "too_long",
            Self::Empty { .. } => "empty",
            Self::MissingSourceRef { .. } => "missing_source_ref",
            Self::Inlined { .. } => "inlined",
            Self::TooMany { .. } => "too_many",
            Self::Confidence { .. } => "confidence",
        }
    }

    /// The family of a secret, for the journal.
    pub fn family(&self) -> Option<&'static str> {
        match self {
            Self::Secret { family, .. } => Some(family.as_str()),
            Self::TooLong { .. }
            | Self::Empty { .. }
            | Self::MissingSourceRef { .. }
            | Self::Inlined { .. }
            | Self::TooMany { .. }
            | Self::Confidence { .. } => None,
        }
    }
}
