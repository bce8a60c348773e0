//! What `doctor` says of the place of secrets: which it is, whether it lasts, and plainly where there is none.
//!
//! Looks only: no passphrase is asked for, nothing is unlocked, started or made.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use taffrail_secrets::{BackendKind, Keyring, SecretsError};
use taffrail_store::{Home, Peek};

use super::choice::SETTING;
use super::{Choice, Opener, key_file, manage, place, vault};
use crate::AppInputs;
use crate::context::find_home;
use crate::doctor::{Finding, Weight};

const ABOUT: &str = "secrets";
const USE_FILE: &str = "taffrail secret backend file";

/// The findings about the place of secrets.
pub fn findings(inputs: &AppInputs) -> Vec<Finding> {
    let Ok(home) = find_home(inputs) else {
        return Vec::new();
    };
    // What is wrong with the database is said elsewhere; without it nothing was chosen.
    let peek = Peek::open(&home).ok().flatten();
    let setting = |name: &str| {
        peek.as_ref()
            .and_then(|peek| peek.setting(name).ok().flatten())
    };
    let home_id = setting("home_id").and_then(|text| parse_id(&text));
    match setting(SETTING).map(|text| Choice::of(&text).ok_or(text)) {
        None => vec![unchosen(inputs, home_id)],
        Some(Ok(Choice::Keyring)) => vec![keyring(inputs, home_id)],
        Some(Ok(Choice::File(opener))) => file(&home, &opener),
        Some(Err(text)) => vec![bad(
            format!("`{text}` is no place for secrets"),
            "taffrail secret backend keyring",
        )],
    }
}

fn unchosen(inputs: &AppInputs, home_id: Option<[u8; 16]>) -> Finding {
    match probe(inputs, home_id) {
        Ok(finding) => finding,
        Err(error) => warning(
            format!(
                "{error}; this machine is headless: nothing secret can be kept, no approval sealed, no notebook protected from an edit of the database yet"
            ),
            USE_FILE,
        ),
    }
}

fn keyring(inputs: &AppInputs, home_id: Option<[u8; 16]>) -> Finding {
    probe(inputs, home_id).unwrap_or_else(|error| {
        bad(
            format!("the keychain was chosen, and does not answer: {error}"),
            "start the keychain, or take another place: taffrail secret backend file --leave",
        )
    })
}

fn probe(inputs: &AppInputs, home_id: Option<[u8; 16]>) -> Result<Finding, SecretsError> {
    let inputs = place::keyring_inputs(inputs, home_id.unwrap_or_default());
    let probe = Keyring::probe(&inputs)?;
    let about = &probe.about;
    Ok(match (probe.is_locked, probe.is_persistent) {
        (Some(true), _) => warning(
            format!("{about}, locked"),
            "unlock it: log in to the desktop, or use its own program",
        ),
        (_, Some(false)) => bad(format!("{about}: lost at the next restart"), USE_FILE),
        (Some(false) | None, Some(true)) => good(format!("{about}, persistent")),
        (Some(false) | None, None) => good(about.clone()),
    })
}

fn file(home: &Home, opener: &Opener) -> Vec<Finding> {
    let path = home.root().join(vault::FILE);
    let kind = BackendKind::File.word();
    let found = match manage::header(&path) {
        Ok(Some(word)) => good(format!(
            "encrypted {kind} {}, opens with a {word}, persistent",
            path.display()
        )),
        Ok(None) => bad(
            format!("{} was chosen and is not there", path.display()),
            "put it back from a copy, or begin a new one: taffrail secret backend file --leave",
        ),
        Err(error) => bad(error.to_string(), "put it back from a copy"),
    };
    let mut findings = vec![found];
    findings.extend(mode(&path));
    if let Opener::KeyFile(key) = opener {
        findings.extend(
            key_file::read(key)
                .err()
                .map(|error| bad(error.to_string(), "put the key file back, mode 0600")),
        );
    }
    findings
}

fn mode(path: &Path) -> Option<Finding> {
    let mode = path.symlink_metadata().ok()?.mode() & 0o7777;
    (mode & 0o077 != 0).then(|| {
        warning(
            format!("{} has mode {mode:04o}", path.display()),
            "chmod 600",
        )
    })
}

fn parse_id(text: &str) -> Option<[u8; 16]> {
    Some(u128::from_str_radix(text, 16).ok()?.to_be_bytes())
}

fn good(saw: String) -> Finding {
    finding(Weight::Good, saw, "")
}

fn warning(saw: String, fix: &str) -> Finding {
    finding(Weight::Warning, saw, fix)
}

fn bad(saw: String, fix: &str) -> Finding {
    finding(Weight::Bad, saw, fix)
}

fn finding(weight: Weight, saw: String, fix: &str) -> Finding {
    Finding {
        about: ABOUT,
        weight,
        saw,
        fix: fix.to_owned(),
    }
}
