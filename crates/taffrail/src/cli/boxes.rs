//! `taffrail box …`

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};
use taffrail_domain::{Duration, Flag};

/// `taffrail box`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct BoxArgs {
    /// Look after boxes that exist
    #[command(subcommand)]
    pub command: Option<BoxCommand>,
    /// Run something
    #[command(flatten)]
    pub run: RunArgs,
}

/// `taffrail box [FLAGS] -- CMD…`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A name for the box; without one its run id is the name
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Bring this ignored path along (repeatable): node_modules, .venv, target
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,
    /// Bring uncommitted changes along, as a first commit
    #[arg(long)]
    pub include_uncommitted: bool,
    /// The network: off, on, ask or ports (default: on for known agents, else off)
    #[arg(long, value_enum, value_name = "off|on|ask|ports")]
    pub net: Option<NetChoice>,
    /// Treat the command as this agent of the registry, whatever it is called
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Keep the checkout for `box enter` when the command ended
    #[arg(long)]
    pub keep: bool,
    /// End the command after this long, as 90s, 60m or 12h
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<Duration>,
    /// Run without the sandbox: nothing is contained, and the record says so
    #[arg(long)]
    pub no_sandbox: bool,
    /// Ask nothing at the end; leave the change waiting
    #[arg(long)]
    pub unattended: bool,
    /// Print the report as one JSON line on standard output when all is done
    #[arg(long)]
    pub json: bool,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// The network of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NetChoice {
    /// Nothing is reached
    Off,
    /// The hosts of the agent's entry and of `sandbox.hosts`; without any, as `ports`
    On,
    /// The same hosts, and a person is asked for every other
    Ask,
    /// TCP to the ports of `sandbox.ports`, on any host
    Ports,
}

/// `taffrail box list|enter|review|land|discard`
#[derive(Debug, Subcommand)]
pub enum BoxCommand {
    /// Boxes, the newest first
    List {
        /// Decided ones too
        #[arg(long)]
        all: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a command (a shell without one) in the kept checkout of a box, sandboxed as before
    Enter(EnterArgs),
    /// Show what a box changed and what is flagged
    Review(ReviewArgs),
    /// Make a local branch of what a box changed; needs a terminal
    Land(LandArgs),
    /// Throw away what a box changed
    Discard(NamedArgs),
}

/// `taffrail box enter`
#[derive(Debug, Args)]
pub struct EnterArgs {
    /// The box or run: its name, or its run id or the beginning of one
    pub name: String,
    /// The command and its arguments, after --
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// `taffrail box review`
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// The box or run: its name, or its run id or the beginning of one
    pub name: String,
    /// Only the list of files
    #[arg(long, conflicts_with = "record")]
    pub stat: bool,
    /// The record instead: what was run, enforced, decided
    #[arg(long)]
    pub record: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail box land`
#[derive(Debug, Args)]
pub struct LandArgs {
    /// The box or run: its name, or its run id or the beginning of one
    pub name: String,
    /// Confirm flags by name, separated by commas: ci,hook,agent-rules,binary,secret …
    #[arg(long, value_name = "FLAGS", value_parser = parse_flag, value_delimiter = ',')]
    pub confirm: Vec<Flag>,
    /// The branch to make, instead of external/ and the run id
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// The commit's message, instead of the agent's task or the command that was run
    #[arg(long, short, value_name = "TEXT")]
    pub message: Option<String>,
}

/// A command that takes a box.
#[derive(Debug, Args)]
pub struct NamedArgs {
    /// The box or run: its name, or its run id or the beginning of one
    pub name: String,
}

fn parse_flag(text: &str) -> Result<Flag, String> {
    text.parse()
}
