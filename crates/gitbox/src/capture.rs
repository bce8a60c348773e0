//! What was changed in a checkout (FA-30): our own comparison of the worktree with the listing taken before anything
//! ran, written as a diff in git's format. The checkout's `.git` is never read.

use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use taffrail_confine::fs::{EntryKind, FsError, Root};
use taffrail_domain::{Change, ChangeHash, FileMode, Oid, Refusal, RepoPath};

use crate::aliases::Aliases;
use crate::blob::ObjectFormat;
use crate::change::{self, Draft};
use crate::contents::{Content, Contents, LARGEST_TEXT};
use crate::error::GitError;
use crate::flags::{self, Facts};
use crate::ignored::{Rules, below};
use crate::listing::Listing;
use crate::patch::{self, Counts};
use crate::project::Project;
use crate::runner::Git;
use crate::walk::{Kind, Walked, walk};

/// Bytes of one diff.
const LARGEST_DIFF: u64 = 2 * 1024 * 1024 * 1024;
/// Paths beneath ignored folders that are counted, all folders together.
const MOST_COUNTED: u64 = 200_000;
/// Content that is not text is searched for secrets in windows of this size.
const WINDOW: usize = 1024 * 1024;
/// What two windows share, so that a secret on the border is seen.
const OVERLAP: usize = 4 * 1024;

/// What to capture.
pub struct CapturePlan<'a> {
    /// What the checkout held before anything ran in it.
    pub listing: &'a Listing,
    /// The checkout.
    pub worktree: &'a Path,
    /// The folder that [`make_checkout`](crate::make_checkout) was given as `kept`; needed when uncommitted work was
    /// included.
    pub kept: Option<&'a Path>,
    /// Whether bytes hold something secret-shaped. Asked about what is added only.
    pub is_secret: &'a dyn Fn(&[u8]) -> bool,
}

/// What was changed.
#[derive(Debug)]
pub struct Captured {
    /// Every path that differs, sorted by bytes. Refused ones are in this list and not in the diff.
    pub changes: Vec<Change>,
    /// SHA-256 of the diff's bytes.
    pub hash: ChangeHash,
    /// Length of the diff in bytes; 0 when nothing was changed.
    pub patch_bytes: u64,
    /// What git ignores: listed, not captured.
    pub ignored: Vec<Ignored>,
}

/// An untracked file or folder that git ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Where.
    pub path: RepoPath,
    /// It is a folder.
    pub folder: bool,
    /// Files in it; 1 for a file.
    pub files: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Whether everything in it was counted; at most 200,000 paths are, all ignored folders together.
    pub counted: bool,
}

/// Compares the worktree with the listing and writes the diff. On an error what was written is worth nothing.
///
/// # Errors
/// [`GitError::Moving`] when something still writes there, [`GitError::MissingObject`] when the operator's repository
/// lost a blob of the base, [`GitError::TooMuch`] beyond 2 GiB of diff or 2,000,000 paths, and what files and git give.
pub fn capture(
    git: &Git,
    project: &Project,
    plan: &CapturePlan<'_>,
    patch: &mut dyn Write,
) -> Result<Captured, GitError> {
    // What ran in the checkout may have put a link to somewhere else in its place.
    let root = Root::open_unlocked(plan.worktree)?;
    let listing = plan.listing;
    let (walked, drafts) = match look(&root, listing) {
        // What a run locked (`chmod 000`) is captured all the same.
        Err(GitError::Fs(FsError::Denied { .. })) => {
            root.make_readable()?;
            look(&root, listing)?
        }
        other => other?,
    };
    let mut writer = DiffWriter {
        root: &root,
        format: listing.format,
        contents: Contents::new(git, project, plan.kept),
        walked: &walked,
        aliases: aliases(&root, &walked),
        is_secret: plan.is_secret,
        out: HashedOut::new(patch),
    };
    let changes = drafts
        .iter()
        .map(|draft| writer.change(draft))
        .collect::<Result<Vec<_>, _>>()?;
    let (hash, patch_bytes) = writer.out.finish()?;
    Ok(Captured {
        changes,
        hash,
        patch_bytes,
        ignored: measure(&root, &walked)?,
    })
}

fn look(root: &Root, listing: &Listing) -> Result<(Walked, Vec<Draft>), GitError> {
    let walked = walk(root, &listing.files, &Rules::none(), &listing.carried)?;
    let drafts = change::drafts(root, listing, &walked)?;
    Ok((walked, drafts))
}

/// The symlinks of the tree as it is now.
fn aliases(root: &Root, walked: &Walked) -> Aliases {
    let mut aliases = Aliases::default();
    for found in &walked.found {
        if matches!(found.kind, Kind::Symlink)
            && let Ok(target) = root.read_link(&found.path)
        {
            aliases.add(&found.path, &target);
        }
    }
    aliases
}

struct DiffWriter<'a> {
    root: &'a Root,
    format: ObjectFormat,
    contents: Contents<'a>,
    walked: &'a Walked,
    aliases: Aliases,
    is_secret: &'a dyn Fn(&[u8]) -> bool,
    out: HashedOut<'a>,
}

