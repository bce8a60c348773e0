//! A project beside a folder that nothing may reach, with Taffrail's home in it.
#![allow(dead_code)] // each test file uses a part of it
#![allow(clippy::unwrap_used)] // helpers of tests

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use taffrail_tools::{
    FileText, Files, ListFiles, ProjectFiles, ReadFile, SearchText, TextFound, ToolError, Watch,
};
use tempfile::TempDir;

/// What stands in every file that must not be read.
pub const SECRET: &str = "outside";

pub struct Ground {
    _dir: TempDir,
    pub top: PathBuf,
    pub root: PathBuf,
    pub outside: PathBuf,
}

impl Ground {
    pub fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// In memory, where there is such a place: for hundreds of writes that each reach the disk.
    pub fn in_memory() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm");
        Self::of(dir.or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn of(dir: TempDir) -> Self {
        let top = dir.path().canonicalize().unwrap();
        let (root, outside) = (top.join("root"), top.join("outside"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(outside.join("dir")).unwrap();
        fs::write(outside.join("secret"), SECRET).unwrap();
        fs::write(outside.join("dir/secret"), SECRET).unwrap();
        Self {
            _dir: dir,
            top,
            root,
            outside,
        }
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn link(&self, target: &str, path: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// The project's files; Taffrail's home is `state` in it.
    pub fn files(&self) -> ProjectFiles {
        ProjectFiles::open(&self.root, &[self.root.join("state")]).unwrap()
    }
}

/// Nobody takes the call back; counts what it is told.
#[derive(Default)]
pub struct Patient {
    pub told: Cell<u64>,
}

impl Watch for Patient {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: u64, _: Option<u64>) {
        self.told.set(self.told.get() + 1);
    }
}

/// Takes the call back after so many files.
pub struct Impatient(pub Cell<u64>);

impl Watch for Impatient {
    fn is_cancelled(&self) -> bool {
        self.0.get() == 0
    }

    fn progress(&self, _: u64, _: Option<u64>) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

pub fn read(files: &ProjectFiles, path: &str) -> Result<FileText, ToolError> {
    read_lines(files, path, 1, 2_000)
}

pub fn read_lines(
    files: &ProjectFiles,
    path: &str,
    line: u64,
    limit: u64,
) -> Result<FileText, ToolError> {
    files.read_file(&ReadFile {
        path: path.to_owned(),
        line,
        limit,
    })
}

pub fn listing(path: Option<&str>, glob: Option<&str>, limit: u64) -> ListFiles {
    ListFiles {
        path: path.map(str::to_owned),
        glob: glob.map(str::to_owned),
        limit,
    }
}

pub fn list(files: &ProjectFiles, path: Option<&str>) -> Result<Files, ToolError> {
    files.list_files(&listing(path, None, 1_000), &Patient::default())
}

pub fn question(query: &str) -> SearchText {
    SearchText {
        query: query.to_owned(),
        regex: false,
        case_sensitive: false,
        path: None,
        glob: None,
        limit: 500,
    }
}

pub fn search(
    files: &ProjectFiles,
    query: &str,
    path: Option<&str>,
) -> Result<TextFound, ToolError> {
    let ask = SearchText {
        path: path.map(str::to_owned),
        ..question(query)
    };
    files.search_text(&ask, &Patient::default())
}

/// The error's kind as a word, for tables.
pub fn word<T>(came: &Result<T, ToolError>) -> &'static str {
    match came {
        Ok(_) => "ok",
        Err(ToolError::Refused { .. }) => "refused",
        Err(ToolError::Unfit { .. }) => "unfit",
        Err(ToolError::Argument { .. }) => "argument",
        Err(ToolError::Interrupted) => "interrupted",
        Err(ToolError::Io { .. }) => "io",
    }
}
