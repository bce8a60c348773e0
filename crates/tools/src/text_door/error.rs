//! Why a text file was not read or written.

use std::io::ErrorKind;
use std::path::Path;

use taffrail_confine::fs::FsError;
use taffrail_domain::ErrorCode;
use thiserror::Error;

/// Why a text file was not read or written, by what the agent that asked can do. Paths are as they were asked for, not
/// escaped.
#[derive(Debug, Error)]
pub enum DoorError {
    /// Nothing is there, or a folder on the way is missing.
    #[error("`{path}` does not exist")]
    Missing {
        /// As asked for.
        path: String,
    },
    /// The path is nothing that may be read, or written, whatever is there.
    #[error("`{path}` is refused: {why}")]
    Refused {
        /// As asked for.
        path: String,
        /// The reason.
        why: Refusal,
    },
    /// What is there is no text file.
    #[error("`{path}` {why}")]
    Unfit {
        /// As asked for.
        path: String,
        /// What is wrong with it, as the end of a sentence.
        why: &'static str,
    },
    /// What was asked for, or is to be written, is too much for one call.
    #[error("`{path}`: {what} more than {limit} bytes; {hint}")]
    TooLarge {
        /// As asked for.
        path: String,
        /// What is too large, with its verb.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
        /// What can be done.
        hint: &'static str,
    },
    /// The system gave another error.
    #[error("`{path}` could not be {doing}: {source}")]
    Io {
        /// As asked for.
        path: String,
        /// `read` or `written`.
        doing: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// It lies outside of the working tree.
    #[error("it lies outside of the working tree")]
    Outside,
    /// Its name is that of a credential.
    #[error("its name is that of a credential")]
    Credential,
    /// It is state that taffrail or git manages.
    #[error("it is state that taffrail or git manages")]
    Managed,
    /// It is or passes a symlink.
    #[error("it is or passes a symlink, and none is followed; name the file itself")]
    Symlink,
    /// It has several names, and the others may lie anywhere.
    #[error("it has several names (hard links), and only files with one name are written")]
    HardLinked,
    /// The run may not write.
    #[error("this run may not write files")]
    ReadOnly,
    /// It is no path of a file: empty, with `..`, with a NUL byte, longer than 4,095 bytes.
    #[error("a path has at least one part, no `..`, no NUL byte, and at most 4095 bytes")]
    Form,
}

impl Refusal {
    /// One word for a record; it does not change.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Credential => "credential",
            Self::Managed => "managed",
            Self::Symlink => "symlink",
            Self::HardLinked => "hard_linked",
            Self::ReadOnly => "read_only",
            Self::Form => "form",
        }
    }
}

impl DoorError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { .. } => ErrorCode::PathRefused,
            Self::Missing { .. } | Self::Unfit { .. } | Self::TooLarge { .. } => {
                ErrorCode::PathUnfit
            }
            Self::Io { .. } => ErrorCode::Io,
        }
    }

    /// The reason as one word for a record; it does not change.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing",
            Self::Refused { why, .. } => why.word(),
            Self::Unfit { .. } => "unfit",
            Self::TooLarge { .. } => "too_large",
            Self::Io { .. } => "io",
        }
    }
}

/// One call: how its path was asked for, and what it does.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub path: &'a Path,
    /// `read` or `written`.
    pub doing: &'static str,
}

impl Call<'_> {
    fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    pub(super) fn missing(&self) -> DoorError {
        DoorError::Missing { path: self.path() }
    }

    pub(super) fn refused(&self, why: Refusal) -> DoorError {
        DoorError::Refused {
            path: self.path(),
            why,
        }
    }

    pub(super) fn unfit(&self, why: &'static str) -> DoorError {
        DoorError::Unfit {
            path: self.path(),
            why,
        }
    }

    pub(super) fn too_large(
        &self,
        what: &'static str,
        limit: u64,
        hint: &'static str,
    ) -> DoorError {
        DoorError::TooLarge {
            path: self.path(),
            what,
            limit,
            hint,
        }
    }

    pub(super) fn io(&self, source: std::io::Error) -> DoorError {
        DoorError::Io {
            path: self.path(),
            doing: self.doing,
            source,
        }
    }

    /// What an error beneath a root means for the agent, which is not told where the root is.
    pub(super) fn of_fs(&self, error: FsError) -> DoorError {
        match error {
            FsError::NotFound { .. } => self.missing(),
            FsError::Symlink { .. } => self.refused(Refusal::Symlink),
            FsError::Outside { .. } => self.refused(Refusal::Outside),
            FsError::NotDirectory { .. } => self.unfit("passes something that is not a folder"),
            FsError::NotRegular { .. } => {
                self.unfit("is not a regular file but a folder, pipe, socket or device")
            }
            FsError::TooLarge { limit, .. } => self.too_large("it holds", limit, "take less"),
            // A name that is longer than a name can be is that of no file.
            FsError::Io { source, .. } if source.kind() == ErrorKind::InvalidFilename => {
                self.unfit("has a name that is longer than the file system takes")
            }
            FsError::Denied { source, .. } | FsError::Io { source, .. } => self.io(source),
            FsError::DiskFull { .. } => self.io(ErrorKind::StorageFull.into()),
            FsError::Exists { .. } | FsError::NotSymlink { .. } | FsError::NotPrivate { .. } => {
                self.io(ErrorKind::Other.into())
            }
        }
    }
}
