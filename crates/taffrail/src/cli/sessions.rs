//! `taffrail sessions …`

use clap::{Args, Subcommand};

/// `taffrail sessions`
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// What to do
    #[command(subcommand)]
    pub command: SessionsCommand,
}

/// `taffrail sessions …`
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// Make the files of an agent's run again from what is on record: context.jsonl, archive.jsonl, acp-run.json
    Export(SessionsExportArgs),
}

/// `taffrail sessions export`
#[derive(Debug, Args)]
pub struct SessionsExportArgs {
    /// The run: its name, or its id or the beginning of one; without one, every run of an agent
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
