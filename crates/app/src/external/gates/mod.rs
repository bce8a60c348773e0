//! What stands before a run of a foreign agent: six gates in their order, each with its own message (FA-02).
//!
//! Only the person's own configuration and environment are asked: nothing that a project holds can open a gate.

mod ci;
mod depth;
mod fault;
mod offer;
mod program;
mod standing;
#[cfg(test)]
mod tests;
mod transport;
mod version;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use taffrail_config::{AgentEntry, Config, Origin, Transport, WriteInCheckout};
use taffrail_store::Home;

use crate::{App, AppError, AppInputs};

pub use depth::DEPTH_VARIABLE;
pub use fault::GateFault;
pub use offer::{enable, may_offer, offered};
pub use standing::{Gate, Standing, standings};
pub use transport::TRANSPORT_VARIABLE;
pub use version::{Version, probe};

/// What is asked of an agent, as far as the gates depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// It may change files of its checkout.
    pub write: bool,
    /// Nobody is asked anything.
    pub unattended: bool,
}

/// An agent that may be started.
#[derive(Debug, Clone)]
pub struct Passed {
    /// Its entry.
    pub entry: AgentEntry,
    /// Its program, found on the `PATH`.
    pub program: PathBuf,
    /// Its version, where it told one.
    pub version: Option<String>,
    /// The sign-in method to ask for: none where the variable that it needs is not there.
    pub auth_method: Option<String>,
    /// What is to be put on record and told: a version that was not tested, or none.
    pub warnings: Vec<String>,
}

/// What the gates look at.
pub struct Grounds<'a> {
    /// What the process was started with.
    pub inputs: &'a AppInputs,
    /// The user's configuration.
    pub config: &'a Config,
    /// The home that it lies in.
    pub home: &'a Home,
    project: OnceLock<Option<PathBuf>>,
}

impl<'a> Grounds<'a> {
    /// Those of an open application.
    pub fn of(app: &'a App) -> Self {
        Self {
            inputs: &app.inputs,
            config: &app.config,
            home: &app.home,
            project: OnceLock::new(),
        }
    }

    /// The project that we stand in, looked for once.
    fn project(&self) -> Option<&Path> {
        let find = || program::project(self.inputs);
        self.project.get_or_init(find).as_deref()
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.inputs.environment.get(name)?;
        Some(value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
    }
}

/// Goes through every gate, in their order, and says what it found behind the last.
///
/// # Errors
/// [`AppError::Gate`] with the first gate that is shut.
pub fn pass(app: &App, id: &str, asked: &Asked) -> Result<Passed, AppError> {
    Ok(pass_on(&Grounds::of(app), id, asked)?)
}

fn pass_on(grounds: &Grounds<'_>, id: &str, asked: &Asked) -> Result<Passed, GateFault> {
    transport::check(grounds)?;
    let entry = find(grounds.config, id)?;
    ci::check(grounds, entry)?;
    is_on(grounds)?;
    is_entry_on(entry)?;
    depth::check(grounds)?;
    is_drivable(entry).map_err(|fault| fault.or_rather(grounds.config))?;
    may_write(grounds, asked)?;
    let version = probe(grounds, entry)?;
    Ok(Passed {
        entry: entry.clone(),
        program: version.program,
        version: version.found,
        auth_method: auth_method(grounds, entry),
        warnings: version.warning.into_iter().collect(),
    })
}

pub(crate) fn auth_method(grounds: &Grounds<'_>, entry: &AgentEntry) -> Option<String> {
    let needed = entry.auth_env.as_deref();
    let is_there = needed.is_none_or(|name| grounds.variable(name).is_some());
    entry.auth_method.clone().filter(|_| is_there)
}

/// The value of [`DEPTH_VARIABLE`] for what a run starts: one deeper than we are.
pub fn child_depth(app: &App) -> String {
    depth::of_child(&Grounds::of(app))
}

pub(crate) fn find<'a>(config: &'a Config, id: &str) -> Result<&'a AgentEntry, GateFault> {
    config.agents.get(id).ok_or_else(|| GateFault::Unknown {
        id: id.to_owned(),
        known: driven(config)
            .map(|entry| entry.id.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// The entries that say how they are driven: the others are for `taffrail box`.
pub fn driven(config: &Config) -> impl Iterator<Item = &AgentEntry> {
    config
        .agents
        .values()
        .filter(|entry| entry.transport.is_some())
}

fn is_on(grounds: &Grounds<'_>) -> Result<(), GateFault> {
    if grounds.config.external_agents.enabled.value {
        return Ok(());
    }
    Err(GateFault::Off {
        path: grounds.home.config(),
    })
}

fn is_entry_on(entry: &AgentEntry) -> Result<(), GateFault> {
    if entry.enabled {
        return Ok(());
    }
    Err(GateFault::AgentOff {
        id: entry.id.clone(),
        origin: entry.origin("enabled"),
    })
}

/// Whether this version of taffrail can drive it.
fn is_drivable(entry: &AgentEntry) -> Result<(), GateFault> {
    let why = match entry.transport {
        Some(Transport::Acp) => return Ok(()),
        Some(Transport::Line) => {
            "it is a line stream, and those come with a later version; `taffrail box` runs it today"
        }
        None => "its entry has no `transport`: it is for `taffrail box`",
    };
    Err(GateFault::Unfit {
        id: entry.id.clone(),
        why: why.to_owned(),
        instead: None,
    })
}

/// An unattended run that writes has nobody to say yes: only the person's standing word does (FA-24).
fn may_write(grounds: &Grounds<'_>, asked: &Asked) -> Result<(), GateFault> {
    let granted = match grounds.config.external_agents.write_in_checkout.value {
        WriteInCheckout::Allow => true,
        WriteInCheckout::Ask => false,
    };
    if granted || !asked.write || !asked.unattended {
        return Ok(());
    }
    Err(GateFault::NoGrant {
        path: grounds.home.config(),
    })
}

/// Whether a person wrote the entry, or this part of it, into their own file.
pub(crate) fn is_of_user(entry: &AgentEntry, key: &str) -> bool {
    matches!(entry.origin(key), Origin::File { .. })
}
