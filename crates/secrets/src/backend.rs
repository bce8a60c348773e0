//! What a place for secrets can do.

use taffrail_domain::Millis;

use crate::{Name, Secret, SecretsError};

/// A place that keeps secrets of one home by name. Every call is blocking and bounded.
pub trait Backend: Send + Sync {
    /// The value of a name, if there is one.
    ///
    /// # Errors
    /// `Unavailable` or `Locked` by a keychain; `WrongPassphrase`, `Damaged`, `Newer`, `Missing` or `Io` by a file.
    fn get(&self, name: &Name) -> Result<Option<Secret>, SecretsError>;

    /// Keeps a value under a name; what was there is gone. `now` is the time that [`Held::since`] tells; a keychain
    /// that keeps times of its own tells its own.
    ///
    /// # Errors
    /// As [`Backend::get`]; `Empty`, `TooLarge`. What was there is then still there.
    fn set(&self, name: &Name, value: &Secret, now: Millis) -> Result<(), SecretsError>;

    /// Takes a name away; whether one was there.
    ///
    /// # Errors
    /// As [`Backend::get`].
    fn remove(&self, name: &Name) -> Result<bool, SecretsError>;

    /// Every name of this home, sorted. No values are read.
    ///
    /// # Errors
    /// As [`Backend::get`].
    fn list(&self) -> Result<Vec<Held>, SecretsError>;

    /// What this place is, without asking it anything that changes it.
    fn facts(&self) -> Facts;
}

/// That a secret exists, and since when: all that is ever told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its name.
    pub name: Name,
    /// When its value was set; none where the place does not tell.
    pub since: Option<Millis>,
}

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// The operating system's keychain.
    Keyring,
    /// The encrypted file in the home.
    File,
}

impl BackendKind {
    /// The word in settings and commands.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Keyring => "keyring",
            Self::File => "file",
        }
    }

    /// The kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Keyring, Self::File]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// What is known of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its kind.
    pub kind: BackendKind,
    /// Whether what it keeps outlives a restart of the machine.
    pub is_persistent: bool,
    /// One line for people: `Secret Service, collection login`.
    pub about: String,
}
