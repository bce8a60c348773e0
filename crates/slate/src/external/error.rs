//! Why a slate does not take what it is given.

use taffrail_domain::ErrorCode;
use thiserror::Error;

/// Each names the argument, the limit and the value. Values are shown as the caller's surface sees fit: they are not
/// redacted here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SlateError {
    /// `externalSessionId` is not 1 to 128 of the alphabet.
    #[error("'externalSessionId' is not 1 to 128 of A-Z a-z 0-9 _ -: {given}")]
    Id {
        /// What was given, at most its first 80 characters.
        given: String,
    },
    /// `externalSessionId` has the shape of a secret. It would be the name of a file.
    #[error("'externalSessionId' has the shape of a secret ({family}): take another")]
    SecretId {
        /// What kind of secret.
        family: &'static str,
    },
    /// A text is longer than it may be.
    #[error("'{argument}' exceeds the {limit}-character limit (got {got})")]
    TooLong {
        /// Which.
        argument: &'static str,
        /// Characters allowed.
        limit: usize,
        /// Characters given.
        got: usize,
    },
    /// A list is longer than it may be.
    #[error("'{argument}' exceeds the limit of {limit} items (got {got})")]
    TooMany {
        /// Which.
        argument: &'static str,
        /// Items allowed.
        limit: usize,
        /// Items given.
        got: usize,
    },
    /// A text that must say something says nothing.
    #[error("'{argument}' is blank")]
    Blank {
        /// Which.
        argument: &'static str,
    },
    /// The slate has all the seeds that it may have.
    #[error("the slate has {limit} seeds, the maximum: close it, then open its next generation")]
    Full {
        /// The limit.
        limit: usize,
    },
}

impl SlateError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Id { .. }
            | Self::SecretId { .. }
            | Self::TooLong { .. }
            | Self::TooMany { .. }
            | Self::Blank { .. } => ErrorCode::SlateArgument,
            Self::Full { .. } => ErrorCode::SlateFull,
        }
    }
}
