//! What lies in the folders of slates, for `doctor` (XSL-14). Reads; changes nothing, and takes no lock.

use std::path::PathBuf;

use rustix::fs::FileType;

use super::held::temporary_of;
use super::live::{self, Live};
use super::{CLOSED, Folder, LOCKS, SlateFolder, stem_of};
use crate::{Home, StoreError};

/// What lies in one folder of slates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survey {
    /// Open slates.
    pub open: usize,
    /// Slates that were closed and not moved away: the next call of their scope does that.
    pub closed_left: usize,
    /// Files under the name of a slate that are none.
    pub malformed: Vec<MalformedSlate>,
    /// Such files that were given another name by `slate.open`.
    pub set_aside: Vec<PathBuf>,
    /// What writers left that were killed; also what one writes just now.
    pub temporaries: Vec<PathBuf>,
    /// What is none of ours.
    pub strange: Vec<PathBuf>,
}

/// A file under the name of a slate that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedSlate {
    /// Where.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl SlateFolder {
    /// The folders of slates that a home has, by name.
    ///
    /// # Errors
    /// `Io`; `Home` when they are not this user's alone.
    pub fn all(home: &Home) -> Result<Vec<Self>, StoreError> {
        let Some(folder) = Folder::open(&home.external_slates())? else {
            return Ok(Vec::new());
        };
        let mut entries = folder.entries()?;
        entries.retain(|one| one.is == FileType::Directory && !one.name.starts_with('.'));
        let mut names: Vec<String> = entries.into_iter().map(|one| one.name).collect();
        names.sort_unstable();
        let folders = names.into_iter().map(|name| Self::named(home, name));
        Ok(folders.collect())
    }

    /// What lies there. Empty where the folder is missing.
    ///
    /// # Errors
    /// `Io`; `Home` when the folder is not this user's alone.
    pub fn survey(&self) -> Result<Survey, StoreError> {
        let mut found = Survey::default();
        let Some(folder) = self.open()? else {
            return Ok(found);
        };
        let mut entries = folder.entries()?;
        entries.sort_unstable_by(|one, two| one.name.cmp(&two.name));
        for entry in entries {
            sort(&folder, &entry.name, &mut found)?;
        }
        Ok(found)
    }

    /// Removes what killed writers left, where nobody writes under that lock now; how many there were.
    ///
    /// # Errors
    /// `Io`; `Home` when the folder is not this user's alone.
    pub fn sweep(&self) -> Result<usize, StoreError> {
        let Some(folder) = self.open()? else {
            return Ok(0);
        };
        let entries = folder.entries()?;
        let temporaries = entries.iter().filter_map(|one| temporary_of(&one.name));
        let mut stems: Vec<&str> = temporaries.collect();
        stems.sort_unstable();
        stems.dedup();
        let mut removed = 0;
        for stem in stems {
            if let Some(held) = self.try_lock_stem(stem)? {
                removed += held.remove_temporaries(&entries)?;
            }
        }
        Ok(removed)
    }
}

fn sort(folder: &Folder, name: &str, found: &mut Survey) -> Result<(), StoreError> {
    let path = folder.path().join(name);
    if let Some((_, id)) = stem_of(name) {
        match live::load(folder, &id)?.0 {
            Live::None => {}
            Live::Open(_) => found.open += 1,
            Live::Closed(_) => found.closed_left += 1,
            Live::Malformed { why } => found.malformed.push(MalformedSlate { path, why }),
        }
    } else if temporary_of(name).is_some() {
        found.temporaries.push(path);
    } else if name.contains(".corrupt-") {
        found.set_aside.push(path);
    } else if ![".", "..", LOCKS, CLOSED].contains(&name) {
        found.strange.push(path);
    }
    Ok(())
}
