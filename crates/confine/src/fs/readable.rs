//! Gives the owner back the right to read a tree, for a capture of what a run locked (`chmod 000`).

use std::os::fd::AsRawFd;

use rustix::fs::{Mode, OFlags};
use taffrail_domain::RepoPath;

use super::open::STEP;
use super::root::{EntryKind, Root, mode_bits};
use super::{Entry, FsError};

/// Read and search for the owner of a folder.
const FOLDER: u32 = 0o500;
/// Read for the owner of a file.
const FILE: u32 = 0o400;

impl Root {
    /// Adds the owner's right to read to every folder and regular file of the tree that lacks it. Nothing else of a
    /// mode changes; no symlink is followed.
    ///
    /// # Errors
    /// `Denied` for what belongs to somebody else, `Io`.
    pub fn make_readable(&self) -> Result<(), FsError> {
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
        let mode = mode_bits(&rustix::fs::fstat(&handle).map_err(fail)?);
        if mode & wanted == wanted {
            return Ok(());
        }
        // `fchmod` does not take a handle without rights; its entry in /proc does, and is no name to be swapped.
        let entry = format!("/proc/self/fd/{}", handle.as_raw_fd());
        rustix::fs::chmod(entry, Mode::from_raw_mode((mode | wanted) as _)).map_err(fail)
    }
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
}
