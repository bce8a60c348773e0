//! `taffrail memory export`: approved memories as Markdown files, one each, for a team's git (REC-12).
//!
//! Everything is written beneath the folder by handle: no link leads out of it. A file that somebody edited, or that is
//! not ours, is left as it is.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use taffrail_confine::fs::{EntryKind, FsError, Root};
use taffrail_domain::{MemoryStatus, RepoPath};
use taffrail_memory::mirror::{self, Exported, Scope};
use taffrail_store::{MemoryFilter, MemoryRow, StoreError, Whose};

use super::Skipped;
use crate::memory::queue::whose;
use crate::memory::seals;
use crate::memory::write::Owner;
use crate::{App, AppError};

/// Where a project's memories lie when nobody says where.
const USUAL: &str = ".taffrail/memory";
/// Rows of one page.
const PAGE: u32 = 200;

/// What an export came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Export {
    /// The folder.
    pub folder: PathBuf,
    /// Files that were written, by name.
    pub written: Vec<String>,
    /// How many were as they should be.
    pub same: usize,
    /// Files of ours that were removed: their memory is not approved any more.
    pub removed: Vec<String>,
    /// What was left as it is, and why.
    pub skipped: Vec<Skipped>,
}

/// Writes the approved memories of `owner` into `folder`, made where it is missing. A relative folder lies beneath the
/// working directory, without one in the project: no link on the way there is followed, since an agent may have made it. An
/// absolute one is the operator's word.
///
/// # Errors
/// A folder that cannot be made or written; what the store can give.
pub fn export(app: &App, folder: Option<&Path>, owner: Owner<'_>) -> Result<Export, AppError> {
    let whose = whose(app, Some(owner))?;
    let folder = match folder {
        Some(folder) => Folder::named(&app.inputs.cwd, folder)?,
        None => Folder::beneath(&usual_root(app, whose)?, Path::new(USUAL))?,
    };
    let mut export = Export {
        folder: folder.path(),
        ..Export::default()
    };
    let mut names = BTreeSet::new();
    for row in approved(app, whose, &mut export.skipped)? {
        let (name, text) = mirror::to_file(&exported(app, &row)?);
        names.insert(name.clone());
        put(&folder, name, &text, &mut export)?;
    }
    remove_stale(app, &folder, &names, &mut export)?;
    Ok(export)
}

/// The root of the project that is meant: the one that the working directory is in, else the first.
fn usual_root(app: &App, whose: Whose) -> Result<PathBuf, AppError> {
    let nowhere = || AppError::NoProject {
        folder: app.inputs.cwd.clone(),
    };
    let Whose::Project(id) = whose else {
        return Err(nowhere());
    };
    let project = app.store.project(&id)?;
    let mut roots: Vec<PathBuf> = project.roots.into_iter().map(|root| root.root).collect();
    roots.sort_by_key(|root| !app.inputs.cwd.starts_with(root));
    roots.into_iter().next().ok_or_else(nowhere)
}

/// A folder, by the handle of one above it or its own.
struct Folder {
    root: Root,
    below: Option<RepoPath>,
}

impl Folder {
    /// The folder that a person named.
    fn named(cwd: &Path, folder: &Path) -> Result<Self, AppError> {
        let plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if folder.components().all(plain) {
            return Self::beneath(cwd, folder);
        }
        let folder = cwd.join(folder);
        for above in folder.ancestors() {
            match (Root::open(above), folder.strip_prefix(above)) {
                (Err(FsError::NotFound { .. }), _) => {}
                (Err(error), _) => return Err(error.into()),
                (Ok(root), Ok(rest)) => return Self::below(root, rest),
                (Ok(_), Err(_)) => break,
            }
        }
        Err(FsError::NotFound { path: folder }.into())
    }

    fn beneath(root: &Path, folder: &Path) -> Result<Self, AppError> {
        Self::below(Root::open(root)?, folder)
    }

    fn below(root: Root, folder: &Path) -> Result<Self, AppError> {
        let parts = folder.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.as_bytes()),
            _ => None,
        });
        let parts: Vec<&[u8]> = parts.collect();
        if parts.is_empty() {
            return Ok(Self { root, below: None });
        }
        let below = RepoPath::new(parts.join(&b'/')).map_err(|_| FsError::Outside {
            path: folder.to_owned(),
        })?;
        root.create_dirs(&below, 0o777)?;
        Ok(Self {
            root,
            below: Some(below),
        })
    }

    fn path(&self) -> PathBuf {
        let below = self
            .below
            .as_ref()
            .map(|below| OsStr::from_bytes(below.as_bytes()));
        below.map_or_else(
            || self.root.path().to_owned(),
            |below| self.root.path().join(below),
        )
    }

    fn file(&self, name: &str) -> Result<RepoPath, AppError> {
        let below = self.below.as_ref().map(RepoPath::as_bytes);
        let path = match below {
            Some(below) => [below, b"/", name.as_bytes()].concat(),
            None => name.as_bytes().to_vec(),
        };
        let outside = |_| FsError::Outside {
            path: self.path().join(name),
        };
        Ok(RepoPath::new(path).map_err(outside)?)
    }
}

