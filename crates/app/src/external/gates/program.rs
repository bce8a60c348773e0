//! Where an agent's program lies. One that a project holds is none: it would be started before anybody trusted it.

use std::path::{Path, PathBuf};

use taffrail_config::AgentEntry;
use taffrail_confine::sandbox;

use super::{GateFault, Grounds};
use crate::AppInputs;

/// The program of an entry, looked for on the `PATH`.
///
/// # Errors
/// `Missing` where it is not there; `Unfit` where it lies in the folder that we stand in, or in a run's checkout.
pub(super) fn find(grounds: &Grounds<'_>, entry: &AgentEntry) -> Result<PathBuf, GateFault> {
    let path = grounds.inputs.environment.get("PATH").unwrap_or_default();
    // A relative name is looked for nowhere: entries hold names and absolute paths.
    let found = sandbox::resolve_command(entry.command.as_ref(), path, Path::new("/"));
    let program = found.map_err(|error| GateFault::Missing {
        id: entry.id.clone(),
        why: error.to_string(),
        install: entry.install.clone(),
    })?;
    match owner(grounds, &program) {
        Some(folder) => Err(GateFault::Unfit {
            id: entry.id.clone(),
            why: format!(
                "its program {} lies in {}, where a project's own files could name it; \
                 install it elsewhere, or name another in an entry of your own",
                program.display(),
                folder.display()
            ),
            instead: None,
        }),
        None => Ok(program),
    }
}

/// The folder of a project, or of the runs, that holds a program or what it leads to.
fn owner(grounds: &Grounds<'_>, program: &Path) -> Option<PathBuf> {
    let real = sandbox::real_path(program);
    let folders = [
        grounds.project().map(Path::to_owned),
        Some(grounds.home.checkouts()),
    ];
    let holds = |folder: &PathBuf| program.starts_with(folder) || real.starts_with(folder);
    folders.into_iter().flatten().find(holds)
}

/// The work tree that we stand in. Whoever keeps their home directory in git has all of their programs in one: that is
/// no project.
pub(super) fn project(inputs: &AppInputs) -> Option<PathBuf> {
    let git = crate::context::git(inputs).ok()?;
    let root = taffrail_gitbox::discover(&git, &inputs.cwd).ok()?.root;
    (!inputs.user_home.starts_with(&root)).then_some(root)
}
