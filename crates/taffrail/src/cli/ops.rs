//! `taffrail backup`, `restore`, `export`, `purge`

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

/// `taffrail backup`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BackupArgs {
    /// Check an archive instead of making one
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
    /// The archive to make, or a folder for it; without one: the home's backups/
    pub path: Option<PathBuf>,
    /// Put the key of the approvals into it, wrapped under a passphrase that is asked for
    #[arg(long)]
    pub with_seal_key: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail backup …`
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Check an archive whole: every file, the database, and the journal's chain
    Verify {
        /// The archive
        file: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// `taffrail restore`
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The archive
    pub file: PathBuf,
    /// Move what the home holds to its backups/ first
    #[arg(long)]
    pub force: bool,
    /// Take the key of the approvals from the archive too; its passphrase is asked for
    #[arg(long)]
    pub with_seal_key: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `taffrail export`
#[derive(Debug, Args)]
pub struct ExportAllArgs {
    /// Everything on record, one JSON line each, in a stable order
    #[arg(long, required = true)]
    pub all: bool,
    /// To this new file instead of standard output
    pub file: Option<PathBuf>,
}

/// `taffrail purge`
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("scope").required(true).args(["project", "session", "memory", "before"]))]
pub struct PurgeArgs {
    /// A project, by name or id: memories, notebook, suggestions, traces, sessions
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// A session, by name or id, and the memories that came from it
    #[arg(long, value_name = "S")]
    pub session: Option<String>,
    /// One memory, by id, with every revision
    #[arg(long, value_name = "M")]
    pub memory: Option<String>,
    /// Everything from before a day or time: 2026-08-01, or RFC 3339
    #[arg(long, value_name = "DATE")]
    pub before: Option<String>,
    /// Remove the copies in the home's backups/ too: they still hold it
    #[arg(long)]
    pub backups: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
