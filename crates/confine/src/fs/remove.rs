//! Removal of whole trees that somebody hostile may have made, and may still be changing.
//!
//! Iterative, with at most [`DEPTH`] folders open however deep the tree is: what lies deeper is renamed up into the
//! tree's own top, between handles, and removed from there. No path is built, `..` is never used.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode};
use rustix::io::Errno;

use super::FsError;
use super::open::{LIST, STEP, one_folder};
use super::root::{last_part, mode_bits};
use super::write::fresh_name;

/// Folders that are open at once.
const DEPTH: usize = 48;
/// How often one folder is gone through again because something new was in it: somebody is still writing there.
const ROUNDS: u32 = 64;
/// What we need on a folder to empty it.
const OWNER_ALL: u32 = 0o700;

/// Removes a folder with everything in it. What is not there is removed already.
///
/// Folders that forbid it (mode 0500, 0000) are made removable first; symlinks are removed and never followed; another
/// file system mounted inside is an error. The path up to its last part is the caller's word: symlinks there are
/// followed. A symlink or file at its end is an error.
pub fn remove_tree(path: &Path) -> Result<(), FsError> {
    let fail = |errno| FsError::new(path, errno);
    let (above, name) = last_part(path)?;
    let parent = match rustix::fs::open(above, LIST, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other.map_err(fail)?,
    };
    match one_folder(parent.as_fd(), name, STEP) {
        Ok(_) => remove_at(parent.as_fd(), name, path),
        Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(fail(errno)),
    }
}

/// Removes what `name` is in `parent`; `shown` is its path for messages.
pub(super) fn remove_at(parent: BorrowedFd<'_>, name: &OsStr, shown: &Path) -> Result<(), FsError> {
    let fail = |errno| FsError::new(shown, errno);
    for _ in 0..=ROUNDS {
        match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(fail(errno)),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
                remove_folder(parent, name, shown)?;
            }
            Ok(_) => unlink(parent, name).map_err(fail)?,
        }
    }
    Err(fail(Errno::NOTEMPTY))
}

fn remove_folder(parent: BorrowedFd<'_>, name: &OsStr, shown: &Path) -> Result<(), FsError> {
    let mut removal = Removal {
        parent,
        stack: Vec::new(),
    };
    removal
        .enter(name.to_owned(), 0)
        .and_then(|()| removal.run())
        .map_err(|errno| FsError::new(removal.shown(shown), errno))
}

struct Removal<'a> {
    /// Where the tree is. Nothing but the tree's own name is touched in it.
    parent: BorrowedFd<'a>,
    /// The open folders, each in the one before.
    stack: Vec<Level>,
}

struct Level {
    handle: OwnedFd,
    name: OsString,
    /// Folders in it that are still there.
    folders: Vec<OsString>,
    /// How often it was gone through before.
    round: u32,
}

impl Removal<'_> {
    fn run(&mut self) -> Result<(), Errno> {
        while let Some(level) = self.stack.last_mut() {
            match level.folders.pop() {
                Some(folder) if self.stack.len() >= DEPTH => self.raise(&folder)?,
                Some(folder) => self.enter(folder, 0)?,
                None => self.leave()?,
            }
        }
        Ok(())
    }

    fn top(&self) -> BorrowedFd<'_> {
        self.stack
            .last()
            .map_or(self.parent, |level| level.handle.as_fd())
    }

    /// Opens a folder of the last one and removes all in it that is not a folder.
    fn enter(&mut self, name: OsString, round: u32) -> Result<(), Errno> {
        let handle = match open_to_empty(self.top(), &name, self.stack.is_empty()) {
            Err(Errno::NOENT) => return Ok(()),
            Err(Errno::LOOP | Errno::NOTDIR) => return unlink(self.top(), &name),
            other => other?,
        };
        let folders = remove_files(handle.as_fd())?;
        self.stack.push(Level {
            handle,
            name,
            folders,
            round,
        });
        Ok(())
    }

    /// Removes the last folder, now empty; goes through it again when it is not.
    fn leave(&mut self) -> Result<(), Errno> {
        let Some(level) = self.stack.pop() else {
            return Ok(());
        };
        match rustix::fs::unlinkat(self.top(), &level.name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) if level.round < ROUNDS => {
                self.enter(level.name, level.round + 1)
            }
            other => ignore_changed(other),
        }
    }

    /// Renames a folder of the last one into the first one, to be removed there.
    fn raise(&mut self, folder: &OsStr) -> Result<(), Errno> {
        let Some((first, last)) = self.stack.first().zip(self.stack.last()) else {
            return Ok(());
        };
        let name = fresh_name();
        let rename = || rustix::fs::renameat(&last.handle, folder, &first.handle, &name);
        let renamed = rename().or_else(|errno| match errno {
            // A folder that goes elsewhere must be writable itself: its `..` changes.
            Errno::ACCESS => make_removable(last.handle.as_fd(), folder).and_then(|()| rename()),
            other => Err(other),
        });
        ignore_changed(renamed)?;
        if let Some(first) = self.stack.first_mut() {
            first.folders.push(name);
        }
        Ok(())
    }

    /// The path of the folder that is open last.
    fn shown(&self, tree: &Path) -> PathBuf {
        let below = self.stack.iter().skip(1).map(|level| &level.name);
        below.fold(tree.to_owned(), |path, name| path.join(name))
    }
}

