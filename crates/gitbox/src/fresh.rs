//! A new repository with one commit, for `taffrail demo`: the only repository that Taffrail ever makes.

use std::path::Path;

use taffrail_confine::fs::Root;
use taffrail_domain::{Oid, RepoPath};

use crate::error::GitError;
use crate::project::Identity;
use crate::runner::Git;

/// Makes a repository on branch `main` in an existing, empty folder, with these files in its first commit.
///
/// # Errors
/// What files and git give.
pub fn new_repository(
    git: &Git,
    folder: &Path,
    files: &[(&str, &str)],
    author: &Identity,
) -> Result<Oid, GitError> {
    let root = Root::open(folder)?;
    for (path, content) in files {
        let path = RepoPath::new(*path).map_err(|why| GitError::Listing(why.to_string()))?;
        root.write_new(&path, content.as_bytes(), 0o644)?;
    }
    git.call(
        ["init", "--quiet", "--template=", "--initial-branch=main"],
        folder,
    )
    .text()?;
    git.call(["add", "--all"], folder).text()?;
    let (name, email) = (
        format!("user.name={}", author.name),
        format!("user.email={}", author.email),
    );
    let commit = [
        "-c",
        &name,
        "-c",
        &email,
        "commit",
        "--quiet",
        "--message=start",
    ];
    git.call(commit, folder).text()?;
    let head = git.call(["rev-parse", "HEAD"], folder).text()?;
    head.trim().parse().map_err(GitError::Listing)
}
