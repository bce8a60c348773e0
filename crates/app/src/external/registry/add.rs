//! An entry of the user's own: drafted, shown whole to a person, written when they agreed (FA-03).

use std::path::PathBuf;

use taffrail_config::Transport;
use toml_edit::{Array, InlineTable, Value};

use super::{RegistryFault, catalogue, edit};
use crate::memory::gate::person_only;
use crate::{App, AppError};

/// Longest id, in characters: as the configuration takes it.
const LONGEST_ID: usize = 32;

/// The end of an id that the public registry's agent gets beside an entry of ours.
const BESIDE: &str = "-registry";
/// What neither the public registry nor a typed line says.
const UNSAID: &str = "it says nothing of its model's hosts and of where its sign-in lies: `hosts`, and `pass_env` or \
                      `credential_files`, may have to be added (taffrail config edit)";
/// The same of one without hosts.
const NO_HOSTS: &str =
    "it names no hosts (--host): where the network of a run is on, it is by port, to any host";

/// What a person wants in the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// What they typed.
    Typed {
        /// The id.
        id: String,
        /// Everything else.
        draft: Typed,
    },
    /// An agent of the public registry, from a copy of it.
    Public {
        /// The id of our entry; none means one that is made of the registry's.
        id: Option<String>,
        /// The registry's id.
        agent: String,
        /// The copy; none means `acp-registry.json` in the home.
        copy: Option<PathBuf>,
    },
}

/// What a person typed of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it is driven.
    pub transport: Transport,
    /// Variables that are passed on.
    pub pass_env: Vec<String>,
    /// Hosts that it may reach.
    pub hosts: Vec<String>,
    /// Files of its sign-in, below the HOME.
    pub credential_files: Vec<String>,
    /// The sign-in method.
    pub auth_method: Option<String>,
    /// The session's mode.
    pub mode: Option<String>,
}

/// An entry that can be written, and nobody agreed to yet.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Its id.
    pub id: String,
    /// The program and every argument, one by one. Untrusted text.
    pub command: Vec<String>,
    /// Variables that would be set. Untrusted text.
    pub env: Vec<(String, String)>,
    /// What a person should know: where it comes from, what it will load.
    pub remarks: Vec<String>,
    keys: Vec<(&'static str, Value)>,
}

impl Draft {
    /// The lines of the file, as they would be written.
    pub fn lines(&self) -> Vec<String> {
        let heading = format!("[external_agents.{}]", self.id);
        let keys = self.keys.iter();
        let keys = keys.map(|(key, value)| format!("{key} = {value}"));
        std::iter::once(heading).chain(keys).collect()
    }
}

/// Makes an entry of what a person wants. Nothing is written, nothing is started.
///
/// # Errors
/// [`RegistryFault`]: the id is none or taken, the copy is not understood, an entry of it is not taken.
pub fn draft(app: &App, wanted: &Wanted) -> Result<Draft, AppError> {
    let draft = match wanted {
        Wanted::Typed { id, draft } => typed(id, draft),
        Wanted::Public { id, agent, copy } => {
            let path = copy.clone().unwrap_or_else(|| catalogue::usual_place(app));
            let mut draft = catalogue::draft(&path, agent, id.as_deref())?;
            if id.is_none() && app.config.agents.contains_key(&draft.id) {
                // An entry that is there may say more of it than the registry does: it stays, and this one goes beside it.
                draft.remarks.push(format!(
                    "there is an entry `{}` already, which stays as it is",
                    draft.id
                ));
                draft.id = format!("{agent}{BESIDE}");
            }
            draft
        }
    };
    check_id(app, &draft.id)?;
    // The whole file with the entry in it must be understood before anybody is asked.
    edit::try_add(app, &draft.id, &draft.keys)?;
    Ok(draft)
}

/// Writes the entry into the user's file. Only what a person at a terminal agreed to may come here.
///
/// # Errors
/// `AgentPresent` where an agent stands above this process; [`RegistryFault::Config`]: the file is as it was then.
pub fn write(app: &App, draft: &Draft) -> Result<(), AppError> {
    person_only(app)?;
    edit::add(app, &draft.id, &draft.keys)
}

fn typed(id: &str, typed: &Typed) -> Draft {
    let mut keys = vec![
        ("transport", Value::from(typed.transport.name())),
        ("command", Value::from(typed.command.as_str())),
    ];
    put_list(&mut keys, "args", &typed.args);
    put_list(&mut keys, "pass_env", &typed.pass_env);
    put_list(&mut keys, "hosts", &typed.hosts);
    put_list(&mut keys, "credential_files", &typed.credential_files);
    for (key, value) in [("auth_method", &typed.auth_method), ("mode", &typed.mode)] {
        keys.extend(value.as_deref().map(|value| (key, Value::from(value))));
    }
    Draft {
        id: id.to_owned(),
        command: std::iter::once(&typed.command)
            .chain(&typed.args)
            .cloned()
            .collect(),
        env: Vec::new(),
        remarks: typed
            .hosts
            .is_empty()
            .then(|| NO_HOSTS.to_owned())
            .into_iter()
            .collect(),
        keys,
    }
}

/// An entry of the public registry: a program that loads a package and starts it.
pub(super) struct Package {
    pub id: String,
    pub command: &'static str,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub state_dirs: &'static [&'static str],
    pub hosts: &'static [&'static str],
    pub remarks: Vec<String>,
}

/// How long a cold start through a loader of packages may take.
const COLD_START: &str = "5m";

impl From<Package> for Draft {
    fn from(package: Package) -> Self {
        let mut keys = vec![
            ("transport", Value::from(Transport::Acp.name())),
            ("command", Value::from(package.command)),
        ];
        put_list(&mut keys, "args", &package.args);
        if !package.env.is_empty() {
            let table: InlineTable = package
                .env
                .iter()
                .map(|(name, value)| (name.as_str(), Value::from(value.as_str())))
                .collect();
            keys.push(("env", Value::InlineTable(table)));
        }
        put_list(&mut keys, "state_dirs", package.state_dirs);
        put_list(&mut keys, "hosts", package.hosts);
        keys.push(("initialize_timeout", Value::from(COLD_START)));
        let command = std::iter::once(package.command.to_owned());
        Self {
            id: package.id,
            command: command.chain(package.args).collect(),
            env: package.env,
            remarks: package
                .remarks
                .into_iter()
                .chain([UNSAID.to_owned()])
                .collect(),
            keys,
        }
    }
}

fn put_list<T: AsRef<str>>(keys: &mut Vec<(&'static str, Value)>, key: &'static str, items: &[T]) {
    if !items.is_empty() {
        let array: Array = items
            .iter()
            .map(|item| Value::from(item.as_ref()))
            .collect();
        keys.push((key, Value::Array(array)));
    }
}

fn check_id(app: &App, id: &str) -> Result<(), RegistryFault> {
    let fault = |why| RegistryFault::Id {
        id: id.to_owned(),
        why,
    };
    if !is_id(id) {
        return Err(fault(
            "is no id: a lower-case letter, then letters, digits and `-`, at most 32",
        ));
    }
    if app.config.agents.contains_key(id) {
        return Err(fault(
            "is in the registry already; give yours another id, or change that one: taffrail config edit",
        ));
    }
    Ok(())
}

pub(super) fn is_id(id: &str) -> bool {
    id.len() <= LONGEST_ID
        && id.starts_with(|at: char| at.is_ascii_lowercase())
        && id
            .bytes()
            .all(|at| matches!(at, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}
