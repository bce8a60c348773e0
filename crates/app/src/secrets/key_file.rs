//! The key file of the encrypted file: 32 random bytes that only their owner reads.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use taffrail_secrets::{FileKey, Secret};
use taffrail_store::files;

use super::SecretFault;
use crate::AppError;

/// Bytes of a key file.
const LENGTH: usize = 32;
/// Bits of a mode that give somebody else anything.
const OTHERS: u32 = 0o077;

/// The key of the file there.
pub(super) fn read(path: &Path) -> Result<FileKey, AppError> {
    let unfit = |why: String| {
        let path = path.to_owned();
        AppError::from(SecretFault::KeyFile { path, why })
    };
    let Some(file) = files::open_private(path)? else {
        return Err(unfit("it is not there".to_owned()));
    };
    let found = file.metadata().map_err(|error| unfit(error.to_string()))?;
    if found.mode() & OTHERS != 0 {
        let mode = found.mode() & 0o7777;
        return Err(unfit(format!("its mode is {mode:04o}, it must be 0600")));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(unfit("it belongs to another user".to_owned()));
    }
    let bytes = files::read_bounded(path, LENGTH as u64 + 1)?.unwrap_or_default();
    Ok(FileKey::of_key_file(Secret::new(bytes))?)
}

/// The key of the file there, made where there is none.
pub(super) fn read_or_make(path: &Path) -> Result<FileKey, AppError> {
    if files::open_private(path)?.is_none() {
        let key = Secret::random(LENGTH)?;
        // Whole or not at all: an empty key file would bar the way to the next choice.
        files::write_private(path, key.expose())?;
    }
    read(path)
}
