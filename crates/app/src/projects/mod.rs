//! Projects: whose a folder is, and what people do with the list (NB-01).

mod locate;
mod names;

use std::path::{Path, PathBuf};

use taffrail_domain::ProjectId;
use taffrail_gitbox::WorkTree;
use taffrail_store::{Holdings, ProjectName, ProjectRoot, ProjectRow};

use crate::{App, AppError};

pub use locate::{holds_a_home, registrable};

/// A project with how its folders stand and what it holds.
#[derive(Debug, Clone)]
pub struct ProjectView {
    /// The project.
    pub row: ProjectRow,
    /// Its roots that are not there any more.
    pub gone: Vec<PathBuf>,
    /// What goes when it goes.
    pub holds: Holdings,
}

/// What adding a folder came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// A new project.
    New(ProjectRow),
    /// The folder is a root of this one already.
    Known(ProjectRow),
    /// This one lay in a folder that is gone; now it lies here.
    Moved {
        /// The project.
        row: ProjectRow,
        /// Where it lay.
        from: PathBuf,
    },
}

impl App {
    /// The project that the working directory belongs to; registered at once in a git work tree that nobody registered.
    ///
    /// # Errors
    /// What git and the store can give.
    pub fn current_project(&self) -> Result<Option<ProjectRow>, AppError> {
        self.project_containing(&self.inputs.cwd)
    }

    /// The project that a folder belongs to; registered at once in a git work tree that nobody registered.
    ///
    /// # Errors
    /// What git and the store can give.
    pub fn project_containing(&self, folder: &Path) -> Result<Option<ProjectRow>, AppError> {
        locate::find_or_register(self, folder)
    }

    /// The project of this name or id, else that of the working directory.
    ///
    /// # Errors
    /// `NotFound` for a name that no project has; what git and the store can give.
    pub fn project_named(&self, name: Option<&str>) -> Result<Option<ProjectRow>, AppError> {
        match name {
            Some(name) => find(self, name).map(Some),
            None => self.current_project(),
        }
    }

    /// As [`App::project_named`], where there must be one.
    ///
    /// # Errors
    /// `NoProject` besides.
    pub fn required_project(&self, name: Option<&str>) -> Result<ProjectRow, AppError> {
        self.project_named(name)?
            .ok_or_else(|| AppError::NoProject {
                folder: self.inputs.cwd.clone(),
            })
    }
}

/// Every project, by name.
pub fn list(app: &App) -> Result<Vec<ProjectRow>, AppError> {
    Ok(app.store.projects()?)
}

/// A project by name or id, else the current one, with what there is to know of it.
pub fn show(app: &App, name: Option<&str>) -> Result<ProjectView, AppError> {
    let row = app.required_project(name)?;
    let gone = gone(&row);
    let holds = app.store.project_holdings(&row.id)?;
    Ok(ProjectView { row, gone, holds })
}

/// Registers a folder: this one exactly, or without one the work tree of the working directory, else that itself.
pub fn add(app: &App, named: Option<&Path>, name: Option<&str>) -> Result<Added, AppError> {
    let folder = match named {
        Some(path) => real_folder(&app.inputs.cwd.join(path))?,
        None => app.inputs.cwd.clone(),
    };
    let explicit = named.is_some();
    let tree = taffrail_gitbox::work_tree(app.git(), &folder)?;
    let root = root_of(&folder, tree, explicit);
    if let Some(why) = locate::refusal(app, &root.root) {
        return Err(AppError::ProjectFolder {
            path: root.root,
            why,
        });
    }
    let all = app.store.projects()?;
    if let Some(known) = all.iter().find(|row| has_root(row, &root.root)) {
        return known_by(known, name);
    }
    if let Some(row) = all.iter().find(|row| moved_here(row, &root, name)) {
        return move_here(app, row, &root);
    }
    let name = match name {
        Some(name) => ProjectName::new(&app.redactor.clean(name))?,
        None => names::free(app, &root.root)?,
    };
    let row = app.store.add_project(new_id(app)?, &name, &[root])?;
    Ok(Added::New(row))
}

/// Gives a project another name.
pub fn rename(app: &App, old: &str, new: &str) -> Result<(), AppError> {
    let row = find(app, old)?;
    let name = ProjectName::new(&app.redactor.clean(new))?;
    Ok(app.store.rename_project(&row.id, &name)?)
}

/// Takes a project away with all that it holds, or nothing; false where another process keeps the file from being
/// rewritten, so that its bytes may still be in it.
pub fn remove(app: &App, id: &ProjectId) -> Result<(Holdings, bool), AppError> {
    let held = app.store.remove_project(id)?;
    Ok((held, app.store.finish_erasing(&app.home)?))
}

pub(crate) fn find(app: &App, name: &str) -> Result<ProjectRow, AppError> {
    Ok(app.store.find_project(name)?)
}

pub(crate) fn new_id(app: &App) -> Result<ProjectId, AppError> {
    let random: [u8; 10] = crate::context::random()?;
    Ok(ProjectId::new(
        app.inputs.clock.now().0.unsigned_abs(),
        random,
    ))
}

/// The folder itself, or the work tree that it is the top of; without a name of its own the whole work tree.
fn root_of(folder: &Path, tree: Option<WorkTree>, explicit: bool) -> ProjectRoot {
    match tree {
        Some(tree) if !explicit || folder == tree.root => locate::root_of_tree(&tree),
        Some(_) | None => ProjectRoot {
            root: folder.to_owned(),
            common_dir: None,
        },
    }
}

fn real_folder(path: &Path) -> Result<PathBuf, AppError> {
    let unfit = |why| AppError::ProjectFolder {
        path: path.to_owned(),
        why,
    };
    let real = path.canonicalize().map_err(|_| unfit("is not there"))?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(unfit("is not a folder"))
    }
}

fn has_root(row: &ProjectRow, root: &Path) -> bool {
    row.roots.iter().any(|has| has.root == root)
}

/// A project lies where it says already; another name for it is a rename, not an addition.
fn known_by(known: &ProjectRow, name: Option<&str>) -> Result<Added, AppError> {
    match name {
        Some(name) if name != known.name => Err(AppError::ProjectTaken {
            taken: known.name.clone(),
        }),
        Some(_) | None => Ok(Added::Known(known.clone())),
    }
}

/// A project that is nowhere any more, and is of the same repository or is asked for by its name.
fn moved_here(row: &ProjectRow, root: &ProjectRoot, name: Option<&str>) -> bool {
    let same_repository = root.common_dir.is_some()
        && row
            .roots
            .iter()
            .any(|has| has.common_dir == root.common_dir);
    let nowhere = gone(row).len() == row.roots.len();
    nowhere && (name == Some(row.name.as_str()) || name.is_none() && same_repository)
}

fn move_here(app: &App, row: &ProjectRow, root: &ProjectRoot) -> Result<Added, AppError> {
    app.store.move_project(&row.id, root)?;
    Ok(Added::Moved {
        row: app.store.project(&row.id)?,
        from: row
            .roots
            .first()
            .map(|root| root.root.clone())
            .unwrap_or_default(),
    })
}

fn gone(row: &ProjectRow) -> Vec<PathBuf> {
    let roots = row.roots.iter().map(|root| &root.root);
    roots.filter(|root| !root.is_dir()).cloned().collect()
}
