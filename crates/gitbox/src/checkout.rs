//! Makes a disposable checkout (FA-10): an independent clone with no hard links, alternates, remote, hooks, config or
//! refs of the operator, whose work tree holds the bytes of the repository, unconverted.

use std::collections::BTreeSet;
use std::path::Path;

use taffrail_confine::fs::{FsError, Root, remove_tree};
use taffrail_domain::{FileMode, Oid, RepoPath};

use crate::capture::{CapturePlan, capture};
use crate::carry::{Carried, Carry};
use crate::error::GitError;
use crate::listing::Listing;
use crate::objects;
use crate::project::Project;
use crate::runner::Git;
use crate::uncommitted::{self, Uncommitted};

/// The branch of a checkout whose project has no branch checked out.
const BRANCH: &str = "main";
/// Attributes that outrank those in the tree: no filter runs, and the work tree holds a blob's very bytes, so that the
/// capture can compare ids. Diff and merge drivers stay: the agent may want them, and the clone's config has none.
const ATTRIBUTES: &[u8] = b"* -text -filter -ident -working-tree-encoding\n";
/// `.gitattributes` files up to this size are searched for filters.
const LARGEST_ATTRIBUTES: u64 = 256 * 1024;

/// What to make.
pub struct CheckoutPlan<'a> {
    /// Where; nothing may be there yet. The folder above it exists.
    pub dest: &'a Path,
    /// A folder of this run that whatever runs in the checkout cannot write to. What capture needs later is kept there.
    pub kept: &'a Path,
    /// The operator's uncommitted work becomes the checkout's first commit.
    pub include_uncommitted: bool,
    /// Ignored paths to bring along, relative to the project's root.
    pub carry: &'a [String],
    /// Credential files that may be carried: those that user config names, relative to the project's root.
    pub credentials: &'a [String],
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Bytes of the repository's objects copied so far.
    Objects(u64),
    /// Files of the work tree written so far, and of how many.
    Files(u64, u64),
    /// Bytes of carried paths copied so far.
    Carry(u64),
}

/// A checkout.
#[derive(Debug)]
pub struct Checkout {
    /// The operator's commit that it starts from.
    pub base: Oid,
    /// The branch that is checked out in it.
    pub branch: String,
    /// The operator's uncommitted work, when it was included and there was any.
    pub uncommitted: Option<Uncommitted>,
    /// What it holds before anything runs in it. Keep it outside the checkout, for the capture.
    pub listing: Listing,
    /// Ignored paths that were brought along.
    pub carried: Vec<Carried>,
    /// What a person should know is missing or different, one sentence each.
    pub not_supported: Vec<String>,
}