/// Every confirmed memory whose seal verifies; the others are named.
fn approved(
    app: &App,
    whose: Whose,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<MemoryRow>, AppError> {
    let checker = seals::checker(app);
    let mut chain = None;
    let mut filter = MemoryFilter {
        status: Some(MemoryStatus::Confirmed),
        whose,
        limit: Some(PAGE),
        ..MemoryFilter::default()
    };
    let mut rows = Vec::new();
    loop {
        let page = app.store.memories(&filter)?;
        let ids: Vec<_> = page.rows.iter().map(|row| row.id).collect();
        let (sealed, unsealed) = checker.check_along(app, &ids, &mut chain)?;
        skipped.extend(unsealed.iter().map(|(id, why)| Skipped {
            place: id.short(),
            why: why.why().to_owned(),
        }));
        let is_sealed = |row: &MemoryRow| {
            let found = sealed.get(&row.id);
            found.is_some_and(|sealed| sealed.content == row.text.hash)
        };
        rows.extend(page.rows.into_iter().filter(is_sealed));
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(rows),
        }
    }
}

fn exported(app: &App, row: &MemoryRow) -> Result<Exported, AppError> {
    let scope = match &row.project {
        Some(id) => Scope::Project(app.store.project(id)?.name),
        None => Scope::Personal,
    };
    Ok(Exported {
        id: row.id.into(),
        kind: row.kind,
        summary: row.text.summary.clone(),
        content: row.text.content.clone(),
        scope,
        created: row.created_at,
        confirmed: row.confirmed_at,
        sources: row.text.source_refs.clone(),
        artifacts: row.text.artifacts.clone(),
    })
}

fn put(folder: &Folder, name: String, text: &str, export: &mut Export) -> Result<(), AppError> {
    let path = folder.file(&name)?;
    match folder.root.read(&path, mirror::FILE_LIMIT as u64) {
        Ok(there) if there == text.as_bytes() => {
            export.same += 1;
            return Ok(());
        }
        Ok(there) if is_untouched(&there) => {}
        Err(FsError::NotFound { .. }) => {}
        Ok(_) => {
            let why = "somebody edited it: import it first, or remove it".to_owned();
            export.skipped.push(Skipped { place: name, why });
            return Ok(());
        }
        Err(error) => {
            let why = error.to_string();
            export.skipped.push(Skipped { place: name, why });
            return Ok(());
        }
    }
    folder.root.replace(&path, text.as_bytes(), 0o666)?;
    export.written.push(name);
    Ok(())
}

/// Whether a file still holds the text that it was written with.
fn is_untouched(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).ok();
    let file = text.and_then(|text| mirror::from_file(text).ok());
    file.is_some_and(|file| !file.edited)
}

/// Takes away the files of memories of this home that are not approved any more. A teammate's file, an edited one and one
/// that merely looks like ours stay.
fn remove_stale(
    app: &App,
    folder: &Folder,
    names: &BTreeSet<String>,
    export: &mut Export,
) -> Result<(), AppError> {
    for entry in folder.root.entries(folder.below.as_ref())? {
        let Ok(name) = String::from_utf8(entry.name) else {
            continue;
        };
        let candidate = entry.kind == EntryKind::File
            && mirror::id_in_name(&name).is_some()
            && !names.contains(&name);
        if !candidate {
            continue;
        }
        let path = folder.file(&name)?;
        let Ok(bytes) = folder.root.read(&path, mirror::FILE_LIMIT as u64) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let Ok(file) = mirror::from_file(&text) else {
            continue;
        };
        if !is_of_this_home(app, file.memory.id.as_str())? {
            continue;
        }
        if file.edited {
            let why =
                "its memory is not approved any more, and somebody edited the file".to_owned();
            export.skipped.push(Skipped { place: name, why });
        } else {
            folder.root.remove_file(&path)?;
            export.removed.push(name);
        }
    }
    Ok(())
}

fn is_of_this_home(app: &App, id: &str) -> Result<bool, AppError> {
    match app.store.find_memory(id) {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
