//! The entry of our MCP server in another program's own configuration: written, shown, and taken back to the byte.
//!
//! A file of another program is changed by insertions alone. They are on record before they are made, with the hashes of
//! the file before and after and none of its text, so that they can be taken out again whatever happens in between.

pub(crate) mod diff;
mod document;
mod file;
mod json;
mod list;
mod node;
mod places;
mod program;
mod record;
mod splice;
mod toml;
mod undo;
mod unfit;
mod write;

use std::path::PathBuf;

use taffrail_domain::words;

pub use list::{ConnectedFile, Connection, list};
pub use program::Program;
pub use undo::undo;
pub use unfit::ConnectFault;
pub use write::connect;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The hooks of the program's sessions too.
    pub hooks: bool,
    /// Only what would be done.
    pub dry_run: bool,
}

/// What came of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Where.
    pub path: PathBuf,
    /// What was done, or would be.
    pub outcome: Outcome,
    /// The change, unified, secrets masked; untrusted text. None where there is none.
    pub diff: Option<String>,
}

words! {
    /// What came of one file.
    Outcome, "outcome" {
        /// Ours was put in.
        Written "written",
        /// Ours was there in an older form.
        Updated "updated",
        /// Ours is there.
        Already "already",
        /// Somebody else put the same there; it is not ours to take back.
        Same "same",
        /// A file of our name that is not ours, or was changed since, stays as it is.
        Left "left",
        /// The file is to the byte what it was.
        Restored "restored",
        /// The file had been made for it, and is gone again.
        Gone "gone",
        /// The file was changed since: only ours was taken out.
        Removed "removed",
        /// Ours was not there any more.
        Missing "missing",
        /// Ours had never been written, or was taken back by hand.
        Unwritten "unwritten",
    }
}

words! {
    /// How a file stands that is on record.
    Standing, "standing" {
        /// Ours is there.
        Connected "connected",
        /// Ours is there and names another executable or another home than this one.
        Outdated "outdated",
        /// Ours was changed by somebody.
        Edited "edited",
        /// Ours is not there any more.
        Missing "missing",
        /// What is on record was never written, or was taken back by hand.
        Unwritten "unwritten",
        /// The file cannot be read.
        Unreadable "unreadable",
    }
}
