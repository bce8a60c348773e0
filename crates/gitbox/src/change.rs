//! Which paths of a worktree differ from a listing: the files are hashed by our own code, in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};

use taffrail_confine::fs::{FsError, Root, Stat};
use taffrail_domain::{ChangeKind, FileMode, Oid, Refusal, RepoPath};

use crate::blob::ObjectFormat;
use crate::error::GitError;
use crate::flags;
use crate::listing::Listing;
use crate::walk::{Found, Kind, Walked};

/// A captured file may be this large.
pub(crate) const LARGEST_FILE: u64 = 256 * 1024 * 1024;
/// Threads that hash. More than two gained nothing in a trial: the disk and `openat` are shared.
const HASHERS: usize = 2;

/// One path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub path: RepoPath,
    pub old: Option<(FileMode, Oid)>,
    pub new: Result<Option<(FileMode, Oid)>, Refusal>,
}

impl Draft {
    /// What happened to the path.
    pub(crate) fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            (None, _) => ChangeKind::Added,
            (Some(_), Ok(None)) => ChangeKind::Deleted,
            (Some((was, from)), Ok(Some((is, to)))) => {
                if is_link(*was) != is_link(*is) {
                    ChangeKind::TypeChanged
                } else if from == to {
                    ChangeKind::ModeChanged
                } else {
                    ChangeKind::Modified
                }
            }
            (Some(_), Err(Refusal::TooLarge | Refusal::HardLink)) => ChangeKind::Modified,
            (
                Some(_),
                Err(
                    Refusal::SymlinkLeaves
                    | Refusal::GitFolder
                    | Refusal::Gitlink
                    | Refusal::SpecialFile,
                ),
            ) => ChangeKind::TypeChanged,
        }
    }
}

const fn is_link(mode: FileMode) -> bool {
    matches!(mode, FileMode::Symlink)
}

/// The paths that differ, sorted by bytes.
pub(crate) fn drafts(
    root: &Root,
    listing: &Listing,
    walked: &Walked,
) -> Result<Vec<Draft>, GitError> {
    let mut drafts = compare_all(root, listing, &walked.found)?;
    let mut present: Vec<&RepoPath> = walked.found.iter().map(|found| &found.path).collect();
    present.sort_unstable();
    for (path, mode, oid) in listing.files() {
        if present.binary_search(&path).is_ok() || walked.submodules.contains(path) {
            continue;
        }
        let gone = if mode == FileMode::Gitlink {
            Err(Refusal::Gitlink)
        } else {
            Ok(None)
        };
        drafts.push(Draft {
            path: path.clone(),
            old: Some((mode, oid.clone())),
            new: gone,
        });
    }
    drafts.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    Ok(drafts)
}

fn compare_all(root: &Root, listing: &Listing, found: &[Found]) -> Result<Vec<Draft>, GitError> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<Draft>, GitError> {
        let mut drafts = Vec::new();
        while let Some(one) = found.get(next.fetch_add(1, Ordering::Relaxed)) {
            drafts.extend(compare(root, listing, one)?);
        }
        Ok(drafts)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..HASHERS).map(|_| scope.spawn(work)).collect();
        let mut drafts = work()?;
        for other in others {
            let more = other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            drafts.extend(more?);
        }
        Ok(drafts)
    })
}

/// The difference of one path that is there, if any.
fn compare(root: &Root, listing: &Listing, found: &Found) -> Result<Option<Draft>, GitError> {
    let old = listing.files.get(&found.path).cloned();
    let new = match found.kind {
        Kind::Refused(refusal) => Err(refusal),
        Kind::Symlink => {
            let target = root.read_link(&found.path)?;
            let new = (FileMode::Symlink, listing.format.blob(&target));
            match flags::refusal_of_link(&found.path, &target) {
                Some(refusal) if old.as_ref() != Some(&new) => Err(refusal),
                _ => Ok(Some(new)),
            }
        }
        Kind::File(stat) => file(root, listing.format, found, stat, old.as_ref())?,
    };
    let same = matches!(&new, Ok(new) if *new == old);
    Ok((!same).then(|| Draft {
        path: found.path.clone(),
        old,
        new: match flags::refusal_of_path(&found.path) {
            Some(refusal) => new.and(Err(refusal)),
            None => new,
        },
    }))
}

type New = Result<Option<(FileMode, Oid)>, Refusal>;

fn file(
    root: &Root,
    format: ObjectFormat,
    found: &Found,
    stat: Stat,
    old: Option<&(FileMode, Oid)>,
) -> Result<New, GitError> {
    let large = stat.len > LARGEST_FILE;
    if large && old.is_none() {
        return Ok(Err(Refusal::TooLarge));
    }
    let oid = hash(root, format, &found.path, stat.len)?;
    let new = (mode_of(stat), oid);
    Ok(if old == Some(&new) {
        Ok(Some(new))
    } else if stat.links > 1 {
        Err(Refusal::HardLink)
    } else if large {
        Err(Refusal::TooLarge)
    } else {
        Ok(Some(new))
    })
}

/// The mode that git keeps for a regular file.
pub(crate) const fn mode_of(stat: Stat) -> FileMode {
    if stat.executable {
        FileMode::Executable
    } else {
        FileMode::File
    }
}

/// The blob id of a file of `size` bytes.
pub(crate) fn hash(
    root: &Root,
    format: ObjectFormat,
    path: &RepoPath,
    size: u64,
) -> Result<Oid, GitError> {
    let moving = || GitError::Moving { path: path.clone() };
    let mut file = match root.open_file(path) {
        Ok(file) => file,
        Err(FsError::NotFound { .. } | FsError::Symlink { .. } | FsError::NotRegular { .. }) => {
            return Err(moving());
        }
        Err(error) => return Err(error.into()),
    };
    format.blob_of(size, &mut file).map_err(|_| moving())
}
