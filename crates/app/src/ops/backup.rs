//! `taffrail backup`: one checked archive of the home.

use std::path::{Path, PathBuf};

use taffrail_store::{BackupMade, BackupPlan, Manifest, back_up, verify_backup};

use crate::context::find_home;
use crate::{App, AppError, AppInputs, secrets};

/// Makes a backup, at this place or in the home's `backups/`; with the seal key, wrapped under a passphrase that is asked
/// for first.
///
/// # Errors
/// `Archive`; those of the place of secrets; `NoSealKey` where the key is asked for and there is none.
pub fn make(app: &App, target: Option<&Path>, with_seal_key: bool) -> Result<BackupMade, AppError> {
    let target = target.map(|path| app.inputs.cwd.join(path));
    let wrapped = match with_seal_key {
        true => Some(secrets::wrapped(app)?.ok_or(secrets::SecretFault::NoSealKey)?),
        false => None,
    };
    let plan = BackupPlan {
        target: target.as_deref(),
        wrapped_seal_key: wrapped.as_deref(),
        now: app.inputs.clock.now(),
    };
    Ok(back_up(&app.home, &plan)?)
}

/// Checks an archive whole. The home is not opened; a copy is unpacked into a private folder and taken away again.
///
/// # Errors
/// `Archive`.
pub fn verify(inputs: &AppInputs, archive: &Path) -> Result<Manifest, AppError> {
    let archive = inputs.cwd.join(archive);
    Ok(verify_backup(&archive, &scratch(inputs))?)
}

/// The home's `backups/`, or the folder for temporary files where there is no home yet.
fn scratch(inputs: &AppInputs) -> PathBuf {
    let backups = find_home(inputs).map(|home| home.backups());
    backups
        .ok()
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(std::env::temp_dir)
}
