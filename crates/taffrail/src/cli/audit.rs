//! `taffrail audit …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `taffrail audit`
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// What to do
    #[command(subcommand)]
    pub command: AuditCommand,
}

/// `taffrail audit …`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Check the chain of the journal, its anchor and the seals of all approvals
    Verify {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// The newest entries, or those of one memory
    Show {
        /// Only what happened to this memory
        #[arg(long, value_name = "ID")]
        memory: Option<String>,
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u32,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Every entry as JSON lines, to this file or standard output
    Export {
        /// Where to; must not exist
        file: Option<PathBuf>,
    },
}
