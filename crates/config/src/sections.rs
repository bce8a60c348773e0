//! The sections of the user's file that exist today, and the ones that are refused until they do something.

use std::collections::BTreeMap;
use std::path::PathBuf;

use taffrail_domain::{Duration, Rung};
use toml::de::DeTable;

use crate::agent::{self, AgentEntry};
use crate::choice::choice;
use crate::reader::{Reader, View};
use crate::section::{KeyDoc, section};
use crate::{Config, Row, checks};

section! {
    /// Whether and how other vendors' agents run. A table inside it, `[external_agents.<id>]`, is an agent's entry.
    pub struct ExternalAgents in "external_agents" {
        /// Whether `taffrail agents external run` may start an agent. `taffrail box` does not ask for it.
        enabled: bool = false;
        /// Whether an agent's edits inside its own checkout are asked for, or allowed while the sandbox is enforced.
        write_in_checkout: WriteInCheckout = WriteInCheckout::Ask;
        /// How long one run may take. It stands still while a person is asked.
        timeout: Duration = Duration::from_secs(3_600), env "TAFFRAIL_TIMEOUT", check checks::not_zero;
        /// How long a run may be silent. It stands still while a person is asked.
        inactivity: Duration = Duration::from_secs(300), env "TAFFRAIL_INACTIVITY", check checks::not_zero;
    }
}

choice! {
    /// What happens to an agent's edits inside its own checkout.
    pub enum WriteInCheckout, expected "\"ask\" or \"allow\"", later [] {
        /// A person is asked.
        Ask = "ask",
        /// Allowed while the sandbox is enforced.
        Allow = "allow",
    }
}

section! {
    /// What a disposable checkout brings along. The first two keys may also stand in a project's own
    /// `.taffrail/config.toml`.
    pub struct CheckoutConfig in "checkout" {
        /// Ignored paths to copy into the checkout, relative to the project: `node_modules`, `.venv`, `target`.
        carry: Vec<String> = Vec::new(), check checks::carried;
        /// A shell command that runs in the sandbox before the agent, such as `npm ci`.
        setup: Option<String> = None, check checks::command_line;
        /// How the checkout is made.
        kind: CheckoutKind = CheckoutKind::Clone;
    }
}

choice! {
    /// How a disposable checkout is made.
    pub enum CheckoutKind, expected "\"clone\"", later ["worktree"] {
        /// An independent clone: no hard links, no alternates, no remote, no hooks.
        Clone = "clone",
    }
}

section! {
    /// What the sandbox grants, and what it must enforce.
    pub struct SandboxConfig in "sandbox" {
        /// Network: `"off"`, `"on"`, or `"auto"`: on for a command of the agents below, off for every other.
        net: NetMode = NetMode::Auto, env "TAFFRAIL_NET";
        /// TCP ports that are open to **any** host where the network is on. Port 53 is for names; there is no UDP.
        ports: Vec<u16> = vec![443, 80, 53], env "TAFFRAIL_PORTS";
        /// More folders or files that may be read, as absolute paths; never written.
        read: Vec<PathBuf> = Vec::new(), check checks::readable;
        /// The bubblewrap to use, as an absolute path; empty means the one on the `PATH`.
        bwrap: Option<PathBuf> = None, env "TAFFRAIL_BWRAP", check checks::program;
        /// What must be enforced or nothing starts: `"full"` is bubblewrap, Landlock and seccomp; `"partial"` is at
        /// least Landlock and seccomp.
        require: Require = Require::Partial, env "TAFFRAIL_REQUIRE";
    }
}

choice! {
    /// Whether a command has the network.
    pub enum NetMode, expected "\"auto\", \"off\" or \"on\"", later ["ask"] {
        /// On for a command of the registry, off for every other.
        Auto = "auto",
        /// Nothing.
        Off = "off",
        /// The ports of `sandbox.ports`.
        On = "on",
    }
}

