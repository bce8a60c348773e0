//! Which work tree a folder lies in, and nothing more: no commit is needed, and nothing of its config counts.

#![allow(clippy::disallowed_methods)] // Looks where git's marks are, which git is not believed about.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_domain::Ended;

use crate::error::GitError;
use crate::project::not_a_project;
use crate::runner::Git;

/// Each question to git. Measured: 2–5 ms; a config that includes a pipe is waited for as long as this.
const ASK: Duration = Duration::from_secs(10);

/// Submodules inside of submodules are followed so far.
const DEEPEST: usize = 16;

/// A work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// Its top folder; of a submodule, that of the outermost work tree that it is a part of.
    pub root: PathBuf,
    /// The git folder that it shares with the work trees linked to it.
    pub common_dir: PathBuf,
}

impl WorkTree {
    /// The top folder of the main work tree: itself, or the one that it is linked to where that is beside its git folder.
    pub fn main_root(&self) -> &Path {
        let beside = self.common_dir.parent();
        let named = self
            .common_dir
            .file_name()
            .is_some_and(|name| name == ".git");
        beside
            .filter(|beside| named && beside.is_dir())
            .unwrap_or(&self.root)
    }
}

/// The work tree that a folder lies in; none outside of git, in a bare repository, in a git folder, and in a repository
/// of another user. Runs `rev-parse`.
///
/// # Errors
/// What running git can give.
pub fn work_tree(git: &Git, folder: &Path) -> Result<Option<WorkTree>, GitError> {
    let Some(mut found) = at(git, folder)? else {
        return Ok(None);
    };
    for _ in 0..DEEPEST {
        match outer(git, &found)? {
            Some(outer) => found = outer,
            None => break,
        }
    }
    Ok(Some(found))
}

/// The work tree of which this one is a submodule: one above it whose git folder holds this one's.
fn outer(git: &Git, inner: &WorkTree) -> Result<Option<WorkTree>, GitError> {
    let Some(above) = inner.root.parent() else {
        return Ok(None);
    };
    let outer = at(git, above)?;
    Ok(outer.filter(|outer| {
        inner
            .common_dir
            .starts_with(outer.common_dir.join("modules"))
    }))
}

fn at(git: &Git, folder: &Path) -> Result<Option<WorkTree>, GitError> {
    let ask = |flag: &str| {
        let call = git.call(["rev-parse", "--path-format=absolute", flag], folder);
        call.within(ASK)
    };
    let output = ask("--show-toplevel").output()?;
    if output.ended != Ended::Exited(0) {
        return match not_a_project(folder, &output) {
            GitError::NotARepository { .. }
            | GitError::OtherOwner { .. }
            | GitError::Unsupported { .. } => Ok(None),
            other => Err(other),
        };
    }
    let root = ask("--show-toplevel").path()?;
    if !is_top_of(&root, folder) {
        return Ok(None);
    }
    let git_dir = ask("--absolute-git-dir").path()?;
    let common_dir = ask("--git-common-dir").path()?;
    let common_dir = if is_its_own(&root, &git_dir, &common_dir) {
        common_dir
    } else {
        root.join(".git")
    };
    Ok(Some(WorkTree { root, common_dir }))
}

/// Whether the work tree that a folder lies in begins at `root`: where git's own mark is. `core.worktree` can name any folder,
/// also one above, and a project is where its own files are.
pub(crate) fn is_top_of(root: &Path, folder: &Path) -> bool {
    marked(folder) == Some(root)
}

/// The nearest folder above and with this one that has git's mark, whether or not git takes it for a repository.
pub(crate) fn marked(folder: &Path) -> Option<&Path> {
    let has_mark = |place: &&Path| {
        let mark = place.join(".git");
        mark.is_file() || mark.join("HEAD").symlink_metadata().is_ok()
    };
    folder.ancestors().find(has_mark)
}

/// Whether a git folder knows of this work tree. A file or a link `.git`, and a `commondir`, can name any repository; whose
/// they name would be taken for the project.
fn is_its_own(root: &Path, git_dir: &Path, common_dir: &Path) -> bool {
    if git_dir == common_dir {
        // Beside its own work tree it is that one's. Of a submodule, or apart from every work tree, it has another name.
        let of_a_tree = git_dir.file_name().is_some_and(|name| name == ".git");
        return !of_a_tree || git_dir.parent() == Some(root);
    }
    let is_linked = git_dir.parent() == Some(&common_dir.join("worktrees"));
    let back = std::fs::read(git_dir.join("gitdir")).unwrap_or_default();
    let back = git_dir.join(OsStr::from_bytes(back.trim_ascii_end()));
    let same = |back: PathBuf| {
        root.join(".git")
            .canonicalize()
            .is_ok_and(|own| own == back)
    };
    is_linked && back.canonicalize().is_ok_and(same)
}
