//! From a choice to an open place of secrets.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use taffrail_secrets::{Backend, Cost, FileBackend, FileKey, Keyring, KeyringInputs};

use super::vault::PrivateFile;
use super::{Choice, Opener, key_file};
use crate::{App, AppError, AppInputs};

/// How long a person has for the keychain's own prompt.
const PROMPT: Duration = Duration::from_secs(60);

/// Opens what was chosen. A keychain is asked whether it answers.
pub(super) fn open(app: &App, choice: &Choice) -> Result<Arc<dyn Backend>, AppError> {
    match choice {
        Choice::Keyring => Ok(Arc::new(keyring(app)?)),
        Choice::File(opener) => {
            let vault = PrivateFile::at(&app.sealed_file());
            // Told before anybody types a passphrase for nothing.
            FileBackend::needs(&vault)?;
            let key = key(app, opener)?;
            Ok(Arc::new(FileBackend::open(vault, key)?))
        }
    }
}

/// Makes a new encrypted file at a path.
pub(super) fn make(app: &App, path: &Path, opener: &Opener) -> Result<Arc<dyn Backend>, AppError> {
    let key = match opener {
        Opener::Passphrase => {
            let question = "a passphrase for the file of secrets:";
            FileKey::Passphrase(app.inputs.ask.new_passphrase(question)?)
        }
        Opener::KeyFile(path) => key_file::read_or_make(path)?,
    };
    let made = FileBackend::create(PrivateFile::at(path), key, Cost::USUAL)?;
    Ok(Arc::new(made))
}

pub(super) fn keyring(app: &App) -> Result<Keyring, AppError> {
    let inputs = keyring_inputs(&app.inputs, app.store.home_id()?);
    Ok(Keyring::open(inputs)?)
}

pub(super) fn keyring_inputs(inputs: &AppInputs, home: [u8; 16]) -> KeyringInputs {
    KeyringInputs {
        home: taffrail_domain::hex(&home),
        bus: bus(inputs),
        // Where nobody is, no prompt appears either: a program in the background asks nobody for a password.
        prompt: match inputs.ask.is_person_here() {
            true => PROMPT,
            false => Duration::ZERO,
        },
    }
}

fn key(app: &App, opener: &Opener) -> Result<FileKey, AppError> {
    Ok(match opener {
        Opener::Passphrase => {
            let question = "passphrase of the file of secrets:";
            FileKey::Passphrase(app.inputs.ask.passphrase(question)?)
        }
        Opener::KeyFile(path) => key_file::read(path)?,
    })
}

/// The address of the session bus: the one that is set, else the socket that a login makes.
fn bus(inputs: &AppInputs) -> Option<String> {
    let set = |name: &str| {
        let value = inputs.environment.get(name);
        value.filter(|value| !value.is_empty())
    };
    if let Some(address) = set("DBUS_SESSION_BUS_ADDRESS") {
        return Some(address.to_string_lossy().into_owned());
    }
    let socket = Path::new(set("XDG_RUNTIME_DIR")?).join("bus");
    Some(format!("unix:path={}", escaped(socket.as_os_str())))
}

/// Bytes that an address of D-Bus does not take as they are.
fn escaped(path: &OsStr) -> String {
    let escaped = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'/' | b'.' => {
            char::from(*byte).to_string()
        }
        other => format!("%{other:02x}"),
    };
    path.as_bytes().iter().map(escaped).collect()
}
