//! What is made and changed beneath a root.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use taffrail_domain::RepoPath;

use super::open::{LIST, STEP, one_folder};
use super::root::{EntryKind, facts, kind, mode_bits};
use super::{FsError, Root, remove};

/// How many fresh names are tried before somebody is taken to plant them.
const ATTEMPTS: usize = 16;

/// What [`Root::rewrite`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Rewritten {
    /// Nothing was there; the file is new.
    New,
    /// The file that was there holds the new content.
    Old,
    /// Nothing: the file has so many names, and the others may lie anywhere.
    Linked {
        /// How many.
        names: u64,
    },
}

impl Root {
    /// Makes a folder and those above it that are missing, with this mode (less the umask). One that is there is left.
    pub fn create_dirs(&self, path: &RepoPath, mode: u32) -> Result<(), FsError> {
        let fail = |errno| self.fail(path, errno);
        let mut here: Option<OwnedFd> = None;
        for part in path.parts().map(OsStr::from_bytes) {
            let from = here.as_ref().map_or(self.handle(), AsFd::as_fd);
            match rustix::fs::mkdirat(from, part, mode_of(mode)) {
                Ok(()) | Err(Errno::EXIST) => (),
                Err(errno) => return Err(fail(errno)),
            }
            here = Some(one_folder(from, part, STEP).map_err(fail)?);
        }
        Ok(())
    }

    /// Writes a file that must not be there, with this mode (less the umask). If it fails nothing is left of it.
    pub fn write_new(&self, path: &RepoPath, bytes: &[u8], mode: u32) -> Result<(), FsError> {
        let (parent, name) = self.parent(path)?;
        let file = create(parent.as_fd(), name, mode).map_err(|errno| self.fail(path, errno))?;
        self.fill(path, &file, bytes)
            .inspect_err(|_| discard(parent.as_fd(), name))
    }

