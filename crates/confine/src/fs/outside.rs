//! One file of the user's own that lies beneath no root: the configuration of another program.
//!
//! The file may be a symlink, as people keep their dotfiles: what it leads to is read and replaced, and the link stays.
//! A file that is not the user's alone to write, or is no plain file, is refused. Nothing here knows what is in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use thiserror::Error;

use super::FsError;
use super::open::LIST;
use super::write::{create, discard, fresh_name};

/// A new file, and what is written before it takes the mode of the one that it replaces.
const PRIVATE: u32 = 0o600;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;
/// Only the owner of a file takes it out of the folder.
const STICKY: u32 = 0o1000;
/// The owner may write.
const OWNER_WRITES: u32 = 0o200;
/// How often another writer may come between before the file is left to it. One step takes microseconds.
const SWAPS: usize = 64;

/// Why a file of the user's was not touched.
#[derive(Debug, Error)]
pub enum OutsideError {
    /// It is not a plain file that only this user writes.
    #[error("{} {why}", .path.display())]
    Unfit {
        /// Where, the symlinks followed.
        path: PathBuf,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
    /// The system said no.
    #[error(transparent)]
    Files(#[from] FsError),
}

/// What a file held when it was read, and what its replacement is to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// All of it.
    pub bytes: Vec<u8>,
    mode: u32,
    group: u32,
}

/// Whether a change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Swapped {
    /// It is made, and durable.
    Done,
    /// The file is not what it was: nothing was changed.
    Changed,
}

/// A file, or the place where one would be, in an opened folder.
#[derive(Debug)]
pub struct Outside {
    real: PathBuf,
    folder: OwnedFd,
    name: OsString,
}

/// Held until it is dropped, or its process ends however it ends.
#[derive(Debug)]
pub struct FolderLock(#[allow(dead_code)] OwnedFd);

/// Waits until nobody else holds the lock of this folder. It keeps out only those who ask for it too.
///
/// # Errors
/// What the system says.
pub fn lock_folder(path: &Path) -> Result<FolderLock, FsError> {
    let fail = |errno| FsError::new(path, errno);
    let folder = rustix::fs::open(path, LIST, Mode::empty()).map_err(fail)?;
    rustix::fs::flock(&folder, FlockOperation::LockExclusive).map_err(fail)?;
    Ok(FolderLock(folder))
}

/// The folders on the way to this file that are not there, the outermost first.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.symlink_metadata().is_err())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// Makes these folders, the outermost first, for this user alone. One that is there by now is left as it is.
///
/// # Errors
/// What the system says.
pub fn make_folders(folders: &[PathBuf]) -> Result<(), FsError> {
    for folder in folders {
        match std::fs::DirBuilder::new().mode(0o700).create(folder) {
            Ok(()) => (),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(FsError::from_io(folder, error)),
        }
    }
    Ok(())
}

/// Removes those of these folders that are empty, the innermost first. One that holds something stays.
pub fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        std::fs::remove_dir(folder).ok();
    }
}

impl Outside {
    /// The file of this absolute path, or its place; none where its folder is missing. Symlinks are followed.
    ///
    /// # Errors
    /// `Unfit` for a symlink to nothing, and for a folder in which others can replace the file; what the system says.
    pub fn find(path: &Path) -> Result<Option<Self>, OutsideError> {
        let Some(real) = resolve(path)? else {
            return Ok(None);
        };
        let (Some(above), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(unfit(&real, "is no file"));
        };
        let folder = rustix::fs::open(above, LIST, Mode::empty())
            .map_err(|errno| FsError::new(above, errno))?;
        let stat = rustix::fs::fstat(&folder).map_err(|errno| FsError::new(above, errno))?;
        expect_safe_folder(above, &stat)?;
        let name = name.to_owned();
        Ok(Some(Self { real, folder, name }))
    }

    /// Where it really lies.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// What it holds; none where there is none.
    ///
    /// # Errors
    /// `Unfit` for what is no plain file, belongs to another user, is open to be written by others, may not be written
    /// by its owner or has several names; `TooLarge`; what the system says.
    pub fn read(&self, limit: u64) -> Result<Option<Content>, OutsideError> {
        self.read_named(&self.name, limit)
    }

    /// Puts these bytes in its place, if it still is what `before` says: whole, synced, its mode and group kept, a new one
    /// with mode 0600. Readers see the old or the new one.
    ///
    /// # Errors
    /// As for reading; what the system says.
    pub fn replace(
        &self,
        before: Option<&Content>,
        bytes: &[u8],
        limit: u64,
    ) -> Result<Swapped, OutsideError> {
        if self.read(limit)?.as_ref() != before {
            return Ok(Swapped::Changed);
        }
        let beside = self.write_beside(before, bytes)?;
        let swapped = match before {
            None => self.put(&beside),
            Some(before) => self.exchange(&beside, before, bytes, limit),
        }?;
        self.sync()?;
        Ok(swapped)
    }

