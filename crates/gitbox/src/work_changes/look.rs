//! Which paths differ: index against commit, work tree against index, and what neither knows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use taffrail_confine::fs::{Entry, EntryKind, FsError, Root, Stat};
use taffrail_domain::{FileMode, Oid, RepoPath};

use super::raw_index::{self, RawIndex};
use super::raw_objects::Objects;
use super::{Changed, Deadline, Head, Places, WorkLimits, WorkStatus, difference, head};
use crate::blob::ObjectFormat;
use crate::change::{hash, mode_of};
use crate::ignored::{LARGEST_LIST, Rules, below};
use crate::index::Known;
use crate::names;
use crate::runner::Git;

/// Bytes of an index: 20,000 entries of paths that are as long as can be would be more.
const LARGEST_INDEX: u64 = 32 << 20;
/// Bytes of a file that is hashed to see whether it is what it was.
const LARGEST_HASHED: u64 = 64 << 20;

const TIME: &str = "there was no time for all files";
const MANY: &str = "more files are changed than are listed";
const NO_BASE: &str = "the commit could not be read, so that files are compared with the index";

/// One path that differs.
pub(super) struct Draft {
    pub status: WorkStatus,
    pub old: Option<(FileMode, Oid)>,
    /// None: gone, or not looked at.
    pub new: Option<(FileMode, Oid)>,
}

/// What differs from `base`.
pub(super) fn changed(
    git: &Git,
    places: &Places,
    base: Option<&Oid>,
    limits: &WorkLimits,
) -> Result<Changed, &'static str> {
    let deadline = Deadline(Instant::now() + limits.time);
    let root = Root::open(&places.root).map_err(|_| "the work tree could not be opened")?;
    let index = index(places, limits.entries)?;
    let objects = Objects::open(&places.common_dir, places.format);
    let mut left_out = Vec::new();
    let head = match base {
        None => Head::new(),
        Some(base) => objects
            .as_ref()
            .and_then(|objects| {
                let hash = hash_bytes(places.format);
                head::files(objects, base, hash, &index, &deadline)
            })
            .unwrap_or_else(|| {
                left_out.push(NO_BASE);
                as_indexed(&index)
            }),
    };
    let mut look = Look {
        root: &root,
        format: places.format,
        head: &head,
        deadline: &deadline,
        most: limits.changes,
        listed: HashMap::new(),
        drafts: BTreeMap::new(),
        left_out,
    };
    look.tracked(&index);
    look.untracked(&index, operator_rules(git, places));
    let Look {
        drafts,
        mut left_out,
        ..
    } = look;
    let shown = difference::Shown {
        root: &root,
        objects: objects.as_ref(),
        deadline: &deadline,
        most: limits.patch,
    };
    let (files, patch) = shown.of(&drafts, &mut left_out);
    Ok(Changed {
        files,
        patch,
        left_out,
    })
}

const fn hash_bytes(format: ObjectFormat) -> usize {
    match format {
        ObjectFormat::Sha1 => 20,
        ObjectFormat::Sha256 => 32,
    }
}

fn index(places: &Places, most: usize) -> Result<RawIndex, &'static str> {
    let unread = "the index could not be read";
    let folder = Root::open(&places.git_dir).map_err(|_| unread)?;
    let path = RepoPath::new("index").map_err(|_| unread)?;
    // Asked before: what is written meanwhile is then hashed, not believed.
    let written = match folder.stat(&path) {
        Ok((_, stat)) => stat.mtime_ns,
        Err(FsError::NotFound { .. }) => return Ok(RawIndex::default()),
        Err(_) => return Err(unread),
    };
    let bytes = folder.read(&path, LARGEST_INDEX).map_err(|_| unread)?;
    raw_index::parse(&bytes, hash_bytes(places.format), written, most)
}

fn as_indexed(index: &RawIndex) -> Head {
    let entries = index.entries.iter();
    let known = entries.filter_map(|(path, known)| Some((path, known.as_ref()?)));
    known
        .map(|(path, known)| (path.clone(), (known.mode, known.oid.clone())))
        .collect()
}

