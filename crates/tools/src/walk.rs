//! Every file of a folder that tools may show, in the order of the bytes of their paths.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for a limit.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use taffrail_confine::fs::{Entry, EntryKind, Identity, Root, is_credential, is_managed};
use taffrail_domain::RepoPath;

use crate::project_files::{Barred, Folder, Watch};
use crate::rules::Rules;
use crate::{ProjectFiles, ToolError};

/// Time for one call.
const LONGEST: Duration = Duration::from_secs(20);
/// Names that one call looks at, those of ignored files too.
const MOST_NAMES: u64 = 500_000;
/// Folders in folders. Each holds a handle while it is looked at.
const DEEPEST: usize = 64;

/// How long one call goes on, and whether somebody waits for it.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    watch: &'a dyn Watch,
    until: Instant,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(watch: &'a dyn Watch) -> Self {
        Self {
            watch,
            until: Instant::now() + LONGEST,
        }
    }

    /// Whether the time is over.
    pub(crate) fn is_over(&self) -> Result<bool, ToolError> {
        if self.watch.is_cancelled() {
            return Err(ToolError::Interrupted);
        }
        Ok(Instant::now() > self.until)
    }
}

/// A walk under way.
pub(crate) struct Walk<'a> {
    files: &'a ProjectFiles,
    pub barred: &'a Barred,
    patience: Patience<'a>,
    names: u64,
    seen: u64,
    /// Whether something was left out for a limit.
    cut: bool,
}

/// A regular file that was found.
pub(crate) struct Found<'a> {
    pub folder: &'a Root,
    pub name: &'a RepoPath,
    pub path: &'a RepoPath,
    pub len: u64,
}

/// What is done with each file: go on, or stop because there is enough.
pub(crate) type Visit<'a> = dyn FnMut(&Found<'_>) -> Result<ControlFlow<()>, ToolError> + 'a;

impl<'a> Walk<'a> {
    pub(crate) fn new(files: &'a ProjectFiles, barred: &'a Barred, patience: Patience<'a>) -> Self {
        Self {
            files,
            barred,
            patience,
            names: 0,
            seen: 0,
            cut: false,
        }
    }

    /// Every file beneath a folder. Says whether there was more: for a limit, or because `visit` had enough.
    pub(crate) fn run(mut self, from: &Folder, visit: &mut Visit<'_>) -> Result<bool, ToolError> {
        let rules = self.rules_above(from)?;
        let stopped = self.folder(&from.root, from.path.as_ref(), &rules, 0, visit)?;
        Ok(stopped.is_break() || self.cut)
    }

    /// The rules of the folders above the one where the walk begins. That one itself was asked for by name.
    fn rules_above(&self, from: &Folder) -> Result<Rules, ToolError> {
        let Some(path) = &from.path else {
            return Ok(exclude(&from.root));
        };
        let top = self.files.folder(None, self.barred)?;
        let mut rules = exclude(&top.root).with(&top.root, ".gitignore", None);
        for (end, _) in path
            .as_bytes()
            .iter()
            .enumerate()
            .filter(|at| *at.1 == b'/')
        {
            let above = path.as_bytes().get(..end).unwrap_or_default();
            let Ok(above) = RepoPath::new(above) else {
                continue;
            };
            let folder = self.files.folder(Some(&above), self.barred)?;
            rules = rules.with(&folder.root, ".gitignore", Some(&above));
        }
        Ok(rules)
    }

    fn folder(
        &mut self,
        root: &Root,
        path: Option<&RepoPath>,
        rules: &Rules,
        depth: usize,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, ToolError> {
        // A folder that cannot be listed is passed over, like a file that cannot be read.
        let Ok(mut entries) = root.entries(None) else {
            return Ok(ControlFlow::Continue(()));
        };
        let rules = rules.with(root, ".gitignore", path);
        entries.sort_by_cached_key(sort_key);
        for entry in &entries {
            if self.is_over()? {
                return Ok(ControlFlow::Break(()));
            }
            let Some((name, path)) = self.admitted(entry, path, &rules) else {
                continue;
            };
            let stopped = match entry.kind {
                EntryKind::Dir => self.enter(root, &name, &path, (&rules, depth + 1), visit)?,
                EntryKind::File => {
                    self.seen += 1;
                    self.patience.watch.progress(self.seen, None);
                    visit(&Found {
                        folder: root,
                        name: &name,
                        path: &path,
                        len: entry.stat.len,
                    })?
                }
                EntryKind::Symlink | EntryKind::Other => ControlFlow::Continue(()),
            };
            if stopped.is_break() {
                return Ok(stopped);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn enter(
        &mut self,
        root: &Root,
        name: &RepoPath,
        path: &RepoPath,
        (rules, depth): (&Rules, usize),
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, ToolError> {
        if depth > DEEPEST {
            self.cut = true;
            return Ok(ControlFlow::Continue(()));
        }
        match root.enter(name) {
            Ok(inner) if self.may_enter(&inner) => {
                self.folder(&inner, Some(path), rules, depth, visit)
            }
            // Mounted, barred, or no longer a folder.
            Ok(_) | Err(_) => Ok(ControlFlow::Continue(())),
        }
    }

    fn may_enter(&self, folder: &Root) -> bool {
        folder
            .identity()
            .is_ok_and(|identity| !self.barred.holds(identity))
    }

    /// The entry's name and path, if tools may show it.
    fn admitted(
        &self,
        entry: &Entry,
        folder: Option<&RepoPath>,
        rules: &Rules,
    ) -> Option<(RepoPath, RepoPath)> {
        let name = RepoPath::new(entry.name.clone()).ok()?;
        let path = match folder {
            Some(folder) => [folder.as_bytes(), &entry.name].join(&b'/'),
            None => entry.name.clone(),
        };
        let path = RepoPath::new(path).ok()?;
        let identity = Identity {
            dev: entry.stat.dev,
            ino: entry.stat.ino,
        };
        let refused = is_managed(&name) || is_credential(&path) || self.barred.holds(identity);
        let hidden = refused
            || rules.ignore(&path, entry.kind == EntryKind::Dir)
            || self.files.withholds(&path);
        (!hidden).then_some((name, path))
    }

    fn is_over(&mut self) -> Result<bool, ToolError> {
        self.names += 1;
        Ok(self.patience.is_over()? || self.names > MOST_NAMES)
    }
}

/// A folder stands where the paths of its files do.
fn sort_key(entry: &Entry) -> Vec<u8> {
    let mut key = entry.name.clone();
    if entry.kind == EntryKind::Dir {
        key.push(b'/');
    }
    key
}

/// What this clone ignores besides.
fn exclude(top: &Root) -> Rules {
    Rules::default().with(top, ".git/info/exclude", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Patient;

    impl Watch for Patient {
        fn is_cancelled(&self) -> bool {
            false
        }

        fn progress(&self, _: u64, _: Option<u64>) {}
    }

    #[test]
    fn mcp_01_a_walk_whose_time_is_over_says_that_there_is_more() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("file"), "").unwrap();
        let files = ProjectFiles::open(place.path(), &[]).unwrap();
        let barred = files.barred();
        let from = files.folder(None, &barred).unwrap();
        for (left, expect) in [(LONGEST, (1, false)), (Duration::ZERO, (0, true))] {
            let patience = Patience {
                watch: &Patient,
                until: Instant::now() + left,
            };
            let mut seen = 0;
            let more = Walk::new(&files, &barred, patience).run(&from, &mut |_| {
                seen += 1;
                Ok(ControlFlow::Continue(()))
            });
            assert_eq!((seen, more.unwrap()), expect);
        }
    }
}
