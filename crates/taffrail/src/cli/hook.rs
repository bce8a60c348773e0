//! `taffrail hook …`

use clap::{Args, Subcommand};

use super::ProgramChoice;

/// `taffrail hook`
#[derive(Debug, Args)]
pub struct HookArgs {
    /// What happened
    #[command(subcommand)]
    pub command: HookCommand,
}

/// `taffrail hook …`
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// A session begins: answer what a person approved for the project
    SessionStart(SessionArgs),
    /// A session is over: close its slate
    SessionEnd(SessionArgs),
}

/// What both take; the program's own account of the session comes on standard input, as JSON.
#[derive(Debug, Args)]
pub struct SessionArgs {
    /// The program that calls
    #[arg(long, value_enum, value_name = "PROGRAM")]
    pub client: ProgramChoice,
    /// Fail where something goes wrong, instead of answering nothing
    #[arg(long)]
    pub strict: bool,
}
