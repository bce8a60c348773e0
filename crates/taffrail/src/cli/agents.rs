//! `taffrail agents external …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use taffrail_domain::Duration;

use super::boxes::{LandArgs, NamedArgs, ReviewArgs};

/// `taffrail agents`
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// Whose agents
    #[command(subcommand)]
    pub command: AgentsCommand,
}

/// `taffrail agents …`
#[derive(Debug, Subcommand)]
pub enum AgentsCommand {
    /// Other vendors' agents: which there are, drive one under your policy, review and land what it did
    External(ExternalArgs),
}

/// `taffrail agents external`
#[derive(Debug, Args)]
pub struct ExternalArgs {
    /// What to do
    #[command(subcommand)]
    pub command: ExternalCommand,
}

/// `taffrail agents external …`
#[derive(Debug, Subcommand)]
pub enum ExternalCommand {
    /// The agents of the registry: transport, version found, the state of every gate, the sandbox
    List(ExternalListArgs),
    /// Look closely at one agent: program, version, gates, sign-in files, sandbox; nothing of it is started but its version
    Probe(ExternalProbeArgs),
    /// Write an entry into your configuration, after you agreed to the exact command
    Add(ExternalAddArgs),
    /// Give an agent a task in a disposable checkout, and answer everything that it asks
    Run(ExternalRunArgs),
    /// The record of a run: what was asked, who said what and why, what could not be seen
    Show(ExternalShowArgs),
    /// Show what a run changed and what is flagged
    Review(ReviewArgs),
    /// Make a local branch of what a run changed; needs a terminal
    Land(LandArgs),
    /// Throw away what a run changed
    Discard(NamedArgs),
}

/// `taffrail agents external list`
#[derive(Debug, Args)]
pub struct ExternalListArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Start nothing: the versions are left out
    #[arg(long)]
    pub no_probe: bool,
}

/// `taffrail agents external probe`
#[derive(Debug, Args)]
pub struct ExternalProbeArgs {
    /// The agent's id
    #[arg(value_name = "ID")]
    pub id: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail agents external add`
#[derive(Debug, Args)]
pub struct ExternalAddArgs {
    /// The id of the new entry: a lower-case letter, then letters, digits and -
    #[arg(value_name = "ID", required_unless_present = "from_registry")]
    pub id: Option<String>,
    /// The program: a name to look for on the PATH, or an absolute path
    #[arg(
        long,
        value_name = "PROGRAM",
        required_unless_present = "from_registry"
    )]
    pub command: Option<String>,
    /// An argument that it is started with (repeatable); --arg=--acp for one that begins with a dash
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// How it is driven
    #[arg(long, value_enum, value_name = "acp|line", default_value = "acp")]
    pub transport: TransportChoice,
    /// Pass this variable of your environment on to it (repeatable)
    #[arg(long, value_name = "NAME")]
    pub pass_env: Vec<String>,
    /// A host that it may reach, as api.example.com or *.example.com (repeatable); without one the network is by port
    #[arg(long = "host", value_name = "HOST", conflicts_with = "from_registry")]
    pub hosts: Vec<String>,
    /// A file of its sign-in below your HOME, which a run gets a copy of (repeatable)
    #[arg(
        long = "credential-file",
        value_name = "PATH",
        conflicts_with = "from_registry"
    )]
    pub credential_files: Vec<String>,
    /// The sign-in method to ask for
    #[arg(long, value_name = "METHOD")]
    pub auth_method: Option<String>,
    /// The session mode to set: the strictest one that asks
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Take command, arguments and environment of this agent from a copy of the public ACP registry
    #[arg(long, value_name = "ID", conflicts_with_all = ["command", "args"])]
    pub from_registry: Option<String>,
    /// The copy of the registry: a JSON file
    #[arg(long, value_name = "FILE", requires = "from_registry")]
    pub registry: Option<PathBuf>,
}

/// How an agent is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TransportChoice {
    /// Two-way JSON-RPC over stdin and stdout
    Acp,
    /// One-way JSON lines on stdout
    Line,
}

/// `taffrail agents external run`
#[derive(Debug, Args)]
pub struct ExternalRunArgs {
    /// The agent's id
    #[arg(value_name = "ID")]
    pub id: String,
    /// What it is to do, or - for standard input
    #[arg(long, short, value_name = "TEXT|-")]
    pub task: String,
    /// Let it change files of its checkout; the change waits for your review
    #[arg(long)]
    pub write: bool,
    /// Ask nobody: what would be asked is refused. With --write it needs external_agents.write_in_checkout = "allow"
    #[arg(long)]
    pub unattended: bool,
    /// The model, where the agent's entry says how one is chosen
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// End it after this long, as 90s, 60m or 12h; the time that a person takes to answer is not counted
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<Duration>,
    /// Bring uncommitted changes along, as a first commit
    #[arg(long)]
    pub include_uncommitted: bool,
    /// Bring this ignored path along (repeatable): node_modules, .venv, target
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,
    /// What our MCP server lets it read: its checkout, or the project itself
    #[arg(
        long,
        value_enum,
        value_name = "checkout|project",
        default_value = "checkout"
    )]
    pub mcp_scope: McpScope,
    /// Offer it no MCP server of ours
    #[arg(long, conflicts_with = "mcp_scope")]
    pub no_mcp: bool,
    /// Let it read this path of its checkout although it looks like credentials (repeatable)
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<String>,
    /// Run without the sandbox: nothing is contained, and the record says so
    #[arg(long)]
    pub no_sandbox: bool,
    /// The network: off, on for its hosts, or ask for each other one
    #[arg(long, value_enum, value_name = "off|on|ask")]
    pub net: Option<ExternalNet>,
    /// One JSON line for every event on standard output
    #[arg(long)]
    pub json: bool,
}

/// What our MCP server lets an agent read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum McpScope {
    /// The disposable checkout
    Checkout,
    /// The project's own folder; this is on record
    Project,
}

/// The network of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExternalNet {
    /// Nothing is reached
    Off,
    /// The hosts of the agent's entry and of `sandbox.hosts`
    On,
    /// The hosts of the agent's entry; a person is asked for every other
    Ask,
}

/// `taffrail agents external show`
#[derive(Debug, Args)]
pub struct ExternalShowArgs {
    /// The run: its name, or its id or the beginning of one
    #[arg(value_name = "RUN")]
    pub run: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
