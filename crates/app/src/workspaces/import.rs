//! `taffrail workspace import --from keryx`: the external slates of another harness as unbound candidates. Whatever its files
//! say, what comes in waits for a person, redacted; a second import brings only what is new.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use taffrail_confine::fs::{Entry, EntryKind, FsError, Root};
use taffrail_domain::{CloseTrigger, ProjectId, RepoPath, UnboundId};
use taffrail_memory::draft::Scope;
use taffrail_redact::Clean;
use taffrail_slate::external::keryx::{self, FILE_LIMIT, Imported};
use taffrail_slate::external::{ExternalId, Seed};
use taffrail_store::{
    Closure, ImportedItem, Live, NewClosure, NewOutcome, NewUnbound, SlateFolder,
};
use taffrail_text::Shown;

use crate::memory::write::{Owner, scope};
use crate::{App, AppError};

/// Where keryx keeps them below a project.
const FOLDER: &str = ".keryx/external-slates";
/// The last part of that, where the folder itself is named.
const NAME: &str = "external-slates";
/// Files of one import: its own harness slows to a crawl long before.
const MOST_FILES: usize = 10_000;
/// Columns of a strange name in the report.
const CLIP: usize = 120;

/// What an import came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The name of the project that the candidates belong to; none for personal ones.
    pub project: Option<String>,
    /// The candidates.
    pub imported: Vec<ImportedSlate>,
    /// Slates that brought nothing new since the last import.
    pub same: usize,
    /// Slates that hold no seed.
    pub empty: usize,
    /// What was not read, and why.
    pub skipped: Vec<SkippedFile>,
}

/// A slate that came in.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedSlate {
    /// The unbound candidate.
    pub unbound: String,
    /// The id that the slate has there.
    pub slate: String,
    /// Which bringing in of that id.
    pub generation: u32,
    /// How many seeds came.
    pub seeds: usize,
    /// What was not taken as it stands there.
    pub remarks: Vec<String>,
}

/// A file that was not read.
#[derive(Debug, Clone, Serialize)]
pub struct SkippedFile {
    /// Its name.
    pub place: String,
    /// Why not.
    pub why: String,
}

/// Reads the slates of a keryx project, or of the folder that holds them. They belong to `owner`, or without one to the
/// project that the folder lies in.
///
/// # Errors
/// `ProjectFolder` for a folder that is not there or holds no slates; what git and the store can give. A file that makes no
/// sense is passed over and named.
pub fn import_keryx(
    app: &App,
    folder: &Path,
    owner: Option<Owner<'_>>,
) -> Result<Report, AppError> {
    let folder = real(app, folder)?;
    let (root, below) = slates_of(&folder)?;
    let project = project_of(app, &folder, owner)?;
    let mut import = Import {
        app,
        project,
        slates: SlateFolder::new(&app.home, project.as_ref()),
        report: Report {
            project: super::list::project_name(app, project.as_ref())?,
            ..Report::default()
        },
    };
    import.all(&root, below.as_ref())?;
    Ok(import.report)
}

fn real(app: &App, folder: &Path) -> Result<PathBuf, AppError> {
    let path = app.inputs.cwd.join(folder);
    path.canonicalize().map_err(|_| AppError::ProjectFolder {
        path,
        why: "is not there",
    })
}

fn project_of(
    app: &App,
    folder: &Path,
    owner: Option<Owner<'_>>,
) -> Result<Option<ProjectId>, AppError> {
    if let Some(owner) = owner {
        return Ok(match scope(app, owner)? {
            Scope::Project(id) => Some(id),
            Scope::Personal => None,
        });
    }
    Ok(app.project_containing(folder)?.map(|row| row.id))
}

