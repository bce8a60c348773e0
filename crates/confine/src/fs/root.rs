//! A root and what is read beneath it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use taffrail_domain::RepoPath;

use super::FsError;
use super::open::{LIST, Resolver, STEP, one_folder};

/// An opened folder. Every path given to it is taken from there, without following a symlink on the way or at the end.
///
/// A regular file that is also linked from elsewhere can be read like any other (see [`Stat::links`]); no method
/// changes what such a file holds: writing makes a new file.
pub struct Root {
    handle: OwnedFd,
    path: PathBuf,
    resolver: Resolver,
}

/// What one name in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symlink.
    Symlink,
    /// A socket, pipe or device.
    Other,
}

/// Facts of a file, of the link itself where it is a symlink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Bytes.
    pub len: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// How many names it has.
    pub links: u64,
    /// Its number on its device.
    pub ino: u64,
    /// The device.
    pub dev: u64,
    /// When its content changed last, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// When content, mode or links changed last, in nanoseconds since 1970. Cannot be set back without privilege.
    pub ctime_ns: i128,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, in no particular encoding.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Facts about it.
    pub stat: Stat,
}

impl Root {
    /// Opens a folder as root. The path itself is the operator's word: symlinks in it are followed.
    pub fn open(path: &Path) -> Result<Self, FsError> {
        let handle = rustix::fs::open(path, LIST, Mode::empty())
            .map_err(|errno| FsError::new(path, errno))?;
        Ok(Self {
            handle,
            path: path.to_owned(),
            resolver: Resolver::new(),
        })
    }

    /// Opens a folder in whose place somebody hostile may have put something else: a symlink there is an error. The path
    /// up to its last part is the operator's word.
    ///
    /// # Errors
    /// `Symlink`, `NotDirectory`, `NotFound`, `Denied`, `Io`.
    pub fn open_itself(path: &Path) -> Result<Self, FsError> {
        let fail = |errno| FsError::new(path, errno);
        let (above, name) = last_part(path)?;
        let parent = rustix::fs::open(above, STEP, Mode::empty()).map_err(fail)?;
        let handle = one_folder(parent.as_fd(), name, LIST).map_err(fail)?;
        Ok(Self {
            handle,
            path: path.to_owned(),
            resolver: Resolver::new(),
        })
    }

    /// A folder that is open already; the path is for messages.
    pub(super) fn of_handle(handle: OwnedFd, path: PathBuf) -> Self {
        Self {
            handle,
            path,
            resolver: Resolver::new(),
        }
    }

