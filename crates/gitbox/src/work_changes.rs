//! What stands in a work tree now, as evidence (MEM-07): branch, base commit, changed files. Never a condition for anything.
//!
//! git is asked for nothing but `rev-parse` and `branch --show-current` (CNF-06): index, objects and work tree are read by our
//! own code, which runs no filter and no file-system monitor. A file behind a filter that was touched since it was checked
//! out counts as changed. What stands in a submodule is not looked at.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for a limit.

mod difference;
mod head;
mod look;
mod raw_index;
mod raw_objects;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use taffrail_domain::{Ended, FileMode, Oid, RepoPath};

use crate::blob::ObjectFormat;
use crate::runner::Git;
use crate::work_tree::is_top_of;

/// Each question to git. Measured: 2–5 ms.
const ASK: Duration = Duration::from_secs(2);

/// The files of a commit.
type Head = BTreeMap<RepoPath, (FileMode, Oid)>;

/// How far is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkLimits {
    /// For everything but the questions to git.
    pub time: Duration,
    /// Files in the index.
    pub entries: usize,
    /// Changed files that are taken note of.
    pub changes: usize,
    /// Bytes of the diff.
    pub patch: usize,
}

impl Default for WorkLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_millis(300),
            entries: 20_000,
            changes: 2_000,
            patch: 1 << 20,
        }
    }
}

/// What stands in a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkChanges {
    /// The branch; none on a detached head.
    pub branch: Option<String>,
    /// The commit that is checked out; none before the first one.
    pub base: Option<Oid>,
    /// What differs from that commit, or why that is not said.
    pub changed: Result<Changed, &'static str>,
}

/// What differs from the commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// In the order of the bytes of their paths.
    pub files: Vec<ChangedFile>,
    /// The diff, not redacted. A credential's content is not in it, nor what is no text.
    pub patch: Vec<u8>,
    /// What was left out for a limit, one phrase each; empty where this is everything.
    pub left_out: Vec<&'static str>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where.
    pub path: RepoPath,
    /// How.
    pub status: WorkStatus,
    /// Lines that came and went; none where they were not counted.
    pub lines: Option<(u32, u32)>,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkStatus {
    /// New, and known to the index.
    Added,
    /// New, and neither known nor ignored.
    Untracked,
    /// Of other content or mode.
    Modified,
    /// Gone.
    Deleted,
    /// A merge left more than one version of it.
    Conflicted,
}

impl WorkStatus {
    /// The stable name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Untracked => "untracked",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Conflicted => "conflicted",
        }
    }
}

/// Until when is looked.
struct Deadline(Instant);

impl Deadline {
    fn is_over(&self) -> bool {
        Instant::now() >= self.0
    }
}

/// Where the parts of a repository lie.
struct Places {
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    format: ObjectFormat,
}

/// What stands in the work tree that a folder lies in; none outside of git.
pub fn work_changes(git: &Git, folder: &Path, limits: &WorkLimits) -> Option<WorkChanges> {
    let ask = |args: &[&str]| {
        let call = git.call([], folder);
        let call = args.iter().fold(call, |call, arg| call.arg(arg));
        let output = call.within(ASK).output().ok()?;
        (output.ended == Ended::Exited(0)).then_some(output.stdout)
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    let places = ask(&[
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--absolute-git-dir",
        "--git-common-dir",
        "--show-object-format",
    ])?;
    let places = Places::read(&places);
    // `core.worktree` can name any folder: a work tree is where its own files are.
    if places
        .as_ref()
        .is_some_and(|at| !is_top_of(&at.root, folder))
    {
        return None;
    }
    let base = ask(&["rev-parse", "--verify", "--quiet", "HEAD"]);
    let base: Option<Oid> = base.and_then(|oid| text(oid).parse().ok());
    let branch = ask(&["branch", "--show-current"]).map(text);
    let changed = match &places {
        Some(places) => look::changed(git, places, base.as_ref(), limits),
        None => Err("a path of the repository is not understood"),
    };
    Some(WorkChanges {
        branch: branch.filter(|name| !name.is_empty()),
        base,
        changed,
    })
}

impl Places {
    /// Four lines; a path with a line break in it is not understood.
    fn read(bytes: &[u8]) -> Option<Self> {
        let lines: Vec<&[u8]> = bytes
            .strip_suffix(b"\n")?
            .split(|at| *at == b'\n')
            .collect();
        let [root, git_dir, common_dir, format] = lines.as_slice() else {
            return None;
        };
        let path = |bytes: &&[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        Some(Self {
            root: path(root),
            git_dir: path(git_dir),
            common_dir: path(common_dir),
            format: ObjectFormat::named(std::str::from_utf8(format).ok()?)?,
        })
    }
}