/// Opens a folder so that everything in it can be removed. Only the tree's own top may be a mount point.
fn open_to_empty(parent: BorrowedFd<'_>, name: &OsStr, top: bool) -> Result<OwnedFd, Errno> {
    let open = || {
        if top {
            one_folder(parent, name, LIST)
        } else {
            same_mount(parent, name)
        }
    };
    let handle = match open() {
        Err(Errno::ACCESS) => {
            make_removable(parent, name)?;
            open()?
        }
        other => other?,
    };
    let mode = mode_bits(&rustix::fs::fstat(&handle)?);
    if mode & OWNER_ALL != OWNER_ALL {
        rustix::fs::fchmod(&handle, Mode::from_raw_mode(OWNER_ALL as _))?;
    }
    Ok(handle)
}

/// Opens a folder that is on the same mount as its parent.
#[cfg(target_os = "linux")]
fn same_mount(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
    match rustix::fs::openat2(parent, name, LIST, Mode::empty(), resolve) {
        Err(Errno::NOSYS | Errno::AGAIN | Errno::PERM) => same_device(parent, name),
        other => other,
    }
}

/// Opens a folder that is on the same mount as its parent.
#[cfg(not(target_os = "linux"))]
fn same_mount(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    same_device(parent, name)
}

fn same_device(parent: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let handle = one_folder(parent, name, LIST)?;
    let here = rustix::fs::fstat(&handle)?.st_dev;
    if here == rustix::fs::fstat(parent)?.st_dev {
        Ok(handle)
    } else {
        Err(Errno::XDEV)
    }
}

/// Gives the owner every right on a folder, by its handle: a name could become a symlink meanwhile.
#[cfg(target_os = "linux")]
fn make_removable(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    // A handle of this kind needs no right on the folder, and `fchmod` does not take it; its entry in /proc does.
    let handle = one_folder(parent, name, STEP)?;
    let entry = format!("/proc/self/fd/{}", handle.as_raw_fd());
    rustix::fs::chmod(entry, Mode::from_raw_mode(OWNER_ALL))
}

/// Gives the owner every right on a folder, without following a symlink.
#[cfg(not(target_os = "linux"))]
fn make_removable(parent: BorrowedFd<'_>, name: &OsStr) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(OWNER_ALL as _);
    rustix::fs::chmodat(parent, name, mode, AtFlags::SYMLINK_NOFOLLOW)
}

/// Removes every name in a folder that is not a folder; gives back those that are.
fn remove_files(folder: BorrowedFd<'_>) -> Result<Vec<OsString>, Errno> {
    let mut folders = Vec::new();
    for found in Dir::read_from(folder)? {
        let found = found?;
        let name = found.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if is_folder(folder, name, found.file_type())? {
            folders.push(OsString::from_vec(CString::from(name).into_bytes()));
        } else {
            unlink(folder, name)?;
        }
    }
    Ok(folders)
}

fn is_folder(parent: BorrowedFd<'_>, name: &CStr, listed: FileType) -> Result<bool, Errno> {
    if listed != FileType::Unknown {
        return Ok(listed == FileType::Directory);
    }
    match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(FileType::from_raw_mode(stat.st_mode) == FileType::Directory),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}

fn unlink(parent: BorrowedFd<'_>, name: impl rustix::path::Arg) -> Result<(), Errno> {
    ignore_changed(rustix::fs::unlinkat(parent, name, AtFlags::empty()))
}

/// What somebody took away or put something else in place of is no error here: what is in its place keeps the folder
/// that it is in from being removed, and so is seen in the next round.
fn ignore_changed(done: Result<(), Errno>) -> Result<(), Errno> {
    match done {
        Err(Errno::NOENT | Errno::ISDIR | Errno::NOTDIR) => Ok(()),
        other => other,
    }
}

/// Whether a folder is on another mount than its parent, and so would not be entered.
#[cfg(all(test, target_os = "linux"))]
pub(super) fn is_foreign(parent: BorrowedFd<'_>, name: &OsStr) -> bool {
    matches!(same_mount(parent, name), Err(Errno::XDEV))
        && matches!(same_device(parent, name), Err(Errno::XDEV))
}
