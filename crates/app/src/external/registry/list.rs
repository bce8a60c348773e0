//! What the registry holds and what of it is here: versions asked for side by side, gates, sign-in files by name.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;

use taffrail_config::AgentEntry;
use taffrail_confine::fs::Root;
use taffrail_confine::sandbox::{self, LadderInputs};
use taffrail_domain::{RepoPath, Rung};

use crate::context::find_bwrap;
use crate::external::gates::{self, GateFault, Grounds, Standing, Version, standings};
use crate::{App, AppError};

/// How many versions are asked for at once: each is a program of Node's, most of the time.
const AT_ONCE: usize = 4;

/// One agent of the registry.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its entry.
    pub entry: AgentEntry,
    /// How every gate stands, in their order; that of the program only where it was asked.
    pub gates: Vec<Standing>,
    /// Its program and version, or why there is none; none where nobody asked.
    pub version: Option<Result<Version, GateFault>>,
}

/// The registry, and how far a run would be contained here.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The agents that can be driven, by id.
    pub agents: Vec<Listed>,
    /// How far the sandbox reaches on this machine.
    pub sandbox: Rung,
    /// Why not further.
    pub why: Option<String>,
}

/// One agent, looked at closely.
#[derive(Debug, Clone)]
pub struct Probed {
    /// As in the list.
    pub listed: Listed,
    /// Sign-in files of the entry that are there. Names only: nothing is read.
    pub sign_in_files: Vec<String>,
    /// Variables of the entry that are set and would be passed on. Names only.
    pub variables: Vec<String>,
    /// The sign-in method that would be asked for.
    pub auth_method: Option<String>,
    /// How far the sandbox reaches on this machine.
    pub sandbox: Rung,
    /// Why not further.
    pub why: Option<String>,
}

/// Every agent that can be driven. With `probe` the installed ones are asked for their version: twenty seconds each at most,
/// four at once, a program that several entries share once.
pub fn list(app: &App, probe: bool) -> Listing {
    let grounds = Grounds::of(app);
    let entries: Vec<&AgentEntry> = gates::driven(&app.config).collect();
    let versions = if probe {
        versions(&grounds, &entries)
    } else {
        BTreeMap::new()
    };
    let agents = entries.into_iter().map(|entry| {
        let version = versions.get(&key(entry));
        listed(&grounds, entry, version.map(|found| of_entry(entry, found)))
    });
    let agents = agents.collect();
    let (sandbox, why) = rung(app);
    Listing {
        agents,
        sandbox,
        why,
    }
}

/// One agent: its program, version, gates, what it would be lent. Nothing of it is started but its version.
///
/// # Errors
/// [`GateFault::Unknown`].
pub fn probe(app: &App, id: &str) -> Result<Probed, AppError> {
    let grounds = Grounds::of(app);
    let entry = gates::find(&app.config, id)?;
    let variables = entry.pass_env.iter();
    let variables = variables.filter(|name| app.inputs.environment.get(name).is_some());
    let (sandbox, why) = rung(app);
    Ok(Probed {
        listed: listed(&grounds, entry, Some(gates::probe(&grounds, entry))),
        sign_in_files: present(&app.inputs.user_home, &entry.credential_files),
        variables: variables.cloned().collect(),
        auth_method: gates::auth_method(&grounds, entry),
        sandbox,
        why,
    })
}

fn listed(
    grounds: &Grounds<'_>,
    entry: &AgentEntry,
    version: Option<Result<Version, GateFault>>,
) -> Listed {
    Listed {
        entry: entry.clone(),
        gates: standings(grounds, entry, version.as_ref()),
        version,
    }
}

type Key = (String, Vec<String>);

fn key(entry: &AgentEntry) -> Key {
    (entry.command.clone(), entry.version_args.clone())
}

/// The versions of every distinct program.
fn versions(
    grounds: &Grounds<'_>,
    entries: &[&AgentEntry],
) -> BTreeMap<Key, Result<Version, GateFault>> {
    let distinct: BTreeMap<Key, &AgentEntry> =
        entries.iter().map(|entry| (key(entry), *entry)).collect();
    let waiting = Mutex::new(distinct.into_iter());
    let found = Mutex::new(BTreeMap::new());
    let next = || {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.next()
    };
    let work = || {
        while let Some((key, entry)) = next() {
            let version = gates::probe(grounds, entry);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(key, version);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What was found for one program, told of the entry that asks: two entries may have tested other versions of it.
fn of_entry(entry: &AgentEntry, found: &Result<Version, GateFault>) -> Result<Version, GateFault> {
    match found {
        Ok(version) => Ok(version.clone().told_of(entry)),
        Err(GateFault::Missing { why, .. }) => Err(GateFault::Missing {
            id: entry.id.clone(),
            why: why.clone(),
            install: entry.install.clone(),
        }),
        Err(GateFault::Unfit { why, instead, .. }) => Err(GateFault::Unfit {
            id: entry.id.clone(),
            why: why.clone(),
            instead: instead.clone(),
        }),
        Err(other) => Err(other.clone()),
    }
}

fn present(home: &Path, names: &[String]) -> Vec<String> {
    let Ok(root) = Root::open(home) else {
        return Vec::new();
    };
    let is_there =
        |name: &&String| RepoPath::new(name.as_bytes()).is_ok_and(|path| root.stat(&path).is_ok());
    names.iter().filter(is_there).cloned().collect()
}

fn rung(app: &App) -> (Rung, Option<String>) {
    let ladder = sandbox::probe_ladder(&LadderInputs {
        bwrap: find_bwrap(&app.inputs, &app.config),
        scratch: app.home.checkouts(),
    });
    (ladder.rung(), ladder.why())
}
