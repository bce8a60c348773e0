//! The private half of the seal key: made at the first approval, wrapped where `review.lock` says so, held by the one
//! process that reviews.

use std::sync::Arc;

use taffrail_config::ReviewLock;
use taffrail_memory::journal::Anchor;
use taffrail_memory::seal::SealKey;
use taffrail_secrets::{Name, Secret, unwrap, wrap};

use super::record::{AnchorRecord, KeyRecord};
use crate::{App, AppError};

/// The key, open.
#[derive(Clone)]
pub struct Opened(Arc<SealKey>);

impl Opened {
    /// The key.
    pub fn key(&self) -> Arc<SealKey> {
        Arc::clone(&self.0)
    }
}

/// Opens the key; makes it where there is none. A passphrase is asked for where the key is wrapped, and a new one where
/// `review.lock` wants it to be and it is not.
///
/// # Errors
/// `keychain_unavailable` where no place of secrets answers; `passphrase_wrong`.
pub fn open(app: &App) -> Result<Opened, AppError> {
    loop {
        let found = app.secrets()?.get(&Name::seal_key())?;
        let seed = match found.as_ref().map(KeyRecord::from_secret) {
            // Another process may make the first key at the same time: there is one key, and that one is opened.
            None => match make(app)? {
                Some(seed) => seed,
                None => continue,
            },
            Some(None) => return Err(AppError::SealKeyDamaged),
            Some(Some(KeyRecord::Plain { seed, .. })) => lock_if_wanted(app, seed)?,
            Some(Some(KeyRecord::Wrapped { wrapped, .. })) => unwrap(
                &wrapped,
                &app.inputs.ask.passphrase("passphrase of the seal key:")?,
            )?,
        };
        return Ok(Opened(Arc::new(key_of(&seed)?)));
    }
}

/// Makes the key; none where there is one by now.
fn make(app: &App) -> Result<Option<Secret>, AppError> {
    let seed = Secret::random(32)?;
    let key = key_of(&seed)?;
    // A passphrase is asked for before the others are made to wait.
    let record = record_of(app, &seed)?;
    let alone = app.secrets_alone()?;
    if alone.place.get(&Name::seal_key())?.is_some() {
        return Ok(None);
    }
    // First, so that there is never a key without an anchor: an approval that no anchor reaches is none.
    first_anchor(app, Some(&key))?;
    let now = app.inputs.clock.now();
    alone
        .place
        .set(&Name::seal_key(), &record.to_secret(), now)?;
    // For `doctor`, which says when the key beside the database is another: nothing is checked with this copy.
    let public = taffrail_domain::hex(&key.public());
    app.store
        .set_setting("seal_key", &app.redactor.clean(&public))?;
    Ok(Some(seed))
}

fn lock_if_wanted(app: &App, seed: Secret) -> Result<Secret, AppError> {
    if app.config.review.lock.value == ReviewLock::Passphrase {
        keep(app, &seed)?;
    }
    Ok(seed)
}

/// Puts the key into the place of secrets, in the form that the configuration wants.
fn keep(app: &App, seed: &Secret) -> Result<(), AppError> {
    let record = record_of(app, seed)?;
    let alone = app.secrets_alone()?;
    let now = app.inputs.clock.now();
    Ok(alone
        .place
        .set(&Name::seal_key(), &record.to_secret(), now)?)
}

/// The key in the form that the configuration wants; asks for a new passphrase where that is a wrapped one.
fn record_of(app: &App, seed: &Secret) -> Result<KeyRecord, AppError> {
    let public = key_of(seed)?.public();
    Ok(match app.config.review.lock.value {
        ReviewLock::None => KeyRecord::Plain {
            public,
            seed: seed.duplicate(),
        },
        ReviewLock::Passphrase => KeyRecord::Wrapped {
            public,
            wrapped: wrap(
                seed,
                &app.inputs
                    .ask
                    .new_passphrase("a passphrase for the seal key:")?,
            )?,
        },
    })
}

fn key_of(seed: &Secret) -> Result<SealKey, AppError> {
    let bytes: [u8; 32] = seed
        .expose()
        .try_into()
        .map_err(|_| AppError::SealKeyDamaged)?;
    Ok(SealKey::from_seed(bytes))
}

/// Anchors the journal for a key that is new here. What was anchored before stays anchored, under this key, or under
/// none where it is not open.
pub fn first_anchor(app: &App, key: Option<&SealKey>) -> Result<(), AppError> {
    let anchor = match anchored(app)? {
        Some(before) => before,
        None => app.store.journal_head()?,
    };
    write_anchor(app, anchor, key)
}

/// Anchors the journal's newest entry, unless a later one is anchored already, or the journal between the two is not the
/// one that was written: a journal that was changed by hand is not vouched for. Without a place of secrets there is nothing
/// to anchor in; a decision that gives no influence stands all the same.
pub fn put_anchor(app: &App, head: Anchor, key: Option<&SealKey>) -> Result<(), AppError> {
    if app.secrets().is_err() {
        return Ok(());
    }
    // Two reviewers at once: the one that read first must not write last, or the anchor would go back.
    let _alone = app.secrets_alone()?;
    if let Some(before) = anchored(app)? {
        let follows = || app.store.reviews_in_chain(before.seq, head.seq, &before);
        if before.seq >= head.seq || follows()?.is_none() {
            return Ok(());
        }
    }
    write_anchor(app, head, key)
}

/// Anchors the journal as it is, whatever was anchored before: a person takes it so.
pub fn take_anchor(app: &App, key: &SealKey) -> Result<(), AppError> {
    write_anchor(app, app.store.journal_head()?, Some(key))
}

fn anchored(app: &App) -> Result<Option<Anchor>, AppError> {
    let found = app.secrets()?.get(&Name::journal_anchor())?;
    let record = found.as_ref().and_then(AnchorRecord::from_secret);
    Ok(record.map(|record| record.anchor))
}

fn write_anchor(app: &App, anchor: Anchor, key: Option<&SealKey>) -> Result<(), AppError> {
    let home = app.store.home_id()?;
    let record = AnchorRecord {
        anchor,
        signature: key.map(|key| key.sign_anchor(home, &anchor)),
    };
    let now = app.inputs.clock.now();
    Ok(app
        .secrets()?
        .set(&Name::journal_anchor(), &record.to_secret(), now)?)
}