choice! {
    /// How much of the sandbox must be enforced or nothing starts.
    pub enum Require, expected "\"full\" or \"partial\"", later [] {
        /// All three layers.
        Full = "full",
        /// At least Landlock and seccomp.
        Partial = "partial",
    }
}

impl Require {
    /// Whether what a machine can enforce is enough.
    pub const fn is_met_by(self, rung: Rung) -> bool {
        match (self, rung) {
            (Self::Full | Self::Partial, Rung::Full) | (Self::Partial, Rung::Partial) => true,
            (Self::Full, Rung::Partial) | (Self::Full | Self::Partial, Rung::None) => false,
        }
    }
}

section! {
    /// What is kept of a run.
    pub struct RecordConfig in "record" {
        /// Whether an agent's raw frames are kept as they came, with the secrets in them.
        raw: bool = false;
    }
}

/// Sections with at least one key today.
pub(crate) const SECTIONS: &[&str] = &[
    ExternalAgents::PATH,
    CheckoutConfig::PATH,
    SandboxConfig::PATH,
    RecordConfig::PATH,
];

/// Sections of a later version. Refused, not ignored: a policy rule that does nothing would look like protection.
pub(crate) const LATER: &[&str] = &[
    "policy", "memory", "recall", "slate", "review", "web", "provider", "mcp",
];

/// Reads the whole document. What does not fit is noted in the reader.
pub(crate) fn read_all(reader: &Reader<'_>, document: &DeTable<'_>) -> Config {
    let root = View::root(document);
    reader.sections(&root, SECTIONS, LATER);
    let external = reader.table(&root, ExternalAgents::PATH);
    let checkout = reader.table(&root, CheckoutConfig::PATH);
    let sandbox = reader.table(&root, SandboxConfig::PATH);
    let record = reader.table(&root, RecordConfig::PATH);
    for (view, keys) in [
        (&checkout, CheckoutConfig::KEYS),
        (&sandbox, SandboxConfig::KEYS),
        (&record, RecordConfig::KEYS),
    ] {
        reader.known_keys(view.as_ref(), keys);
    }
    let agents: BTreeMap<String, AgentEntry> = agent::read_all(reader, external.as_ref());
    Config {
        external_agents: ExternalAgents::read(reader, external),
        agents,
        checkout: CheckoutConfig::read(reader, checkout),
        sandbox: SandboxConfig::read(reader, sandbox),
        record: RecordConfig::read(reader, record),
    }
}

/// The rows of every section but the agents' entries, in the order of the guide.
pub(crate) fn rows(config: &Config) -> Vec<Row> {
    [
        config.external_agents.rows(),
        config.checkout.rows(),
        config.sandbox.rows(),
        config.record.rows(),
    ]
    .concat()
}

/// Path, meaning and keys of every section, in the order of the guide.
pub(crate) fn docs() -> Vec<(&'static str, &'static str, Vec<KeyDoc>)> {
    vec![
        (
            ExternalAgents::PATH,
            ExternalAgents::ABOUT,
            ExternalAgents::docs(),
        ),
        (
            CheckoutConfig::PATH,
            CheckoutConfig::ABOUT,
            CheckoutConfig::docs(),
        ),
        (
            SandboxConfig::PATH,
            SandboxConfig::ABOUT,
            SandboxConfig::docs(),
        ),
        (
            RecordConfig::PATH,
            RecordConfig::ABOUT,
            RecordConfig::docs(),
        ),
    ]
}

/// The section that has this key, for a key that stands in the wrong one.
pub(crate) fn home_of(key: &str) -> Option<&'static str> {
    [
        (ExternalAgents::PATH, ExternalAgents::KEYS),
        (CheckoutConfig::PATH, CheckoutConfig::KEYS),
        (SandboxConfig::PATH, SandboxConfig::KEYS),
        (RecordConfig::PATH, RecordConfig::KEYS),
    ]
    .into_iter()
    .find(|(_, keys)| keys.contains(&key))
    .map(|(path, _)| path)
}
