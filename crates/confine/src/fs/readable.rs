//! Gives the owner back the right to read a tree, for a capture of what a run locked (`chmod 000`).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use taffrail_domain::RepoPath;

use super::open::{STEP, one_folder};
use super::root::{EntryKind, Root, last_part, mode_bits};
use super::{Entry, FsError};

/// Read and search for the owner of a folder.
const FOLDER: u32 = 0o500;
/// Read for the owner of a file.
const FILE: u32 = 0o400;

impl Root {
    /// As [`open_itself`](Self::open_itself), for a folder that a run may have locked (`chmod 000`), with the folder it
    /// is in: where they refuse, the owner's right to read is added to both.
    ///
    /// # Errors
    /// As `open_itself`.
    pub fn open_unlocked(path: &Path) -> Result<Self, FsError> {
        match Self::open_itself(path) {
            Err(FsError::Denied { .. }) => {
                unlock(path).map_err(|errno| FsError::new(path, errno))?;
                Self::open_itself(path)
            }
            other => other,
        }
    }

    /// Adds the owner's right to read to the root, and to every folder and regular file beneath it that lacks it.
    /// Nothing else of a mode changes; no symlink is followed.
    ///
    /// # Errors
    /// `Denied` for what belongs to somebody else, `Io`.
    pub fn make_readable(&self) -> Result<(), FsError> {
        add_rights(self.handle(), FOLDER).map_err(|errno| self.fail_at(None, errno))?;
        let mut todo = vec![None];
        while let Some(folder) = todo.pop() {
            if let Some(path) = &folder {
                self.allow(path, FOLDER)?;
            }
            for entry in self.entries(folder.as_ref())? {
                let Some(path) = beneath(folder.as_ref(), &entry) else {
                    continue;
                };
                match entry.kind {
                    EntryKind::Dir => todo.push(Some(path)),
                    EntryKind::File => self.allow(&path, FILE)?,
                    EntryKind::Symlink | EntryKind::Other => {}
                }
            }
        }
        Ok(())
    }

    fn allow(&self, path: &RepoPath, wanted: u32) -> Result<(), FsError> {
        let fail = |errno| self.fail(path, errno);
        let (parent, name) = self.parent(path)?;
        let flags = STEP.difference(OFlags::DIRECTORY) | OFlags::NOFOLLOW;
        let handle = rustix::fs::openat(&parent, name, flags, Mode::empty()).map_err(fail)?;
        add_rights(handle.as_fd(), wanted).map_err(fail)
    }
}

/// Lets the owner list a folder and the one that it is in.
fn unlock(path: &Path) -> Result<(), Errno> {
    let Ok((above, name)) = last_part(path) else {
        return Err(Errno::NOENT);
    };
    let parent = rustix::fs::open(above, STEP, Mode::empty())?;
    add_rights(parent.as_fd(), FOLDER)?;
    let folder = one_folder(parent.as_fd(), name, STEP)?;
    add_rights(folder.as_fd(), FOLDER)
}

fn add_rights(handle: BorrowedFd<'_>, wanted: u32) -> Result<(), Errno> {
    let mode = mode_bits(&rustix::fs::fstat(handle)?);
    if mode & wanted == wanted {
        return Ok(());
    }
    // `fchmod` does not take a handle without rights; its entry in /proc does, and is no name to be swapped.
    let entry = format!("/proc/self/fd/{}", handle.as_raw_fd());
    rustix::fs::chmod(entry, Mode::from_raw_mode((mode | wanted) as _))
}

fn beneath(folder: Option<&RepoPath>, entry: &Entry) -> Option<RepoPath> {
    let mut path = folder
        .map(|folder| [folder.as_bytes(), b"/"].concat())
        .unwrap_or_default();
    path.extend(&entry.name);
    RepoPath::new(path).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_locked_tree_can_be_read_again_and_nothing_outside_changes() {
        let place = tempfile::tempdir().unwrap();
        let (tree, outside) = (place.path().join("tree"), place.path().join("outside"));
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/b/file"), "x").unwrap();
        fs::write(&outside, "y").unwrap();
        std::os::unix::fs::symlink(&outside, tree.join("link")).unwrap();
        let lock = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap()
        };
        lock(&outside, 0o000);
        for name in ["a/b/file", "a/b", "a"] {
            lock(&tree.join(name), 0o000);
        }
        let root = Root::open(&tree).unwrap();
        root.make_readable().unwrap();
        let path = RepoPath::new("a/b/file").unwrap();
        assert_eq!(root.read(&path, 10).unwrap(), b"x");
        assert_eq!(
            fs::metadata(tree.join("a/b/file"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o400
        );
        assert_eq!(
            fs::metadata(&outside).unwrap().permissions().mode() & 0o777,
            0o000
        );
        lock(&tree.join("a"), 0o700);
        lock(&tree.join("a/b"), 0o700);
    }

    #[test]
    fn a_locked_root_is_opened_and_a_link_in_its_place_never() {
        let place = tempfile::tempdir().unwrap();
        let (above, outside) = (place.path().join("above"), place.path().join("outside"));
        let tree = above.join("tree");
        fs::create_dir_all(&tree).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(tree.join("file"), "x").unwrap();
        fs::write(outside.join("secret"), "y").unwrap();
        let lock = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (tree_mode, above_mode) in [(0o000, 0o700), (0o000, 0o000), (0o400, 0o300)] {
            lock(&tree, tree_mode);
            lock(&above, above_mode);
            let root = Root::open_unlocked(&tree).unwrap();
            root.make_readable().unwrap();
            let file = RepoPath::new("file").unwrap();
            assert_eq!(root.read(&file, 10).unwrap(), b"x");
            lock(&above, 0o700);
        }
        lock(&tree, 0o700);
        fs::remove_dir_all(&tree).unwrap();
        std::os::unix::fs::symlink(&outside, &tree).unwrap();
        let refused = Root::open_unlocked(&tree).map(drop);
        assert!(
            matches!(refused, Err(FsError::Symlink { .. })),
            "{refused:?}"
        );
        // The twin: opened as the operator's own word, the link is followed.
        let secret = RepoPath::new("secret").unwrap();
        assert_eq!(Root::open(&tree).unwrap().read(&secret, 10).unwrap(), b"y");
    }
}
