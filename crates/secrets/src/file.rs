//! Secrets in one encrypted file, for a machine without a keychain. Chosen by a person, never fallen back to.
//!
//! Names and times are inside the ciphertext. What it cannot tell: that somebody put back an older whole copy of it.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taffrail_domain::Millis;

use crate::entries::{self, Entries, Entry};
use crate::sealed::{Derived, Purpose, Recipe};
use crate::{Backend, BackendKind, Cost, Facts, FileKey, Held, Name, Secret, SecretsError};

/// Largest file in bytes: thousands of keys, and still read whole in no time.
pub const FILE_LIMIT: usize = 1 << 20;

/// What reads and changes the bytes of the new file; `Some` with the bytes there, `None` where there is none.
pub type Change<'a> = dyn FnMut(Option<Vec<u8>>) -> Result<Vec<u8>, SecretsError> + 'a;

/// Where the file lies. Whoever owns the home implements it.
pub trait Vault: Send + Sync {
    /// The bytes there; none where there is no file. A file over [`FILE_LIMIT`] may be an error.
    ///
    /// # Errors
    /// What the file system said.
    fn read(&self) -> io::Result<Option<Vec<u8>>>;

    /// Reads, changes and replaces the file while no other process does: under a lock, whole or not at all, mode 0600.
    /// Nothing is written when `change` fails.
    ///
    /// # Errors
    /// That of `change`, or `Io`.
    fn update(&self, change: &mut Change<'_>) -> Result<(), SecretsError>;
}

/// The encrypted file of one home.
pub struct FileBackend<V> {
    vault: V,
    key: FileKey,
    /// The key of the recipe met last: stretching a passphrase takes its time once.
    derived: Mutex<Option<Derived>>,
}

impl<V: Vault> FileBackend<V> {
    /// Makes an empty file under a key.
    ///
    /// # Errors
    /// `AlreadyThere`, `Empty` for an empty passphrase, `Random`, `Io`.
    pub fn create(vault: V, key: FileKey, cost: Cost) -> Result<Self, SecretsError> {
        if let FileKey::Passphrase(text) = &key
            && text.is_empty()
        {
            return Err(SecretsError::Empty);
        }
        let derived = Recipe::new(&key, cost)?.derive(&key)?;
        vault.update(&mut |there| match there {
            Some(_) => Err(SecretsError::AlreadyThere),
            None => derived.seal(&entries::encode(&Entries::new()), Purpose::File),
        })?;
        Ok(Self {
            vault,
            key,
            derived: Mutex::new(Some(derived)),
        })
    }

    /// Opens the file that is there; the key is tried at once.
    ///
    /// # Errors
    /// `Missing`, `WrongPassphrase`, `OtherKey`, `Damaged`, `Newer`, `TooLarge`, `Io`.
    pub fn open(vault: V, key: FileKey) -> Result<Self, SecretsError> {
        let opened = Self {
            vault,
            key,
            derived: Mutex::new(None),
        };
        opened.read()?;
        Ok(opened)
    }

    /// What opens a file, `passphrase` or `key file`, told from its header alone.
    ///
    /// # Errors
    /// As [`FileBackend::open`], but for those of a key.
    pub fn needs(vault: &V) -> Result<&'static str, SecretsError> {
        let bytes = bounded(vault.read().map_err(unread)?)?;
        Ok(Recipe::of(&bytes, Purpose::File)?.key_word())
    }

    fn read(&self) -> Result<Entries, SecretsError> {
        let there = self.vault.read().map_err(unread)?;
        self.decode(&bounded(there)?)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Entries, SecretsError> {
        let mut held = self.held();
        let derived = self.ready(&mut held, bytes)?;
        entries::decode(&derived.open(bytes, Purpose::File)?)
    }

    /// The key for these bytes; stretched anew only where they name another recipe than the last ones.
    fn ready<'a>(
        &self,
        held: &'a mut Option<Derived>,
        bytes: &[u8],
    ) -> Result<&'a Derived, SecretsError> {
        let recipe = Recipe::of(bytes, Purpose::File)?;
        let derived = match held.take().filter(|derived| derived.fits(&recipe)) {
            Some(derived) => derived,
            None => recipe.derive(&self.key)?,
        };
        Ok(held.insert(derived))
    }

    fn change(&self, change: &mut dyn FnMut(&mut Entries)) -> Result<(), SecretsError> {
        self.vault.update(&mut |there| {
            let bytes = bounded(there)?;
            let mut held = self.held();
            let derived = self.ready(&mut held, &bytes)?;
            let mut entries = entries::decode(&derived.open(&bytes, Purpose::File)?)?;
            change(&mut entries);
            let sealed = derived.seal(&entries::encode(&entries), Purpose::File)?;
            if sealed.len() > FILE_LIMIT {
                return Err(too_large());
            }
            Ok(sealed)
        })
    }

    fn held(&self) -> MutexGuard<'_, Option<Derived>> {
        self.derived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Vault> Backend for FileBackend<V> {
    fn get(&self, name: &Name) -> Result<Option<Secret>, SecretsError> {
        Ok(self.read()?.remove(name).map(|entry| entry.value))
    }

    fn set(&self, name: &Name, value: &Secret, now: Millis) -> Result<(), SecretsError> {
        if value.is_empty() {
            return Err(SecretsError::Empty);
        }
        if value.expose().len() > FILE_LIMIT {
            return Err(too_large());
        }
        self.change(&mut |entries| {
            let value = value.duplicate();
            entries.insert(name.clone(), Entry { since: now, value });
        })
    }

    fn remove(&self, name: &Name) -> Result<bool, SecretsError> {
        if !self.read()?.contains_key(name) {
            return Ok(false);
        }
        let mut was_there = false;
        self.change(&mut |entries| was_there = entries.remove(name).is_some())?;
        Ok(was_there)
    }

    fn list(&self) -> Result<Vec<Held>, SecretsError> {
        let entries = self.read()?;
        let held = |(name, entry): (Name, Entry)| Held {
            name,
            since: Some(entry.since),
        };
        Ok(entries.into_iter().map(held).collect())
    }

    fn facts(&self) -> Facts {
        Facts {
            kind: BackendKind::File,
            is_persistent: true,
            about: format!("encrypted file, opens with a {}", self.key.word()),
        }
    }
}

fn bounded(there: Option<Vec<u8>>) -> Result<Vec<u8>, SecretsError> {
    let bytes = there.ok_or(SecretsError::Missing)?;
    if bytes.len() > FILE_LIMIT {
        return Err(too_large());
    }
    Ok(bytes)
}

fn too_large() -> SecretsError {
    SecretsError::TooLarge {
        what: "file of secrets",
        limit: FILE_LIMIT,
    }
}

fn unread(source: io::Error) -> SecretsError {
    SecretsError::Io {
        doing: "cannot read the file of secrets".to_owned(),
        source,
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
