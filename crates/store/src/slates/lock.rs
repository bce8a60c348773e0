//! Who may touch an id: 64 files that are locked, made once and never removed. A process that is killed leaves none locked.

use std::fs::{File, Permissions, TryLockError};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, OFlags};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::folder::Folder;
use crate::files::FILE_MODE;
use crate::{HomeError, StoreError};

/// How many ids can be worked on at once. Two of a stripe wait for each other; with 16 callers at work, one in eight does.
const STRIPES: u8 = 64;
/// The lock under which an open slate is counted and made.
pub(super) const CREATE: &str = "create";

/// The lock of an id.
pub(super) fn stripe(stem: &str) -> String {
    let first = Sha256::digest(stem.as_bytes()).first().copied();
    format!("{:02}", first.unwrap_or_default() % STRIPES)
}

/// Takes a lock, or waits for it; none where `patience` ends first. It is given back when the result goes.
pub(super) fn take(
    locks: &Folder,
    name: &str,
    patience: Duration,
) -> Result<Option<File>, StoreError> {
    /// Most locks are held for half a millisecond.
    const SHORTEST: Duration = Duration::from_micros(100);
    const LONGEST: Duration = Duration::from_millis(10);
    let since = Instant::now();
    let mut file = open(locks, name)?;
    loop {
        match try_once(locks, name, &file)? {
            Try::Ours => return Ok(Some(file)),
            Try::Removed => file = open(locks, name)?,
            Try::Held => {}
        }
        let waited = since.elapsed();
        if waited >= patience {
            return Ok(None);
        }
        // A quarter of the time that was waited already: nobody waits much longer than the lock is held.
        let pause = (waited / 4).clamp(SHORTEST, LONGEST);
        thread::sleep(pause.min(patience - waited));
    }
}

enum Try {
    Ours,
    Held,
    /// Somebody removed the file after it was opened: who comes next would lock another one.
    Removed,
}

/// As [`take`], and what to say where it stays locked.
pub(super) fn take_or_busy(
    locks: &Folder,
    name: &str,
    patience: Duration,
) -> Result<File, StoreError> {
    let path = locks.path().join(name);
    let waited_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    take(locks, name, patience)?.ok_or(StoreError::Busy { path, waited_ms })
}

fn try_once(locks: &Folder, name: &str, file: &File) -> Result<Try, StoreError> {
    let path = || locks.path().join(name);
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(Try::Held),
        Err(TryLockError::Error(source)) => {
            return Err(StoreError::io("cannot lock", &path(), source));
        }
    }
    let still = rustix::fs::statat(locks.handle(), name, AtFlags::SYMLINK_NOFOLLOW);
    let ours = file.metadata().map(|found| found.ino());
    let ours = ours.map_err(|source| StoreError::io("cannot look at", &path(), source))?;
    Ok(match still {
        Ok(still) if still.st_ino == ours => Try::Ours,
        _ => Try::Removed,
    })
}

fn open(locks: &Folder, name: &str) -> Result<File, StoreError> {
    let path = || locks.path().join(name);
    let opened = locks.open_file(name, OFlags::RDWR | OFlags::CREATE);
    let file = opened.map_err(|source| match source {
        Errno::LOOP | Errno::ISDIR | Errno::NXIO => unfit(path()),
        source => StoreError::io("cannot lock", &path(), source.into()),
    })?;
    let failed = |source| StoreError::io("cannot look at", &path(), source);
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(unfit(path()));
    }
    if found.mode() & 0o7777 != FILE_MODE {
        let private = file.set_permissions(Permissions::from_mode(FILE_MODE));
        private.map_err(|source| StoreError::io("cannot make private", &path(), source))?;
    }
    Ok(file)
}

fn unfit(path: PathBuf) -> StoreError {
    let problem = "is not a regular file".to_owned();
    HomeError::Unsafe { path, problem }.into()
}