    /// Writes a file whole, with this mode (less the umask), in place of a regular file or of nothing: a new file beside
    /// it, synced, then renamed within the folder's handle, then the folder synced. Readers see the old or the new one.
    ///
    /// A symlink there is an error, and so is a folder, pipe, socket or device. What the old file is also linked from
    /// keeps the old content.
    pub fn replace(&self, path: &RepoPath, bytes: &[u8], mode: u32) -> Result<(), FsError> {
        let fail = |errno| self.fail(path, errno);
        let (parent, name) = self.parent(path)?;
        match rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => self.expect_regular(path, &stat)?,
            Err(Errno::NOENT) => (),
            Err(errno) => return Err(fail(errno)),
        }
        self.swap_in(path, (parent.as_fd(), name), mode, |file| {
            self.fill(path, file, bytes)
        })
    }

    /// As [`replace`](Self::replace), but a file that is there keeps its rights, and one that has several names is left
    /// as it is. A new file gets this mode (less the umask).
    ///
    /// # Errors
    /// As `replace`.
    pub fn rewrite(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        new_mode: u32,
    ) -> Result<Rewritten, FsError> {
        let fail = |errno| self.fail(path, errno);
        let (parent, name) = self.parent(path)?;
        let before = match rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(fail(errno)),
        };
        if let Some(before) = &before {
            self.expect_regular(path, before)?;
            let names = facts(before).links;
            if names > 1 {
                return Ok(Rewritten::Linked { names });
            }
        }
        // What runs with the rights of its owner does not go on doing so with other content.
        let kept = before.as_ref().map(|before| mode_bits(before) & 0o777);
        let mode = kept.map_or(new_mode, |_| 0o600);
        self.swap_in(path, (parent.as_fd(), name), mode, |file| {
            self.fill(path, file, bytes)?;
            let kept = kept.map(mode_of);
            kept.map_or(Ok(()), |kept| rustix::fs::fchmod(file, kept))
                .map_err(fail)
        })?;
        Ok(match before {
            Some(_) => Rewritten::Old,
            None => Rewritten::New,
        })
    }

    /// A new file beside the place, made by `fill`, then synced, then put in the place.
    fn swap_in(
        &self,
        path: &RepoPath,
        (parent, name): (BorrowedFd<'_>, &OsStr),
        mode: u32,
        fill: impl FnOnce(&File) -> Result<(), FsError>,
    ) -> Result<(), FsError> {
        let fail = |errno| self.fail(path, errno);
        let (file, beside) = create_beside(parent, mode).map_err(fail)?;
        let renamed = fill(&file)
            .and_then(|()| rustix::fs::fsync(&file).map_err(fail))
            .and_then(|()| rustix::fs::renameat(parent, &beside, parent, name).map_err(fail));
        if renamed.is_err() {
            discard(parent, &beside);
        }
        renamed.and_then(|()| sync_folder(parent).map_err(fail))
    }

    fn fill(&self, path: &RepoPath, mut file: &File, bytes: &[u8]) -> Result<(), FsError> {
        file.write_all(bytes)
            .map_err(|error| FsError::from_io(self.full(path), error))
    }

    /// Makes a symlink that must not be there. Where it leads is not checked: nothing here ever follows it.
    pub fn symlink(&self, target: &[u8], path: &RepoPath) -> Result<(), FsError> {
        let (parent, name) = self.parent(path)?;
        rustix::fs::symlinkat(target, &parent, name).map_err(|errno| self.fail(path, errno))
    }

    /// Removes a file, or a symlink itself. A folder is an error.
    pub fn remove_file(&self, path: &RepoPath) -> Result<(), FsError> {
        let fail = |errno| self.fail(path, errno);
        let (parent, name) = self.parent(path)?;
        let stat = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
        if kind(&stat) == EntryKind::Dir {
            return Err(FsError::NotRegular {
                path: self.full(path),
            });
        }
        rustix::fs::unlinkat(&parent, name, AtFlags::empty()).map_err(fail)
    }

    /// Removes a folder with everything in it, or a file, or a symlink itself. What is not there is removed already.
    pub fn remove_tree(&self, path: &RepoPath) -> Result<(), FsError> {
        match self.parent(path) {
            Ok((parent, name)) => remove::remove_at(parent.as_fd(), name, &self.full(path)),
            Err(FsError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Makes a file that must not be there.
pub(super) fn create(parent: BorrowedFd<'_>, name: &OsStr, mode: u32) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, mode_of(mode)).map(File::from)
}

// The width of a mode differs between platforms.
#[allow(clippy::unnecessary_cast)]
fn mode_of(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as rustix::fs::RawMode)
}

fn create_beside(parent: BorrowedFd<'_>, mode: u32) -> Result<(File, OsString), Errno> {
    let mut last = Errno::EXIST;
    for _ in 0..ATTEMPTS {
        let name = fresh_name();
        match create(parent, &name, mode) {
            Ok(file) => return Ok((file, name)),
            Err(errno @ Errno::EXIST) => last = errno,
            Err(errno) => return Err(errno),
        }
    }
    Err(last)
}

/// A name that nobody guesses: the standard library seeds this hasher from the system's randomness.
pub(super) fn fresh_name() -> OsString {
    let random = RandomState::new().build_hasher().finish();
    format!(".taffrail-{random:016x}").into()
}

/// Takes away what was begun, after an error that is reported already.
pub(super) fn discard(parent: BorrowedFd<'_>, name: &OsStr) {
    rustix::fs::unlinkat(parent, name, AtFlags::empty()).ok();
}

/// Makes the names in a folder durable. The handle may be one that cannot be read from, so it is opened anew.
fn sync_folder(folder: BorrowedFd<'_>) -> Result<(), Errno> {
    let readable = rustix::fs::openat(folder, ".", LIST, Mode::empty())?;
    rustix::fs::fsync(&readable)
}
