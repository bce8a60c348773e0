//! `taffrail prompt …`

use clap::{Args, Subcommand};

/// `taffrail prompt`
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// What to do
    #[command(subcommand)]
    pub command: PromptCommand,
}

/// `taffrail prompt …`
#[derive(Debug, Subcommand)]
pub enum PromptCommand {
    /// What a turn in this project would be given, by section
    Show {
        /// What the person would say: it decides what is recalled
        #[arg(long, value_name = "TEXT")]
        query: Option<String>,
        /// Of this project, instead of the one that the folder belongs to
        #[arg(long, value_name = "NAME")]
        project: Option<String>,
        /// As if it were this moment, RFC 3339
        #[arg(long, value_name = "TIME")]
        now: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}