/// What the diff of one path showed.
#[derive(Debug, Default)]
struct Looked {
    counts: Option<Counts>,
    binary: bool,
    secret: bool,
}

impl DiffWriter<'_> {
    fn change(&mut self, draft: &Draft) -> Result<Change, GitError> {
        let (new, refused) = match &draft.new {
            Ok(new) => (new.clone(), None),
            Err(refusal) => (None, Some(*refusal)),
        };
        let looked = if refused.is_some() {
            Looked::default()
        } else {
            self.diff(&draft.path, draft.old.as_ref(), new.as_ref())?
        };
        let facts = Facts {
            path: &draft.path,
            aliases: &self.aliases.of(&draft.path),
            old: draft.old.as_ref().map(|(mode, _)| *mode),
            new: new.as_ref().map(|(mode, _)| *mode),
            binary: looked.binary,
            secret: looked.secret,
            collides: draft.old.is_none() && self.collides(&draft.path),
        };
        Ok(Change {
            kind: draft.kind(),
            flags: flags::flags(&facts),
            path: draft.path.clone(),
            old: draft.old.clone(),
            new,
            added: looked.counts.map(|counts| counts.added),
            removed: looked.counts.map(|counts| counts.removed),
            refused,
        })
    }

    /// Whether the path, or a folder above it, shares its name with another one but for case.
    fn collides(&self, path: &RepoPath) -> bool {
        if self.walked.collisions.is_empty() {
            return false;
        }
        let mut above: Option<RepoPath> = None;
        path.parts().any(|part| {
            above = below(above.as_ref(), part);
            above
                .as_ref()
                .is_some_and(|path| self.walked.collisions.contains(path))
        })
    }

    fn diff(
        &mut self,
        path: &RepoPath,
        old: Option<&(FileMode, Oid)>,
        new: Option<&(FileMode, Oid)>,
    ) -> Result<Looked, GitError> {
        match (old, new) {
            // git writes a change of type as a deletion and an addition.
            (Some((was, _)), Some((is, _)))
                if (*was == FileMode::Symlink) != (*is == FileMode::Symlink) =>
            {
                let gone = self.section(path, old, None)?;
                let come = self.section(path, None, new)?;
                Ok(joined(&gone, &come))
            }
            _ => self.section(path, old, new),
        }
    }

    fn section(
        &mut self,
        path: &RepoPath,
        old: Option<&(FileMode, Oid)>,
        new: Option<&(FileMode, Oid)>,
    ) -> Result<Looked, GitError> {
        let side = |of: Option<&'_ (FileMode, Oid)>| of.map(|(mode, oid)| (*mode, oid.clone()));
        let (before, after) = (side(old), side(new));
        let old_side = before.as_ref().map(|(mode, oid)| (*mode, oid));
        let new_side = after.as_ref().map(|(mode, oid)| (*mode, oid));
        patch::header(&mut self.out, path, old_side, new_side).map_err(output_error)?;
        if old.map(|(_, oid)| oid) == new.map(|(_, oid)| oid) {
            return Ok(Looked {
                counts: Some(Counts::default()),
                ..Looked::default()
            });
        }
        let old_content = match old {
            Some((_, oid)) => Some(self.contents.read(oid)?),
            None => None,
        };
        let new_content = match new {
            Some((mode, oid)) => Some(self.new_content(path, *mode, oid)?),
            None => None,
        };
        match (text_of(old_content.as_ref()), text_of(new_content.as_ref())) {
            (Some(before), Some(after)) => self.text(path, before, after),
            _ => self.binary(path, new, new_content),
        }
    }

    fn text(
        &mut self,
        path: &RepoPath,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<Looked, GitError> {
        let mut added = Vec::new();
        let counts = patch::text(&mut self.out, path, old, new, &mut added);
        Ok(Looked {
            counts: Some(counts.map_err(output_error)?),
            binary: false,
            secret: !added.is_empty() && (self.is_secret)(&added),
        })
    }

    fn binary(
        &mut self,
        path: &RepoPath,
        new: Option<&(FileMode, Oid)>,
        content: Option<Content>,
    ) -> Result<Looked, GitError> {
        let mut secret = false;
        match (new, content) {
            (Some(_), Some(Content::Bytes(bytes))) => {
                secret = (self.is_secret)(&bytes);
                patch::binary(&mut self.out, bytes.len() as u64, &mut bytes.as_slice())
                    .map_err(output_error)?;
            }
            (Some((_, oid)), Some(Content::Large)) => secret = self.large(path, oid)?,
            _ => patch::binary(&mut self.out, 0, &mut io::empty()).map_err(output_error)?,
        }
        Ok(Looked {
            counts: None,
            binary: new.is_some(),
            secret,
        })
    }

    /// A large file, read once more and hashed once more on the way.
    fn large(&mut self, path: &RepoPath, oid: &Oid) -> Result<bool, GitError> {
        let (_, stat) = self.root.stat(path)?;
        let file = self.root.open_file(path)?;
        let mut windows = Windows {
            inner: file.take(stat.len),
            window: Vec::new(),
            is_secret: self.is_secret,
            secret: false,
        };
        patch::binary(&mut self.out, stat.len, &mut windows).map_err(output_error)?;
        let secret = windows.finish();
        let again = change::hash(self.root, self.format, path, stat.len)?;
        if again == *oid {
            Ok(secret)
        } else {
            Err(GitError::Moving { path: path.clone() })
        }
    }

    fn new_content(&self, path: &RepoPath, mode: FileMode, oid: &Oid) -> Result<Content, GitError> {
        let bytes = if mode == FileMode::Symlink {
            self.root.read_link(path)?
        } else {
            let (_, stat) = self.root.stat(path)?;
            if stat.len > LARGEST_TEXT {
                return Ok(Content::Large);
            }
            self.root.read(path, LARGEST_TEXT)?
        };
        if self.format.blob(&bytes) == *oid {
            Ok(Content::Bytes(bytes))
        } else {
            Err(GitError::Moving { path: path.clone() })
        }
    }
}

