//! What a person chose, and the setting that holds it.

use std::path::PathBuf;

use taffrail_secrets::BackendKind;

/// The setting that holds the choice.
pub(super) const SETTING: &str = "secret_backend";
const KEYRING: &str = "keyring";
const BY_PASSPHRASE: &str = "file passphrase";
const BY_KEY_FILE: &str = "file key-file ";

/// A place of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The operating system's keychain.
    Keyring,
    /// The encrypted file in the home.
    File(Opener),
}

/// What opens the encrypted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opener {
    /// A passphrase that a person types.
    Passphrase,
    /// A file of 32 random bytes, mode 0600.
    KeyFile(PathBuf),
}

impl Choice {
    /// Its kind.
    pub const fn kind(&self) -> BackendKind {
        match self {
            Self::Keyring => BackendKind::Keyring,
            Self::File(_) => BackendKind::File,
        }
    }

    /// For people and for the setting.
    pub fn to_text(&self) -> String {
        match self {
            Self::Keyring => KEYRING.to_owned(),
            Self::File(Opener::Passphrase) => BY_PASSPHRASE.to_owned(),
            Self::File(Opener::KeyFile(path)) => format!("{BY_KEY_FILE}{}", path.display()),
        }
    }

    /// The choice that a setting holds; none where it holds something else.
    pub(super) fn of(text: &str) -> Option<Self> {
        match text {
            KEYRING => Some(Self::Keyring),
            BY_PASSPHRASE => Some(Self::File(Opener::Passphrase)),
            _ => {
                let path = PathBuf::from(text.strip_prefix(BY_KEY_FILE)?);
                path.is_absolute()
                    .then_some(Self::File(Opener::KeyFile(path)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_back_from_their_setting() {
        let key_file = Opener::KeyFile("/home/ada/my key".into());
        for choice in [
            Choice::Keyring,
            Choice::File(Opener::Passphrase),
            Choice::File(key_file),
        ] {
            assert_eq!(Choice::of(&choice.to_text()), Some(choice));
        }
        for other in ["", "file", "memory", "file key-file relative", "keyring "] {
            assert_eq!(Choice::of(other), None, "{other:?}");
        }
    }
}
