//! The sections of the user's file that exist today, and the ones that are refused until they do something.

use std::collections::BTreeMap;
use std::path::PathBuf;

use taffrail_domain::{Duration, Rung};
use toml::de::DeTable;

use crate::agent::{self, AgentEntry};
use crate::choice::choice;
use crate::reader::{Reader, View};
use crate::section::{KeyDoc, section};
use crate::share::Share;
use crate::{Config, Row, checks, policy};

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
        /// Network: `"off"`, `"on"`, `"ask"`, `"ports"`, or `"auto"`: on for a command of the agents below, off for every
        /// other. On is by host where hosts are named, below or by the agent's entry, and by port where none are.
        net: NetMode = NetMode::Auto, env "TAFFRAIL_NET";
        /// Hosts that every command with the network may reach, beside those of its agent: `registry.npmjs.org`,
        /// `*.example.com`, `git.example.com:22`, `10.0.0.5:8080`. Ports 443 and 80 where none is named.
        hosts: Vec<String> = Vec::new(), check checks::hosts;
        /// TCP ports that are open to **any** host where the network is by port. Port 53 is for names; there is no UDP.
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
    pub enum NetMode, expected "\"auto\", \"off\", \"on\", \"ask\" or \"ports\"", later [] {
        /// On for a command of the registry, off for every other.
        Auto = "auto",
        /// Nothing.
        Off = "off",
        /// The hosts of the entry and of `sandbox.hosts`; where there are none, the ports of `sandbox.ports`.
        On = "on",
        /// The same hosts, and a person is asked for every other.
        Ask = "ask",
        /// The ports of `sandbox.ports`, on any host.
        Ports = "ports",
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
        /// Mebibytes of captured diffs that the home keeps in all. A capture that would go over it is refused, and its
        /// checkout kept.
        diffs_mib: u64 = 4_096, check checks::within::<1, 1_048_576>;
    }
}

section! {
    /// The notebooks: what of one a turn is given.
    pub struct MemoryConfig in "memory" {
        /// Characters of a project's notebook that every turn is given; what is left out is counted.
        notebook_budget: u64 = 6_000, check checks::within::<500, 100_000>;
        /// Characters that a notebook may hold at all.
        notebook_cap: u64 = 200_000, check checks::within::<1_000, 200_000>;
    }
}

section! {
    /// What a turn is given of the memories, and how their age counts.
    pub struct RecallConfig in "recall" {
        /// Memories that a turn is given at most.
        items: u64 = 5, check checks::within::<1, 50>;
        /// Characters of one memory's line.
        line_characters: u64 = 200, check checks::within::<40, 4_000>;
        /// Characters of all lines together.
        total_characters: u64 = 2_000, check checks::within::<40, 40_000>;
        /// The age at which half is gone of what age can take: a score counts floor + (1 - floor) × 0.5^(age / half-life).
        half_life: Duration = Duration::from_secs(2_592_000), check checks::not_zero;
        /// The share of its score that a memory keeps however old it is.
        floor_of_age: Share = Share::thousandths(700);
        /// Types whose age does not count.
        ageless: Vec<String> = vec!["constraint".to_owned(), "decision".to_owned()], check checks::memory_types;
        /// Types that fade to nothing.
        fading: Vec<String> = vec!["work_log".to_owned(), "open_question".to_owned()], check checks::memory_types;
        /// How long the trace of a recall is kept.
        trace_keep: Duration = Duration::from_secs(7_776_000), check checks::not_zero;
        /// How many traces are kept, the newest ones.
        trace_count: u64 = 10_000, check checks::within::<100, 1_000_000>;
    }
}

section! {
    /// The slates that other programs open over MCP.
    pub struct SlateConfig in "slate" {
        /// How long nobody writes to a slate before the next call of its project closes it. Nothing is lost by it: its
        /// seeds wait for a review, and a late write goes on in the id's next generation.
        idle_ttl: Duration = Duration::from_secs(43_200), check checks::not_zero;
    }
}

section! {
    /// What an agent may do without asking. Rules are written below it, as `[[policy.rule]]`.
    pub struct PolicyConfig in "policy" {
        /// How much the built-in agent may do without asking: `"ask"` only reads, `"trust"` writes and runs too, `"auto"`
        /// does everything but what always asks, and only in the sandbox.
        mode: PolicyMode = PolicyMode::Ask;
    }
}

choice! {
    /// How much the built-in agent may do without asking.
    pub enum PolicyMode, expected "\"ask\", \"trust\" or \"auto\"", later [] {
        /// Only reading.
        Ask = "ask",
        /// Writing and running too.
        Trust = "trust",
        /// Everything but the floors, in the sandbox.
        Auto = "auto",
    }
}

impl From<PolicyMode> for taffrail_domain::Mode {
    fn from(mode: PolicyMode) -> Self {
        match mode {
            PolicyMode::Ask => Self::Ask,
            PolicyMode::Trust => Self::Trust,
            PolicyMode::Auto => Self::Auto,
        }
    }
}

