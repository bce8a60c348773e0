//! What can go wrong with archives of a home, by what the caller can do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{HomeError, StoreError};

/// Why a backup was not made, not believed or not restored.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The home or its database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive is not one of ours, not whole, or not to be trusted. Nothing was changed.
    #[error("`{path}` is not a whole backup: {why}")]
    Invalid {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something lies where the backup was to go.
    #[error("`{path}` is there already, and a backup overwrites nothing")]
    Exists {
        /// The place.
        path: PathBuf,
    },
    /// The home holds something, and nobody said that it may be moved away.
    #[error("the home `{path}` is in use already")]
    NotEmpty {
        /// The home.
        path: PathBuf,
    },
    /// Another process has the database open.
    #[error("another process has `{path}` open")]
    InUse {
        /// The database.
        path: PathBuf,
    },
    /// What the archive holds would not fit.
    #[error("`{path}` has {free} bytes left, and the backup holds {needed}")]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Bytes left there.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
    },
}

impl ArchiveError {
    pub(crate) fn invalid(path: &Path, why: impl Into<String>) -> Self {
        Self::Invalid {
            path: path.to_owned(),
            why: why.into(),
        }
    }
}

impl From<HomeError> for ArchiveError {
    fn from(error: HomeError) -> Self {
        Self::Store(error.into())
    }
}
