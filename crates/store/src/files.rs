//! Files below the home: written whole, synced, private. Nothing else in the program writes there.
//!
//! Modes do not depend on the umask. No function follows a symlink in the last part of a path.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::{StoreError, random};

/// Mode of every file below the home.
pub(crate) const FILE_MODE: u32 = 0o600;
/// Mode of every directory below the home.
pub(crate) const DIR_MODE: u32 = 0o700;

/// Writes a file whole: a temporary beside it, fsync, rename, fsync of the directory. Mode 0600.
///
/// # Errors
/// `DiskFull` or `Io` with the path; the old content is then still there.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = beside(path)?;
    let written = create_private_writer(&temporary).and_then(|mut file| {
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&temporary, path))
            .map_err(|source| StoreError::io("cannot write", path, source))
    });
    if written.is_err() {
        // What matters is the first error; a temporary that stays is harmless.
        drop(fs::remove_file(&temporary));
    }
    written.and_then(|()| sync_parent(path))
}

/// Makes a new file with mode 0600 and opens it for writing. The caller syncs it with [`finish_writer`].
///
/// # Errors
/// `Io` with the path, also when something is there already.
pub fn create_private_writer(path: &Path) -> Result<File, StoreError> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)
        .map_err(|source| StoreError::io("cannot create", path, source))?;
    file.set_permissions(Permissions::from_mode(FILE_MODE))
        .map_err(|source| StoreError::io("cannot make private", path, source))?;
    Ok(file)
}

/// Syncs a file from [`create_private_writer`] and the directory that names it.
///
/// # Errors
/// `DiskFull` or `Io` with the path; the file must then be taken for lost.
pub fn finish_writer(file: &File, path: &Path) -> Result<(), StoreError> {
    file.sync_all()
        .map_err(|source| StoreError::io("cannot sync", path, source))?;
    sync_parent(path)
}

/// Gives a file that was written beside another one its place, and syncs the directory. What was there is gone.
///
/// # Errors
/// `Io` with the path; the old content is then still there.
pub fn put_in_place(written: &Path, path: &Path) -> Result<(), StoreError> {
    fs::rename(written, path).map_err(|source| StoreError::io("cannot write", path, source))?;
    sync_parent(path)
}

/// Opens a regular file for reading; none when nothing is there.
///
/// # Errors
/// `Io` with the path; `InvalidData` when it is not a regular file.
pub fn open_private(path: &Path) -> Result<Option<File>, StoreError> {
    let failed = |source| StoreError::io("cannot read", path, source);
    // A pipe in place of the file must not hang us: NONBLOCK opens it at once, the check refuses it.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) if Errno::from_io_error(&source) == Some(Errno::LOOP) => {
            let what = "it is a symbolic link, and must be the file itself";
            return Err(failed(invalid(what.to_owned())));
        }
        Err(source) => return Err(failed(source)),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(invalid("it is not a regular file".to_owned())));
    }
    Ok(Some(file))
}

/// Reads a regular file of at most `limit` bytes; none when nothing is there.
///
/// # Errors
/// `Io` with the path; `InvalidData` when it is larger than the limit or not a regular file.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let failed = |source| StoreError::io("cannot read", path, source);
    let Some(file) = open_private(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(failed(invalid(format!("it is larger than {limit} bytes"))));
    }
    Ok(Some(bytes))
}

/// Takes the lock that a file stands for, made with mode 0600 where it is missing. It is given back when the result goes.
///
/// # Errors
/// `Busy` when another process holds it for ten seconds; `Io` with the path.
pub fn lock_private(path: &Path) -> Result<File, StoreError> {
    /// The waiting for the database is as long (STO-03).
    const PATIENCE: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(20);
    let failed = |source| StoreError::io("cannot lock", path, source);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(failed)?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Busy {
                    path: path.to_owned(),
                    waited_ms: PATIENCE.as_millis() as u64,
                });
            }
        }
    }
}

/// Removes a file; whether one was there.
///
/// # Errors
/// `Io` with the path.
pub fn remove(path: &Path) -> Result<bool, StoreError> {
    match fs::remove_file(path) {
        Ok(()) => sync_parent(path).map(|()| true),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::io("cannot remove", path, source)),
    }
}

