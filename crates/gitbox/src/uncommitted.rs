//! The operator's uncommitted work, brought into a checkout as a commit of its own (`--include-uncommitted`).
//!
//! What differs is found by the facts that the index keeps of each file, and by hashing; git's own comparison would run
//! the repository's filters.

use std::collections::BTreeMap;
use std::path::Path;

use taffrail_confine::fs::{EntryKind, FsError, Root, Stat, is_credential};
use taffrail_domain::{Change, ChangeHash, FileMode, Oid, RepoPath};

use crate::carry::operator_rules;
use crate::change::{LARGEST_FILE, hash, mode_of};
use crate::error::GitError;
use crate::index::{self, Known};
use crate::listing::Listing;
use crate::project::Project;
use crate::runner::Git;
use crate::walk::{Files, Found, Kind, walk};

/// The operator's uncommitted work, as the checkout's first commit has it.
#[derive(Debug)]
pub struct Uncommitted {
    /// The first commit, in the checkout only.
    pub commit: Oid,
    /// What it changes.
    pub changes: Vec<Change>,
    /// The diff, byte-exact, for [`land`](crate::land).
    pub patch: Vec<u8>,
    /// SHA-256 of the diff.
    pub hash: ChangeHash,
}

/// What has to be done to a checkout of the head to make it what the operator sees.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Copied as they are.
    pub copy: Vec<RepoPath>,
    /// Written with line ends as the repository has them.
    pub write: Vec<(RepoPath, Vec<u8>, FileMode)>,
    /// Removed.
    pub remove: Vec<RepoPath>,
    /// What could not be taken, one sentence each.
    pub left_out: Vec<String>,
}

impl Work {
    pub(crate) fn is_empty(&self) -> bool {
        self.copy.is_empty() && self.write.is_empty() && self.remove.is_empty()
    }

    /// Does it to the checkout at `to`.
    pub(crate) fn apply(&self, from: &Root, to: &Root) -> Result<(), GitError> {
        for path in &self.remove {
            to.remove_tree(path)?;
        }
        for path in &self.copy {
            // A file may take the place of a folder whose files are gone.
            to.remove_tree(path)?;
            to.copy_from(from, path, &mut |_| ())?;
        }
        for (path, bytes, mode) in &self.write {
            to.remove_tree(path)?;
            let bits = if *mode == FileMode::Executable {
                0o777
            } else {
                0o666
            };
            to.write_new(path, bytes, bits)?;
        }
        Ok(())
    }
}

/// Finds the operator's uncommitted work.
pub(crate) fn find(git: &Git, project: &Project, head: &Listing) -> Result<Work, GitError> {
    let root = Root::open(&project.root)?;
    let index = index::read(git, project)?;
    let tracked: Files = index
        .iter()
        .map(|(path, known)| (path.clone(), (known.mode, known.oid.clone())))
        .collect();
    let walked = walk(&root, &tracked, &operator_rules(project), &[])?;
    let mut search = Search {
        root: &root,
        head,
        index: &index,
        work: Work::default(),
        dirty: Vec::new(),
    };
    let mut present = std::collections::HashSet::new();
    for found in &walked.found {
        present.insert(&found.path);
        search.look(found)?;
    }
    for (path, mode, _) in head.files() {
        let hidden = index.get(path).is_some_and(|known| known.hidden);
        if !present.contains(path) && !hidden && mode != FileMode::Gitlink {
            search.work.remove.push(path.clone());
        }
    }
    let Search {
        mut work, dirty, ..
    } = search;
    settle(git, project, &root, head, &dirty, &mut work)?;
    Ok(work)
}

/// How many tracked files are changed or gone. Looks at their facts, and hashes those that were touched; a file behind
/// a conversion counts as changed when it was touched.
pub(crate) fn changed_tracked(
    git: &Git,
    project: &Project,
    head: &Listing,
) -> Result<usize, GitError> {
    let root = Root::open(&project.root)?;
    let index = index::read(git, project)?;
    let mut changed = head
        .files()
        .filter(|(path, _, _)| !index.contains_key(path))
        .count();
    for (path, known) in index.iter().filter(|(_, known)| !known.hidden) {
        let staged = head.files.get(path) != Some(&(known.mode, known.oid.clone()));
        changed += usize::from(staged || is_touched(&root, head, path, known)?);
    }
    Ok(changed)
}

/// Whether the file of an entry has other content than the index says.
fn is_touched(
    root: &Root,
    head: &Listing,
    path: &RepoPath,
    known: &Known,
) -> Result<bool, GitError> {
    if !matches!(known.mode, FileMode::File | FileMode::Executable) {
        return Ok(false);
    }
    let (kind, stat) = match root.stat(path) {
        Ok(found) => found,
        Err(FsError::NotFound { .. } | FsError::NotDirectory { .. } | FsError::Symlink { .. }) => {
            return Ok(true);
        }
        Err(error) => return Err(error.into()),
    };
    if kind != EntryKind::File || mode_of(stat) != known.mode {
        return Ok(true);
    }
    if known.is_unchanged(&stat) || stat.len > LARGEST_FILE {
        return Ok(false);
    }
    Ok(hash(root, head.format, path, stat.len)? != known.oid)
}

