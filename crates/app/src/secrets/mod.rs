//! Where the secrets of this home are kept: the keychain, or the encrypted file where a person chose it (SEC-01).
//!
//! Opened at the first use. Nothing falls back: what was chosen and does not open is an error that says why. Surfaces
//! bring the person by [`AskPassphrase`]; nothing here knows a terminal.

mod choice;
mod error;
mod facts;
mod key_file;
mod manage;
mod place;
mod seal_key;
mod vault;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use choice::{Choice, Opener};
pub(crate) use error::code;
pub use error::{SecretFault, hint};
pub use facts::findings;
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
    /// `NeedsTerminal` where nobody is there; `Interrupted`.
    fn passphrase(&self, question: &str) -> Result<Secret, AppError>;

    /// Asks for a new passphrase, twice.
    ///
    /// # Errors
    /// As [`AskPassphrase::passphrase`]; `PassphrasesDiffer` when the two are not the same, or both are empty.
    fn new_passphrase(&self, question: &str) -> Result<Secret, AppError>;
}

/// Nobody: what serves a program, or runs without a terminal.
pub struct Nobody;

impl AskPassphrase for Nobody {
    fn is_person_here(&self) -> bool {
        false
    }

    fn passphrase(&self, _question: &str) -> Result<Secret, AppError> {
        Err(AppError::NeedsTerminal)
    }

    fn new_passphrase(&self, _question: &str) -> Result<Secret, AppError> {
        Err(AppError::NeedsTerminal)
    }
}

/// The place of secrets once it is open.
#[derive(Default)]
pub(crate) struct Opened(Mutex<Option<Arc<dyn Backend>>>);

impl Opened {
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl App {
    /// The place of secrets: the one that was chosen, else the keychain if it answers. Opened once.
    ///
    /// # Errors
    /// `Secrets`: `Unavailable` with its cause where nothing was chosen and no keychain answers; whatever keeps the chosen
    /// one from opening. `NeedsTerminal` where its passphrase is needed and nobody is there.
    pub fn secrets(&self) -> Result<Arc<dyn Backend>, AppError> {
        let mut opened = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = &*opened {
            return Ok(Arc::clone(place));
        }
        let choice = manage::chosen(self)?.unwrap_or(Choice::Keyring);
        let place = place::open(self, &choice)?;
        *opened = Some(Arc::clone(&place));
        Ok(place)
    }

    /// Where the encrypted file lies.
    pub(crate) fn sealed_file(&self) -> PathBuf {
        self.home.root().join(vault::FILE)
    }
}