    /// Takes the file away, if it still is what `before` says.
    ///
    /// # Errors
    /// As for reading; what the system says.
    pub fn remove(&self, before: &Content, limit: u64) -> Result<Swapped, OutsideError> {
        if self.read(limit)?.as_ref() != Some(before) {
            return Ok(Swapped::Changed);
        }
        let aside = fresh_name();
        self.rename(&self.name, &aside)?;
        match self.read_named(&aside, limit) {
            Ok(Some(aside)) if aside == *before => (),
            // Somebody wrote between the look and the step: theirs goes back.
            Ok(_) => return self.rename(&aside, &self.name).map(|()| Swapped::Changed),
            Err(error) => return self.rename(&aside, &self.name).and(Err(error)),
        }
        discard(self.folder.as_fd(), &aside);
        self.sync()?;
        Ok(Swapped::Done)
    }

    /// Takes away what a process that was killed while it replaced the file left beside it: files under our own kind of
    /// name that hold something that `is_known`.
    pub fn sweep(&self, limit: u64, is_known: &dyn Fn(&[u8]) -> bool) {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let left = is_fresh(name).then(|| self.read_named(name, limit));
            if matches!(left, Some(Ok(Some(left))) if is_known(&left.bytes)) {
                discard(self.folder.as_fd(), name);
            }
        }
    }

    fn put(&self, beside: &OsStr) -> Result<Swapped, OutsideError> {
        let put = match self.rename_with(beside, &self.name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Swapped::Done),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => rustix::fs::linkat(
                &self.folder,
                beside,
                &self.folder,
                &self.name,
                AtFlags::empty(),
            ),
            Err(errno) => Err(errno),
        };
        discard(self.folder.as_fd(), beside);
        match put {
            Ok(()) => Ok(Swapped::Done),
            Err(Errno::EXIST) => Ok(Swapped::Changed),
            Err(errno) => Err(self.fail(errno)),
        }
    }

    /// Swaps the two names, so that what was replaced can be looked at: if it is not what was read, it goes back. What
    /// lies beside is taken away only where it is known to be the old content or ours.
    pub(super) fn exchange(
        &self,
        beside: &OsStr,
        before: &Content,
        ours: &[u8],
        limit: u64,
    ) -> Result<Swapped, OutsideError> {
        match self.rename_with(beside, &self.name, RenameFlags::EXCHANGE) {
            Ok(()) => (),
            Err(errno) => {
                let swapped = match errno {
                    Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => {
                        self.rename_over(beside, before, limit)
                    }
                    Errno::NOENT => Ok(Swapped::Changed),
                    errno => Err(self.fail(errno)),
                };
                discard(self.folder.as_fd(), beside);
                return swapped;
            }
        }
        // What was in the place comes out. If that is what was put there last, nobody came between; else it is newer
        // than what is in the place now, and goes back.
        let (mut put_last, mut held) = (Some(before.bytes.clone()), Some(ours.to_vec()));
        for swap in 0..SWAPS {
            let out = self.read_named(beside, limit).ok().flatten();
            let out = out.map(|content| content.bytes);
            if out.is_some() && out == put_last {
                discard(self.folder.as_fd(), beside);
                let done = swap == 0;
                return Ok(if done {
                    Swapped::Done
                } else {
                    Swapped::Changed
                });
            }
            put_last = held;
            held = out;
            self.rename_with(beside, &self.name, RenameFlags::EXCHANGE)
                .map_err(|errno| self.fail(errno))?;
        }
        Ok(Swapped::Changed)
    }

    /// Where the file system swaps no names: a last look, then the step.
    fn rename_over(
        &self,
        beside: &OsStr,
        before: &Content,
        limit: u64,
    ) -> Result<Swapped, OutsideError> {
        if self.read(limit)?.as_ref() != Some(before) {
            return Ok(Swapped::Changed);
        }
        rustix::fs::renameat(&self.folder, beside, &self.folder, &self.name)
            .map_err(|errno| self.fail(errno))?;
        Ok(Swapped::Done)
    }

    pub(super) fn write_beside(
        &self,
        before: Option<&Content>,
        bytes: &[u8],
    ) -> Result<OsString, OutsideError> {
        let name = fresh_name();
        let mut file =
            create(self.folder.as_fd(), &name, PRIVATE).map_err(|errno| self.fail(errno))?;
        let written = file
            .write_all(bytes)
            .map_err(|error| FsError::from_io(&self.real, error))
            .and_then(|()| self.dress(&file, before))
            .and_then(|()| {
                rustix::fs::fsync(&file).map_err(|errno| FsError::new(&self.real, errno))
            });
        match written {
            Ok(()) => Ok(name),
            Err(error) => {
                discard(self.folder.as_fd(), &name);
                Err(error.into())
            }
        }
    }

    /// Gives the new file the group and the mode of the old one, in this order: the group takes rights away.
    fn dress(&self, file: &File, before: Option<&Content>) -> Result<(), FsError> {
        let fail = |errno| FsError::new(&self.real, errno);
        let Some(before) = before else {
            return Ok(());
        };
        let stat = rustix::fs::fstat(file).map_err(fail)?;
        if stat.st_gid != before.group {
            let group = Some(rustix::fs::Gid::from_raw(before.group));
            rustix::fs::fchown(file, None, group).map_err(fail)?;
        }
        let mode = std::fs::Permissions::from_mode(before.mode);
        file.set_permissions(mode)
            .map_err(|error| FsError::from_io(&self.real, error))
    }

    fn read_named(&self, name: &OsStr, limit: u64) -> Result<Option<Content>, OutsideError> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NXIO) => return Err(unfit(&self.real, "is not a regular file")),
            Err(errno) => return Err(self.fail(errno)),
        };
        let stat = rustix::fs::fstat(&file).map_err(|errno| self.fail(errno))?;
        expect_own_file(&self.real, &stat)?;
        let mut bytes = Vec::new();
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| FsError::from_io(&self.real, error))?;
        if bytes.len() as u64 > limit {
            let path = self.real.clone();
            return Err(FsError::TooLarge { path, limit }.into());
        }
        Ok(Some(Content {
            bytes,
            mode: mode(&stat),
            group: stat.st_gid,
        }))
    }

    fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), OutsideError> {
        match self.rename_with(from, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                rustix::fs::renameat(&self.folder, from, &self.folder, to)
            }
            other => other,
        }
        .map_err(|errno| self.fail(errno))
    }

    fn rename_with(&self, from: &OsStr, to: &OsStr, flags: RenameFlags) -> Result<(), Errno> {
        rustix::fs::renameat_with(&self.folder, from, &self.folder, to, flags)
    }

    fn sync(&self) -> Result<(), OutsideError> {
        rustix::fs::fsync(&self.folder).map_err(|errno| self.fail(errno))
    }

    fn fail(&self, errno: Errno) -> OutsideError {
        FsError::new(&self.real, errno).into()
    }
}