/// The side as text: a missing side is text too, binary and large ones are not.
fn text_of(content: Option<&Content>) -> Option<Option<&[u8]>> {
    match content {
        None => Some(None),
        Some(Content::Bytes(bytes)) if !patch::is_binary(bytes) => Some(Some(bytes)),
        Some(Content::Bytes(_) | Content::Large) => None,
    }
}

fn joined(gone: &Looked, come: &Looked) -> Looked {
    let counts = gone.counts.zip(come.counts).map(|(gone, come)| Counts {
        added: gone.added + come.added,
        removed: gone.removed + come.removed,
    });
    Looked {
        counts,
        binary: come.binary,
        secret: come.secret,
    }
}

/// Looks for secrets in what is read through it.
struct Windows<'a, R> {
    inner: R,
    window: Vec<u8>,
    is_secret: &'a dyn Fn(&[u8]) -> bool,
    secret: bool,
}

impl<R> Windows<'_, R> {
    fn look(&mut self) {
        self.secret = self.secret || (self.is_secret)(&self.window);
        let done = self.window.len().saturating_sub(OVERLAP);
        self.window.drain(..done);
    }

    fn finish(mut self) -> bool {
        self.look();
        self.secret
    }
}

impl<R: Read> Read for Windows<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.window
            .extend_from_slice(buffer.get(..count).unwrap_or_default());
        if self.window.len() >= WINDOW {
            self.look();
        }
        Ok(count)
    }
}

fn output_error(error: io::Error) -> GitError {
    if error.kind() == io::ErrorKind::FileTooLarge {
        GitError::TooMuch {
            what: "bytes of the diff",
            limit: format!("{LARGEST_DIFF} bytes"),
        }
    } else {
        GitError::Output(error)
    }
}

/// Hashes and counts what it hands on.
struct HashedOut<'a> {
    out: io::BufWriter<&'a mut dyn Write>,
    digest: Sha256,
    bytes: u64,
}

impl<'a> HashedOut<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out: io::BufWriter::with_capacity(64 * 1024, out),
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    fn finish(mut self) -> Result<(ChangeHash, u64), GitError> {
        self.out.flush().map_err(output_error)?;
        Ok((ChangeHash::new(self.digest.finalize().into()), self.bytes))
    }
}

impl Write for HashedOut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > LARGEST_DIFF {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.digest.update(bytes);
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How much the ignored paths hold.
fn measure(root: &Root, walked: &Walked) -> Result<Vec<Ignored>, GitError> {
    let mut left = MOST_COUNTED;
    let mut ignored = walked
        .ignored
        .iter()
        .map(|(path, kind)| measure_one(root, path, *kind, &mut left))
        .collect::<Result<Vec<_>, _>>()?;
    ignored.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(ignored)
}

fn measure_one(
    root: &Root,
    path: &RepoPath,
    kind: EntryKind,
    left: &mut u64,
) -> Result<Ignored, GitError> {
    let mut one = Ignored {
        path: path.clone(),
        folder: kind == EntryKind::Dir,
        files: 0,
        bytes: 0,
        counted: true,
    };
    if kind != EntryKind::Dir {
        one.files = 1;
        one.bytes = root.stat(path).map_or(0, |(_, stat)| stat.len);
        return Ok(one);
    }
    let mut folders = vec![path.clone()];
    while let Some(folder) = folders.pop() {
        // What cannot be listed is not counted: it is not captured either.
        let Ok(entries) = root.entries(Some(&folder)) else {
            one.counted = false;
            continue;
        };
        for entry in entries {
            if *left == 0 {
                one.counted = false;
                return Ok(one);
            }
            *left -= 1;
            match entry.kind {
                EntryKind::Dir => folders.extend(below(Some(&folder), &entry.name)),
                EntryKind::File | EntryKind::Symlink | EntryKind::Other => {
                    one.files += 1;
                    one.bytes += entry.stat.len;
                }
            }
        }
    }
    Ok(one)
}

/// The first refused change, for a landing to name.
pub(crate) fn first_refusal(changes: &[Change]) -> Option<(&RepoPath, Refusal)> {
    changes
        .iter()
        .find_map(|change| change.refused.map(|refusal| (&change.path, refusal)))
}
