//! A directory held open: whatever is planted in its place later, what is done through it is done in it.

use std::fs::{File, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::files::{self, DIR_MODE, FILE_MODE};
use crate::home::reach_problem;
use crate::{HomeError, StoreError, random};

/// What a listing says of a file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Some file systems do not say: `Unknown`.
    pub(super) is: FileType,
    pub(super) inode: u64,
}

/// A directory of this user alone.
#[derive(Debug)]
pub(super) struct Folder {
    handle: File,
    path: PathBuf,
}

impl Folder {
    /// The directory at this path; none where nothing is.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        let opened = rustix::fs::open(path, directory(), Mode::empty());
        Self::checked(path.to_owned(), opened)
    }

    /// The directory at this path, made where it is missing.
    pub(super) fn make(path: &Path) -> Result<Self, StoreError> {
        if let Some(found) = Self::open(path)? {
            return Ok(found);
        }
        files::make_private_dir(path)?;
        Self::open(path)?.ok_or_else(|| gone(path))
    }

    /// A directory in it; none where nothing is.
    pub(super) fn child(&self, name: &str) -> Result<Option<Self>, StoreError> {
        let opened = rustix::fs::openat(&self.handle, name, directory(), Mode::empty());
        Self::checked(self.path.join(name), opened)
    }

    /// A directory in it, made where it is missing. That it is there is synced before this returns.
    pub(super) fn make_child(&self, name: &str) -> Result<Self, StoreError> {
        if let Some(found) = self.child(name)? {
            return Ok(found);
        }
        let path = self.path.join(name);
        let failed =
            |source: Errno| StoreError::io("cannot make the directory", &path, source.into());
        match rustix::fs::mkdirat(&self.handle, name, mode(DIR_MODE)) {
            // What the umask took away is given back.
            Ok(()) => rustix::fs::chmodat(&self.handle, name, mode(DIR_MODE), AtFlags::empty())
                .map_err(failed)?,
            // Two processes may make it at once.
            Err(Errno::EXIST) => {}
            Err(source) => return Err(failed(source)),
        }
        let made = self.child(name)?.ok_or_else(|| gone(&path))?;
        self.sync()?;
        Ok(made)
    }

    fn checked(path: PathBuf, opened: Result<OwnedFd, Errno>) -> Result<Option<Self>, StoreError> {
        let handle = match opened {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let problem = "is not a directory".to_owned();
                return Err(HomeError::Unsafe { path, problem }.into());
            }
            Err(source) => return Err(StoreError::io("cannot open", &path, source.into())),
        };
        let found = handle.metadata();
        let found = found.map_err(|source| StoreError::io("cannot look at", &path, source))?;
        match reach_problem(&found, true) {
            Some(problem) => Err(HomeError::Unsafe { path, problem }.into()),
            None => Ok(Some(Self { handle, path })),
        }
    }

    /// Its path, as it was when it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The open directory.
    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    /// Syncs which names it holds.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let synced = self.handle.sync_all();
        synced.map_err(|source| StoreError::io("cannot sync", &self.path, source))
    }

    /// Opens something in it without following, waiting or making a terminal ours. The plain error says what it is.
    pub(super) fn open_file(&self, name: &str, more: OFlags) -> Result<File, Errno> {
        let flags = more | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.handle, name, flags, mode(FILE_MODE)).map(File::from)
    }

    /// Makes a new private file beside the one of this name and gives its name too.
    pub(super) fn temporary(&self, stem: &str) -> Result<(File, String), StoreError> {
        let mark = random::bytes()
            .map_err(|source| StoreError::io("cannot name a temporary in", &self.path, source))?;
        let name = format!("{stem}.{:016x}.tmp", u64::from_le_bytes(mark));
        let path = self.path.join(&name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = self
            .open_file(&name, flags)
            .map_err(|source| StoreError::io("cannot create", &path, source.into()))?;
        file.set_permissions(Permissions::from_mode(FILE_MODE))
            .map_err(|source| StoreError::io("cannot make private", &path, source))?;
        Ok((file, name))
    }

    /// Gives a file another name in it; what had that name is gone.
    pub(super) fn replace(&self, from: &str, to: &str) -> Result<(), StoreError> {
        rustix::fs::renameat(&self.handle, from, &self.handle, to)
            .map_err(|source| StoreError::io("cannot write", &self.path.join(to), source.into()))
    }

    /// Gives what is here another name, here or in another directory; false where that name is taken.
    pub(super) fn move_to(&self, from: &str, to: &Self, name: &str) -> Result<bool, StoreError> {
        let (here, there) = (&self.handle, &to.handle);
        let failed = |source: Errno| {
            let path = self.path.join(from);
            StoreError::io("cannot move", &path, source.into())
        };
        match rustix::fs::renameat_with(here, from, there, name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(true),
            Err(Errno::EXIST) => return Ok(false),
            // A file system that cannot promise it: the lock keeps the others of our kind away.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(source) => return Err(failed(source)),
        }
        match rustix::fs::statat(there, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => return Ok(false),
            Err(Errno::NOENT) => {}
            Err(source) => return Err(failed(source)),
        }
        rustix::fs::renameat(here, from, there, name).map_err(failed)?;
        Ok(true)
    }

    /// Removes a file; whether there was one.
    pub(super) fn remove(&self, name: &str) -> Result<bool, StoreError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(source) => {
                let path = self.path.join(name);
                Err(StoreError::io("cannot remove", &path, source.into()))
            }
        }
    }

    /// What it holds under names that are text, as ours all are; in no order.
    pub(super) fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        let failed = |source: Errno| StoreError::io("cannot list", &self.path, source.into());
        let listed = rustix::fs::Dir::read_from(&self.handle).map_err(failed)?;
        let mut entries = Vec::new();
        for entry in listed {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().to_str() {
                entries.push(Entry {
                    name: name.to_owned(),
                    is: entry.file_type(),
                    inode: entry.ino(),
                });
            }
        }
        Ok(entries)
    }
}

fn directory() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(bits)
}

fn gone(path: &Path) -> StoreError {
    let source = std::io::ErrorKind::NotFound.into();
    StoreError::io("cannot open", path, source)
}