/// Makes a directory with mode 0700, and its parents where they are missing. One that is there stays as it is.
///
/// # Errors
/// `Io` with the path, also when something else than a directory is there.
pub fn make_private_dir(path: &Path) -> Result<(), StoreError> {
    make_dir(path).map_err(|source| StoreError::io("cannot make the directory", path, source))
}

/// [`make_private_dir`] with the plain error, for the home itself.
pub(crate) fn make_dir(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
        Err(source) if source.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(source),
    }
    if let Some(parent) = path.parent()
        && !parent.is_dir()
    {
        make_dir(parent)?;
    }
    match DirBuilder::new().mode(DIR_MODE).create(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(DIR_MODE)),
        // Two commands may make the same home at once.
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(source),
    }
}

/// Whether the file system that a path lies on, or the next folder above it that is there, has nothing left: what
/// failed there failed for want of space.
pub fn is_full(path: &Path) -> bool {
    /// Less than this is nothing: a file system keeps some of its last blocks for itself.
    const NOTHING: u64 = 64 << 10;
    let there = path.ancestors().find(|path| path.exists());
    let found = there.and_then(|path| rustix::fs::statvfs(path).ok());
    found.is_some_and(|found| {
        found.f_blocks > 0 && found.f_bavail.saturating_mul(found.f_frsize) < NOTHING
    })
}

fn sync_parent(path: &Path) -> Result<(), StoreError> {
    let parent = path.parent().unwrap_or(Path::new("."));
    File::open(parent)
        .and_then(|directory| directory.sync_all())
        .map_err(|source| StoreError::io("cannot sync", parent, source))
}

fn beside(path: &Path) -> Result<PathBuf, StoreError> {
    let mark = random::bytes()
        .map_err(|source| StoreError::io("cannot name a temporary beside", path, source))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:016x}.tmp", u64::from_le_bytes(mark)));
    Ok(path.with_file_name(name))
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sto_01_files_are_written_whole_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        write_private(&path, b"one").unwrap();
        write_private(&path, b"two").unwrap();
        assert_eq!(read_bounded(&path, 3).unwrap().unwrap(), b"two");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, FILE_MODE);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_over_the_limit_is_refused_and_a_missing_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big");
        fs::write(&path, b"four").unwrap();
        let refused = read_bounded(&path, 3).unwrap_err().to_string();
        assert!(refused.contains("larger than 3 bytes"), "{refused}");
        assert!(read_bounded(&dir.path().join("none"), 3).unwrap().is_none());
    }

    #[test]
    fn symlinks_pipes_and_directories_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        fs::write(dir.path().join("target"), b"secret").unwrap();
        std::os::unix::fs::symlink(dir.path().join("target"), &link).unwrap();
        assert!(read_bounded(&link, 100).is_err());
        let pipe = dir.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        assert!(read_bounded(&pipe, 100).is_err());
        assert!(read_bounded(dir.path(), 100).is_err());
    }

    #[test]
    fn a_lock_is_held_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = lock_private(&path).unwrap();
        let other = File::open(&path).unwrap();
        assert!(other.try_lock().is_err());
        drop(held);
        drop(lock_private(&path).unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, FILE_MODE);
    }

    #[test]
    fn a_writer_never_opens_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("patch");
        let mut file = create_private_writer(&path).unwrap();
        file.write_all(b"diff").unwrap();
        finish_writer(&file, &path).unwrap();
        assert!(create_private_writer(&path).is_err());
        let fresh = dir.path().join("patch.new");
        let mut file = create_private_writer(&fresh).unwrap();
        file.write_all(b"newer").unwrap();
        finish_writer(&file, &fresh).unwrap();
        put_in_place(&fresh, &path).unwrap();
        assert!(open_private(&fresh).unwrap().is_none());
        assert_eq!(read_bounded(&path, 9).unwrap().unwrap(), b"newer");
        assert!(remove(&path).unwrap());
        assert!(!remove(&path).unwrap());
    }
}
