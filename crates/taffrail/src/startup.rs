//! What the process was started with, read once: environment, working directory, executable, clock, streams.
//! The only place of the program that looks at any of them.
#![allow(clippy::disallowed_methods)] // This is that place.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use taffrail_app::secrets::AskPassphrase;
use taffrail_app::{App, AppInputs};
use taffrail_confine::env::Environment;
use taffrail_confine::process;
use taffrail_domain::{Clock, ErrorCode, Millis};

use crate::failure::Failure;
use crate::output::{Output, Person};

/// The environment that the process was started with.
pub fn environment() -> Environment {
    Environment::new(std::env::vars_os())
}

/// One invocation of the program.
pub struct Invocation {
    /// The streams.
    pub output: Output,
    environment: Environment,
    cwd: PathBuf,
    exe: PathBuf,
    user_home: PathBuf,
}

impl Invocation {
    /// Reads everything once.
    pub fn new() -> Result<Self, Failure> {
        let environment = environment();
        let no_color = environment
            .get("NO_COLOR")
            .is_some_and(|value| !value.is_empty());
        let term = environment
            .get("TERM")
            .map(|term| term.to_string_lossy().into_owned());
        let exe =
            std::env::current_exe().map_err(|error| io("cannot find this executable", &error))?;
        let cwd =
            std::env::current_dir().map_err(|error| io("the working directory is gone", &error))?;
        let user_home = std::env::home_dir().filter(|home| home.is_absolute());
        let user_home = user_home.ok_or_else(|| {
            Failure::new(ErrorCode::HomeUnsafe, "HOME is not set to an absolute path")
        })?;
        Ok(Self {
            output: Output::new(no_color, term.as_deref()),
            environment,
            cwd,
            exe,
            user_home,
        })
    }

    /// The inputs of an application that serves a program: nobody is there to be asked. This process is hardened: it holds
    /// what a child must not read.
    pub fn serving(&self, ask: Arc<dyn AskPassphrase>) -> AppInputs {
        process::harden();
        AppInputs {
            ask,
            ..self.inputs()
        }
    }

    /// The inputs of the application.
    pub fn inputs(&self) -> AppInputs {
        AppInputs {
            environment: self.environment.clone(),
            cwd: self.cwd.clone(),
            exe: self.exe.clone(),
            user_home: self.user_home.clone(),
            clock: Arc::new(SystemClock),
            ask: Arc::new(Person),
        }
    }

    /// Opens the home for writing, and hardens this process: from here on it holds what a child must not read.
    pub fn open(&self) -> Result<App, Failure> {
        process::harden();
        Ok(App::open(self.inputs())?)
    }

    /// The time now, for `ago` columns.
    pub fn now(&self) -> Millis {
        SystemClock.now()
    }
}

/// The machine's wall clock.
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

fn io(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(ErrorCode::Io, &format!("{what}: {error}"))
}
