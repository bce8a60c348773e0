//! A system without a keychain that we know.

use taffrail_domain::Millis;

use super::{KeyringInputs, Probe};
use crate::{Secret, SecretsError};

type Answer<T> = Result<T, SecretsError>;

pub(super) struct System;

pub(super) fn probe(_inputs: &KeyringInputs) -> Answer<Probe> {
    Err(none())
}

impl System {
    pub(super) fn new(_inputs: &KeyringInputs) -> Self {
        Self
    }

    pub(super) fn reach(&self) -> Answer<()> {
        Err(none())
    }

    pub(super) fn get(&self, _account: String) -> Answer<Option<Secret>> {
        Err(none())
    }

    pub(super) fn set(&self, _account: String, _value: &Secret) -> Answer<()> {
        Err(none())
    }

    pub(super) fn remove(&self, _account: String) -> Answer<bool> {
        Err(none())
    }

    pub(super) fn accounts(&self) -> Answer<Vec<(String, Option<Millis>)>> {
        Err(none())
    }
}

fn none() -> SecretsError {
    SecretsError::Unavailable {
        cause: "this system has no keychain that taffrail knows".to_owned(),
    }
}
