//! What can go wrong with secrets, by what the caller can do about it. No message holds a value.

use std::io;

use thiserror::Error;

/// Why a secret was not kept, found or given.
#[derive(Debug, Error)]
pub enum SecretsError {
    /// The keychain does not answer: choose the encrypted file, or start one.
    #[error("no keychain answers: {cause}")]
    Unavailable {
        /// What was tried and what the system said.
        cause: String,
    },
    /// The keychain is locked and nobody unlocked it in time.
    #[error("the keychain is locked: {why}")]
    Locked {
        /// How long was waited, or what was answered.
        why: String,
    },
    /// The keychain answered with something that a keychain does not say.
    #[error("the keychain refused: {cause}")]
    Refused {
        /// What it said.
        cause: String,
    },
    /// The passphrase or the key file does not fit.
    #[error("the {what} does not fit")]
    WrongPassphrase {
        /// `passphrase` or `key file`.
        what: &'static str,
    },
    /// The file opens with the other kind of key.
    #[error("the file of secrets opens with a {needed}")]
    OtherKey {
        /// `passphrase` or `key file`.
        needed: &'static str,
    },
    /// It was cut, changed, or never was one of ours.
    #[error("the {what} is damaged: {why}")]
    Damaged {
        /// `file of secrets` or `wrapped secret`.
        what: &'static str,
        /// What does not hold together.
        why: &'static str,
    },
    /// A newer program wrote it.
    #[error(
        "the {what} has version {found}, written by a newer taffrail; this one knows version 1"
    )]
    Newer {
        /// `file of secrets` or `wrapped secret`.
        what: &'static str,
        /// The version found.
        found: u8,
    },
    /// More than fits.
    #[error("the {what} would be larger than {limit} bytes")]
    TooLarge {
        /// What would.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// The file of secrets was chosen and is not there.
    #[error("the file of secrets is not there")]
    Missing,
    /// A file of secrets is there already.
    #[error("a file of secrets is there already")]
    AlreadyThere,
    /// Not a name for a secret.
    #[error("this cannot be a secret's name: {why}")]
    NameUnfit {
        /// What it has to be.
        why: &'static str,
    },
    /// A secret without bytes is none.
    #[error("an empty value is no secret")]
    Empty,
    /// A key file that does not hold what it should.
    #[error("the key file must hold {expected} bytes, it holds {found}")]
    KeyFileUnfit {
        /// Bytes that it must hold.
        expected: usize,
        /// Bytes that it holds.
        found: usize,
    },
    /// The system has no random bytes.
    #[error("no random bytes from the system: {0}")]
    Random(String),
    /// A file could not be read or written.
    #[error("{doing}: {source}")]
    Io {
        /// What was tried, with its path.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
}