struct Search<'a> {
    root: &'a Root,
    head: &'a Listing,
    index: &'a BTreeMap<RepoPath, Known>,
    work: Work,
    /// Tracked files whose bytes are not the repository's: changed, or checked out through a conversion.
    dirty: Vec<(RepoPath, Stat)>,
}

impl Search<'_> {
    fn look(&mut self, found: &Found) -> Result<(), GitError> {
        let path = &found.path;
        match found.kind {
            Kind::Refused(refusal) => {
                self.leave(path, refusal.name());
                Ok(())
            }
            Kind::Symlink => {
                let target = self.root.read_link(path)?;
                let now = (FileMode::Symlink, self.head.format.blob(&target));
                if self.head.files.get(path) != Some(&now) {
                    self.work.copy.push(path.clone());
                }
                Ok(())
            }
            Kind::File(stat) => self.file(path, stat),
        }
    }

    fn file(&mut self, path: &RepoPath, stat: Stat) -> Result<(), GitError> {
        let before = self.head.files.get(path);
        let known = self.index.get(path);
        if known.is_none() && before.is_none() {
            if is_credential(path) {
                self.leave(path, "it holds credentials");
            } else if stat.len > LARGEST_FILE {
                self.leave(path, "it is larger than 256 MiB");
            } else {
                self.work.copy.push(path.clone());
            }
            return Ok(());
        }
        if known.is_some_and(|known| known.hidden) {
            return Ok(());
        }
        let mode = mode_of(stat);
        // What is as it was checked out is as the index has it, whatever conversion it went through.
        let clean = known.filter(|known| known.is_unchanged(&stat));
        if let (Some(known), Some((was, oid))) = (clean, before)
            && known.oid == *oid
            && mode == *was
        {
            return Ok(());
        }
        let oid = hash(self.root, self.head.format, path, stat.len)?;
        if before != Some(&(mode, oid)) {
            self.dirty.push((path.clone(), stat));
        }
        Ok(())
    }

    fn leave(&mut self, path: &RepoPath, why: &str) {
        let text = format!("uncommitted `{}` stays behind: {why}", path.to_text());
        self.work.left_out.push(text);
    }
}

/// Decides about files whose bytes are not the repository's, by the attributes they have.
fn settle(
    git: &Git,
    project: &Project,
    root: &Root,
    head: &Listing,
    dirty: &[(RepoPath, Stat)],
    work: &mut Work,
) -> Result<(), GitError> {
    let paths: Vec<&RepoPath> = dirty.iter().map(|(path, _)| path).collect();
    let attributes = index::attributes(git, project, &paths)?;
    for (path, stat) in dirty {
        let attributes = attributes.get(path).copied().unwrap_or_default();
        if attributes.converted {
            work.left_out.push(format!(
                "`{}` is as it was committed: a filter or an encoding stands between it and the repository",
                path.to_text()
            ));
            continue;
        }
        if stat.len > LARGEST_FILE {
            let text = format!(
                "uncommitted `{}` stays behind: it is larger than 256 MiB",
                path.to_text()
            );
            work.left_out.push(text);
            continue;
        }
        if !attributes.line_ends {
            work.copy.push(path.clone());
            continue;
        }
        let bytes = root.read(path, LARGEST_FILE)?;
        let bytes = if crate::patch::is_binary(&bytes) {
            bytes
        } else {
            unix_line_ends(&bytes)
        };
        let now = (mode_of(*stat), head.format.blob(&bytes));
        if head.files.get(path) != Some(&now) {
            work.write.push((path.clone(), bytes, now.0));
        }
    }
    Ok(())
}

/// `\r\n` as `\n`, as git stores text.
fn unix_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        let (line, tail) = rest.split_at(at);
        out.extend_from_slice(line);
        rest = tail.get(1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// The commit of everything that the checkout's work tree holds. Nothing has run in the checkout yet, and its config
/// is ours, so that git may be asked there.
pub(crate) fn commit(
    git: &Git,
    project: &Project,
    dest: &Path,
    branch: &str,
) -> Result<Oid, GitError> {
    let oid = |text: String| text.parse::<Oid>().map_err(GitError::Listing);
    git.call(["add", "--all", "--force", "."], dest)
        .long()
        .bytes()?;
    let tree = git.call(["write-tree"], dest).long().text()?;
    let identity = [
        ("GIT_AUTHOR_NAME", "taffrail"),
        ("GIT_AUTHOR_EMAIL", "taffrail@localhost"),
        ("GIT_COMMITTER_NAME", "taffrail"),
        ("GIT_COMMITTER_EMAIL", "taffrail@localhost"),
    ];
    let call = git
        .call(["commit-tree"], dest)
        .arg(tree)
        .arg("-p")
        .arg(project.head.as_str())
        .stdin("Uncommitted work of the operator\n");
    let call = identity
        .iter()
        .fold(call, |call, (name, value)| call.env(name, value));
    let commit = oid(call.text()?)?;
    git.call(["update-ref"], dest)
        .arg(format!("refs/heads/{branch}"))
        .arg(commit.as_str())
        .bytes()?;
    Ok(commit)
}
