//! Why something beneath a root could not be done.

use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

/// Why something beneath a root could not be done, by what the caller can do about it. Every variant carries the whole
/// path, not escaped.
#[derive(Debug, Error)]
pub enum FsError {
    /// Nothing is there, or a folder on the way is missing.
    #[error("`{}` does not exist", .path.display())]
    NotFound {
        /// Where.
        path: PathBuf,
    },
    /// Something is there already.
    #[error("`{}` is there already", .path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The path leaves the root, or crosses into another file system where that is not meant.
    #[error("`{}` leads outside", .path.display())]
    Outside {
        /// Where.
        path: PathBuf,
    },
    /// A symlink is on the path or at its end. None is ever followed.
    #[error("`{}` is or passes a symlink", .path.display())]
    Symlink {
        /// Where.
        path: PathBuf,
    },
    /// What was asked for as a symlink is something else.
    #[error("`{}` is not a symlink", .path.display())]
    NotSymlink {
        /// Where.
        path: PathBuf,
    },
    /// What was asked for as a folder, or is passed as one, is something else.
    #[error("`{}` is not a folder or passes something that is not one", .path.display())]
    NotDirectory {
        /// Where.
        path: PathBuf,
    },
    /// What was asked for as a regular file is a folder, pipe, socket or device.
    #[error("`{}` is not a regular file", .path.display())]
    NotRegular {
        /// Where.
        path: PathBuf,
    },
    /// The file is larger than the caller takes.
    #[error("`{}` is larger than {limit} bytes", .path.display())]
    TooLarge {
        /// Where.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A private directory that others can enter or that belongs to somebody else.
    #[error("`{}` is not private: {why}", .path.display())]
    NotPrivate {
        /// Where.
        path: PathBuf,
        /// What is wrong, in a few words.
        why: String,
    },
    /// The file system is full, or a quota is.
    #[error("`{}` could not be written: the file system is full", .path.display())]
    DiskFull {
        /// Where.
        path: PathBuf,
    },
    /// The system does not permit it.
    #[error("`{}` may not be opened or changed: {source}", .path.display())]
    Denied {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Anything else.
    #[error("`{}`: {source}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl FsError {
    /// What is in the caller's hands about this error of the system.
    pub(super) fn new(path: impl Into<PathBuf>, errno: Errno) -> Self {
        let path = path.into();
        let source = errno.into();
        match errno {
            Errno::NOENT => Self::NotFound { path },
            Errno::EXIST => Self::Exists { path },
            Errno::LOOP => Self::Symlink { path },
            Errno::XDEV => Self::Outside { path },
            Errno::NOTDIR => Self::NotDirectory { path },
            Errno::ISDIR | Errno::NXIO => Self::NotRegular { path },
            Errno::NOSPC | Errno::DQUOT => Self::DiskFull { path },
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::Denied { path, source },
            _ => Self::Io { path, source },
        }
    }

    /// As [`new`](Self::new), of an error that came through the standard library.
    pub(super) fn from_io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(errno) => Self::new(path, errno),
            None => Self::Io {
                path: path.into(),
                source,
            },
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotFound { path }
            | Self::Exists { path }
            | Self::Outside { path }
            | Self::Symlink { path }
            | Self::NotSymlink { path }
            | Self::NotDirectory { path }
            | Self::NotRegular { path }
            | Self::TooLarge { path, .. }
            | Self::NotPrivate { path, .. }
            | Self::DiskFull { path }
            | Self::Denied { path, .. }
            | Self::Io { path, .. } => path,
        }
    }
}
