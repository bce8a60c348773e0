//! Why a tool did not answer.

use std::io::ErrorKind;

use taffrail_confine::fs::FsError;
use taffrail_domain::ErrorCode;
use thiserror::Error;

/// Why a tool did not answer, by what the caller can do about it. Paths are as they were asked for, not escaped.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The path is nothing that these tools may read: outside of the project, a credential, managed state.
    #[error("`{path}` is refused: {why}")]
    Refused {
        /// As asked for.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// What is at the path is missing, no text, or too large.
    #[error("`{path}` {why}")]
    Unfit {
        /// As asked for.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// An argument is out of its limits.
    #[error("`{name}`: {why}")]
    Argument {
        /// Which.
        name: &'static str,
        /// What is wrong with it, and the limit.
        why: String,
    },
    /// The caller took the call back.
    #[error("the call was taken back")]
    Interrupted,
    /// The system gave another error.
    #[error("`{path}` could not be read: {source}")]
    Io {
        /// As asked for.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl ToolError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { .. } => ErrorCode::PathRefused,
            Self::Unfit { .. } => ErrorCode::PathUnfit,
            Self::Argument { .. } => ErrorCode::ToolArgument,
            Self::Interrupted => ErrorCode::Interrupted,
            Self::Io { .. } => ErrorCode::Io,
        }
    }

    pub(crate) fn refused(path: &str, why: &'static str) -> Self {
        Self::Refused {
            path: path.to_owned(),
            why,
        }
    }

    pub(crate) fn unfit(path: &str, why: impl Into<String>) -> Self {
        Self::Unfit {
            path: path.to_owned(),
            why: why.into(),
        }
    }

    /// What an error beneath the root means for the caller, who is not told where the root is.
    pub(crate) fn from_fs(path: &str, error: FsError) -> Self {
        match error {
            FsError::NotFound { .. } => Self::unfit(path, "does not exist"),
            FsError::NotDirectory { .. } => {
                Self::unfit(path, "is not a folder, or passes something that is not one")
            }
            FsError::NotRegular { .. } => Self::unfit(path, "is not a regular file"),
            FsError::TooLarge { limit, .. } => {
                Self::unfit(path, format!("is larger than {limit} bytes"))
            }
            FsError::Symlink { .. } => Self::refused(
                path,
                "it is or passes a symlink, and none is followed; ask for the file itself",
            ),
            FsError::Outside { .. } => {
                Self::refused(path, "it lies on another file system than the project")
            }
            // A name that is longer than a name can be is that of no file.
            FsError::Io { source, .. } if source.kind() == ErrorKind::InvalidFilename => {
                Self::unfit(path, "does not exist")
            }
            FsError::Denied { source, .. } | FsError::Io { source, .. } => Self::Io {
                path: path.to_owned(),
                source,
            },
            other @ (FsError::Exists { .. }
            | FsError::NotSymlink { .. }
            | FsError::NotPrivate { .. }
            | FsError::DiskFull { .. }) => Self::Io {
                path: path.to_owned(),
                source: std::io::Error::other(other),
            },
        }
    }
}
