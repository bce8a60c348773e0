//! Where the slates of one scope lie, and what one process remembers of their files.

use std::sync::{Mutex, MutexGuard, PoisonError};

use taffrail_domain::ProjectId;
use taffrail_memory::draft::Scope;
use taffrail_slate::external::ExternalId;
use taffrail_store::{Held, SlateCache, SlateFolder, StoreError, Whose};

use super::SlateFault;
use crate::projects::{self, Added};
use crate::{App, AppError};

/// Whose slates are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The project; none where the working directory can be none, such as the home folder.
    pub project: Option<ProjectId>,
}

impl Place {
    /// The project of the working directory, where it belongs to one.
    ///
    /// # Errors
    /// What git and the store can give.
    pub fn find(app: &App) -> Result<Self, AppError> {
        let project = app.current_project()?.map(|row| row.id);
        Ok(Self { project })
    }

    /// As [`Place::find`]; a folder outside of git that belongs to no project becomes one, so that a slate works anywhere
    /// without set-up (XSL-01).
    ///
    /// # Errors
    /// What git and the store can give.
    pub fn find_or_make(app: &App) -> Result<Self, AppError> {
        let found = Self::find(app)?;
        if found.project.is_some() || !projects::registrable(app, &app.inputs.cwd) {
            return Ok(found);
        }
        let cwd = app.inputs.cwd.clone();
        let (Added::New(row) | Added::Known(row) | Added::Moved { row, .. }) =
            projects::add(app, Some(&cwd), None)?;
        Ok(Self {
            project: Some(row.id),
        })
    }

    /// As memories have it.
    pub fn scope(&self) -> Scope {
        self.project.map_or(Scope::Personal, Scope::Project)
    }
}

/// The slates of one scope, as one process serves them.
pub struct Desk {
    place: Place,
    folder: SlateFolder,
    cache: Mutex<SlateCache>,
}

impl Desk {
    /// The desk of this place. Nothing is touched.
    pub fn at(app: &App, place: Place) -> Self {
        Self {
            folder: SlateFolder::new(&app.home, place.project.as_ref()),
            place,
            cache: Mutex::default(),
        }
    }

    /// Whose slates these are.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// As lists of rows have it.
    pub(super) fn whose(&self) -> Whose {
        self.place.project.map_or(Whose::Personal, Whose::Project)
    }

    pub(super) fn project(&self) -> Option<&ProjectId> {
        self.place.project.as_ref()
    }

    /// The lock of an id, waited for as long as for the database.
    pub(super) fn lock(&self, id: &ExternalId) -> Result<Held<'_>, AppError> {
        self.folder.lock(id).map_err(|error| match error {
            StoreError::Busy { waited_ms, .. } => {
                let id = id.to_string();
                SlateFault::Busy { id, waited_ms }.into()
            }
            other => other.into(),
        })
    }

    pub(super) fn folder(&self) -> &SlateFolder {
        &self.folder
    }

    /// What is remembered of the files. A thread that panicked leaves at worst something to read again.
    pub(super) fn cache(&self) -> MutexGuard<'_, SlateCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
