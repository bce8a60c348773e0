//! `taffrail policy …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use taffrail_domain::Mode;

/// `taffrail policy`
#[derive(Debug, Args)]
pub struct PolicyArgs {
    /// What to do
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// `taffrail policy …`
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Explain what would be answered to a command: its parts, their risks, the rule that decides. Runs nothing
    Check(PolicyCheckArgs),
}

/// `taffrail policy check`
#[derive(Debug, Args)]
pub struct PolicyCheckArgs {
    /// The command; one word is taken for a whole command line
    #[arg(
        value_name = "COMMAND",
        last = true,
        required_unless_present = "batch",
        conflicts_with = "batch"
    )]
    pub words: Vec<String>,
    /// JSON lines {"id","command","cwd"?} from this file, or - for standard input; one JSON line each
    #[arg(long, value_name = "FILE")]
    pub batch: Option<PathBuf>,
    /// In this mode, instead of the one of the configuration; a batch is in mode ask without it
    #[arg(long, value_enum)]
    pub mode: Option<ModeChoice>,
    /// As if an agent of another vendor asked for it, in a run of its own
    #[arg(long)]
    pub foreign: bool,
    /// As if it ran in the sandbox
    #[arg(long)]
    pub sandboxed: bool,
    /// As JSON
    #[arg(long, conflicts_with = "batch")]
    pub json: bool,
}

/// A mode, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ModeChoice {
    /// Only reading is let through
    Ask,
    /// Writing and running too
    Trust,
    /// Everything but what always asks; only in the sandbox
    Auto,
}

impl From<ModeChoice> for Mode {
    fn from(choice: ModeChoice) -> Self {
        match choice {
            ModeChoice::Ask => Self::Ask,
            ModeChoice::Trust => Self::Trust,
            ModeChoice::Auto => Self::Auto,
        }
    }
}
