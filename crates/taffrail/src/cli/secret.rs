//! `taffrail secret`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `taffrail secret`
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// What to do
    #[command(subcommand)]
    pub command: SecretCommand,
}

/// `taffrail secret …`
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Keep a value: asked for on the terminal without an echo, or read from standard input
    Set {
        /// What it is called: a lower-case letter, then letters, digits, `.`, `_`, `-`
        name: String,
    },
    /// What is kept, since when and where; never a value
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a secret away
    Rm {
        /// Its name
        name: String,
    },
    /// Show or choose where secrets are kept; what is kept already is brought over
    Backend(BackendArgs),
    /// The key that seals approvals: take it to another machine
    SealKey {
        /// What to do
        #[command(subcommand)]
        command: SealKeyCommand,
    },
}

/// `taffrail secret backend`
#[derive(Debug, Args)]
pub struct BackendArgs {
    /// The place; without one: which it is
    #[arg(value_enum)]
    pub place: Option<PlaceChoice>,
    /// The file opens with a passphrase; again: with a new one
    #[arg(long, requires = "place", conflicts_with = "key_file")]
    pub passphrase: bool,
    /// The file opens with this file of 32 random bytes, made with mode 0600 where it is missing
    #[arg(long, requires = "place", value_name = "PATH")]
    pub key_file: Option<PathBuf>,
    /// Leave what the place before holds where it is, and do not open it
    #[arg(long, requires = "place")]
    pub leave: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// A place for secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlaceChoice {
    /// The operating system's keychain
    Keyring,
    /// One encrypted file in the home
    File,
}

/// `taffrail secret seal-key …`
#[derive(Debug, Subcommand)]
pub enum SealKeyCommand {
    /// Write it to a new file, locked with a passphrase
    Export {
        /// The file to make
        file: PathBuf,
    },
    /// Make an exported one this home's
    Restore {
        /// The file that the export made
        file: PathBuf,
        /// In the place of another that is there, whose approvals become pending
        #[arg(long)]
        replace: bool,
    },
}
