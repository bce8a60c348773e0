//! The person's editor on the document. What is not taken afterwards is kept in a file, so that no word of theirs is lost.

use std::path::{Path, PathBuf};

use taffrail_store::{MadeBy, NotebookRow, ProjectRow, Saved, files};

use super::{guard, vouch};
use crate::configuration::open_editor;
use crate::{App, AppError};

/// Bytes that are read back: a notebook of the longest characters fits.
const LIMIT: u64 = 1 << 20;

/// What an edit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// The text came back as it was.
    Unchanged,
    /// It came back as it was, and is given to turns again: the person saw it whole.
    Vouched(u64),
    /// It is in force under this version.
    Saved(u64),
    /// Somebody else changed the notebook meanwhile. Nothing was stored.
    Stale {
        /// What is in force now.
        found: NotebookRow,
        /// The person's text.
        yours: String,
        /// Where it is kept.
        kept: PathBuf,
    },
}

/// Opens `$VISUAL` or `$EDITOR` on the document, and stores what it saved.
pub fn edit(app: &App, project: &ProjectRow) -> Result<Edited, AppError> {
    let before = app.store.notebook(&project.id)?;
    let path = place(app, project, before.version)?;
    files::write_private(&path, before.content.as_bytes())?;
    if let Err(error) = open_editor(&app.inputs, &path) {
        return Err(kept(error, &path, &before));
    }
    let text = read_back(&path).map_err(|error| kept(error, &path, &before))?;
    if text == before.content {
        files::remove(&path)?;
        return unchanged(app, project, &before);
    }
    let clean = guard::document(app, &text).map_err(|error| kept(error, &path, &before))?;
    let _lock = vouch::lock(app)?;
    let saved = app
        .store
        .put_notebook(&project.id, before.version, &clean, MadeBy::Edit)
        .map_err(|error| kept(error.into(), &path, &before))?;
    match saved {
        Saved::As { version } => {
            vouch::vouch(app, &project.id, version, clean.as_str())?;
            files::remove(&path)?;
            Ok(Edited::Saved(version))
        }
        Saved::Stale { found } => Ok(Edited::Stale {
            found,
            yours: text,
            kept: path,
        }),
    }
}

/// The person saw the whole text and left it as it is: that vouches for one that nothing vouched for.
fn unchanged(app: &App, project: &ProjectRow, seen: &NotebookRow) -> Result<Edited, AppError> {
    if vouch::in_force(app, &project.id, seen)?.is_given() {
        return Ok(Edited::Unchanged);
    }
    let _lock = vouch::lock(app)?;
    let is_kept = vouch::vouch(app, &project.id, seen.version, &seen.content)?;
    Ok(match is_kept {
        true => Edited::Vouched(seen.version),
        false => Edited::Unchanged,
    })
}

/// A file of its own below the home: what an earlier edit left there stays.
fn place(app: &App, project: &ProjectRow, version: u64) -> Result<PathBuf, AppError> {
    let folder = app.home.root().join("edits");
    files::make_private_dir(&folder)?;
    let mut number = 1_u32;
    loop {
        let name = format!("{}-{version}-{number}.md", project.name);
        let path = folder.join(name);
        if !path.exists() {
            return Ok(path);
        }
        number += 1;
    }
}

fn read_back(path: &Path) -> Result<String, AppError> {
    let bytes = files::read_bounded(path, LIMIT)?.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| AppError::NotText {
        path: path.to_owned(),
    })
}

/// The error, with where the person's text lies; a file that they did not change is not kept.
fn kept(error: AppError, path: &Path, before: &NotebookRow) -> AppError {
    if read_back(path).is_ok_and(|text| text == before.content) {
        // What cannot be removed lies in the home, private as everything there.
        files::remove(path).unwrap_or_default();
        return error;
    }
    AppError::Kept {
        error: Box::new(error),
        path: path.to_owned(),
    }
}
