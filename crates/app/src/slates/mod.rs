//! External slates: another program opens one under an id of its own, drops seeds, closes it (10-external-slates.md).
//!
//! The lock of an id is held from the look at its file to the end of what is made of it. What came of a closed slate is
//! one row of the database, written before the file moves away: whoever comes second finds the first one's outcome.

mod close;
mod desk;
mod error;
mod evidence;
mod open;
mod reclaim;
mod standing;
mod write;

use taffrail_domain::Millis;
use taffrail_slate::external::{ExternalId, Seed, Slate};
use taffrail_store::Closure;

use crate::{App, AppError};

pub use desk::{Desk, Place};
pub use error::SlateFault;
pub use open::Open;
pub use write::NewSeed;

/// What opening came to.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The slate, as it is now.
    pub slate: Slate,
    /// What the caller should know.
    pub note: Option<String>,
}

/// What writing came to.
#[derive(Debug, Clone)]
pub struct Wrote {
    /// The seed: the new one, or the one that came with the same key before.
    pub seed: Seed,
    /// The families of what was masked in the text.
    pub redacted: Vec<&'static str>,
    /// What the caller should know.
    pub note: Option<String>,
}

impl Desk {
    /// `slate.open` (XSL-05, XSL-06).
    ///
    /// # Errors
    /// `Slate` for what does not fit; what the store can give.
    pub fn open(&self, app: &App, ask: &Open<'_>) -> Result<Opened, AppError> {
        open::open(self, app, ask)
    }

    /// `slate.writeSeed` (XSL-07, XSL-08).
    ///
    /// # Errors
    /// `Slate` for what does not fit or is not open; what the store can give.
    pub fn write(&self, app: &App, new: &NewSeed<'_>) -> Result<Wrote, AppError> {
        write::write(self, app, new)
    }

    /// `slate.close` (XSL-09).
    ///
    /// # Errors
    /// `Slate` for an id that was never opened; what the store can give.
    pub fn close(&self, app: &App, id: &str) -> Result<Closure, AppError> {
        close::close(self, app, id)
    }

    /// Closes what is open under an id; none where nothing is.
    ///
    /// # Errors
    /// What the store can give.
    pub fn close_if_open(&self, app: &App, id: &str) -> Result<Option<Closure>, AppError> {
        close::close_if_open(self, app, id)
    }

    /// What came of the newest closed generation of this id, if there is one.
    ///
    /// # Errors
    /// What the store can give; an id that no slate can have.
    pub fn newest_closure(&self, app: &App, id: &str) -> Result<Option<Closure>, AppError> {
        let id = named(app, id)?;
        let project = self.place().project;
        Ok(app.store.newest_closure(project.as_ref(), &id)?)
    }
}

impl App {
    /// Closes the slate that a session of another program has open under its own id, if it has one.
    ///
    /// # Errors
    /// What the store can give; an id that no slate can have is none.
    pub fn close_slate_of_session(&self, id: &str) -> Result<Option<Closure>, AppError> {
        let desk = Desk::at(self, Place::find(self)?);
        close::close_if_open(&desk, self, id)
    }
}

/// The id that a caller gave its slate.
fn named(app: &App, id: &str) -> Result<ExternalId, SlateFault> {
    Ok(ExternalId::new(id, &app.redactor)?)
}

/// The time now.
fn now(app: &App) -> Millis {
    app.inputs.clock.now()
}
