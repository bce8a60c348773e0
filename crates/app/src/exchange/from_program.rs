//! `taffrail memory import --from claude|codex|gemini|cursor|agents-md`: their files in pieces, as candidates (MEM-08).

use std::collections::BTreeSet;

use taffrail_domain::{Channel, ProjectId, Provenance, Source, SourceRef};
use taffrail_memory::draft::{Draft, Scope};
use taffrail_memory::pieces::{self, Piece, Program};
use taffrail_store::ImportedItem;

use super::programs::{self, Found};
use super::{Item, Report};
use crate::memory::write::write_all;
use crate::{App, AppError};

/// Reads what a program keeps for the current project and for the person, and puts what is new or changed among the
/// candidates; with `dry_run` only says what that would be.
///
/// # Errors
/// What git and the store can give.
pub fn import_program(app: &App, program: Program, dry_run: bool) -> Result<Report, AppError> {
    let project = app.current_project()?;
    let root = project.as_ref().map(|row| {
        let roots = row.roots.iter().map(|root| root.root.as_path());
        let here = roots.filter(|root| app.inputs.cwd.starts_with(root));
        here.max_by_key(|root| root.as_os_str().len())
            .unwrap_or(&app.inputs.cwd)
            .to_owned()
    });
    let (found, skipped) = programs::find(program, root.as_deref(), &app.inputs.user_home);
    let (personal, of_project): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|file| file.personal);
    let mut report = Report {
        skipped,
        ..Report::default()
    };
    let id = project.map(|row| row.id);
    for (files, id) in [(of_project, id), (personal, None)] {
        let import = Import {
            app,
            program,
            project: id,
            dry_run,
        };
        import.run(&files, &mut report)?;
    }
    Ok(report)
}

struct Import<'a> {
    app: &'a App,
    program: Program,
    project: Option<ProjectId>,
    dry_run: bool,
}

impl Import<'_> {
    fn run(&self, files: &[Found], report: &mut Report) -> Result<(), AppError> {
        let place = self.program.name();
        let before = self.app.store.imported(self.project, place)?;
        let now: Vec<(&Found, Piece)> = files
            .iter()
            .flat_map(|file| {
                let pieces = pieces::cut(self.program, &file.uri, &file.text);
                pieces.into_iter().map(move |piece| (file, piece))
            })
            .collect();
        let known: BTreeSet<[u8; 32]> = before.iter().map(|item| item.hash).collect();
        let known_files: BTreeSet<&str> = before.iter().map(|item| item.item.as_str()).collect();
        let (old, new): (Vec<_>, Vec<_>) = now
            .iter()
            .partition(|(_, piece)| known.contains(&piece.key.0));
        report.same += old.len();
        let mut seen: Vec<ImportedItem> =
            old.iter().map(|(file, piece)| item(file, piece)).collect();
        let mut items: Vec<Item> = new
            .iter()
            .map(|(file, piece)| {
                let change = match known_files.contains(file.uri.as_str()) {
                    true => "changed",
                    false => "new",
                };
                Item::only(
                    format!("{}:{}", file.uri, piece.line),
                    change,
                    piece.summary.clone(),
                )
            })
            .collect();
        if !self.dry_run {
            let drafts = new.iter().map(|(file, piece)| self.draft(file, piece));
            let written = write_all(self.app, drafts.collect())?;
            for ((done, entry), (file, piece)) in written.iter().zip(&mut items).zip(&new) {
                entry.settle(done);
                // What was blocked is offered again next time: somebody may have mended it.
                if done.is_ok() {
                    seen.push(item(file, piece));
                }
            }
            self.app.store.set_imported(self.project, place, &seen)?;
        }
        report.items.append(&mut items);
        report.items.extend(missing(&before, &now));
        Ok(())
    }

    fn draft(&self, file: &Found, piece: &Piece) -> Draft {
        let scope = self.project.map_or(Scope::Personal, Scope::Project);
        let mut draft = Draft::new(scope, piece.kind, piece.content.clone(), Channel::Import);
        draft.provenance = Provenance::Imported;
        draft.summary = Some(piece.summary.clone());
        draft.source_refs = vec![SourceRef {
            kind: "file".to_owned(),
            uri: format!("{}#L{}-L{}", file.uri, piece.line, piece.end_line),
            title: None,
            timestamp: None,
        }];
        draft.source = Source {
            runtime: "import".to_owned(),
            task: Some(self.program.name().to_owned()),
            ..Source::default()
        };
        draft
    }
}

fn item(file: &Found, piece: &Piece) -> ImportedItem {
    ImportedItem {
        item: file.uri.clone(),
        hash: piece.key.0,
    }
}

/// What the last import held and no file holds any more: how many pieces, by file.
fn missing(before: &[ImportedItem], now: &[(&Found, Piece)]) -> Vec<Item> {
    let here: BTreeSet<[u8; 32]> = now.iter().map(|(_, piece)| piece.key.0).collect();
    let gone = before.iter().filter(|item| !here.contains(&item.hash));
    let mut files: Vec<(String, usize)> = Vec::new();
    for item in gone {
        match files.last_mut() {
            Some((file, count)) if *file == item.item => *count += 1,
            _ => files.push((item.item.clone(), 1)),
        }
    }
    files
        .into_iter()
        .map(|(file, count)| {
            Item::only(
                file,
                "missing",
                format!("{count} piece(s) are not there any more"),
            )
        })
        .collect()
}
