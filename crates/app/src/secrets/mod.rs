//! Where the secrets of this home are kept: the keychain, or the encrypted file where a person chose it (SEC-01).
//!
//! Opened at the first use. Nothing falls back: what was chosen and does not open is an error that says why. Surfaces
//! bring the person by [`AskPassphrase`]; nothing here knows a terminal.

mod choice;
mod error;
mod facts;
mod key_file;
mod key_place;
mod manage;
mod place;
mod seal_key;
mod vault;

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use taffrail_store::files;

pub use choice::{Choice, Opener};
pub(crate) use error::code;
pub use error::{SecretFault, hint};
pub use facts::findings;
pub(crate) use key_place::{key_file, managed};
pub(crate) use manage::begin_anew_where_gone;
pub use manage::{Chosen, Listed, NewPlace, choose, chosen, list, remove, set};
pub use seal_key::{export, restore, restore_wrapped, wrapped};
pub use taffrail_secrets::{Backend, BackendKind, Held, Name, Secret, SecretsError};

use crate::{App, AppError};

/// A person who may be asked for a passphrase. The surface implements it.
pub trait AskPassphrase: Send + Sync {
    /// Whether a person is there, so that a keychain may show its prompt.
    fn is_person_here(&self) -> bool;

    /// Asks for a passphrase that was set before.
    ///
    /// # Errors
    /// `Locked` where nobody is there; `Interrupted`.
    fn passphrase(&self, question: &str) -> Result<Secret, AppError>;

    /// Asks for a new passphrase, twice.
    ///
    /// # Errors
    /// `NeedsTerminal` where nobody is there; `Interrupted`; `PassphrasesDiffer` when the two are not the same, or both are empty.
    fn new_passphrase(&self, question: &str) -> Result<Secret, AppError>;

    /// Tells whoever started the command what was done beside what was asked for. Nobody is told where nobody listens.
    fn tell(&self, _line: &str) {}
}

/// Nobody: what serves a program, or runs without a terminal.
pub struct Nobody;

impl AskPassphrase for Nobody {
    fn is_person_here(&self) -> bool {
        false
    }

    fn passphrase(&self, _question: &str) -> Result<Secret, AppError> {
        Err(AppError::Locked)
    }

    fn new_passphrase(&self, _question: &str) -> Result<Secret, AppError> {
        Err(AppError::NeedsTerminal)
    }
}

/// The place of secrets once it is open, and which choice it was.
#[derive(Default)]
pub(crate) struct Opened(Mutex<Option<(Choice, Arc<dyn Backend>)>>);

/// The place of secrets while no other process of this home changes it.
pub(crate) struct Alone {
    /// The place.
    pub(crate) place: Arc<dyn Backend>,
    _turn: File,
}

impl Opened {
    /// The same place for another application of this process.
    pub(crate) fn share(&self) -> Self {
        let opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self(Mutex::new(opened.clone()))
    }

    fn is(&self, choice: &Choice) -> bool {
        let opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        opened.as_ref().is_some_and(|(opened, _)| opened == choice)
    }

    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl App {
    /// The place of secrets: the one that was chosen, else the keychain if it answers. Opened once.
    ///
    /// # Errors
    /// `Secrets`: `Unavailable` with its cause where nothing was chosen and no keychain answers; whatever keeps the chosen
    /// one from opening. `Locked` where its passphrase is needed and nobody is there.
    pub fn secrets(&self) -> Result<Arc<dyn Backend>, AppError> {
        let mut opened = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, place)) = &*opened {
            return Ok(Arc::clone(place));
        }
        let choice = manage::chosen(self)?.unwrap_or(Choice::Keyring);
        let place = place::open(self, &choice)?;
        *opened = Some((choice, Arc::clone(&place)));
        Ok(place)
    }

    /// The place of secrets for us alone, for a change that rests on what is there. A passphrase is asked for before the
    /// others are made to wait; the place is opened anew where another one was chosen meanwhile.
    ///
    /// # Errors
    /// Those of [`App::secrets`]; `Busy` when another process takes ten seconds over its change.
    pub(crate) fn secrets_alone(&self) -> Result<Alone, AppError> {
        self.secrets()?;
        let turn = self.secrets_turn()?;
        let choice = manage::chosen(self)?.unwrap_or(Choice::Keyring);
        if !self.places.is(&choice) {
            self.places.close();
        }
        Ok(Alone {
            place: self.secrets()?,
            _turn: turn,
        })
    }

    /// The turn of whoever changes the place of secrets or chooses another; given back when the result goes.
    fn secrets_turn(&self) -> Result<File, AppError> {
        Ok(files::lock_private(&self.home.root().join(vault::TURN))?)
    }

    /// Where the encrypted file lies.
    pub(crate) fn sealed_file(&self) -> PathBuf {
        self.home.root().join(vault::FILE)
    }
}
