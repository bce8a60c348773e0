//! `taffrail secret`: set, list, remove, choose the place and bring everything over.

use std::path::Path;
use std::sync::Arc;

use taffrail_domain::Millis;
use taffrail_redact::Clean;
use taffrail_secrets::{Backend, BackendKind, FileBackend, Held, Name, Secret, SecretsError};
use taffrail_store::files;

use super::choice::SETTING;
use super::vault::PrivateFile;
use super::{Choice, Opener, SecretFault, key_place, place};
use crate::notebook::vouch;
use crate::{App, AppError};

/// A secret as it is listed: that it exists, since when, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Name,
    /// When its value was set, where the place tells.
    pub since: Option<Millis>,
    /// The kind of its place.
    pub place: BackendKind,
}

/// What choosing a place did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The place in use now.
    pub now: Choice,
    /// Names that were brought over from the place before.
    pub moved: Vec<Name>,
}

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlace {
    /// The place.
    pub choice: Choice,
    /// The place is in use already, and a new passphrase is wanted.
    pub renews: bool,
    /// Leave what the place before holds where it is, and do not open it.
    pub leaves: bool,
}

/// The choice on record; none where nobody chose.
pub fn chosen(app: &App) -> Result<Option<Choice>, AppError> {
    let Some(text) = app.store.setting(SETTING)? else {
        return Ok(None);
    };
    let choice = Choice::of(&text).ok_or(SecretFault::Choice { text })?;
    Ok(Some(choice))
}

/// Keeps a value under a name of a person's own.
pub fn set(app: &App, name: &Name, value: &Secret) -> Result<(), AppError> {
    not_ours(name)?;
    let alone = app.secrets_alone()?;
    Ok(alone.place.set(name, value, app.inputs.clock.now())?)
}

/// Every secret of this home.
pub fn list(app: &App) -> Result<Vec<Listed>, AppError> {
    let secrets = app.secrets()?;
    let place = secrets.facts().kind;
    let listed = |Held { name, since }| Listed { name, since, place };
    Ok(secrets.list()?.into_iter().map(listed).collect())
}

/// Takes away a secret of a person's own.
pub fn remove(app: &App, name: &Name) -> Result<(), AppError> {
    not_ours(name)?;
    if app.secrets_alone()?.place.remove(name)? {
        Ok(())
    } else {
        let name = name.to_string();
        Err(SecretFault::NoSecret { name }.into())
    }
}

fn not_ours(name: &Name) -> Result<(), AppError> {
    if name.is_reserved() {
        let name = name.to_string();
        return Err(SecretFault::Reserved { name }.into());
    }
    Ok(())
}

/// Chooses the place of secrets. What the place before holds is copied, read back, and only then removed there.
///
/// # Errors
/// `SecretDiffers` where both places have a name with two values: nothing is changed then. `Busy` while another process
/// chooses. Those of opening either place.
pub fn choose(app: &App, wanted: &NewPlace) -> Result<Chosen, AppError> {
    // To the end: two choices at once would each move what the other is moving, and a value set meanwhile would be lost.
    let _turn = app.secrets_turn()?;
    let before = chosen(app)?;
    // A copy of the home came without the file: who leaves what was there begins a new one.
    let begins_anew = wanted.leaves && is_gone(app, &wanted.choice);
    if before.as_ref() == Some(&wanted.choice) && !wanted.renews && !begins_anew {
        app.secrets()?;
        return Ok(done(wanted, Vec::new()));
    }
    key_place::refuse_shown(app, &wanted.choice)?;
    let text = app.redactor.clean(&wanted.choice.to_text());
    if text.as_str() != wanted.choice.to_text() {
        let text = text.into_string();
        return Err(SecretFault::Choice { text }.into());
    }
    let old = match (wanted.leaves, &before) {
        (true, _) => None,
        (false, Some(_)) => match app.secrets() {
            Ok(place) => Some(place),
            Err(error) => return adopt(app, wanted, &text, error),
        },
        // Nobody chose, so what there is lies in the keychain, if it answers at all.
        (false, None) => place::open(app, &Choice::Keyring).ok(),
    };
    let had_file = app.sealed_file().symlink_metadata().is_ok();
    let target = Target::prepare(app, wanted, before.as_ref())?;
    let moved = match &old {
        Some(old) => copy(&**old, &*target.place, app.inputs.clock.now()),
        None => Ok(Vec::new()),
    };
    if moved.is_err() {
        files::remove(&beside(app))?;
    }
    let moved = moved?;
    target.take_place(app)?;
    app.store.set_setting(SETTING, &text)?;
    app.places.close();
    if let Some(old) = old {
        clear(app, before.as_ref(), &wanted.choice, &*old, &moved)?;
    } else if before.is_none() && !wanted.leaves && !had_file {
        // The first place of this machine: until now the notebooks were given unprotected.
        vouch::take_all(app)?;
    }
    Ok(done(wanted, moved))
}

/// Whether a choice is of the encrypted file, and there is none.
fn is_gone(app: &App, choice: &Choice) -> bool {
    matches!(choice, Choice::File(_)) && app.sealed_file().symlink_metadata().is_err()
}

