//! The login keychain of macOS.

use std::collections::HashMap;
use std::time::Duration;

use apple_native_keyring_store::keychain::Store;
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use taffrail_domain::Millis;

use super::bounded::bounded;
use super::{KeyringInputs, PATIENCE, Probe, SERVICE};
use crate::{Secret, SecretsError};

type Answer<T> = Result<T, SecretsError>;

pub(super) struct System {
    limit: Duration,
}

pub(super) fn probe(_inputs: &KeyringInputs) -> Answer<Probe> {
    bounded(PATIENCE, || {
        Store::new().map_err(sorted)?;
        Ok(Probe {
            is_running: true,
            is_locked: None,
            is_persistent: Some(true),
            about: "login keychain".to_owned(),
        })
    })
}

impl System {
    /// The system asks the person by itself, so every call may take as long as a prompt.
    pub(super) fn new(inputs: &KeyringInputs) -> Self {
        let limit = inputs.prompt.max(PATIENCE);
        Self { limit }
    }

    pub(super) fn reach(&self) -> Answer<()> {
        bounded(PATIENCE, || Store::new().map(drop).map_err(sorted))
    }

    pub(super) fn get(&self, account: String) -> Answer<Option<Secret>> {
        bounded(self.limit, move || match entry(&account)?.get_secret() {
            Ok(bytes) => Ok(Some(Secret::new(bytes))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(sorted(error)),
        })
    }

    pub(super) fn set(&self, account: String, value: &Secret) -> Answer<()> {
        let value = value.duplicate();
        bounded(self.limit, move || {
            entry(&account)?.set_secret(value.expose()).map_err(sorted)
        })
    }

    pub(super) fn remove(&self, account: String) -> Answer<bool> {
        bounded(self.limit, move || {
            match entry(&account)?.delete_credential() {
                Ok(()) => Ok(true),
                Err(Error::NoEntry) => Ok(false),
                Err(error) => Err(sorted(error)),
            }
        })
    }

    /// The accounts of every home; this keychain's library does not tell times.
    pub(super) fn accounts(&self) -> Answer<Vec<(String, Option<Millis>)>> {
        bounded(self.limit, || {
            let asked = HashMap::from([("service", SERVICE)]);
            let found = Store::new()
                .map_err(sorted)?
                .search(&asked)
                .map_err(sorted)?;
            let account = |entry: Entry| entry.get_specifiers().map(|(_, account)| (account, None));
            Ok(found.into_iter().filter_map(account).collect())
        })
    }
}

fn entry(account: &str) -> Answer<Entry> {
    let store = Store::new().map_err(sorted)?;
    store.build(SERVICE, account, None).map_err(sorted)
}

fn sorted(error: Error) -> SecretsError {
    let cause = error.to_string();
    match error {
        Error::NoStorageAccess(_) => SecretsError::Locked { why: cause },
        Error::PlatformFailure(_) => SecretsError::Unavailable { cause },
        _ => SecretsError::Refused { cause },
    }
}
