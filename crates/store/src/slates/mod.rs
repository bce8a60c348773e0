//! The files of external slates: one folder for each scope, one file for each open id (10-external-slates.md).
//!
//! Knows nothing of the database, nor of what a slate is worth: it takes whole records from `taffrail_slate`, which makes
//! their texts clean. A call for one id opens that id's file and no other (XSL-04, XSL-13); nothing here lists `closed/`.

mod folder;
mod held;
mod idle;
mod live;
mod lock;
mod survey;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_domain::ProjectId;
use taffrail_slate::external::ExternalId;

use self::folder::Folder;
use crate::{Home, StoreError};

pub use held::{CreateError, Held};
pub use idle::SlateCache;
pub use live::Live;
pub use survey::{MalformedSlate, Survey};

/// Where closed slates go.
const CLOSED: &str = "closed";
/// Where the locks are.
const LOCKS: &str = "locks";
/// The folder of slates outside of every project.
const PERSONAL: &str = "personal";
/// How long is waited for a lock, as long as for the database (STO-03).
const PATIENCE: Duration = Duration::from_secs(10);

/// The folder with the slates of one project, or of none. Making it touches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlateFolder {
    home: Home,
    scope: String,
    path: PathBuf,
    patience: Duration,
}

impl SlateFolder {
    /// The folder of a project; of what belongs to none, where there is none.
    pub fn new(home: &Home, scope: Option<&ProjectId>) -> Self {
        Self::named(
            home,
            scope.map_or_else(|| PERSONAL.to_owned(), ProjectId::short),
        )
    }

    fn named(home: &Home, scope: String) -> Self {
        Self {
            path: home.external_slates().join(&scope),
            home: home.clone(),
            scope,
            patience: PATIENCE,
        }
    }

    /// Waits so long for a lock, instead of ten seconds.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock of an id. Folders and the lock's file are made where they are missing. Ids share 64 locks: who holds
    /// one may ask for no other but by [`SlateFolder::try_lock_stem`].
    ///
    /// # Errors
    /// `Busy` with the lock's path when somebody holds it for ten seconds; `Home` when something there is not this user's
    /// alone; `Io`, `DiskFull`.
    pub fn lock(&self, id: &ExternalId) -> Result<Held<'_>, StoreError> {
        let (dir, locks) = self.make()?;
        let stem = id.file_stem();
        let held = lock::take_or_busy(&locks, &lock::stripe(&stem), self.patience)?;
        Ok(Held::new(self, dir, locks, id.clone(), held))
    }

    /// As [`SlateFolder::lock`] for the id of a file's name without `.json`; none at once where somebody holds it.
    ///
    /// # Errors
    /// `NotFound` for what is no such name; else as [`SlateFolder::lock`].
    pub fn try_lock_stem(&self, stem: &str) -> Result<Option<Held<'_>>, StoreError> {
        let id = ExternalId::from_file_stem(stem).ok_or_else(|| StoreError::NotFound {
            what: "slate",
            asked: stem.chars().take(200).collect(),
        })?;
        let (dir, locks) = self.make()?;
        let held = lock::take(&locks, &lock::stripe(stem), Duration::ZERO)?;
        Ok(held.map(|held| Held::new(self, dir, locks, id, held)))
    }

    /// The folder, where it is there.
    fn open(&self) -> Result<Option<Folder>, StoreError> {
        let Some(all) = Folder::open(&self.home.external_slates())? else {
            return Ok(None);
        };
        all.child(&self.scope)
    }

    fn make(&self) -> Result<(Folder, Folder), StoreError> {
        let dir = match self.open()? {
            Some(dir) => dir,
            None => Folder::make(self.home.root())?
                .make_child("external-slates")?
                .make_child(&self.scope)?,
        };
        let locks = dir.make_child(LOCKS)?;
        Ok((dir, locks))
    }

    fn lock_create(&self, locks: &Folder) -> Result<File, StoreError> {
        lock::take_or_busy(locks, lock::CREATE, self.patience)
    }
}

/// The stem of an open slate's file name, if it is one.
fn stem_of(name: &str) -> Option<(&str, ExternalId)> {
    let stem = name.strip_suffix(".json")?;
    Some((stem, ExternalId::from_file_stem(stem)?))
}