/// Makes the checkout. When it fails, what was made of it is removed.
///
/// # Errors
/// [`GitError::Unsupported`] when objects of the head are missing, [`GitError::Carry`] for a path that cannot be
/// carried, and what files and git give.
pub fn make_checkout(
    git: &Git,
    project: &Project,
    plan: &CheckoutPlan<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checkout, GitError> {
    refuse_existing(plan.dest)?;
    make(git, project, plan, progress).inspect_err(|_| {
        // The error that is on its way says more than one about cleaning up; the caller's sweep comes by again.
        drop(remove_tree(plan.dest));
    })
}

fn refuse_existing(dest: &Path) -> Result<(), GitError> {
    match Root::open(dest) {
        Err(FsError::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err(GitError::Fs(FsError::Exists {
            path: dest.to_owned(),
        })),
    }
}

fn make(
    git: &Git,
    project: &Project,
    plan: &CheckoutPlan<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checkout, GitError> {
    let branch = project.branch.clone().unwrap_or_else(|| BRANCH.to_owned());
    clone(git, project, plan.dest, &branch, progress)?;
    let base = project.head.clone();
    let listing = list(git, project, plan.dest, &base)?;
    check_out(git, project, plan.dest, &branch, progress)?;
    let mut checkout = Checkout {
        not_supported: notes(project, &listing, plan.dest)?,
        uncommitted: None,
        carried: Vec::new(),
        base,
        branch,
        listing,
    };
    if plan.include_uncommitted {
        include_uncommitted(git, project, plan, &mut checkout)?;
    } else {
        checkout
            .not_supported
            .extend(left_uncommitted(git, project, &checkout.listing)?);
    }
    let mut copied = 0;
    let carry = Carry {
        project,
        listing: &checkout.listing,
        named: plan.carry,
        credentials: plan.credentials,
    };
    let (carried, notes) = carry.run(plan.dest, &mut |bytes| {
        copied += bytes;
        progress(Progress::Carry(copied));
    })?;
    checkout.carried = carried;
    checkout.not_supported.extend(notes);
    checkout.listing.carried = checkout
        .carried
        .iter()
        .map(|one| one.path.clone())
        .collect();
    Ok(checkout)
}

/// A sentence about changes to tracked files that were not asked for.
fn left_uncommitted(
    git: &Git,
    project: &Project,
    head: &Listing,
) -> Result<Option<String>, GitError> {
    let changed = match uncommitted::changed_tracked(git, project, head)? {
        0 => return Ok(None),
        1 => "1 file with uncommitted changes stays".to_owned(),
        several => format!("{several} files with uncommitted changes stay"),
    };
    Ok(Some(format!(
        "{changed} as committed: --include-uncommitted brings them along"
    )))
}

/// An empty repository with the project's objects and one branch at the head.
fn clone(
    git: &Git,
    project: &Project,
    dest: &Path,
    branch: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), GitError> {
    let above = dest.parent().unwrap_or(dest);
    git.call(["init", "--quiet", "--template="], above)
        .arg(format!("--object-format={}", project.object_format.name()))
        .arg(format!("--initial-branch={branch}"))
        .arg("--")
        .arg(dest)
        .bytes()?;
    let git_dir = dest.join(".git");
    let mut copied = 0;
    objects::bring(git, project, &git_dir, &mut |bytes| {
        copied += bytes;
        progress(Progress::Objects(copied));
    })?;
    let root = Root::open(&git_dir)?;
    let file = |text: &str| RepoPath::new(text).map_err(|why| GitError::Listing(why.to_string()));
    root.create_dirs(&file("info")?, 0o777)?;
    root.write_new(&file("info/attributes")?, ATTRIBUTES, 0o666)?;
    git.call(["update-ref"], dest)
        .arg(format!("refs/heads/{branch}"))
        .arg(project.head.as_str())
        .bytes()?;
    Ok(())
}

/// The listing of a commit, from the clone, in which nothing has run yet.
fn list(git: &Git, project: &Project, dest: &Path, commit: &Oid) -> Result<Listing, GitError> {
    let bytes = git
        .call(["ls-tree", "-r", "-z", "--full-tree"], dest)
        .arg(commit.as_str())
        .long()
        .bytes()
        .map_err(|error| incomplete(project, error))?;
    Listing::from_ls_tree(project.object_format, commit, &bytes)
}

fn check_out(
    git: &Git,
    project: &Project,
    dest: &Path,
    branch: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), GitError> {
    let mut line = Vec::new();
    git.call(["read-tree", "--reset", "-u", "-v"], dest)
        .arg(format!("refs/heads/{branch}"))
        .long()
        .watched(&mut |bytes| {
            for byte in bytes {
                if matches!(byte, b'\r' | b'\n') {
                    files_done(&line).into_iter().for_each(&mut *progress);
                    line.clear();
                } else if line.len() < 200 {
                    line.push(*byte);
                }
            }
        })
        .map_err(|error| incomplete(project, error))?;
    Ok(())
}

/// `Updating files:  45% (9/20)`
fn files_done(line: &[u8]) -> Option<Progress> {
    let text = std::str::from_utf8(line).ok()?;
    let (_, counts) = text.strip_prefix("Updating files:")?.split_once('(')?;
    let (done, rest) = counts.split_once('/')?;
    let (total, _) = rest.split_once(')')?;
    Some(Progress::Files(done.parse().ok()?, total.parse().ok()?))
}

/// In a partial clone an error of reading objects means that they were never fetched.
fn incomplete(project: &Project, error: GitError) -> GitError {
    match error {
        GitError::Failed { .. } if project.partial => GitError::Unsupported {
            path: project.root.clone(),
            what: "it is a partial clone, and objects of its head were never fetched".to_owned(),
        },
        other => other,
    }
}

fn include_uncommitted(
    git: &Git,
    project: &Project,
    plan: &CheckoutPlan<'_>,
    checkout: &mut Checkout,
) -> Result<(), GitError> {
    let mut work = uncommitted::find(git, project, &checkout.listing)?;
    checkout.not_supported.append(&mut work.left_out);
    if work.is_empty() {
        return Ok(());
    }
    let (from, to) = (Root::open(&project.root)?, Root::open(plan.dest)?);
    work.apply(&from, &to)?;
    let commit = uncommitted::commit(git, project, plan.dest, &checkout.branch)?;
    keep_objects(git, project, plan, &commit)?;
    let mut patch = Vec::new();
    let captured = capture(
        git,
        project,
        &CapturePlan {
            listing: &checkout.listing,
            worktree: plan.dest,
            kept: Some(plan.kept),
            is_secret: &|_| false,
        },
        &mut patch,
    )?;
    checkout.listing = list(git, project, plan.dest, &commit)?;
    checkout.uncommitted = Some(Uncommitted {
        commit,
        changes: captured.changes,
        patch,
        hash: captured.hash,
    });
    Ok(())
}

/// The first commit's own objects, where nothing that runs in the checkout can touch them.
fn keep_objects(
    git: &Git,
    project: &Project,
    plan: &CheckoutPlan<'_>,
    commit: &Oid,
) -> Result<(), GitError> {
    let folder = RepoPath::new("objects/pack").map_err(|why| GitError::Listing(why.to_string()))?;
    Root::open(plan.kept)?.create_dirs(&folder, 0o700)?;
    let revisions = format!("{commit}\n^{}\n", project.head);
    let clone = plan.dest.join(".git");
    objects::pack_into(git, &clone, &plan.kept.join("objects"), &revisions)
}

/// What a person should know about this checkout.
fn notes(project: &Project, listing: &Listing, dest: &Path) -> Result<Vec<String>, GitError> {
    let mut notes: Vec<String> = listing
        .submodules()
        .map(|path| format!("the submodule `{}` is an empty folder", path.to_text()))
        .collect();
    if project.sparse {
        notes
            .push("the whole tree is checked out, although the project's own is sparse".to_owned());
    }
    if project.shallow {
        notes.push("the history is cut off where the project's own is".to_owned());
    }
    for filter in filters(listing, dest)? {
        notes.push(if filter == "lfs" {
            "files of git-lfs are pointers".to_owned()
        } else {
            format!("files of the filter `{filter}` are as the repository stores them")
        });
    }
    Ok(notes)
}

/// The names of filters in the tree's own attributes.
fn filters(listing: &Listing, dest: &Path) -> Result<BTreeSet<String>, GitError> {
    let root = Root::open(dest)?;
    let mut filters = BTreeSet::new();
    for (path, mode, _) in listing.files() {
        if path.name() != b".gitattributes" || mode == FileMode::Symlink {
            continue;
        }
        // A list that is too large to be looked at gives no note; the checkout is the same.
        if let Ok(list) = root.read(path, LARGEST_ATTRIBUTES) {
            let text = String::from_utf8_lossy(&list);
            let words = text.split_ascii_whitespace();
            let named = words.filter_map(|word| word.strip_prefix("filter="));
            filters.extend(named.map(str::to_owned));
        }
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_10_progress_is_read() {
        let line = b"Updating files:  45% (9/20)";
        assert_eq!(files_done(line), Some(Progress::Files(9, 20)));
        assert_eq!(
            files_done(b"Updating files: 100% (20/20), done."),
            Some(Progress::Files(20, 20))
        );
        assert_eq!(files_done(b"warning: x (1/2)"), None);
    }
}
