//! Why a slate did not do what was asked.

use taffrail_domain::ErrorCode;
use taffrail_slate::external::SlateError;
use thiserror::Error;

/// By what the caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SlateFault {
    /// What was given does not fit.
    #[error(transparent)]
    Unfit(#[from] SlateError),
    /// A word that is no kind of seed.
    #[error("'kind' {0}")]
    Kind(String),
    /// Nothing is open under the id.
    #[error("no slate is open under '{id}'")]
    NotOpen {
        /// The id.
        id: String,
    },
    /// The slate of the id was closed by its owner.
    #[error("the slate '{id}' was closed: slate.open starts generation {next}")]
    Closed {
        /// The id.
        id: String,
        /// What would come next.
        next: u32,
    },
    /// The file of the id cannot be read as a slate.
    #[error(
        "the file of slate '{id}' is damaged ({why}): slate.open sets it aside and starts anew"
    )]
    Damaged {
        /// The id.
        id: String,
        /// What is wrong with it.
        why: String,
    },
    /// As many slates are open as there may be.
    #[error("the project has {limit} open slates, the maximum: close those that are done")]
    TooManyOpen {
        /// The limit.
        limit: usize,
    },
    /// Another process held the slate, or one that shares its lock, for the whole waiting time.
    #[error("the slate '{id}' stayed locked by another process for {waited_ms} ms: try again")]
    Busy {
        /// The id.
        id: String,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// A workspace that takes nothing.
    #[error("the workspace {id} is archived and takes no proposals")]
    Archived {
        /// The workspace.
        id: String,
    },
}

impl SlateFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unfit(error) => error.code(),
            Self::Kind(_) => ErrorCode::SlateArgument,
            Self::NotOpen { .. } | Self::Damaged { .. } => ErrorCode::SlateNotOpen,
            Self::Closed { .. } => ErrorCode::SlateClosed,
            Self::TooManyOpen { .. } => ErrorCode::SlatesFull,
            Self::Busy { .. } => ErrorCode::SlateBusy,
            Self::Archived { .. } => ErrorCode::WorkspaceArchived,
        }
    }
}
