//! Memories out and in: as Markdown for git, from other programs' files, from a Keelson database, from JSON lines
//! (MEM-08, REC-12, CLI-06).
//!
//! Whatever a file says, what comes in is pending, imported, and came by the door `import`: no key, flag or front matter
//! leads anywhere else.

mod from_program;
mod jsonl;
mod keelson;
mod line;
mod mirror_in;
mod mirror_out;
mod programs;
mod report;
mod when;

pub use from_program::import_program;
pub use jsonl::{Answer, BATCH, Import};
pub use keelson::{KeelsonReport, import_keelson};
pub use mirror_in::import_folder;
pub use mirror_out::{Export, export};
pub use report::{Item, Report};
pub use when::rfc3339;

/// Something that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// Where.
    pub place: String,
    /// Why not.
    pub why: String,
}
