//! Why an entry was not added.

use std::path::PathBuf;

use taffrail_domain::ErrorCode;
use thiserror::Error;

/// What an addition ends with where nothing was written. Messages hold untrusted text: a surface escapes them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegistryFault {
    /// The user's file is written in a way that nothing can be put into it safely.
    #[error("{} {why}; write it by hand: taffrail config edit", path.display())]
    Config {
        /// The user's file.
        path: PathBuf,
        /// As the end of a sentence.
        why: String,
    },
    /// The id is taken, or is none.
    #[error("`{id}` {why}")]
    Id {
        /// What was typed.
        id: String,
        /// As the end of a sentence.
        why: &'static str,
    },
    /// The registry's copy is not understood, or an entry of it is not taken.
    #[error("{}: {why}", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// Why, with the entry's id where one is to blame.
        why: String,
    },
}

impl RegistryFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Config { .. } => ErrorCode::ConfigInvalid,
            Self::Id { .. } => ErrorCode::Usage,
            Self::Copy { .. } => ErrorCode::RegistryUnfit,
        }
    }
}
