//! Trust binds to content: what a project's own file may run is pinned by its hash, and a change asks again (CNF-07).

use sha2::{Digest, Sha256};
use taffrail_config::{ConfigError, ProjectFile};
use taffrail_confine::fs::{FsError, Root};
use taffrail_domain::{Millis, RepoPath};
use taffrail_gitbox::Project;

use crate::context::CONFIG_LIMIT;
use crate::{App, AppError};

/// The one file of a project that Taffrail reads.
const PROJECT_FILE: &str = ".taffrail/config.toml";
/// The one thing in it that runs.
const SETUP: &str = "checkout.setup";

/// A command that runs in the sandbox before the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The shell command.
    pub command: String,
}

/// What a project's file asks for, and what of it is not used.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// Ignored paths to bring along.
    pub carry: Vec<String>,
    /// A command to run first, if a person agrees.
    pub setup: Option<String>,
    /// Why the file is not used, where it is not.
    pub refused: Option<String>,
}

/// How something that a project wants to run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// No person has agreed to it.
    New,
    /// A person agreed to exactly this.
    Agreed(Millis),
    /// A person agreed to other content, this.
    Changed {
        /// The content that was agreed to.
        was: String,
    },
}

/// Something that a project wants to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name, as `checkout.setup`.
    pub name: &'static str,
    /// Its content.
    pub content: String,
    /// How it stands.
    pub standing: Standing,
}

/// What the project of the working directory wants to run.
pub fn items(app: &App) -> Result<Vec<Item>, AppError> {
    let project = app.project()?;
    let wishes = project_wishes(app, &project)?;
    let setup = wishes
        .setup
        .map(|content| item(app, &project, content))
        .transpose()?;
    Ok(setup.into_iter().collect())
}

/// Agrees to exactly this content.
pub fn agree(app: &App, item: &Item) -> Result<(), AppError> {
    let project = app.project()?;
    let text = app.redactor.clean(&item.content);
    Ok(app
        .store
        .pin(&project.root, item.name, &hash(&item.content), &text)?)
}

/// Takes every agreement with the project of the working directory back; how many there were.
pub fn revoke(app: &App) -> Result<usize, AppError> {
    let project = app.project()?;
    Ok(app.store.revoke(&project.root, None)?)
}

/// What the project's file asks for. A file that is not understood changes nothing and says so.
pub(crate) fn project_wishes(app: &App, project: &Project) -> Result<Wishes, AppError> {
    let (root, path) = (Root::open(&project.root)?, repo_path(PROJECT_FILE));
    let Some(path) = path else {
        return Ok(Wishes::default());
    };
    let bytes = match root.read(&path, CONFIG_LIMIT) {
        Ok(bytes) => bytes,
        Err(FsError::NotFound { .. }) => return Ok(Wishes::default()),
        Err(other) => return Ok(refused(other.to_string())),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(refused(format!("{PROJECT_FILE} is not UTF-8")));
    };
    let shown = project.root.join(PROJECT_FILE);
    if app.home.config() == shown {
        return Ok(Wishes::default());
    }
    Ok(taffrail_config::load_project((&shown, &text))
        .map_or_else(|error| refused_by(&error), wishes))
}

/// The command that may run first: the user's own, else the project's if a person agreed to it.
pub(crate) fn agreed_setup(
    app: &App,
    project: &Project,
    wishes: &Wishes,
) -> Result<Option<Setup>, AppError> {
    if let Some(command) = app.config.checkout.setup.value.clone() {
        return Ok(Some(Setup { command }));
    }
    let Some(content) = wishes.setup.clone() else {
        return Ok(None);
    };
    let item = item(app, project, content)?;
    Ok(
        matches!(item.standing, Standing::Agreed(_)).then_some(Setup {
            command: item.content,
        }),
    )
}

fn item(app: &App, project: &Project, content: String) -> Result<Item, AppError> {
    let pins = app.store.pins(&project.root)?;
    let standing = match pins.into_iter().find(|pin| pin.item == SETUP) {
        None => Standing::New,
        Some(pin) if pin.hash == hash(&content) => Standing::Agreed(pin.at),
        Some(pin) => Standing::Changed { was: pin.text },
    };
    Ok(Item {
        name: SETUP,
        content,
        standing,
    })
}

fn hash(content: &str) -> [u8; 32] {
    Sha256::digest(content.as_bytes()).into()
}

fn wishes(file: ProjectFile) -> Wishes {
    Wishes {
        carry: file.carry,
        setup: file.setup,
        refused: None,
    }
}

fn refused_by(error: &ConfigError) -> Wishes {
    refused(error.to_string())
}

fn refused(why: String) -> Wishes {
    Wishes {
        refused: Some(why),
        ..Wishes::default()
    }
}

fn repo_path(text: &str) -> Option<RepoPath> {
    RepoPath::new(text).ok()
}
