//! The encrypted file in the home, for the crate that knows what is in it.

use std::io;
use std::path::{Path, PathBuf};

use taffrail_secrets::{Change, FILE_LIMIT, SecretsError, Vault};
use taffrail_store::{StoreError, files};

/// The file's name below the home.
pub(super) const FILE: &str = "secrets.sealed";
/// The file that stands for the turn of whoever changes the place of secrets, whichever it is. Another one than the file's
/// own lock, which is taken beneath it.
pub(super) const TURN: &str = "secrets.turn";

/// A private file that is replaced whole, by one process at a time.
pub(super) struct PrivateFile {
    path: PathBuf,
}

impl PrivateFile {
    pub(super) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    fn lock_path(&self) -> PathBuf {
        self.path.with_extension("lock")
    }
}

impl Vault for PrivateFile {
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        // One byte more, so that the crate above says what is wrong with it.
        files::read_bounded(&self.path, FILE_LIMIT as u64 + 1).map_err(plain)
    }

    fn update(&self, change: &mut Change<'_>) -> Result<(), SecretsError> {
        let failed = |error: StoreError| SecretsError::Io {
            doing: "cannot change the file of secrets".to_owned(),
            source: plain(error),
        };
        let lock = files::lock_private(&self.lock_path()).map_err(failed)?;
        let before = self.read().map_err(|error| SecretsError::Io {
            doing: "cannot read the file of secrets".to_owned(),
            source: error,
        })?;
        let after = change(before)?;
        let written = files::write_private(&self.path, &after).map_err(failed);
        drop(lock);
        written
    }
}

/// The system's own error where there is one, so that a full disk is told as such.
#[allow(clippy::needless_pass_by_value)] // handed to `map_err` by name
fn plain(error: StoreError) -> io::Error {
    let kind = match &error {
        StoreError::DiskFull { .. } => io::ErrorKind::StorageFull,
        StoreError::Io { source, .. } => source.kind(),
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error.to_string())
}