/// The folder as it is opened, and where beneath it the slates lie.
fn slates_of(folder: &Path) -> Result<(Root, Option<RepoPath>), AppError> {
    let root = Root::open(folder)?;
    if let Ok(below) = RepoPath::new(FOLDER) {
        match root.entries(Some(&below)) {
            Ok(_) => return Ok((root, Some(below))),
            Err(FsError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if folder.file_name().is_some_and(|name| name == NAME) {
        return Ok((root, None));
    }
    Err(AppError::ProjectFolder {
        path: folder.to_owned(),
        why: "has no .keryx/external-slates",
    })
}

struct Import<'a> {
    app: &'a App,
    project: Option<ProjectId>,
    slates: SlateFolder,
    report: Report,
}

impl Import<'_> {
    fn all(&mut self, root: &Root, below: Option<&RepoPath>) -> Result<(), AppError> {
        let entries = root.entries(below)?;
        let files = entries.iter().filter(|entry| is_slate(entry));
        for (at, entry) in files.enumerate() {
            if at >= MOST_FILES {
                self.skip(&entry.name, format!("more than {MOST_FILES} files"));
                break;
            }
            match bytes(root, below, entry) {
                Ok(bytes) => self.one(&entry.name, &bytes)?,
                Err(error) => self.skip(&entry.name, error.to_string()),
            }
        }
        Ok(())
    }

    fn one(&mut self, name: &[u8], bytes: &[u8]) -> Result<(), AppError> {
        let now = self.app.inputs.clock.now();
        let read = match keryx::read(bytes, &self.app.redactor, now) {
            Ok(read) => read,
            Err(error) => {
                self.skip(name, error.to_string());
                return Ok(());
            }
        };
        if name.strip_suffix(b".json") != Some(read.id.as_str().as_bytes()) {
            // Two files cannot speak for one slate.
            self.skip(name, "it is not named like the slate in it".to_owned());
            return Ok(());
        }
        if read.seeds.is_empty() {
            self.report.empty += 1;
            return Ok(());
        }
        let Some((closure, seeds)) = self.put(&read)? else {
            self.report.same += 1;
            return Ok(());
        };
        self.report.imported.push(ImportedSlate {
            unbound: closure.unbound.map(|id| id.short()).unwrap_or_default(),
            slate: closure.external_id,
            generation: closure.generation,
            seeds,
            remarks: read.remarks.iter().map(ToString::to_string).collect(),
        });
        Ok(())
    }

    /// Under the lock of the id: another import waits and then finds nothing new, and a slate of the same id that is open here
    /// keeps its generation for its own close. Gives how many seeds came, too; none where none is new.
    fn put(&self, read: &Imported) -> Result<Option<(Closure, usize)>, AppError> {
        let (id, store) = (&read.id, &self.app.store);
        let held = self.slates.lock(id)?;
        let known = store.imported(self.project, &place(id))?;
        let new = new_ones(&read.seeds, &known);
        if new.is_empty() {
            return Ok(None);
        }
        let live = match held.read()? {
            Live::Open(slate) | Live::Closed(slate) => slate.generation,
            Live::None | Live::Malformed { .. } => 0,
        };
        let newest = store.newest_closure(self.project.as_ref(), id)?;
        let newest = newest.map_or(0, |closure| closure.generation);
        let closure = self.closure(read, &new, live.max(newest).saturating_add(1))?;
        let all = joined(known, read.seeds.iter().map(item).collect());
        let made = store.close_imported(closure, &place(id), all)?;
        Ok(Some((made, new.len())))
    }

    fn closure(
        &self,
        read: &Imported,
        new: &[&Seed],
        generation: u32,
    ) -> Result<NewClosure, AppError> {
        let random: [u8; 10] = crate::context::random()?;
        let now = self.app.inputs.clock.now().0.unsigned_abs();
        Ok(NewClosure {
            project: self.project,
            external_id: read.id.clone(),
            generation,
            trigger: CloseTrigger::Import,
            workspace: None,
            anchors: self.json(serde_json::to_string(&read.anchors)),
            evidence: None,
            seeds: new.len() as u64,
            outcome: NewOutcome::Unbound(NewUnbound {
                id: UnboundId::new(now, random),
                seeds: self.json(serde_json::to_string(new)),
            }),
        })
    }

    /// Of texts that are clean already.
    fn json(&self, text: serde_json::Result<String>) -> Clean {
        self.app.redactor.clean(&text.unwrap_or_default())
    }

    fn skip(&mut self, name: &[u8], why: String) {
        let place = Shown::bytes_line(name).truncated(CLIP).to_string();
        let place = self.app.redactor.clean(&place).into_string();
        self.report.skipped.push(SkippedFile { place, why });
    }
}

/// Folders are locks and archives there, and other files are none of its records.
fn is_slate(entry: &Entry) -> bool {
    let is_json = entry.name.ends_with(b".json");
    match entry.kind {
        EntryKind::File | EntryKind::Symlink | EntryKind::Other => is_json,
        EntryKind::Dir => false,
    }
}

fn bytes(root: &Root, below: Option<&RepoPath>, entry: &Entry) -> Result<Vec<u8>, AppError> {
    let mut path = below.map(|below| below.as_bytes().to_vec());
    if let Some(path) = &mut path {
        path.push(b'/');
    }
    let mut path = path.unwrap_or_default();
    path.extend(&entry.name);
    let unfit = |why| AppError::ProjectFolder {
        path: root.path().to_owned(),
        why,
    };
    let path = RepoPath::new(path).map_err(|_| unfit("has a name that is no path"))?;
    Ok(root.read(&path, FILE_LIMIT as u64)?)
}

/// Under which name the seeds of one slate are remembered.
fn place(id: &ExternalId) -> String {
    format!("keryx-slate/{id}")
}

/// What no import before this one brought.
fn new_ones<'a>(seeds: &'a [Seed], known: &[ImportedItem]) -> Vec<&'a Seed> {
    let hashes: HashSet<[u8; 32]> = known.iter().map(|item| item.hash).collect();
    let is_new = |seed: &&Seed| !hashes.contains(&item(seed).hash);
    seeds.iter().filter(is_new).collect()
}

fn item(seed: &Seed) -> ImportedItem {
    ImportedItem {
        item: seed.id.clone(),
        hash: Sha256::digest(seed.hash()).into(),
    }
}

/// What was brought before and now; a seed that went from the file there is not brought again when it is back.
fn joined(known: Vec<ImportedItem>, brought: Vec<ImportedItem>) -> Vec<ImportedItem> {
    let mut seen = HashSet::new();
    let mut all: Vec<ImportedItem> = known.into_iter().chain(brought).collect();
    all.retain(|item| seen.insert((item.item.clone(), item.hash)));
    all
}