/// Begins a new file in the place of the chosen one, where a copy of the home came without it.
///
/// # Errors
/// As for [`choose`].
pub(crate) fn begin_anew_where_gone(app: &App) -> Result<(), AppError> {
    match chosen(app)? {
        Some(choice) if is_gone(app, &choice) => {
            let wanted = NewPlace {
                choice,
                leaves: true,
                renews: false,
            };
            choose(app, &wanted).map(|_| ())
        }
        Some(_) | None => Ok(()),
    }
}

/// A choice that was cut off after the new file took the old one's place: the file opens with what is wanted, and only the
/// setting has to follow. Otherwise the error of opening it stands.
fn adopt(app: &App, wanted: &NewPlace, text: &Clean, error: AppError) -> Result<Chosen, AppError> {
    if wanted.choice == Choice::Keyring || place::open(app, &wanted.choice).is_err() {
        return Err(error);
    }
    app.store.set_setting(SETTING, text)?;
    app.places.close();
    Ok(done(wanted, Vec::new()))
}

fn done(wanted: &NewPlace, moved: Vec<Name>) -> Chosen {
    Chosen {
        now: wanted.choice.clone(),
        moved,
    }
}

/// The place that is to be used, not in use yet.
struct Target {
    place: Arc<dyn Backend>,
    /// A new file that waits beside the old one.
    is_beside: bool,
}

impl Target {
    fn prepare(app: &App, wanted: &NewPlace, before: Option<&Choice>) -> Result<Self, AppError> {
        let choice = &wanted.choice;
        let Choice::File(opener) = choice else {
            let place = place::open(app, choice)?;
            return Ok(Self {
                place,
                is_beside: false,
            });
        };
        let is_in_use = matches!(before, Some(Choice::File(_)));
        let is_there = files::open_private(&app.sealed_file())?.is_some();
        // A file that nobody uses came with a copy of the home, or an interrupted choice left it: it is opened, not
        // written over. One in use is replaced by one under the new key.
        let is_replaced = is_in_use && (wanted.renews || needs_other_key(app, choice)?);
        if is_there && !is_replaced {
            let place = place::open(app, choice)?;
            return Ok(Self {
                place,
                is_beside: false,
            });
        }
        let beside = beside(app);
        files::remove(&beside)?;
        Ok(Self {
            place: place::make(app, &beside, opener)?,
            is_beside: true,
        })
    }

    fn take_place(self, app: &App) -> Result<(), AppError> {
        if self.is_beside {
            files::put_in_place(&beside(app), &app.sealed_file())?;
        }
        Ok(())
    }
}

/// Whether the file in use opens with something else than what is wanted: the other kind, or another key file.
fn needs_other_key(app: &App, wanted: &Choice) -> Result<bool, AppError> {
    match (header(&app.sealed_file())?, wanted) {
        (Some("key file"), Choice::File(Opener::KeyFile(_))) => match place::open(app, wanted) {
            Ok(_) => Ok(false),
            Err(AppError::Secrets(SecretsError::WrongPassphrase { .. }))
            | Err(AppError::Secret(SecretFault::KeyFile { .. })) => Ok(true),
            Err(error) => Err(error),
        },
        (word, Choice::File(Opener::Passphrase)) => Ok(word != Some("passphrase")),
        (_, Choice::File(Opener::KeyFile(_)) | Choice::Keyring) => Ok(true),
    }
}

fn beside(app: &App) -> std::path::PathBuf {
    app.sealed_file().with_extension("new")
}

/// Copies every value, and reads each back.
fn copy(from: &dyn Backend, to: &dyn Backend, now: Millis) -> Result<Vec<Name>, AppError> {
    let mut values = Vec::new();
    for held in from.list()? {
        let Some(value) = from.get(&held.name)? else {
            continue;
        };
        // All are looked at before the first is written: a refusal leaves the new place as it was.
        match to.get(&held.name)? {
            Some(there) if there != value => {
                let name = held.name.to_string();
                return Err(SecretFault::Differs { name }.into());
            }
            Some(_) | None => values.push((held, value)),
        }
    }
    let mut copied = Vec::new();
    for (held, value) in values {
        to.set(&held.name, &value, held.since.unwrap_or(now))?;
        if to.get(&held.name)?.as_ref() != Some(&value) {
            let cause = format!("{} does not read back", held.name);
            return Err(SecretsError::Refused { cause }.into());
        }
        copied.push(held.name);
    }
    Ok(copied)
}

/// Removes from the place before what is in the new one by now.
fn clear(
    app: &App,
    before: Option<&Choice>,
    now: &Choice,
    old: &dyn Backend,
    moved: &[Name],
) -> Result<(), AppError> {
    match (before, now) {
        // One file took the other's place.
        (Some(Choice::File(_)), Choice::File(_)) => Ok(()),
        (Some(Choice::File(_)), Choice::Keyring) => remove_file(app, &app.sealed_file()),
        (Some(Choice::Keyring) | None, Choice::Keyring) => Ok(()),
        (Some(Choice::Keyring) | None, Choice::File(_)) => {
            for name in moved {
                old.remove(name)?;
            }
            Ok(())
        }
    }
}

fn remove_file(app: &App, path: &Path) -> Result<(), AppError> {
    files::remove(path)?;
    files::remove(&beside(app))?;
    Ok(())
}

/// What opens the encrypted file, told from its header; none where there is no file.
pub(super) fn header(path: &Path) -> Result<Option<&'static str>, SecretsError> {
    match FileBackend::needs(&PrivateFile::at(path)) {
        Ok(word) => Ok(Some(word)),
        Err(SecretsError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}
