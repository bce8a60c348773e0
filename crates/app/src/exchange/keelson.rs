//! `taffrail memory import --from keelson DB`: projects, notebooks as suggestions, memories; all of it pending (REC-12).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use taffrail_domain::{Channel, Provenance, Source};
use taffrail_memory::draft::{Draft, Scope};
use taffrail_memory::mirror;
use taffrail_store::{
    Keelson, KeelsonMemory, KeelsonNotebook, KeelsonProject, Outcome, ProjectName, ProjectRow,
    read_keelson,
};

use super::{Item, Skipped};
use crate::memory::write::write_all;
use crate::notebook::{NewEntry, suggest};
use crate::projects::{self, Added};
use crate::{App, AppError};

/// Drafts that are written together.
const BATCH: usize = 500;
/// The section of an entry that stands before any heading.
const FIRST_SECTION: &str = "Log";

/// What came in.
#[derive(Debug, Clone, Default, Serialize)]
pub struct KeelsonReport {
    /// The schema there, and whether it is newer than what was looked at.
    pub schema: i64,
    /// Newer: what it added was not read.
    pub is_newer: bool,
    /// Projects: the name here, and `new` or `known`.
    pub projects: Vec<(String, &'static str)>,
    /// Entries of notebooks that wait for a person now.
    pub suggestions: usize,
    /// Memories that are new here.
    pub new: usize,
    /// Memories that were here.
    pub repeat: usize,
    /// Memories that the guardrails refused.
    pub blocked: Vec<Item>,
    /// Other rows that did not come in, and why.
    pub skipped: Vec<Skipped>,
    /// How many rows there could not be read.
    pub unread: u64,
}

/// Reads a database of Keelson and takes over what can be; nothing of it is written.
///
/// # Errors
/// `Keelson` for a file that is no such database; what the store can give.
pub fn import_keelson(app: &App, path: &Path) -> Result<KeelsonReport, AppError> {
    let found = read_keelson(&app.inputs.cwd.join(path), app.home.root())?;
    let mut import = Import {
        app,
        projects: BTreeMap::new(),
        report: report(&found),
    };
    for project in &found.projects {
        import.project(project);
    }
    for notebook in &found.notebooks {
        import.notebook(notebook);
    }
    import.memories(found.memories)?;
    Ok(import.report)
}

fn report(found: &Keelson) -> KeelsonReport {
    let skipped = found.skipped.iter().map(|row| Skipped {
        place: format!("{} {}", row.table, row.id),
        why: row.why.clone(),
    });
    KeelsonReport {
        schema: found.schema,
        is_newer: found.is_newer,
        skipped: skipped.collect(),
        unread: found.skipped_count,
        ..KeelsonReport::default()
    }
}

struct Import<'a> {
    app: &'a App,
    /// By the id there.
    projects: BTreeMap<String, ProjectRow>,
    report: KeelsonReport,
}

