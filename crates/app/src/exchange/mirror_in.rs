//! `taffrail memory import DIR`: a team's Markdown files as candidates, and what changed since the last time (REC-12).

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};
use taffrail_confine::fs::{EntryKind, Root};
use taffrail_domain::{Channel, ProjectId, Provenance, RepoPath, Source};
use taffrail_memory::draft::{Draft, Scope};
use taffrail_memory::mirror::{self, Change, ForeignId, Imported, TextHash};
use taffrail_store::ImportedItem;

use super::{Item, Report, Skipped};
use crate::memory::write::{Owner, scope, write_all};
use crate::{App, AppError};

/// Files of one folder that are read.
const MOST_FILES: usize = 20_000;

/// Reads the files of a folder and puts what is new or changed among the candidates of `owner`, whatever the files say of
/// project, status or approval; with `dry_run` only says what that would be.
///
/// # Errors
/// A folder that cannot be opened; what the store can give.
pub fn import_folder(
    app: &App,
    folder: &Path,
    owner: Owner<'_>,
    dry_run: bool,
) -> Result<Report, AppError> {
    let root = Root::open(&app.inputs.cwd.join(folder))?;
    let scope = scope(app, owner)?;
    let project = match scope {
        Scope::Project(id) => Some(id),
        Scope::Personal => None,
    };
    let mut report = Report::default();
    let files = read(&root, &mut report.skipped)?;
    let import = Import {
        app,
        project,
        place: place(root.path()),
        files: &files,
    };
    import.run(dry_run, &mut report)?;
    Ok(report)
}

/// One folder is told from another by its path, which itself is nobody's business.
fn place(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let hex: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("mirror:{hex}")
}

/// Every file of the mirror's form, by name. Links and folders are passed over.
fn read(root: &Root, skipped: &mut Vec<Skipped>) -> Result<Vec<(String, Imported)>, AppError> {
    let mut files = Vec::new();
    for entry in root.entries(None)? {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        let mut skip = |why: String| {
            skipped.push(Skipped {
                place: name.clone(),
                why,
            });
        };
        if !name.ends_with(".md") || entry.kind == EntryKind::Dir {
            continue;
        }
        if files.len() >= MOST_FILES {
            skip(format!("more than {MOST_FILES} files"));
            break;
        }
        match file(root, &entry.name) {
            Ok(imported) => files.push((name, imported)),
            Err(why) => skip(why),
        }
    }
    Ok(files)
}

fn file(root: &Root, name: &[u8]) -> Result<Imported, String> {
    let path = RepoPath::new(name.to_vec()).map_err(|error| error.to_string())?;
    let bytes = root.read(&path, mirror::FILE_LIMIT as u64);
    let bytes = bytes.map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    mirror::from_file(&text).map_err(|error| error.to_string())
}

struct Import<'a> {
    app: &'a App,
    project: Option<ProjectId>,
    place: String,
    files: &'a [(String, Imported)],
}

impl Import<'_> {
    fn run(&self, dry_run: bool, report: &mut Report) -> Result<(), AppError> {
        let since: Vec<(ForeignId, TextHash)> = self
            .app
            .store
            .imported(self.project, &self.place)?
            .into_iter()
            .filter_map(|item| Some((item.item.parse().ok()?, TextHash(item.hash))))
            .collect();
        let now: Vec<_> = self
            .files
            .iter()
            .map(|(_, file)| (file.memory.id.clone(), file.hash))
            .collect();
        let mut kept: BTreeMap<ForeignId, TextHash> = BTreeMap::new();
        let (mut items, mut drafts, mut coming) = (Vec::new(), Vec::new(), Vec::new());
        let changes = mirror::changes(&since, &now);
        let files = self.files.iter().map(Some).chain(std::iter::repeat(None));
        for ((id, change), file) in changes.into_iter().zip(files) {
            match (change, file) {
                (Change::Same, Some((_, file))) => {
                    kept.insert(id, file.hash);
                    report.same += 1;
                }
                (Change::New | Change::Changed, Some((name, file))) => {
                    coming.push((items.len(), id, file.hash));
                    drafts.push(self.draft(&file.memory));
                    items.push(item(name.clone(), change, file.memory.summary.clone()));
                }
                (Change::Repeated, Some((name, file))) => {
                    items.push(item(name.clone(), change, file.memory.summary.clone()));
                }
                (_, None) | (Change::Missing, _) => {
                    let why = "its file is not there any more; the memory stays as it is";
                    items.push(item(id.to_string(), Change::Missing, why.to_owned()));
                }
            }
        }
        if !dry_run {
            let written = write_all(self.app, drafts)?;
            for (done, (at, id, hash)) in written.iter().zip(coming) {
                if let Some(item) = items.get_mut(at) {
                    item.settle(done);
                }
                if done.is_ok() {
                    kept.insert(id, hash);
                }
            }
            let kept: Vec<ImportedItem> = kept
                .into_iter()
                .map(|(id, hash)| ImportedItem {
                    item: id.to_string(),
                    hash: hash.0,
                })
                .collect();
            self.app
                .store
                .set_imported(self.project, &self.place, &kept)?;
        }
        report.items.append(&mut items);
        Ok(())
    }

    fn draft(&self, memory: &mirror::Exported) -> Draft {
        let scope = self.project.map_or(Scope::Personal, Scope::Project);
        let mut draft = Draft::new(scope, memory.kind, memory.content.clone(), Channel::Import);
        draft.provenance = Provenance::Imported;
        draft.summary = Some(memory.summary.clone());
        draft.source_refs.clone_from(&memory.sources);
        draft.artifacts.clone_from(&memory.artifacts);
        draft.created = Some(memory.created);
        draft.foreign_ids = vec![memory.id.to_string()];
        draft.source = Source {
            runtime: "import".to_owned(),
            task: Some("mirror".to_owned()),
            ..Source::default()
        };
        draft
    }
}

fn item(place: String, change: Change, summary: String) -> Item {
    Item::only(place, change.name(), summary)
}
