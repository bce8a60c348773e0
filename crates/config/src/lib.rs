//! Configuration as values: the text of `config.toml`, the environment and the built-in agents become typed
//! options, each with where it came from (CFG-01, CFG-02); a project's own file becomes its closed set (CNF-07).
//!
//! Pure: it opens no file, reads no variable, knows no home. Paths in an error are only for its message.
//! A flag wins over the environment, the environment over the file, the file over the default.
#![forbid(unsafe_code)]

mod agent;
mod built_in;
mod checks;
mod choice;
mod doc;
mod error;
mod message;
mod policy;
mod project;
mod reader;
mod section;
mod sections;
mod setting;
mod share;
mod show;
mod value;

use std::collections::BTreeMap;
use std::path::Path;

pub use agent::{AgentEntry, Quirk, Transport, entry_for_command};
pub use doc::{agents_doc, config_doc, env_names, template};
pub use error::{ConfigError, Place, Problem};
pub use policy::PolicyRule;
pub use project::{ProjectFile, load_project};
pub use sections::{
    CheckoutConfig, CheckoutKind, ExternalAgents, McpConfig, MemoryConfig, NetMode, PolicyConfig,
    PolicyMode, RecallConfig, RecordConfig, Require, ReviewConfig, ReviewLock, SandboxConfig,
    SlateConfig, WriteInCheckout,
};
pub use share::Share;
pub use show::{Row, show};
pub use value::{Origin, Value};

use reader::Reader;
use taffrail_domain::Net;

/// Everything a user can set, with where each value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `[external_agents]`: whether and how other vendors' agents run.
    pub external_agents: ExternalAgents,
    /// `[external_agents.<id>]`: the built-in entries, each key overridden where the user's file names it.
    pub agents: BTreeMap<String, AgentEntry>,
    /// `[checkout]`: what a disposable checkout brings along.
    pub checkout: CheckoutConfig,
    /// `[sandbox]`: what the sandbox grants and requires.
    pub sandbox: SandboxConfig,
    /// `[record]`: what is kept of a run.
    pub record: RecordConfig,
    /// `[memory]`: what of a notebook a turn is given.
    pub memory: MemoryConfig,
    /// `[recall]`: what of the memories a turn is given, and how their age counts.
    pub recall: RecallConfig,
    /// `[slate]`: the slates that other programs open.
    pub slate: SlateConfig,
    /// `[mcp]`: what an agent in a run is offered of ours.
    pub mcp: McpConfig,
    /// `[review]`: what approving a memory takes.
    pub review: ReviewConfig,
    /// `[policy]`: what an agent may do without asking.
    pub policy: PolicyConfig,
    /// `[[policy.rule]]`, in the order of the file.
    pub rules: Vec<PolicyRule>,
}

/// Reads the user's file (its path for messages, and its text) and the environment. Without a file and with an
/// empty environment these are the defaults.
///
/// # Errors
/// The first thing in the file, by line, that is not understood; then the first variable.
pub fn load(
    file: Option<(&Path, &str)>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Config, ConfigError> {
    let (path, text) = file.unwrap_or((Path::new("config.toml"), ""));
    let document = reader::parse(path, text)?;
    let reader = Reader::of_user(path, text, env);
    let config = sections::read_all(&reader, document.get_ref());
    reader.finish()?;
    Ok(config)
}

impl Config {
    /// What a command may reach: `flag` where one was given, else `sandbox.net`; its `auto` means on for a
    /// command of the registry and off for every other. The entry's loopback ports are not part of it.
    pub fn net_for(&self, flag: Option<NetMode>, entry: Option<&AgentEntry>) -> Value<Net> {
        let mode = self.sandbox.net.clone().or_flag(flag);
        let by_port = || Net::Ports(self.sandbox.ports.value.clone());
        let by_host = |allowed, ask| Net::Hosts {
            allowed,
            ask,
            loopback: Vec::new(),
        };
        let hosts = self.hosts_for(entry);
        let value = match mode.value {
            NetMode::Off => Net::Off,
            NetMode::Auto if entry.is_none() => Net::Off,
            NetMode::Ports => by_port(),
            NetMode::Ask => by_host(hosts, true),
            NetMode::Auto | NetMode::On if hosts.is_empty() => by_port(),
            NetMode::Auto | NetMode::On => by_host(hosts, false),
        };
        Value {
            value,
            origin: mode.origin,
        }
    }

    /// The hosts of an entry and those of every command, each once.
    fn hosts_for(&self, entry: Option<&AgentEntry>) -> Vec<String> {
        let own = entry.iter().flat_map(|entry| &entry.hosts);
        let mut hosts: Vec<String> = Vec::new();
        for host in own.chain(&self.sandbox.hosts.value) {
            if !hosts.contains(host) {
                hosts.push(host.clone());
            }
        }
        hosts
    }
}

#[cfg(test)]
mod tests;
