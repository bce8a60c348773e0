//! Which text of a notebook a person put there: its hash lies in the place of secrets, so that a line written into the
//! database by hand is in no prompt (NB-03).
//!
//! Where nobody chose a place and no keychain answers there is nothing to keep a hash in: the notebook is given, and it is
//! said that it is not protected.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use taffrail_domain::ProjectId;
use taffrail_secrets::{Backend, Name, Secret};
use taffrail_store::{NotebookRow, ProjectRow, files};

use crate::{App, AppError, secrets};

/// Versions whose hashes are kept, so that an undo or a restore can bring them back: 24 bytes each.
const KEPT: usize = 50;
/// The form of the record.
const VERSION: u8 = 1;
/// Bytes of a hash that are kept: nobody finds another text for 128 bits.
const HASH: usize = 16;

/// How the text in force stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// A person put it there, or there is none.
    Vouched,
    /// Nothing can be kept on this machine that would tell.
    Unprotected,
    /// It is given to no turn, for this reason.
    Withheld {
        /// Why.
        why: String,
    },
}

impl Standing {
    /// Whether a turn is given the text.
    pub const fn is_given(&self) -> bool {
        matches!(self, Self::Vouched | Self::Unprotected)
    }
}

/// How a revision stands.
pub fn standing(app: &App, project: &ProjectId, row: &NotebookRow) -> Result<Standing, AppError> {
    if row.content.is_empty() {
        return Ok(Standing::Vouched);
    }
    let place = match place(app)? {
        Place::Open(place) => place,
        Place::None => return Ok(Standing::Unprotected),
        Place::Closed(why) => return Ok(Standing::Withheld { why }),
    };
    let known = read(&*place, project)?;
    let wanted = (row.version, hash(app, project, row.version, &row.content)?);
    if known.contains(&wanted) {
        return Ok(Standing::Vouched);
    }
    let why = match known.is_empty() {
        true => "nobody vouched for its text on this machine",
        false => {
            "its text is not the one that was saved: the database was changed, or brought from elsewhere"
        }
    };
    let why = why.to_owned();
    Ok(Standing::Withheld { why })
}

/// The standing of the text in force, which has to be the newest that was vouched for: an older one was brought back by
/// hand.
pub fn in_force(app: &App, project: &ProjectId, row: &NotebookRow) -> Result<Standing, AppError> {
    let found = standing(app, project, row)?;
    if found != Standing::Vouched || row.content.is_empty() {
        return Ok(found);
    }
    let Place::Open(place) = place(app)? else {
        return Ok(found);
    };
    let newest = read(&*place, project)?.last().map(|(version, _)| *version);
    if newest == Some(row.version) {
        return Ok(found);
    }
    let why = "a newer text was saved and is gone: the database is an older one".to_owned();
    Ok(Standing::Withheld { why })
}

/// Held while a notebook is changed and vouched for: two of them at once would leave the older hash.
pub(super) fn lock(app: &App) -> Result<std::fs::File, AppError> {
    Ok(files::lock_private(
        &app.home.root().join("notebooks.lock"),
    )?)
}

/// The text that a change is made from was put there by a person.
///
/// # Errors
/// `NotebookWithheld`.
pub(super) fn require(app: &App, project: &ProjectId, row: &NotebookRow) -> Result<(), AppError> {
    match in_force(app, project, row)? {
        Standing::Vouched | Standing::Unprotected => Ok(()),
        Standing::Withheld { why } => Err(AppError::NotebookWithheld { why }),
    }
}

/// An earlier revision that is to be brought back is the one that was saved.
///
/// # Errors
/// `NotebookWithheld`.
pub(super) fn require_earlier(
    app: &App,
    project: &ProjectId,
    row: &NotebookRow,
) -> Result<(), AppError> {
    match standing(app, project, row)? {
        Standing::Vouched | Standing::Unprotected => Ok(()),
        Standing::Withheld { why } => Err(AppError::NotebookWithheld { why }),
    }
}