    /// As [`open`](Self::open), for tests of the walk that stands in for `openat2`.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn open_walking(path: &Path) -> Result<Self, FsError> {
        let root = Self::open(path)?;
        root.resolver.walk_always();
        Ok(root)
    }

    /// The path as it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in a folder (none: the root itself), sorted by the bytes of the names. What vanishes meanwhile is left out.
    pub fn entries(&self, dir: Option<&RepoPath>) -> Result<Vec<Entry>, FsError> {
        let fail = |errno| self.fail_at(dir, errno);
        let folder = self.folder(dir, LIST)?;
        let mut entries = Vec::new();
        for found in Dir::read_from(&folder).map_err(fail)? {
            let found = found.map_err(fail)?;
            let name = found.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => entries.push(entry(name.to_bytes(), &stat)),
                Err(Errno::NOENT) => (),
                Err(errno) => return Err(fail(errno)),
            }
        }
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// What is at a path, and facts about it; of the link itself where it is a symlink.
    pub fn stat(&self, path: &RepoPath) -> Result<(EntryKind, Stat), FsError> {
        let (parent, name) = self.parent(path)?;
        rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| (kind(&stat), facts(&stat)))
            .map_err(|errno| self.fail(path, errno))
    }

    /// Opens a regular file for reading. Nothing else is opened: a pipe or device is not waited for.
    pub fn open_file(&self, path: &RepoPath) -> Result<File, FsError> {
        let fail = |errno| self.fail(path, errno);
        let (parent, name) = self.parent(path)?;
        // Asked before opening too: merely opening a device can do something.
        let before = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
        self.expect_regular(path, &before)?;
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&parent, name, flags, Mode::empty()).map_err(fail)?;
        let opened = rustix::fs::fstat(&file).map_err(fail)?;
        self.expect_regular(path, &opened)?;
        Ok(File::from(file))
    }

    pub(super) fn expect_regular(
        &self,
        path: &RepoPath,
        stat: &rustix::fs::Stat,
    ) -> Result<(), FsError> {
        match kind(stat) {
            EntryKind::File => Ok(()),
            EntryKind::Symlink => Err(FsError::Symlink {
                path: self.full(path),
            }),
            EntryKind::Dir | EntryKind::Other => Err(FsError::NotRegular {
                path: self.full(path),
            }),
        }
    }

    /// The whole content of a regular file of at most `limit` bytes.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, FsError> {
        let file = self.open_file(path)?;
        let mut bytes = Vec::new();
        // One byte more than the limit tells a file that grew meanwhile from one that fits.
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| FsError::from_io(self.full(path), error))?;
        if bytes.len() as u64 > limit {
            return Err(FsError::TooLarge {
                path: self.full(path),
                limit,
            });
        }
        Ok(bytes)
    }

    /// Where a symlink says that it leads, unread and unchecked.
    pub fn read_link(&self, path: &RepoPath) -> Result<Vec<u8>, FsError> {
        let (parent, name) = self.parent(path)?;
        match rustix::fs::readlinkat(&parent, name, Vec::new()) {
            Ok(target) => Ok(target.into_bytes()),
            Err(Errno::INVAL) => Err(FsError::NotSymlink {
                path: self.full(path),
            }),
            Err(errno) => Err(self.fail(path, errno)),
        }
    }

    /// The handle of a folder, the root itself for none.
    pub(super) fn folder(&self, dir: Option<&RepoPath>, flags: OFlags) -> Result<OwnedFd, FsError> {
        let path = dir.map_or(b".".as_slice(), RepoPath::as_bytes);
        self.resolver
            .folder(self.handle.as_fd(), path, flags)
            .map_err(|errno| self.fail_at(dir, errno))
    }

    /// The handle of the folder that a path is in, and the path's last part.
    pub(super) fn parent<'a>(&self, path: &'a RepoPath) -> Result<(OwnedFd, &'a OsStr), FsError> {
        let (folder, name) = split(path.as_bytes());
        let handle = self
            .resolver
            .folder(self.handle.as_fd(), folder, STEP)
            .map_err(|errno| self.fail(path, errno))?;
        Ok((handle, OsStr::from_bytes(name)))
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// The whole path, for messages.
    pub(super) fn full(&self, path: &RepoPath) -> PathBuf {
        self.path.join(OsStr::from_bytes(path.as_bytes()))
    }

    pub(super) fn fail(&self, path: &RepoPath, errno: Errno) -> FsError {
        FsError::new(self.full(path), errno)
    }

    pub(super) fn fail_at(&self, dir: Option<&RepoPath>, errno: Errno) -> FsError {
        match dir {
            Some(dir) => self.fail(dir, errno),
            None => FsError::new(&self.path, errno),
        }
    }
}

/// The folder that the end of a path is in, and its name there.
pub(super) fn last_part(path: &Path) -> Result<(&Path, &OsStr), FsError> {
    let name = path.file_name().ok_or_else(|| FsError::Outside {
        path: path.to_owned(),
    })?;
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    Ok((above.unwrap_or(Path::new(".")), name))
}

/// A path's folder (`.` for the root) and its last part.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => {
            let (folder, name) = path.split_at(slash);
            (folder, name.get(1..).unwrap_or_default())
        }
        None => (b".", path),
    }
}

pub(super) fn entry(name: &[u8], stat: &rustix::fs::Stat) -> Entry {
    Entry {
        name: name.to_vec(),
        kind: kind(stat),
        stat: facts(stat),
    }
}

pub(super) fn kind(stat: &rustix::fs::Stat) -> EntryKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Dir,
        FileType::Symlink => EntryKind::Symlink,
        _ => EntryKind::Other,
    }
}

// The width differs between platforms.
#[allow(clippy::useless_conversion)]
pub(super) fn mode_bits(stat: &rustix::fs::Stat) -> u32 {
    u32::from(stat.st_mode)
}

// The widths of these fields differ between platforms; on some the conversions do nothing.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
pub(super) fn facts(stat: &rustix::fs::Stat) -> Stat {
    let nanos = |seconds: i128, rest: i128| seconds * 1_000_000_000 + rest;
    Stat {
        len: u64::try_from(stat.st_size).unwrap_or_default(),
        executable: stat.st_mode & 0o100 != 0,
        links: u64::from(stat.st_nlink),
        ino: u64::from(stat.st_ino),
        dev: stat.st_dev as u64,
        mtime_ns: nanos(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        ctime_ns: nanos(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
    }
}
