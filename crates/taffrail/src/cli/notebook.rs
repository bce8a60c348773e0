//! `taffrail notebook …`

use clap::{Args, Subcommand};

/// `taffrail notebook`
#[derive(Debug, Args)]
pub struct NotebookArgs {
    /// Of this project, instead of the one that the folder belongs to
    #[arg(long, value_name = "NAME", global = true)]
    pub project: Option<String>,
    /// What to do
    #[command(subcommand)]
    pub command: NotebookCommand,
}

/// `taffrail notebook …`
#[derive(Debug, Subcommand)]
pub enum NotebookCommand {
    /// Print the document
    Show {
        /// Only what a turn is given of it
        #[arg(long)]
        view: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Open the document in $VISUAL or $EDITOR
    Edit,
    /// Add an entry; without a terminal it waits as a suggestion
    Append {
        /// The entry, one line
        text: String,
        /// The section it goes to
        #[arg(long, value_name = "NAME", default_value = taffrail_memory::notebook::LOG)]
        section: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// What tools, workflows and programs want in it; on a terminal, accept or dismiss one after the other
    Suggestions {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Move the oldest log entries to the archive, until the rest fits what a turn is given
    Tidy,
    /// Take the last change back
    Undo,
    /// Every revision, newest first
    History {
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: u32,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring a revision back, as a new one
    Restore {
        /// Its number
        version: u64,
    },
}
