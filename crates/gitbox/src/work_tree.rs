//! Which work tree a folder lies in, and nothing more: no commit is needed, and nothing of its config counts.

use std::path::{Path, PathBuf};

use taffrail_domain::Ended;

use crate::error::GitError;
use crate::project::not_a_project;
use crate::runner::Git;

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
    let ask = |flag: &str| git.call(["rev-parse", "--path-format=absolute", flag], folder);
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
    // `core.worktree` can name any folder: a project is where its own files are.
    if !folder.starts_with(&root) {
        return Ok(None);
    }
    let common_dir = ask("--git-common-dir").path()?;
    Ok(Some(WorkTree { root, common_dir }))
}