/// Vouches for a text that a person has put there or has seen whole. Whether there was a place to keep that in.
pub(super) fn vouch(
    app: &App,
    project: &ProjectId,
    version: u64,
    content: &str,
) -> Result<bool, AppError> {
    let Place::Open(place) = place(app)? else {
        return Ok(false);
    };
    let mut known = read(&*place, project)?;
    // After a backup was restored the numbers begin again lower.
    known.retain(|(before, _)| *before < version);
    known.push((version, hash(app, project, version, content)?));
    let from = known.len().saturating_sub(KEPT);
    let mut bytes = vec![VERSION];
    for (version, hash) in known.iter().skip(from) {
        bytes.extend(version.to_be_bytes());
        bytes.extend(hash);
    }
    let now = app.inputs.clock.now();
    Ok(place
        .set(&name(project)?, &Secret::new(bytes), now)
        .map(|()| true)?)
}

/// Takes every notebook as it is: for the moment in which a machine gets its first place of secrets, before which they
/// were given unprotected.
///
/// # Errors
/// Those of the store and of the place.
pub(crate) fn take_all(app: &App) -> Result<(), AppError> {
    for project in app.store.projects()? {
        let row = app.store.notebook(&project.id)?;
        if !row.content.is_empty() {
            vouch(app, &project.id, row.version, &row.content)?;
        }
    }
    Ok(())
}

/// Notebooks that are given to no turn, each with the reason.
///
/// # Errors
/// Those of the store and of the place.
pub fn withheld(app: &App) -> Result<Vec<(ProjectRow, String)>, AppError> {
    let mut found = Vec::new();
    for project in app.store.projects()? {
        let row = app.store.notebook(&project.id)?;
        if let Standing::Withheld { why } = in_force(app, &project.id, &row)? {
            found.push((project, why));
        }
    }
    Ok(found)
}

enum Place {
    Open(Arc<dyn Backend>),
    None,
    Closed(String),
}

/// A place that was chosen and does not open protects all the same: else taking it away would be the way in.
fn place(app: &App) -> Result<Place, AppError> {
    let error = match app.secrets() {
        Ok(place) => return Ok(Place::Open(place)),
        Err(error) => error,
    };
    let is_chosen = secrets::chosen(app)?.is_some() || app.sealed_file().symlink_metadata().is_ok();
    Ok(match is_chosen {
        true => Place::Closed(error.to_string()),
        false => Place::None,
    })
}

type Known = Vec<(u64, [u8; HASH])>;

fn read(place: &dyn Backend, project: &ProjectId) -> Result<Known, AppError> {
    let found = place.get(&name(project)?)?;
    Ok(found.as_ref().and_then(parse).unwrap_or_default())
}

fn parse(secret: &Secret) -> Option<Known> {
    let (version, rest) = secret.expose().split_first()?;
    let entries = rest.chunks_exact(8 + HASH);
    if *version != VERSION || !entries.remainder().is_empty() {
        return None;
    }
    entries
        .map(|entry| {
            let (version, hash) = entry.split_at_checked(8)?;
            let version = u64::from_be_bytes(version.try_into().ok()?);
            Some((version, hash.try_into().ok()?))
        })
        .collect()
}

fn name(project: &ProjectId) -> Result<Name, AppError> {
    let id = taffrail_domain::hex(&project.bytes());
    Ok(Name::own(&format!("seal-notebook-{id}"))?)
}

fn hash(app: &App, project: &ProjectId, version: u64, text: &str) -> Result<[u8; HASH], AppError> {
    let mut made = Sha256::new();
    made.update("taffrail.notebook.text.v1");
    made.update(app.store.home_id()?);
    made.update(project.bytes());
    made.update(version.to_be_bytes());
    made.update(text);
    let whole: [u8; 32] = made.finalize().into();
    let mut kept = [0; HASH];
    kept.iter_mut().zip(whole).for_each(|(to, from)| *to = from);
    Ok(kept)
}