struct Look<'a> {
    root: &'a Root,
    format: ObjectFormat,
    head: &'a Head,
    deadline: &'a Deadline,
    most: usize,
    /// Folders that were listed, by path; the top is empty. One listing asks the system once for each file, and serves the
    /// files that are known and those that are not.
    listed: HashMap<Vec<u8>, Listed>,
    drafts: BTreeMap<RepoPath, Draft>,
    left_out: Vec<&'static str>,
}

/// What is in a folder, sorted by name; or why that is not known.
type Listed = Result<Rc<Vec<Entry>>, Unlisted>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unlisted {
    /// There is no such folder.
    Gone,
    /// It is there and cannot be looked at.
    Closed,
}

/// A file of the work tree beside what the index says.
enum Now {
    Same,
    Gone,
    Is(FileMode, Oid),
    /// It differs, and is too large to say how.
    Large,
}

impl Look<'_> {
    fn tracked(&mut self, index: &RawIndex) {
        for (path, known) in &index.entries {
            if self.is_full() {
                return;
            }
            self.entry(path, known.as_ref());
        }
        let known: HashSet<&RepoPath> = index.entries.iter().map(|entry| &entry.0).collect();
        let head = self.head;
        let gone = head.iter().filter(|(path, _)| !known.contains(path));
        for (path, old) in gone {
            self.note(path, WorkStatus::Deleted, Some(old.clone()), None);
        }
    }

    fn entry(&mut self, path: &RepoPath, known: Option<&Known>) {
        let old = self.head.get(path).cloned();
        let Some(known) = known else {
            return self.note(path, WorkStatus::Conflicted, old, None);
        };
        if known.mode == FileMode::Gitlink {
            return;
        }
        let indexed = Some((known.mode, known.oid.clone()));
        let status = match &old {
            Some(_) => WorkStatus::Modified,
            None => WorkStatus::Added,
        };
        match self.now(path, known) {
            Now::Same if old == indexed => {}
            Now::Same => self.note(path, status, old, indexed),
            Now::Is(mode, oid) if old == Some((mode, oid.clone())) => {}
            Now::Is(mode, oid) => self.note(path, status, old, Some((mode, oid))),
            Now::Large => self.note(path, status, old, None),
            Now::Gone if old.is_some() => self.note(path, WorkStatus::Deleted, old, None),
            Now::Gone => {}
        }
    }

    fn now(&mut self, path: &RepoPath, known: &Known) -> Now {
        if known.hidden {
            return Now::Same;
        }
        let (kind, stat) = match self.stat(path) {
            Ok(found) => found,
            Err(Unlisted::Gone) => return Now::Gone,
            Err(Unlisted::Closed) => return Now::Large,
        };
        if kind == EntryKind::Symlink {
            return self.root.read_link(path).map_or(Now::Gone, |target| {
                Now::Is(FileMode::Symlink, self.format.blob(&target))
            });
        }
        if kind != EntryKind::File {
            return Now::Gone;
        }
        if mode_of(stat) == known.mode && known.is_unchanged(&stat) {
            return Now::Same;
        }
        if stat.len > LARGEST_HASHED {
            return Now::Large;
        }
        hash(self.root, self.format, path, stat.len)
            .map_or(Now::Large, |oid| Now::Is(mode_of(stat), oid))
    }

    fn stat(&mut self, path: &RepoPath) -> Result<(EntryKind, Stat), Unlisted> {
        let bytes = path.as_bytes();
        let end = memchr::memrchr(b'/', bytes).unwrap_or_default();
        let entries = self.list(bytes.get(..end).unwrap_or_default())?;
        let place = entries.binary_search_by(|entry| entry.name.as_slice().cmp(path.name()));
        let entry = place.ok().and_then(|place| entries.get(place));
        entry
            .map(|entry| (entry.kind, entry.stat))
            .ok_or(Unlisted::Gone)
    }

    fn list(&mut self, folder: &[u8]) -> Listed {
        if let Some(listed) = self.listed.get(folder) {
            return listed.clone();
        }
        let path = RepoPath::new(folder).ok();
        let listed = match self.root.entries(path.as_ref()) {
            Ok(entries) => Ok(Rc::new(entries)),
            Err(
                FsError::NotFound { .. } | FsError::NotDirectory { .. } | FsError::Symlink { .. },
            ) => Err(Unlisted::Gone),
            Err(_) => Err(Unlisted::Closed),
        };
        self.listed.insert(folder.to_vec(), listed.clone());
        listed
    }

    /// Files that neither the index knows nor a rule ignores. Repositories in the repository are passed over.
    fn untracked(&mut self, index: &RawIndex, rules: Rules) {
        let known: HashSet<&RepoPath> = index.entries.iter().map(|entry| &entry.0).collect();
        let mut todo = vec![(None, rules)];
        while let Some((folder, rules)) = todo.pop() {
            let at = folder.as_ref().map_or(b"".as_slice(), RepoPath::as_bytes);
            let Ok(entries) = self.list(at) else {
                continue;
            };
            let is_top = folder.is_none();
            if !is_top
                && entries
                    .iter()
                    .any(|entry| names::is_git_folder(&entry.name))
            {
                continue;
            }
            let rules = match entries.iter().any(|entry| entry.name == b".gitignore") {
                true => rules.in_folder(self.root, folder.as_ref()),
                false => rules,
            };
            for entry in entries.iter() {
                if self.is_full() {
                    return;
                }
                let Some(path) = below(folder.as_ref(), &entry.name) else {
                    continue;
                };
                let is_folder = entry.kind == EntryKind::Dir;
                if names::is_git_folder(&entry.name) || rules.ignore(&path, is_folder) {
                    continue;
                }
                if is_folder {
                    todo.push((Some(path), rules.clone()));
                } else if !known.contains(&path) {
                    self.new_file(&path, entry.kind, mode_of(entry.stat), entry.stat.len);
                }
            }
        }
    }

    fn new_file(&mut self, path: &RepoPath, kind: EntryKind, mode: FileMode, len: u64) {
        let new = match kind {
            EntryKind::Symlink => self
                .root
                .read_link(path)
                .ok()
                .map(|target| (FileMode::Symlink, self.format.blob(&target))),
            EntryKind::File if len <= LARGEST_HASHED => hash(self.root, self.format, path, len)
                .ok()
                .map(|oid| (mode, oid)),
            EntryKind::File => None,
            EntryKind::Dir | EntryKind::Other => return,
        };
        // What the commit has and the index no longer does is noted as deleted, which it is not.
        let old = self.head.get(path).cloned();
        if old.is_some() && old == new {
            self.drafts.remove(path);
            return;
        }
        let status = match old {
            Some(_) => WorkStatus::Modified,
            None => WorkStatus::Untracked,
        };
        self.note(path, status, old, new);
    }

    fn note(
        &mut self,
        path: &RepoPath,
        status: WorkStatus,
        old: Option<(FileMode, Oid)>,
        new: Option<(FileMode, Oid)>,
    ) {
        let is_known = self.drafts.contains_key(path);
        if self.drafts.len() < self.most || is_known {
            let draft = Draft { status, old, new };
            self.drafts.insert(path.clone(), draft);
        } else {
            self.leave_out(MANY);
        }
    }

    fn is_full(&mut self) -> bool {
        if self.left_out.contains(&MANY) {
            return true;
        }
        let is_over = self.deadline.is_over();
        if is_over {
            self.leave_out(TIME);
        }
        is_over
    }

    fn leave_out(&mut self, why: &'static str) {
        if !self.left_out.contains(&why) {
            self.left_out.push(why);
        }
    }
}

/// What this clone ignores, and the operator by the list in its usual place: git's configuration is not read.
fn operator_rules(git: &Git, places: &Places) -> Rules {
    let home = |name: &str| git.environment().get(name).map(PathBuf::from);
    let config = home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")));
    let lists = [
        config.map(|config| (config.join("git"), "ignore")),
        Some((places.common_dir.join("info"), "exclude")),
    ];
    let mut rules = Rules::none();
    for (folder, name) in lists.into_iter().flatten() {
        let read = || {
            let root = Root::open(&folder).ok()?;
            root.read(&RepoPath::new(name).ok()?, LARGEST_LIST).ok()
        };
        if let Some(list) = read() {
            rules = rules.with(None, &list);
        }
    }
    rules
}
