//! Copies from one root to another.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;
use taffrail_domain::RepoPath;

use super::root::{Entry, EntryKind, mode_bits};
use super::write::{create, discard};
use super::{FsError, Root};

/// Bytes of one step of a copy.
const PIECE: usize = 1024 * 1024;
/// The bits of a mode that are kept; the umask takes from them.
const KEPT: u32 = 0o777;

/// What a copy brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    /// Regular files and symlinks.
    pub files: u64,
    /// Bytes of regular files.
    pub bytes: u64,
    /// Regular files that share their blocks with the original until one of them changes.
    pub reflinked: u64,
    /// Sockets, pipes and devices, which are left out.
    pub skipped: u64,
}

impl Root {
    /// Copies a file, symlink or whole folder from the same path beneath another root. `step` hears of every piece with
    /// its bytes. What is there already is an error, but for folders, which are filled.
    ///
    /// Symlinks stay symlinks and are not followed, modes and times of files are kept, sockets, pipes and devices are
    /// left out, a file with several names becomes a file of its own. A file that grows meanwhile is copied to the
    /// length that it had.
    pub fn copy_from(
        &self,
        from: &Root,
        what: &RepoPath,
        step: &mut dyn FnMut(u64),
    ) -> Result<Copied, FsError> {
        if let Some(above) = above(what) {
            self.create_dirs(&above, KEPT)?;
        }
        let mut copy = Copy {
            from,
            to: self,
            reflink: true,
            done: Copied::default(),
            step,
        };
        let (kind, _) = from.stat(what)?;
        let mut folders = Vec::new();
        copy.one(what.clone(), kind, &mut folders)?;
        while let Some(folder) = folders.pop() {
            for entry in from.entries(Some(&folder))? {
                copy.entry(&folder, &entry, &mut folders)?;
            }
        }
        Ok(copy.done)
    }
}

struct Copy<'a> {
    from: &'a Root,
    to: &'a Root,
    /// Whether the file systems may share blocks: not asked again after the first no.
    reflink: bool,
    done: Copied,
    step: &'a mut dyn FnMut(u64),
}

impl Copy<'_> {
    /// Copies one entry of a folder; one that is gone since the folder was read is left out.
    fn entry(
        &mut self,
        folder: &RepoPath,
        entry: &Entry,
        folders: &mut Vec<RepoPath>,
    ) -> Result<(), FsError> {
        let path = below(folder, &entry.name)?;
        let original = self.from.full(&path);
        match self.one(path, entry.kind, folders) {
            Err(FsError::NotFound { path }) if path == original => Ok(()),
            other => other,
        }
    }

    fn one(
        &mut self,
        path: RepoPath,
        kind: EntryKind,
        folders: &mut Vec<RepoPath>,
    ) -> Result<(), FsError> {
        match kind {
            EntryKind::Dir => {
                self.to.create_dirs(&path, KEPT)?;
                folders.push(path);
            }
            EntryKind::Symlink => {
                let target = self.from.read_link(&path)?;
                self.to.symlink(&target, &path)?;
                self.done.files += 1;
            }
            EntryKind::File => self.file(&path)?,
            EntryKind::Other => self.done.skipped += 1,
        }
        Ok(())
    }

    fn file(&mut self, path: &RepoPath) -> Result<(), FsError> {
        let source = self.from.open_file(path)?;
        let stat = rustix::fs::fstat(&source).map_err(|errno| self.from.fail(path, errno))?;
        let (parent, name) = self.to.parent(path)?;
        // Ours to write, whatever the original's mode.
        let mode = (mode_bits(&stat) & KEPT) | 0o600;
        let fail = |errno| self.to.fail(path, errno);
        let target = create(parent.as_fd(), name, mode).map_err(fail)?;
        let length = u64::try_from(stat.st_size).unwrap_or_default();
        let copied = self
            .content(path, &source, &target, length)
            .and_then(|bytes| {
                set_time(&target, &stat).map_err(|errno| self.to.fail(path, errno))?;
                Ok(bytes)
            })
            .inspect_err(|_| discard(parent.as_fd(), name))?;
        self.done.files += 1;
        self.done.bytes += copied;
        Ok(())
    }

    fn content(
        &mut self,
        path: &RepoPath,
        source: &File,
        target: &File,
        length: u64,
    ) -> Result<u64, FsError> {
        if self.reflink && length > 0 {
            if reflink(target, source) {
                self.done.reflinked += 1;
                (self.step)(length);
                return Ok(length);
            }
            self.reflink = false;
        }
        let mut copied = 0;
        while copied < length {
            let most = usize::try_from(length - copied).unwrap_or(PIECE).min(PIECE);
            let piece = match in_kernel(source, target, most) {
                Some(piece) => piece.map_err(|errno| self.to.fail(path, errno))?,
                None => self.by_hand(path, source, target, most)?,
            };
            if piece == 0 {
                break;
            }
            copied += piece;
            (self.step)(piece);
        }
        Ok(copied)
    }

    fn by_hand(
        &self,
        path: &RepoPath,
        mut source: &File,
        mut target: &File,
        most: usize,
    ) -> Result<u64, FsError> {
        let mut piece = vec![0; most];
        let length = source
            .read(&mut piece)
            .map_err(|error| FsError::from_io(self.from.full(path), error))?;
        target
            .write_all(piece.get(..length).unwrap_or_default())
            .map_err(|error| FsError::from_io(self.to.full(path), error))?;
        Ok(length as u64)
    }
}

#[cfg(target_os = "linux")]
fn reflink(target: &File, source: &File) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn reflink(_: &File, _: &File) -> bool {
    false
}

/// One piece copied without passing through us; none where the kernel cannot.
#[cfg(target_os = "linux")]
fn in_kernel(source: &File, target: &File, most: usize) -> Option<Result<u64, Errno>> {
    match rustix::fs::copy_file_range(source, None, target, None, most) {
        Err(
            Errno::NOSYS
            | Errno::XDEV
            | Errno::INVAL
            | Errno::OPNOTSUPP
            | Errno::PERM
            | Errno::BADF,
        ) => None,
        // Some file systems of the kernel's own say 0 although there is more; reading tells.
        Ok(0) => None,
        other => Some(other.map(|length| length as u64)),
    }
}

/// One piece copied without passing through us; none where the kernel cannot.
#[cfg(not(target_os = "linux"))]
fn in_kernel(_: &File, _: &File, _: usize) -> Option<Result<u64, Errno>> {
    None
}

/// Gives the copy its original's time: build tools compare them.
// The widths of these fields differ between platforms.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
fn set_time(target: &File, stat: &rustix::fs::Stat) -> Result<(), Errno> {
    let time = Timespec {
        tv_sec: stat.st_mtime as _,
        tv_nsec: stat.st_mtime_nsec as _,
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    rustix::fs::futimens(target, &times)
}

fn above(path: &RepoPath) -> Option<RepoPath> {
    let slash = path.as_bytes().iter().rposition(|byte| *byte == b'/')?;
    RepoPath::new(path.as_bytes().get(..slash)?).ok()
}

fn below(folder: &RepoPath, name: &[u8]) -> Result<RepoPath, FsError> {
    let path = [folder.as_bytes(), name].join(&b'/');
    // A name that a folder gives holds neither `/` nor NUL and is neither `.` nor `..`.
    RepoPath::new(path.clone()).map_err(|_| FsError::Outside {
        path: OsStr::from_bytes(&path).into(),
    })
}
