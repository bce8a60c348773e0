//! Opening beneath a handle without following a symlink anywhere.
//!
//! On Linux the kernel resolves the whole path (`openat2`); elsewhere, and where it refuses that call, each part is
//! opened from the handle of the one before with `O_NOFOLLOW`. Both answer the same. No path is tested as text.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Flags of a folder's handle that only serves to go on from: needs no right to read the folder.
#[cfg(target_os = "linux")]
pub(super) const STEP: OFlags = OFlags::PATH.union(FOLDER);
/// Flags of a folder's handle that only serves to go on from.
#[cfg(not(target_os = "linux"))]
pub(super) const STEP: OFlags = OFlags::RDONLY.union(FOLDER);
/// Flags of a folder's handle that is read or synced.
pub(super) const LIST: OFlags = OFlags::RDONLY.union(FOLDER);

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// How often a name that changes under our hands is tried before it counts as a symlink.
const ATTEMPTS: usize = 16;

/// Opens folders beneath a handle.
pub(super) struct Resolver {
    /// Set where the kernel has no `openat2`, and by tests of the walk.
    #[cfg(target_os = "linux")]
    walk: AtomicBool,
}

impl Resolver {
    pub(super) const fn new() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            walk: AtomicBool::new(false),
        }
    }

    /// Never asks the kernel for the whole path.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn walk_always(&self) {
        self.walk.store(true, Ordering::Relaxed);
    }

    /// Opens the folder at `path` (parts joined by `/`, without `.` and `..`) beneath `root`.
    #[cfg(target_os = "linux")]
    pub(super) fn folder(
        &self,
        root: BorrowedFd<'_>,
        path: &[u8],
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        if self.walk.load(Ordering::Relaxed) {
            return walk(root, path, flags);
        }
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(root, path, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS) => {
                self.walk.store(true, Ordering::Relaxed);
                walk(root, path, flags)
            }
            // EAGAIN: something was renamed meanwhile. EPERM: a filter that does not know the call (containers).
            // ENAMETOOLONG: more than 4,095 bytes, which the walk does not mind.
            Err(Errno::AGAIN | Errno::PERM | Errno::NAMETOOLONG) => walk(root, path, flags),
            other => other,
        }
    }

    /// Opens the folder at `path` (parts joined by `/`, without `.` and `..`) beneath `root`.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn folder(
        &self,
        root: BorrowedFd<'_>,
        path: &[u8],
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        walk(root, path, flags)
    }
}

fn walk(root: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here: Option<OwnedFd> = None;
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { STEP } else { flags };
        let from = here.as_ref().map_or(root, AsFd::as_fd);
        here = Some(one_folder(from, OsStr::from_bytes(part), flags)?);
    }
    here.ok_or(Errno::NOENT)
}

/// Opens one folder of `parent` by its name; a symlink there is `ELOOP`, whatever it leads to.
pub(super) fn one_folder(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    for _ in 0..ATTEMPTS {
        match rustix::fs::openat(parent, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            // `O_NOFOLLOW` with `O_DIRECTORY` says "not a directory" of a symlink: ask which it is.
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => (),
            other => return other,
        }
        let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => return Err(Errno::LOOP),
            // It became a folder between the two calls.
            FileType::Directory => (),
            _ => return Err(Errno::NOTDIR),
        }
    }
    Err(Errno::LOOP)
}
