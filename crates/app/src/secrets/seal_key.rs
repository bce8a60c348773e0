//! The seal key outside of its place: exported under a passphrase, brought back on a new machine (REV-04).

use std::io::Write;
use std::path::Path;

use taffrail_secrets::{Backend, Name, Secret, unwrap, wrap};
use taffrail_store::files;

use super::SecretFault;
use crate::memory::seals::{KeyRecord, first_anchor};
use crate::{App, AppError};

/// A wrapped seal key is some hundred bytes.
const LIMIT: u64 = 64 << 10;
/// The setting with the public half, for `doctor`; nothing is checked with it.
const PUBLIC: &str = "seal_key";

/// The seal key under a new passphrase that is asked for; none where there is no seal key. For an export or a backup.
///
/// # Errors
/// Those of the place of secrets and of asking.
pub fn wrapped(app: &App) -> Result<Option<Vec<u8>>, AppError> {
    let Some(key) = app.secrets()?.get(&Name::seal_key())? else {
        return Ok(None);
    };
    let passphrase = app
        .inputs
        .ask
        .new_passphrase("a passphrase for the exported seal key:")?;
    Ok(Some(wrap(&key, &passphrase)?))
}

/// Writes the seal key, wrapped, to a new file with mode 0600.
///
/// # Errors
/// `NoSealKey`, `FileThere`; those of [`wrapped`].
pub fn export(app: &App, path: &Path) -> Result<(), AppError> {
    if path.symlink_metadata().is_ok() {
        let path = path.to_owned();
        return Err(SecretFault::FileThere { path }.into());
    }
    let wrapped = wrapped(app)?.ok_or(SecretFault::NoSealKey)?;
    let mut file = files::create_private_writer(path)?;
    file.write_all(&wrapped).map_err(|source| AppError::Write {
        path: path.to_owned(),
        source,
    })?;
    Ok(files::finish_writer(&file, path)?)
}

/// Reads a seal key that was exported, and makes it this home's.
///
/// # Errors
/// `FileMissing`; those of [`restore_wrapped`].
pub fn restore(app: &App, path: &Path, replaces: bool) -> Result<(), AppError> {
    let Some(bytes) = files::read_bounded(path, LIMIT)? else {
        let path = path.to_owned();
        return Err(SecretFault::FileMissing { path }.into());
    };
    restore_wrapped(app, &bytes, replaces)
}

/// Makes a wrapped seal key this home's; its passphrase is asked for. Another one that is there gives way only where
/// `replaces` says so.
///
/// # Errors
/// `PassphraseWrong`, `Damaged`, `NotASealKey`, `OtherSealKey`.
pub fn restore_wrapped(app: &App, wrapped: &[u8], replaces: bool) -> Result<(), AppError> {
    let places = app.secrets()?;
    let passphrase = app
        .inputs
        .ask
        .passphrase("passphrase of the exported seal key:")?;
    let key = unwrap(wrapped, &passphrase)?;
    let record = KeyRecord::from_secret(&key).ok_or(SecretFault::NotASealKey)?;
    if is_another(&*places, &record)? {
        if !replaces {
            return Err(SecretFault::OtherSealKey.into());
        }
        open_the_old_one(app, &*places)?;
    }
    let alone = app.secrets_alone()?;
    keep(app, &*alone.place, &key)?;
    // On a new machine there is no anchor: who knows the passphrase takes the journal as it is.
    first_anchor(app, None)?;
    let public = taffrail_domain::hex(&record.public());
    Ok(app
        .store
        .set_setting(PUBLIC, &app.redactor.clean(&public))?)
}

fn is_another(places: &dyn Backend, record: &KeyRecord) -> Result<bool, AppError> {
    let there = places.get(&Name::seal_key())?;
    let there = there.as_ref().and_then(KeyRecord::from_secret);
    Ok(there.is_some_and(|there| there.public() != record.public()))
}

/// A key under a passphrase gives way only to who knows it: else whoever fakes a terminal could bring a key of their own.
fn open_the_old_one(app: &App, places: &dyn Backend) -> Result<(), AppError> {
    let there = places.get(&Name::seal_key())?;
    if let Some(KeyRecord::Wrapped { wrapped, .. }) =
        there.as_ref().and_then(KeyRecord::from_secret)
    {
        let question = "passphrase of the seal key that is there:";
        unwrap(&wrapped, &app.inputs.ask.passphrase(question)?)?;
    }
    Ok(())
}

fn keep(app: &App, places: &dyn Backend, key: &Secret) -> Result<(), AppError> {
    Ok(places.set(&Name::seal_key(), key, app.inputs.clock.now())?)
}