/// The real path of a file that is there, or its name in the real path of its folder; none where the folder is missing.
fn resolve(path: &Path) -> Result<Option<PathBuf>, OutsideError> {
    if !path.is_absolute() {
        return Err(unfit(path, "is no absolute path"));
    }
    let fail = |error| OutsideError::from(FsError::from_io(path, error));
    match path.symlink_metadata() {
        Ok(_) => match path.canonicalize() {
            Ok(real) => Ok(Some(real)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(unfit(path, "is a symlink to nothing"))
            }
            Err(error) => Err(fail(error)),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(unfit(path, "is no file"));
            };
            match above.canonicalize() {
                Ok(above) => Ok(Some(above.join(name))),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(fail(error)),
            }
        }
        Err(error) => Err(fail(error)),
    }
}

fn expect_own_file(path: &Path, stat: &Stat) -> Result<(), OutsideError> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(unfit(path, "is not a regular file"));
    }
    let us = rustix::process::geteuid().as_raw();
    let mode = mode(stat);
    let why = if stat.st_uid != us {
        format!("belongs to user {}, not {us}", stat.st_uid)
    } else if mode & OTHERS_WRITE != 0 {
        format!("may be written by everybody (mode {mode:04o})")
    } else if mode & OWNER_WRITES == 0 {
        format!("is read-only (mode {mode:04o})")
    } else if stat.st_nlink > 1 {
        let names = stat.st_nlink;
        format!("has {names} names (hard links), and replacing it would part them")
    } else {
        return Ok(());
    };
    Err(unfit(path, &why))
}

fn expect_safe_folder(path: &Path, stat: &Stat) -> Result<(), OutsideError> {
    let us = rustix::process::geteuid().as_raw();
    let mode = mode(stat);
    if stat.st_uid != us && stat.st_uid != 0 {
        let owner = stat.st_uid;
        Err(unfit(path, &format!("belongs to user {owner}, not {us}")))
    } else if mode & OTHERS_WRITE != 0 && mode & STICKY == 0 {
        let why = format!("is a folder that everybody may write (mode {mode:04o})");
        Err(unfit(path, &why))
    } else {
        Ok(())
    }
}

/// Whether this is a name that only [`fresh_name`] makes: `.taffrail-` and sixteen hexadecimal digits.
fn is_fresh(name: &OsStr) -> bool {
    let digits = name.as_bytes().strip_prefix(b".taffrail-");
    digits.is_some_and(|digits| digits.len() == 16 && digits.iter().all(u8::is_ascii_hexdigit))
}

// The width of a mode differs between platforms.
#[allow(clippy::useless_conversion)]
fn mode(stat: &Stat) -> u32 {
    u32::from(stat.st_mode) & 0o7777
}

fn unfit(path: &Path, why: &str) -> OutsideError {
    OutsideError::Unfit {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}
