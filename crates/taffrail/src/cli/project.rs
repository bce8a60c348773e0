//! `taffrail project …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `taffrail project`
#[derive(Debug, Args)]
pub struct ProjectArgs {
    /// What to do
    #[command(subcommand)]
    pub command: ProjectCommand,
}

/// `taffrail project …`
#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Register a folder: the work tree of the working directory, or the one given
    Add {
        /// The folder, taken exactly; without it the whole work tree
        path: Option<PathBuf>,
        /// Its name, instead of the folder's; the name of a project whose folder is gone moves it here
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List every project
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Where a project lies and what it holds
    Show {
        /// Its name or id; without it the project of the working directory
        name: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a project another name
    Rename {
        /// Its name or id now
        old: String,
        /// The new name
        new: String,
    },
    /// Take a project away with its memories, notebook and traces; its folder stays as it is
    Rm {
        /// Its name or id
        name: String,
        /// Without asking for the name
        #[arg(long)]
        yes: bool,
    },
}
