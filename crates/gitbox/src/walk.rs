//! Everything in a tree that git would track, and what it would ignore. The tree is hostile: no symlink is followed,
//! nothing of git is read in it but `.gitignore`.

use std::collections::{BTreeMap, HashMap, HashSet};

use taffrail_confine::fs::{Entry, EntryKind, Root, Stat};
use taffrail_domain::{FileMode, Oid, Refusal, RepoPath};

use crate::error::GitError;
use crate::ignored::{Rules, below};
use crate::names;

/// Paths in one tree. Two million took 6 s and 1 GiB in a trial; a tree beyond that is no project.
const MOST_PATHS: usize = 2_000_000;

/// The files of a tree as git has them.
pub(crate) type Files = BTreeMap<RepoPath, (FileMode, Oid)>;

/// What one path is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A regular file.
    File(Stat),
    /// A symlink.
    Symlink,
    /// Something that never lands.
    Refused(Refusal),
}

/// One path of the tree.
#[derive(Debug)]
pub(crate) struct Found {
    pub path: RepoPath,
    pub kind: Kind,
}

/// What is in a tree.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Tracked, and untracked that is not ignored.
    pub found: Vec<Found>,
    /// Untracked and ignored: files, and folders that hold nothing tracked.
    pub ignored: Vec<(RepoPath, EntryKind)>,
    /// Paths of which another name in the same folder folds to the same.
    pub collisions: HashSet<RepoPath>,
    /// Submodules that are there as empty folders.
    pub submodules: HashSet<RepoPath>,
}

/// Walks the tree at `root`. `tracked` are never ignored; `skip` is not looked at.
pub(crate) fn walk(
    root: &Root,
    tracked: &Files,
    rules: &Rules,
    skip: &[RepoPath],
) -> Result<Walked, GitError> {
    let mut walk = Walk {
        root,
        tracked,
        folders: tracked_folders(tracked),
        skip: skip.iter().collect(),
        out: Walked::default(),
    };
    let mut todo = vec![Folder {
        path: None,
        rules: rules.clone(),
        ignored: false,
    }];
    while let Some(folder) = todo.pop() {
        walk.folder(&folder, &mut todo)?;
        if walk.out.found.len() + walk.out.ignored.len() > MOST_PATHS {
            return Err(GitError::TooMuch {
                what: "paths in the checkout",
                limit: format!("{MOST_PATHS} paths"),
            });
        }
    }
    Ok(walk.out)
}

struct Folder {
    path: Option<RepoPath>,
    rules: Rules,
    /// Only what is tracked counts beneath an ignored folder.
    ignored: bool,
}

struct Walk<'a> {
    root: &'a Root,
    tracked: &'a Files,
    folders: HashSet<&'a [u8]>,
    skip: HashSet<&'a RepoPath>,
    out: Walked,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Folder, todo: &mut Vec<Folder>) -> Result<(), GitError> {
        let entries = self.root.entries(folder.path.as_ref())?;
        let rules = if entries.iter().any(|entry| entry.name == b".gitignore") {
            folder.rules.in_folder(self.root, folder.path.as_ref())
        } else {
            folder.rules.clone()
        };
        let mut kept = Vec::new();
        for entry in &entries {
            let path = below(folder.path.as_ref(), &entry.name)
                .ok_or_else(|| GitError::Listing(String::from_utf8_lossy(&entry.name).into()))?;
            let top_git = folder.path.is_none() && entry.name == b".git";
            if top_git || self.skip.contains(&path) {
                continue;
            }
            let ignored = folder.ignored || rules.ignore(&path, entry.kind == EntryKind::Dir);
            if self.entry(entry, &path, ignored, &rules, todo)? {
                kept.push(path);
            }
        }
        self.note_collisions(kept);
        Ok(())
    }

    /// Takes one entry; whether git would keep it or something beneath it.
    fn entry(
        &mut self,
        entry: &Entry,
        path: &RepoPath,
        ignored: bool,
        rules: &Rules,
        todo: &mut Vec<Folder>,
    ) -> Result<bool, GitError> {
        let tracked = self.tracked.get(path).map(|(mode, _)| *mode);
        let holds_tracked = self.folders.contains(path.as_bytes());
        if names::is_git_folder(&entry.name) {
            let plain = entry.name == b".git";
            self.refuse(
                path,
                if plain {
                    Refusal::Gitlink
                } else {
                    Refusal::GitFolder
                },
            );
        } else if tracked == Some(FileMode::Gitlink) {
            self.submodule(entry, path)?;
        } else if ignored && tracked.is_none() && !holds_tracked {
            self.out.ignored.push((path.clone(), entry.kind));
            return Ok(false);
        } else {
            match entry.kind {
                EntryKind::Dir => todo.push(Folder {
                    path: Some(path.clone()),
                    rules: rules.clone(),
                    ignored,
                }),
                EntryKind::File => self.push(path, Kind::File(entry.stat)),
                EntryKind::Symlink => self.push(path, Kind::Symlink),
                EntryKind::Other => self.refuse(path, Refusal::SpecialFile),
            }
        }
        Ok(true)
    }

    /// A submodule is there as an empty folder; anything else in its place never lands.
    fn submodule(&mut self, entry: &Entry, path: &RepoPath) -> Result<(), GitError> {
        let empty = entry.kind == EntryKind::Dir && self.root.entries(Some(path))?.is_empty();
        if empty {
            self.out.submodules.insert(path.clone());
        } else {
            self.refuse(path, Refusal::Gitlink);
        }
        Ok(())
    }

    fn refuse(&mut self, path: &RepoPath, refusal: Refusal) {
        self.push(path, Kind::Refused(refusal));
    }

    fn push(&mut self, path: &RepoPath, kind: Kind) {
        self.out.found.push(Found {
            path: path.clone(),
            kind,
        });
    }

    /// Only a folder with a new name can hold a new collision.
    fn note_collisions(&mut self, paths: Vec<RepoPath>) {
        let old = |path: &RepoPath| {
            self.tracked.contains_key(path) || self.folders.contains(path.as_bytes())
        };
        if paths.iter().all(old) {
            return;
        }
        let mut by_name: HashMap<Vec<u8>, Vec<RepoPath>> = HashMap::new();
        for path in paths {
            let name = names::folded(path.name());
            by_name.entry(name).or_default().push(path);
        }
        let several = by_name.into_values().filter(|paths| paths.len() > 1);
        self.out.collisions.extend(several.flatten());
    }
}

/// Every folder that holds something tracked.
pub(crate) fn tracked_folders(files: &Files) -> HashSet<&[u8]> {
    let mut folders = HashSet::new();
    for path in files.keys() {
        let mut bytes = path.as_bytes();
        while let Some(at) = memchr::memrchr(b'/', bytes) {
            bytes = bytes.get(..at).unwrap_or_default();
            // What is above a known folder is known.
            if !folders.insert(bytes) {
                break;
            }
        }
    }
    folders
}
