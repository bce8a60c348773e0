//! Files beneath a root, by handle (CNF-01).
//!
//! What is beneath a root may be hostile and may change at any moment: no symlink is ever followed, no path is tested
//! as text, and everything is done from the handle of an opened folder. Must not know what a file means; the one table
//! that does is [`is_credential`], and it opens nothing.

mod copy;
mod credential;
mod error;
mod open;
mod private;
mod readable;
mod remove;
mod root;
#[cfg(test)]
mod tests;
mod write;

pub use copy::Copied;
pub use credential::is_credential;
pub use error::FsError;
pub use private::private_dir;
pub use remove::remove_tree;
pub use root::{Entry, EntryKind, Root, Stat};
