//! The real file system in temporary folders. Each guard's test has a twin that shows what happens without the guard.

mod copy;
mod outside;
mod paths;
mod private;
mod remove;
mod stale;
mod swap;
mod write;

use std::path::{Path, PathBuf};

use taffrail_domain::RepoPath;
use tempfile::TempDir;

use super::{FsError, Root};

/// A root beside a folder that nothing may reach.
pub(super) struct Ground {
    _dir: TempDir,
    pub(super) root: PathBuf,
    pub(super) outside: PathBuf,
}

pub(super) const SECRET: &[u8] = b"outside";

impl Ground {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let outside = dir.path().join("outside");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(outside.join("dir")).unwrap();
        std::fs::write(outside.join("secret"), SECRET).unwrap();
        std::fs::write(outside.join("dir/secret"), SECRET).unwrap();
        Self {
            _dir: dir,
            root,
            outside,
        }
    }

    /// That outside nothing came, went or changed.
    pub(super) fn assert_outside_is_as_it_was(&self) {
        let names = |path: &Path| {
            let mut names: Vec<_> = std::fs::read_dir(path)
                .unwrap()
                .map(|found| found.unwrap().file_name())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(&self.outside), ["dir", "secret"]);
        assert_eq!(names(&self.outside.join("dir")), ["secret"]);
        assert_eq!(std::fs::read(self.outside.join("secret")).unwrap(), SECRET);
        assert_eq!(
            std::fs::read(self.outside.join("dir/secret")).unwrap(),
            SECRET
        );
    }

    /// The root by both ways of opening.
    pub(super) fn both(&self) -> Vec<Root> {
        both(&self.root)
    }
}

pub(super) fn both(path: &Path) -> Vec<Root> {
    vec![
        Root::open(path).unwrap(),
        #[cfg(target_os = "linux")]
        Root::open_walking(path).unwrap(),
    ]
}

pub(super) fn at(path: impl Into<Vec<u8>>) -> RepoPath {
    RepoPath::new(path).unwrap()
}

/// The error's kind as a word, for tables.
pub(super) fn word(error: &FsError) -> &'static str {
    match error {
        FsError::NotFound { .. } => "absent",
        FsError::Exists { .. } => "exists",
        FsError::Outside { .. } => "outside",
        FsError::Symlink { .. } => "symlink",
        FsError::NotSymlink { .. } => "not a symlink",
        FsError::NotDirectory { .. } => "not a folder",
        FsError::NotRegular { .. } => "not regular",
        FsError::TooLarge { .. } => "too large",
        FsError::NotPrivate { .. } => "not private",
        FsError::DiskFull { .. } => "full",
        FsError::Denied { .. } => "denied",
        FsError::Io { .. } => "io",
    }
}
