//! Files beneath a root, by handle (CNF-01).
//!
//! What is beneath a root may be hostile and may change at any moment: no symlink is ever followed, no path is tested
//! as text, and everything is done from the handle of an opened folder. Must not know what a file means; the two tables
//! that do are [`is_credential`] and [`is_managed`], and they open nothing.

mod copy;
mod credential;
mod enter;
mod error;
mod managed;
mod open;
mod outside;
mod private;
mod readable;
mod remove;
mod root;
mod stale;
#[cfg(test)]
mod tests;
mod write;

pub use copy::Copied;
pub use credential::is_credential;
pub use enter::Identity;
pub use error::FsError;
pub use managed::is_managed;
pub use outside::{
    Content, FolderLock, Outside, OutsideError, Swapped, lock_folder, make_folders,
    missing_folders, remove_empty,
};
pub use private::private_dir;
pub use remove::remove_tree;
pub use root::{Entry, EntryKind, Root, Stat};
pub use stale::remove_stale;
pub use write::Rewritten;
