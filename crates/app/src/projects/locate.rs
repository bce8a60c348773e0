//! Whose a folder is. Knows git and the list of projects; nothing of notebooks or memories.

use std::path::{Path, PathBuf};

use taffrail_gitbox::WorkTree;
use taffrail_store::{ProjectRoot, ProjectRow, RunFilter, RunRow, StoreError};

use super::{names, new_id};
use crate::{App, AppError};

/// The project of a folder. The longest root that contains it says whose it is, unless a work tree of its own begins
/// below that root and is linked to another project; what is in a run's checkout is of the run's project.
pub(super) fn find_or_register(app: &App, folder: &Path) -> Result<Option<ProjectRow>, AppError> {
    let by_path = app.store.project_of(folder, None)?;
    let tree = taffrail_gitbox::work_tree(app.git(), folder)?;
    let Some(tree) = tree else {
        return Ok(by_path);
    };
    if by_path
        .as_ref()
        .is_some_and(|row| decides(row, folder, &tree))
    {
        return Ok(by_path);
    }
    if let Some(row) = app
        .store
        .project_of(tree.main_root(), Some(&tree.common_dir))?
    {
        return Ok(Some(row));
    }
    match by_path {
        Some(row) => Ok(Some(row)),
        None => register(app, folder, &tree),
    }
}

/// Whether what the path says is nearer than what the work tree says: a root at its top or below, or a run's checkout.
fn decides(row: &ProjectRow, folder: &Path, tree: &WorkTree) -> bool {
    let mut roots = row.roots.iter().map(|root| &root.root);
    let containing = roots.clone().any(|root| folder.starts_with(root));
    !containing || roots.any(|root| folder.starts_with(root) && root.starts_with(&tree.root))
}

fn register(app: &App, folder: &Path, tree: &WorkTree) -> Result<Option<ProjectRow>, AppError> {
    let root = if app_folder(app, &tree.root) {
        match run_of_checkout(app, folder)? {
            Some(run) => ProjectRoot {
                root: run.project.root,
                common_dir: Some(run.project.common_dir),
            },
            None => return Ok(None),
        }
    } else {
        root_of_tree(tree)
    };
    if refusal(app, &root.root).is_some() {
        return Ok(None);
    }
    let name = names::free(app, &root.root)?;
    let added = app.store.add_project(new_id(app)?, &name, &[root]);
    match added {
        // Another process registered it in the same moment.
        Err(StoreError::ProjectTaken { .. }) => {
            Ok(app.store.project_of(folder, Some(&tree.common_dir))?)
        }
        other => {
            let row = other?;
            tell(app, &row);
            Ok(Some(row))
        }
    }
}

/// A registration that nobody asked for is said, once.
fn tell(app: &App, row: &ProjectRow) {
    let name = &row.name;
    for ProjectRoot { root, .. } in &row.roots {
        let root = root.display();
        app.inputs.ask.tell(&format!(
            "note: {root} is project `{name}` from now on; another name: taffrail project rename {name} NAME"
        ));
    }
}

/// The root of a work tree: the main one's top, so that it outlives the linked ones.
pub(super) fn root_of_tree(tree: &WorkTree) -> ProjectRoot {
    ProjectRoot {
        root: tree.main_root().to_owned(),
        common_dir: Some(tree.common_dir.clone()),
    }
}

/// Whether a folder may be a project's root at all: never `/`, the home folder or what holds it, or Taffrail's own home.
pub fn registrable(app: &App, root: &Path) -> bool {
    refusal(app, root).is_none()
}

/// Whether a folder is `/`, the home folder, or one that holds that.
pub fn holds_a_home(app: &App, folder: &Path) -> bool {
    folder.parent().is_none() || real(&app.inputs.user_home).starts_with(folder)
}

pub(super) fn refusal(app: &App, root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        Some("holds everything: it is no project")
    } else if holds_a_home(app, root) {
        Some("holds a home folder: it is no project")
    } else if app_folder(app, root) {
        Some("is Taffrail's own: it is no project")
    } else {
        None
    }
}

/// In Taffrail's home, where checkouts of runs lie.
fn app_folder(app: &App, folder: &Path) -> bool {
    folder.starts_with(real(app.home.root()))
}

fn run_of_checkout(app: &App, folder: &Path) -> Result<Option<RunRow>, AppError> {
    let runs = app.store.runs(&RunFilter::default())?;
    let holds = |run: &RunRow| folder.starts_with(real(&run.checkout.path));
    Ok(runs.into_iter().find(holds))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
