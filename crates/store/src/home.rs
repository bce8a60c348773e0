//! The home: which directory holds all state, and whether it is safe to use (STO-01).
//!
//! Knows nothing of the database's content. Environment, user home and working directory come in as values.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use taffrail_domain::RunId;

use crate::files::{self, DIR_MODE};
use crate::{HomeError, local_homes};

/// The folder's name, in the user's home and in a project with local state.
pub(crate) const FOLDER: &str = ".taffrail";
/// Directories made with the home.
const PARTS: [&str; 4] = ["checkouts", "sessions", "backups", "logs"];

/// What decides where the home is.
#[derive(Debug, Clone, Copy)]
pub struct HomeInputs<'a> {
    /// The value of `TAFFRAIL_HOME`; empty counts as unset.
    pub taffrail_home: Option<&'a OsStr>,
    /// The user's home directory.
    pub user_home: Option<&'a Path>,
    /// The working directory.
    pub cwd: &'a Path,
}

/// What decided where the home is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeSource {
    /// `TAFFRAIL_HOME`.
    Environment,
    /// A listed `.taffrail` in the working directory or above it.
    Local,
    /// `~/.taffrail`.
    User,
}

/// The home, and how it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The home; not made yet.
    pub home: Home,
    /// What decided.
    pub source: HomeSource,
    /// Every `.taffrail` at or above the working directory that holds a `taffrail.db` or a `config.toml`
    /// and is not listed: ignored, and reported by `doctor`.
    pub ignored: Vec<PathBuf>,
}

/// The one directory that holds all state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Finds the home without making it and without side effects.
    ///
    /// # Errors
    /// `NotSet`, `Relative`; `Unsafe` when the list of local homes is not this user's alone.
    pub fn resolve(inputs: &HomeInputs<'_>) -> Result<Found, HomeError> {
        let user = inputs.user_home.map(|home| home.join(FOLDER));
        let local = local_homes::search(inputs.cwd, user.as_deref())?;
        let from_environment = inputs
            .taffrail_home
            .filter(|value| !value.is_empty())
            .map(|value| (PathBuf::from(value), HomeSource::Environment));
        let (root, source) = from_environment
            .or_else(|| local.listed.map(|root| (root, HomeSource::Local)))
            .or_else(|| user.map(|root| (root, HomeSource::User)))
            .ok_or(HomeError::NotSet)?;
        Ok(Found {
            home: Self::at(&root)?,
            source,
            ignored: local.ignored,
        })
    }

    /// The home at this absolute path, with the symlinks of its existing part resolved.
    ///
    /// # Errors
    /// `Relative`.
    pub fn at(root: &Path) -> Result<Self, HomeError> {
        if !root.is_absolute() {
            return Err(HomeError::Relative(root.to_owned()));
        }
        Ok(Self {
            root: real_path(root),
        })
    }

    /// Makes the home and its parts, each 0700 whatever the umask, and checks them.
    ///
    /// # Errors
    /// `Unsafe` when one is there with a wider mode or another owner; `Io`.
    pub fn create(&self) -> Result<(), HomeError> {
        for path in self.directories() {
            files::make_dir(&path)
                .map_err(|source| HomeError::io("cannot make the directory", &path, source))?;
            check_private(&path, true)?;
        }
        Ok(())
    }

    /// Checks the home without side effects; whether it is there.
    ///
    /// # Errors
    /// `Unsafe` for the first thing that cannot be trusted; `Io`.
    pub fn check(&self) -> Result<bool, HomeError> {
        let files = [self.db(), self.config()];
        let mut found = false;
        for (path, directory) in self
            .directories()
            .map(|path| (path, true))
            .chain(files.map(|path| (path, false)))
        {
            found |= check_private(&path, directory)?;
        }
        Ok(found)
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn db(&self) -> PathBuf {
        self.root.join("taffrail.db")
    }

    /// The user's configuration.
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// Disposable checkouts.
    pub fn checkouts(&self) -> PathBuf {
        self.root.join("checkouts")
    }

    /// Folders of the sessions.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Copies of the database from before each migration.
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// Logs.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The files of external slates, a folder for each project.
    pub fn external_slates(&self) -> PathBuf {
        self.root.join("external-slates")
    }

    /// The checkout of one run.
    pub fn checkout(&self, run: &RunId) -> PathBuf {
        self.checkouts().join(run.short())
    }

    /// The folder of one session; made with [`files::make_private_dir`](crate::files::make_private_dir).
    pub fn session(&self, run: &RunId) -> PathBuf {
        self.sessions().join(run.short())
    }

    fn directories(&self) -> impl Iterator<Item = PathBuf> + '_ {
        std::iter::once(self.root.clone()).chain(PARTS.map(|part| self.root.join(part)))
    }
}

/// Refuses what others could have written or may read; whether it is there.
pub(crate) fn check_private(path: &Path, directory: bool) -> Result<bool, HomeError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(HomeError::io("cannot look at", path, source)),
    };
    let (is, wanted) = if directory {
        (found.is_dir(), "a directory")
    } else {
        (found.is_file(), "a regular file")
    };
    let problem = if !is {
        Some(format!("is not {wanted}"))
    } else {
        reach_problem(&found, directory)
    };
    match problem {
        None => Ok(true),
        Some(problem) => Err(HomeError::Unsafe {
            path: path.to_owned(),
            problem,
        }),
    }
}

/// Why others than this user can reach it, if they can.
pub(crate) fn reach_problem(found: &fs::Metadata, directory: bool) -> Option<String> {
    owner_problem(found.uid()).or_else(|| mode_problem(found.mode(), directory))
}

fn owner_problem(owner: u32) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    (owner != user).then(|| format!("belongs to user {owner}, and this is user {user}"))
}

fn mode_problem(mode: u32, directory: bool) -> Option<String> {
    let allowed = if directory {
        DIR_MODE
    } else {
        files::FILE_MODE
    };
    let mode = mode & 0o7777;
    // What is narrower than it could be hurts nobody; group, others and the special bits do.
    (mode & !DIR_MODE != 0)
        .then(|| format!("has mode {mode:04o}; others must have no access: chmod {allowed:04o}"))
}

/// The path with the symlinks of its longest existing part resolved.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_path(parent).join(name),
        _ => path.to_owned(),
    }
}
