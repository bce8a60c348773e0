//! The tools that look at a project's files: one file each, all over one guarded root (CNF-01, CNF-02). And the door
//! through which a foreign agent reads and writes the text files of its working tree (FA-21).
//!
//! Knows no wire and no memory. A path is opened beneath the root or not at all, and what holds credentials is refused.
//! What a tool gives back is without what looks secret; what passes the door is as it is. Both are bounded.
#![forbid(unsafe_code)]

mod error;
mod list_files;
mod masked;
mod project_files;
mod read_file;
mod rules;
mod search_text;
mod text_door;
mod walk;

pub use error::ToolError;
pub use list_files::{Files, ListFiles};
pub use project_files::{ProjectFiles, Watch, Withheld};
pub use read_file::{FileText, ReadFile};
pub use search_text::{Match, SearchText, TextFound};
pub use text_door::{DoorError, DoorOptions, LARGEST_TEXT, Refusal, TextDoor, Written};
