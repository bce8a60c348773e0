//! The files of slates in a backup: open ones as of one moment, what was set aside, and closed ones; no locks, nothing
//! half written.
//!
//! They are taken before the database's copy. A slate that is closed in between is in the copy as a row, and its next call
//! finds that; the other way around its seeds could be in neither.

use std::path::Path;

use super::archive::{Packed, measure};
use super::manifest::relative;
use crate::slate_files::{ALL, CLOSED, closed_slate, is_live, listed, name_of};
use crate::{ArchiveError, Home, files};

/// The largest file of a slate, as its writer has it.
const SLATE_BYTES: u64 = 16 << 20;

/// Every file of a slate, sorted by folder. Open ones are copied to `staging`, because their next seed replaces them.
pub(super) fn collect(home: &Home, staging: &Path) -> Result<Vec<Packed>, ArchiveError> {
    let mut packed = Vec::new();
    for folder in listed(&home.external_slates()) {
        let scope = name_of(&folder);
        // What is open now is closed later, never the other way around: whatever moves meanwhile is seen twice at worst.
        for path in listed(&folder)
            .iter()
            .filter(|path| is_live(&name_of(path)))
        {
            let place = format!("{ALL}/{scope}/{}", name_of(path));
            packed.extend(copied(path, staging, &place)?);
        }
        let closed = folder.join(CLOSED);
        let is_closed = |path: &&std::path::PathBuf| closed_slate(&name_of(path)).is_some();
        for path in listed(&closed).iter().filter(is_closed) {
            let place = format!("{ALL}/{scope}/{CLOSED}/{}", name_of(path));
            packed.extend(measured(path, &place)?);
        }
    }
    Ok(packed)
}

/// A copy of a file as it is now; none where it is gone, or is nothing that a slate's writer makes.
fn copied(path: &Path, staging: &Path, place: &str) -> Result<Option<Packed>, ArchiveError> {
    if !is_plain(path, place) {
        return Ok(None);
    }
    let Some(bytes) = files::read_bounded(path, SLATE_BYTES)? else {
        return Ok(None);
    };
    let copy = staging.join(place);
    files::make_private_dir(copy.parent().unwrap_or(staging))?;
    files::write_private(&copy, &bytes)?;
    Ok(measure(&copy, place)?)
}

fn measured(path: &Path, place: &str) -> Result<Option<Packed>, ArchiveError> {
    if !is_plain(path, place) {
        return Ok(None);
    }
    Ok(measure(path, place)?)
}

/// What is no regular file of usual size there is the doctor's matter, and keeps no backup from being made.
fn is_plain(path: &Path, place: &str) -> bool {
    let fits = |found: std::fs::Metadata| found.is_file() && found.len() <= SLATE_BYTES;
    path.symlink_metadata().is_ok_and(fits) && relative(place).is_some()
}
