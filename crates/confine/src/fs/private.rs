//! Directories that only the user can enter.

use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use super::FsError;

/// What others may not have: any right.
pub(super) const OTHERS: u32 = 0o077;

/// Makes a directory with mode 0700, and those above it that are missing. One that is there must belong to this user,
/// be closed to everybody else, and be no symlink.
pub fn private_dir(path: &Path) -> Result<(), FsError> {
    let fail = |error| FsError::from_io(path, error);
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    if let Some(above) = above.filter(|above| !above.exists()) {
        private_dir(above)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        // An unusual umask takes rights from us too.
        Ok(()) => std::fs::set_permissions(path, PermissionsExt::from_mode(0o700)).map_err(fail),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => check(path),
        Err(error) => Err(fail(error)),
    }
}

fn check(path: &Path) -> Result<(), FsError> {
    let found = path
        .symlink_metadata()
        .map_err(|error| FsError::from_io(path, error))?;
    let us = rustix::process::geteuid().as_raw();
    let path = path.to_owned();
    if found.file_type().is_symlink() {
        Err(FsError::Symlink { path })
    } else if !found.is_dir() {
        Err(FsError::NotDirectory { path })
    } else if found.uid() != us {
        let why = format!("it belongs to user {}, not {us}", found.uid());
        Err(FsError::NotPrivate { path, why })
    } else if found.mode() & OTHERS != 0 {
        let why = format!("its mode is {:04o}, not 0700", found.mode() & 0o7777);
        Err(FsError::NotPrivate { path, why })
    } else {
        Ok(())
    }
}
