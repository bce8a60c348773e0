//! The operating system's keychain: the Secret Service on Linux, the login keychain on macOS.
//!
//! Every call is bounded: a bus that is dead, a service that does not answer and a prompt that nobody sees are errors
//! with their cause. Nothing is ever kept in the kernel's keyring or in a collection that lives in memory.

#[cfg(target_os = "macos")]
mod apple;
mod bounded;
#[cfg(target_os = "linux")]
mod secret_service;

#[cfg(target_os = "macos")]
use apple as system;
#[cfg(target_os = "linux")]
use secret_service as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod absent;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use absent as system;

use std::time::Duration;

use taffrail_domain::Millis;

use crate::{Backend, BackendKind, Facts, Held, Name, Secret, SecretsError};

/// The service that every entry of ours belongs to.
pub const SERVICE: &str = "taffrail";
/// Longest wait for an answer that no person has to give.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a keychain is found by, as values.
#[derive(Debug, Clone)]
pub struct KeyringInputs {
    /// The id of the home in hex: entries of two homes never mix.
    pub home: String,
    /// The address of the session bus, as in `DBUS_SESSION_BUS_ADDRESS`; only local sockets are used. Linux only.
    pub bus: Option<String>,
    /// How long a person has for unlocking the keychain. With nobody there: a few seconds or nothing.
    pub prompt: Duration,
}

/// What was found without opening anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Whether it runs, or would be started at the first use.
    pub is_running: bool,
    /// Whether it is locked; none when it does not run.
    pub is_locked: Option<bool>,
    /// Whether it outlives a restart; none when it does not run.
    pub is_persistent: Option<bool>,
    /// One line for people.
    pub about: String,
}

/// The keychain as a place for the secrets of one home.
pub struct Keyring {
    inputs: KeyringInputs,
    system: system::System,
}

impl Keyring {
    /// Ready to ask; nothing is asked yet.
    pub fn new(inputs: KeyringInputs) -> Self {
        let system = system::System::new(&inputs);
        Self { inputs, system }
    }

    /// The same, once it has answered: it is started where the bus can start it, and has a place that lasts. It may be
    /// locked.
    ///
    /// # Errors
    /// `Unavailable` with the cause, within five seconds.
    pub fn open(inputs: KeyringInputs) -> Result<Self, SecretsError> {
        let keyring = Self::new(inputs);
        keyring.system.reach()?;
        Ok(keyring)
    }

    /// Looks whether a keychain answers. Makes no entry, unlocks nothing, starts nothing.
    ///
    /// # Errors
    /// `Unavailable` with the cause, within five seconds.
    pub fn probe(inputs: &KeyringInputs) -> Result<Probe, SecretsError> {
        system::probe(inputs)
    }

    fn account(&self, name: &Name) -> String {
        format!("{}/{name}", self.inputs.home)
    }
}

impl Backend for Keyring {
    fn get(&self, name: &Name) -> Result<Option<Secret>, SecretsError> {
        self.system.get(self.account(name))
    }

    fn set(&self, name: &Name, value: &Secret, _now: Millis) -> Result<(), SecretsError> {
        if value.is_empty() {
            return Err(SecretsError::Empty);
        }
        self.system.set(self.account(name), value)
    }

    fn remove(&self, name: &Name) -> Result<bool, SecretsError> {
        self.system.remove(self.account(name))
    }

    fn list(&self) -> Result<Vec<Held>, SecretsError> {
        let prefix = format!("{}/", self.inputs.home);
        let accounts = self.system.accounts()?;
        let held = accounts.into_iter().filter_map(|(account, since)| {
            let name = account.strip_prefix(&prefix)?.parse().ok()?;
            Some(Held { name, since })
        });
        let mut held: Vec<Held> = held.collect();
        held.sort_by(|one, other| one.name.cmp(&other.name));
        held.dedup_by(|one, other| one.name == other.name);
        Ok(held)
    }

    fn facts(&self) -> Facts {
        let (is_persistent, about) = match Self::probe(&self.inputs) {
            Ok(probe) => (probe.is_persistent.unwrap_or(true), probe.about),
            Err(error) => (false, error.to_string()),
        };
        Facts {
            kind: BackendKind::Keyring,
            is_persistent,
            about,
        }
    }
}
