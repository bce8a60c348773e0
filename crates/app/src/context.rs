//! What every use case stands on, made once per invocation by the composition root.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_config::Config;
use taffrail_confine::env::Environment;
use taffrail_confine::process::ProcessId;
use taffrail_confine::sandbox;
use taffrail_domain::{Clock, ErrorCode, RunId};
use taffrail_gitbox::{Git, Project};
use taffrail_redact::{Options, Redactor};
use taffrail_store::{Home, HomeInputs, Owner, Store, StoreError, files};

use crate::AppError;
use crate::secrets::{self, AskPassphrase};

/// Ubuntu's AppArmor lets this one path make user namespaces, so it is tried before the PATH.
const USUAL_BWRAP: &str = "/usr/bin/bwrap";
/// A configuration is a page or two; more is a mistake.
pub(crate) const CONFIG_LIMIT: u64 = 1 << 20;

/// What the process was started with, as values.
#[derive(Clone)]
pub struct AppInputs {
    /// The environment.
    pub environment: Environment,
    /// The working directory, a real path.
    pub cwd: PathBuf,
    /// This executable.
    pub exe: PathBuf,
    /// The operator's home directory.
    pub user_home: PathBuf,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// A person who may be asked for a passphrase.
    pub ask: Arc<dyn AskPassphrase>,
}

/// The open application: home, database, configuration, git.
pub struct App {
    /// What the process was started with.
    pub inputs: AppInputs,
    /// The home in use.
    pub home: Home,
    /// Its database.
    pub store: Store,
    /// Its configuration.
    pub config: Config,
    /// Masks secrets before anything is kept.
    pub redactor: Redactor,
    pub(crate) places: secrets::Opened,
    git: Git,
}

impl App {
    /// Opens the home for writing: made if missing, migrated if old.
    pub fn open(inputs: AppInputs) -> Result<Self, AppError> {
        let home = find_home(&inputs)?;
        home.create()?;
        let config = read_config(&inputs, &home)?;
        let store = Store::open(&home, Arc::clone(&inputs.clock)).map_err(|error| {
            match AppError::from(error) {
                // The database needs a few pages beside it, and says of a full disk only that it could not have them.
                error if error.code() == ErrorCode::Io => error.or_full(&[home.root()]),
                error => error,
            }
        })?;
        let git = git(&inputs)?;
        Ok(Self {
            home,
            store,
            config,
            redactor: Redactor::new(Options::default()),
            git,
            places: secrets::Opened::default(),
            inputs,
        })
    }

    /// The runner of git.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// The project that the working directory lies in.
    pub fn project(&self) -> Result<Project, AppError> {
        self.project_at(&self.inputs.cwd)
    }

    /// The project that a folder lies in.
    pub fn project_at(&self, folder: &Path) -> Result<Project, AppError> {
        Ok(taffrail_gitbox::discover(&self.git, folder)?)
    }

    /// An id that nothing has yet.
    pub(crate) fn new_run_id(&self) -> Result<RunId, AppError> {
        Ok(RunId::new(
            self.inputs.clock.now().0.unsigned_abs(),
            random()?,
        ))
    }

    /// This process, as the ledger names it.
    pub(crate) fn owner() -> Result<Owner, AppError> {
        let process = ProcessId::current().ok_or(AppError::NoProcessTable)?;
        Ok(Owner {
            pid: process.pid,
            start_ticks: process.start_ticks,
            boot_id: process.boot_id,
        })
    }

    /// Where bubblewrap is, if it is anywhere.
    pub(crate) fn bwrap(&self) -> Option<PathBuf> {
        find_bwrap(&self.inputs, &self.config)
    }
}

/// Random bytes from the system, for ids, salts and names.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], AppError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| AppError::Random(error.to_string()))?;
    Ok(bytes)
}

pub(crate) fn find_bwrap(inputs: &AppInputs, config: &Config) -> Option<PathBuf> {
    let usual = Path::new(USUAL_BWRAP);
    let named = config.sandbox.bwrap.value.clone();
    named
        .or_else(|| usual.is_file().then(|| usual.to_owned()))
        .or_else(|| on_path(inputs, "bwrap"))
}

pub(crate) fn git(inputs: &AppInputs) -> Result<Git, AppError> {
    let program = on_path(inputs, "git").ok_or(AppError::GitMissing)?;
    Ok(Git::new(program, &inputs.environment))
}

/// The home in use, without making it.
pub(crate) fn find_home(inputs: &AppInputs) -> Result<Home, AppError> {
    Ok(Home::resolve(&home_inputs(inputs))?.home)
}

pub(crate) fn home_inputs(inputs: &AppInputs) -> HomeInputs<'_> {
    HomeInputs {
        taffrail_home: inputs.environment.get("TAFFRAIL_HOME"),
        user_home: Some(&inputs.user_home),
        cwd: &inputs.cwd,
    }
}

/// The configuration of a home; the defaults where it has no file.
pub(crate) fn read_config(inputs: &AppInputs, home: &Home) -> Result<Config, AppError> {
    let path = home.config();
    let read = files::read_bounded(&path, CONFIG_LIMIT);
    let text = match read.map_err(|error| unfit_config(&path, error))? {
        Some(bytes) => {
            Some(String::from_utf8(bytes).map_err(|_| AppError::NotText { path: path.clone() })?)
        }
        None => None,
    };
    let file = text.as_deref().map(|text| (path.as_path(), text));
    load_config(inputs, file)
}

/// A configuration from the text of its file, which need not be written yet.
pub(crate) fn parse_config(
    inputs: &AppInputs,
    path: &Path,
    text: &str,
) -> Result<Config, AppError> {
    load_config(inputs, Some((path, text)))
}

fn load_config(inputs: &AppInputs, file: Option<(&Path, &str)>) -> Result<Config, AppError> {
    let env = |name: &str| {
        inputs
            .environment
            .get(name)
            .map(|value| value.to_string_lossy().into_owned())
    };
    Ok(taffrail_config::load(file, &env)?)
}

/// What stands in the place of the configuration and cannot be one is a mistake in the configuration.
fn unfit_config(path: &Path, error: StoreError) -> AppError {
    match error {
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::InvalidData => {
            AppError::ConfigFile {
                path: path.to_owned(),
                why: source.to_string(),
            }
        }
        error => error.into(),
    }
}

fn on_path(inputs: &AppInputs, name: &str) -> Option<PathBuf> {
    let path = inputs.environment.get("PATH")?;
    sandbox::resolve_command(name.as_ref(), path, &inputs.cwd).ok()
}
