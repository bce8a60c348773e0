//! What managing secrets can end with, and the stable code of each. No message holds a value.

use std::io::ErrorKind;
use std::path::PathBuf;

use taffrail_domain::ErrorCode;
use taffrail_secrets::SecretsError;
use thiserror::Error;

/// Why a secret or its place was not managed as asked.
#[derive(Debug, Error)]
#[allow(missing_docs)] // each variant's message says what it is
pub enum SecretFault {
    #[error("there is no secret `{name}`")]
    NoSecret { name: String },
    #[error("`{name}` is one of taffrail's own and is not set or removed by name")]
    Reserved { name: String },
    #[error("both places have a value for `{name}`, and they differ; nothing was changed")]
    Differs { name: String },
    #[error("`{text}` cannot be the place of secrets")]
    Choice { text: String },
    #[error("the key file {}: {why}", path.display())]
    KeyFile { path: PathBuf, why: String },
    #[error("the two passphrases are not the same")]
    PassphrasesDiffer,
    #[error("an empty passphrase locks nothing")]
    PassphraseEmpty,
    #[error("the value is longer than {limit} bytes")]
    ValueTooLong { limit: usize },
    #[error("there is no seal key in this home yet: the first approval makes it")]
    NoSealKey,
    #[error("what was unlocked is no seal key")]
    NotASealKey,
    #[error(
        "this home has another seal key; with it in its place every approval here becomes pending"
    )]
    OtherSealKey,
    #[error("{} is there already", path.display())]
    FileThere { path: PathBuf },
    #[error("{} is not there", path.display())]
    FileMissing { path: PathBuf },
}

impl SecretFault {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoSecret { .. } => ErrorCode::SecretNotFound,
            Self::Reserved { .. } | Self::FileThere { .. } | Self::ValueTooLong { .. } => {
                ErrorCode::Usage
            }
            Self::Differs { .. } | Self::OtherSealKey => ErrorCode::Conflict,
            Self::Choice { .. } | Self::KeyFile { .. } | Self::NotASealKey => {
                ErrorCode::SecretStoreDamaged
            }
            Self::PassphrasesDiffer | Self::PassphraseEmpty => ErrorCode::PassphraseWrong,
            Self::NoSealKey => ErrorCode::SecretNotFound,
            Self::FileMissing { .. } => ErrorCode::NotFound,
        }
    }

    /// The command that helps, where the code's own hint does not.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Differs { .. } => Some(LEAVE),
            Self::OtherSealKey => Some("taffrail secret seal-key restore FILE --replace"),
            Self::KeyFile { .. } | Self::Choice { .. } => Some(CHOOSE),
            Self::Reserved { .. } => Some("taffrail secret seal-key"),
            Self::NoSealKey => Some("taffrail memory review"),
            Self::NotASealKey => Some("give the file that `taffrail secret seal-key export` made"),
            Self::NoSecret { .. }
            | Self::PassphrasesDiffer
            | Self::PassphraseEmpty
            | Self::ValueTooLong { .. }
            | Self::FileThere { .. }
            | Self::FileMissing { .. } => None,
        }
    }
}

const LEAVE: &str = "taffrail secret backend … --leave uses what is there and moves nothing";
const AGAIN: &str = "was a change of the key cut off? then with the new one: taffrail secret backend file --key-file PATH";
const CHOOSE: &str = "taffrail secret backend file --key-file PATH";

/// The stable code of an error of a place of secrets.
pub(crate) fn code(error: &SecretsError) -> ErrorCode {
    match error {
        SecretsError::Unavailable { .. }
        | SecretsError::Locked { .. }
        | SecretsError::Refused { .. } => ErrorCode::KeychainUnavailable,
        SecretsError::WrongPassphrase { .. } => ErrorCode::PassphraseWrong,
        SecretsError::OtherKey { .. }
        | SecretsError::Damaged { .. }
        | SecretsError::Newer { .. }
        | SecretsError::Missing
        | SecretsError::AlreadyThere
        | SecretsError::KeyFileUnfit { .. } => ErrorCode::SecretStoreDamaged,
        SecretsError::TooLarge { .. } | SecretsError::NameUnfit { .. } | SecretsError::Empty => {
            ErrorCode::Usage
        }
        SecretsError::Random(_) => ErrorCode::Internal,
        SecretsError::Io { source, .. } if source.kind() == ErrorKind::StorageFull => {
            ErrorCode::DiskFull
        }
        SecretsError::Io { .. } => ErrorCode::Io,
    }
}

/// The command that helps with it, where the code's own hint does not.
pub fn hint(error: &SecretsError) -> Option<&'static str> {
    match error {
        SecretsError::Locked { .. } => {
            Some("unlock the keychain, or choose the encrypted file: taffrail secret backend file")
        }
        SecretsError::OtherKey { .. } => Some(LEAVE),
        SecretsError::WrongPassphrase { what } if what.contains("key file") => Some(AGAIN),
        _ => None,
    }
}