impl Import<'_> {
    fn project(&mut self, project: &KeelsonProject) {
        match self.added(project) {
            Ok((row, status)) => {
                self.report.projects.push((row.name.clone(), status));
                self.projects.insert(project.id.clone(), row);
            }
            Err(error) => self.skip(format!("project {}", project.name), error.to_string()),
        }
    }

    /// By its folder where that is there, else by its name.
    fn added(&self, project: &KeelsonProject) -> Result<(ProjectRow, &'static str), AppError> {
        if let Some(row) = self.app.store.project_by_name(&project.name)? {
            return Ok((row, "known"));
        }
        if project.root.is_absolute() && project.root.is_dir() {
            let added = projects::add(self.app, Some(&project.root), Some(&project.name));
            match added {
                Ok(Added::New(row)) => return Ok((row, "new")),
                Ok(Added::Known(row) | Added::Moved { row, .. }) => return Ok((row, "known")),
                // A folder that is no project's, such as a home: the project comes without it.
                Err(AppError::ProjectFolder { .. } | AppError::ProjectTaken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let name = ProjectName::new(&self.app.redactor.clean(&project.name))?;
        let id = projects::new_id(self.app)?;
        Ok((self.app.store.add_project(id, &name, &[])?, "new"))
    }

    fn notebook(&mut self, notebook: &KeelsonNotebook) {
        let Some(project) = self.projects.get(&notebook.project).cloned() else {
            let why = "its project did not come in".to_owned();
            return self.skip(format!("notebook of {}", notebook.project), why);
        };
        let source = source(Some("notebook"));
        for (section, entry) in entries(&notebook.content) {
            let new = NewEntry {
                section,
                entry,
                channel: Channel::Import,
                source: &source,
            };
            match suggest(self.app, &project, &new) {
                Ok(_) => self.report.suggestions += 1,
                Err(error) => self.skip(format!("notebook of {}", project.name), error.to_string()),
            }
        }
    }

    fn memories(&mut self, memories: Vec<KeelsonMemory>) -> Result<(), AppError> {
        let mut drafts: Vec<(Item, Draft)> = Vec::new();
        for memory in memories {
            let place = format!("memory {}", memory.id);
            match self.scope(memory.project.as_deref()) {
                Some(scope) => {
                    let item =
                        Item::only(place, mirror::Change::New.name(), memory.summary.clone());
                    drafts.push((item, draft(memory, scope)));
                }
                None => self.skip(place, "its project did not come in".to_owned()),
            }
            if drafts.len() == BATCH {
                self.write(std::mem::take(&mut drafts))?;
            }
        }
        self.write(drafts)
    }

    fn scope(&self, project: Option<&str>) -> Option<Scope> {
        match project {
            None => Some(Scope::Personal),
            Some(id) => self.projects.get(id).map(|row| Scope::Project(row.id)),
        }
    }

    fn write(&mut self, drafts: Vec<(Item, Draft)>) -> Result<(), AppError> {
        let (items, drafts): (Vec<Item>, Vec<Draft>) = drafts.into_iter().unzip();
        let written = write_all(self.app, drafts)?;
        for (mut item, done) in items.into_iter().zip(&written) {
            match done {
                Ok(written) if written.outcome == Outcome::New => self.report.new += 1,
                Ok(_) => self.report.repeat += 1,
                Err(_) => {
                    item.settle(done);
                    self.report.blocked.push(item);
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, place: String, why: String) {
        self.report.skipped.push(Skipped { place, why });
    }
}

fn source(task: Option<&str>) -> Source {
    Source {
        runtime: "import".to_owned(),
        task: task.map(str::to_owned),
        client: Some("keelson".to_owned()),
        ..Source::default()
    }
}

/// What was decided there decides nothing here; it goes along as a note for the person who reviews.
fn draft(memory: KeelsonMemory, scope: Scope) -> Draft {
    let note = serde_json::json!({"keelson": {
        "status": memory.status, "lifecycle": memory.lifecycle, "provenance": memory.provenance,
        "runtime": memory.runtime,
    }});
    let mut draft = Draft::new(scope, memory.kind, memory.content, Channel::Import);
    draft.provenance = Provenance::Imported;
    draft.summary = Some(memory.summary);
    draft.source_refs = memory.source_refs;
    draft.artifacts = memory.artifacts;
    draft.confidence = memory.confidence;
    draft.stale_after = memory.stale_after;
    draft.created = Some(memory.created_at);
    draft.foreign_ids = vec![memory.id];
    draft.evidence = Some(note.to_string());
    draft.source = Source {
        model: memory.model,
        ..source(memory.task.as_deref())
    };
    draft
}

/// The entries of a notebook with their sections: bullets and other lines with text, headings aside.
fn entries(content: &str) -> Vec<(&str, &str)> {
    let mut section = FIRST_SECTION;
    let mut entries = Vec::new();
    for line in content.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim();
            continue;
        }
        let text = line.strip_prefix("- ").unwrap_or(line).trim();
        if !text.is_empty() && !text.starts_with("# ") {
            entries.push((section, text));
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rec_12_a_notebook_comes_in_by_entries() {
        let text = "# Title\nfirst\n\n## Log\n- 2026-01-01: one\n  more of it\n## Glossary\n- word: meaning\n";
        let expected = [
            ("Log", "first"),
            ("Log", "2026-01-01: one"),
            ("Log", "more of it"),
            ("Glossary", "word: meaning"),
        ];
        assert_eq!(entries(text), expected);
    }
}