section! {
    /// What an agent in a run is offered of ours.
    pub struct McpConfig in "mcp" {
        /// Whether an agent is told of our MCP server: the files of its checkout, approved memory, the notebook, and a slate
        /// of its own. `--no-mcp` leaves it out of one run.
        offer: bool = true;
    }
}

section! {
    /// What approving a memory takes.
    pub struct ReviewConfig in "review" {
        /// `"passphrase"`: the key that seals an approval is opened by a passphrase that a person types.
        lock: ReviewLock = ReviewLock::None;
        /// How long one reviewing process keeps a typed passphrase.
        unlock: Duration = Duration::from_secs(600), check checks::not_zero;
    }
}

choice! {
    /// What opens the key that seals approvals.
    pub enum ReviewLock, expected "\"none\" or \"passphrase\"", later [] {
        /// The keychain alone.
        None = "none",
        /// A passphrase too.
        Passphrase = "passphrase",
    }
}

/// Sections with at least one key today.
pub(crate) const SECTIONS: &[&str] = &[
    ExternalAgents::PATH,
    CheckoutConfig::PATH,
    SandboxConfig::PATH,
    RecordConfig::PATH,
    MemoryConfig::PATH,
    RecallConfig::PATH,
    SlateConfig::PATH,
    McpConfig::PATH,
    ReviewConfig::PATH,
    PolicyConfig::PATH,
];

/// Sections of a later version. Refused, not ignored: a rule that does nothing would look like protection.
pub(crate) const LATER: &[&str] = &["web", "provider"];

/// Reads the whole document. What does not fit is noted in the reader.
pub(crate) fn read_all(reader: &Reader<'_>, document: &DeTable<'_>) -> Config {
    let root = View::root(document);
    reader.sections(&root, SECTIONS, LATER);
    let external = reader.table(&root, ExternalAgents::PATH);
    let checkout = reader.table(&root, CheckoutConfig::PATH);
    let sandbox = reader.table(&root, SandboxConfig::PATH);
    let record = reader.table(&root, RecordConfig::PATH);
    let memory = reader.table(&root, MemoryConfig::PATH);
    let recall = reader.table(&root, RecallConfig::PATH);
    let slate = reader.table(&root, SlateConfig::PATH);
    let mcp = reader.table(&root, McpConfig::PATH);
    let review = reader.table(&root, ReviewConfig::PATH);
    let policy = reader.table(&root, PolicyConfig::PATH);
    let rules = policy::read_rules(reader, policy.as_ref());
    for (view, keys) in [
        (&checkout, CheckoutConfig::KEYS),
        (&sandbox, SandboxConfig::KEYS),
        (&record, RecordConfig::KEYS),
        (&memory, MemoryConfig::KEYS),
        (&recall, RecallConfig::KEYS),
        (&slate, SlateConfig::KEYS),
        (&mcp, McpConfig::KEYS),
        (&review, ReviewConfig::KEYS),
        (&policy, &["mode", policy::RULE]),
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
        memory: MemoryConfig::read(reader, memory),
        recall: RecallConfig::read(reader, recall),
        slate: SlateConfig::read(reader, slate),
        mcp: McpConfig::read(reader, mcp),
        review: ReviewConfig::read(reader, review),
        policy: PolicyConfig::read(reader, policy),
        rules,
    }
}

/// The rows of every section but the agents' entries, in the order of the guide.
pub(crate) fn rows(config: &Config) -> Vec<Row> {
    let rules = config.rules.iter().enumerate();
    let rules = rules.map(|(place, rule)| rule.row(place)).collect();
    [
        config.external_agents.rows(),
        config.checkout.rows(),
        config.sandbox.rows(),
        config.record.rows(),
        config.memory.rows(),
        config.recall.rows(),
        config.slate.rows(),
        config.mcp.rows(),
        config.review.rows(),
        config.policy.rows(),
        rules,
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
        (
            MemoryConfig::PATH,
            MemoryConfig::ABOUT,
            MemoryConfig::docs(),
        ),
        (
            RecallConfig::PATH,
            RecallConfig::ABOUT,
            RecallConfig::docs(),
        ),
        (SlateConfig::PATH, SlateConfig::ABOUT, SlateConfig::docs()),
        (McpConfig::PATH, McpConfig::ABOUT, McpConfig::docs()),
        (
            ReviewConfig::PATH,
            ReviewConfig::ABOUT,
            ReviewConfig::docs(),
        ),
        (
            PolicyConfig::PATH,
            PolicyConfig::ABOUT,
            PolicyConfig::docs(),
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
        (MemoryConfig::PATH, MemoryConfig::KEYS),
        (RecallConfig::PATH, RecallConfig::KEYS),
        (SlateConfig::PATH, SlateConfig::KEYS),
        (McpConfig::PATH, McpConfig::KEYS),
        (ReviewConfig::PATH, ReviewConfig::KEYS),
        (PolicyConfig::PATH, PolicyConfig::KEYS),
    ]
    .into_iter()
    .find(|(_, keys)| keys.contains(&key))
    .map(|(path, _)| path)
}
