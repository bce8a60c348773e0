//! Where a key file may lie: in no folder that a box is shown. Whoever reads it can mint approvals.

use std::path::{Path, PathBuf};

use taffrail_confine::sandbox;

use super::{Choice, Opener, SecretFault, manage};
use crate::{App, AppError};

/// What no tool and no door reads under any name: the home, and the key file where it lies elsewhere.
///
/// # Errors
/// Those of reading the choice.
pub(crate) fn managed(app: &App) -> Result<Vec<PathBuf>, AppError> {
    let home = app.home.root().to_owned();
    Ok(std::iter::once(home).chain(key_file(app)?).collect())
}

/// The key file in use, by its real path.
///
/// # Errors
/// Those of reading the choice.
pub(crate) fn key_file(app: &App) -> Result<Option<PathBuf>, AppError> {
    Ok(match manage::chosen(app)? {
        Some(Choice::File(Opener::KeyFile(path))) => Some(real(&path)),
        Some(Choice::File(Opener::Passphrase) | Choice::Keyring) | None => None,
    })
}

/// Refuses a place in a project, in a git work tree, or below a folder that every box may read.
pub(super) fn refuse_shown(app: &App, choice: &Choice) -> Result<(), AppError> {
    let Choice::File(Opener::KeyFile(path)) = choice else {
        return Ok(());
    };
    match shown_by(app, &real(path))? {
        Some(why) => {
            let path = path.clone();
            Err(SecretFault::KeyFile { path, why }.into())
        }
        None => Ok(()),
    }
}

fn shown_by(app: &App, path: &Path) -> Result<Option<String>, AppError> {
    if path.starts_with(real(app.home.root())) {
        return Ok(None);
    }
    let below = |root: &PathBuf| path.starts_with(real(root));
    let projects = app.store.projects()?;
    let roots = projects.iter().flat_map(|project| &project.roots);
    if let Some(root) = roots.map(|root| &root.root).find(|root| below(root)) {
        return Ok(Some(format!("it lies in the project {}", root.display())));
    }
    let is_tree = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let home = real(&app.inputs.user_home);
    if let Some(tree) = path.ancestors().skip(1).find(is_tree)
        && tree != home
    {
        let why = format!("it lies in the git work tree {}", tree.display());
        return Ok(Some(why));
    }
    let common = sandbox::common_read();
    let shown = common.iter().chain(&app.config.sandbox.read.value);
    let root = shown.into_iter().find(|root| below(root));
    Ok(root.map(|root| format!("every box may read {}", root.display())))
}

/// The real path of a file that may not be there yet.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
