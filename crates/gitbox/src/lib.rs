//! The only place that runs git: which repository a folder belongs to, disposable checkouts of it (FA-10), what was
//! changed in one (FA-30), and landing that as a branch (FA-31).
//!
//! No command that could run something of the operator's repository is asked of git, and git is never run in a
//! checkout that an agent has had: its worktree is walked and compared by our own code. Must not know: runs, the
//! store, sandboxes, what a person confirmed.

mod aliases;
mod blob;
mod capture;
mod carry;
mod change;
mod checkout;
mod contents;
mod error;
mod flag_table;
pub mod flags;
mod fresh;
mod ignored;
mod index;
mod land;
mod listing;
mod names;
mod objects;
mod patch;
mod project;
mod runner;
mod uncommitted;
mod walk;
mod work_changes;
mod work_tree;

pub use blob::ObjectFormat;
pub use capture::{CapturePlan, Captured, Ignored, capture};
pub use carry::Carried;
pub use checkout::{Checkout, CheckoutPlan, Progress, make_checkout};
pub use error::{GitError, LandError};
pub use fresh::new_repository;
pub use land::{LandPlan, Landed, Step, land};
pub use listing::Listing;
pub use project::{Identity, Project, discover};
pub use runner::Git;
pub use uncommitted::Uncommitted;
pub use work_changes::{Changed, ChangedFile, WorkChanges, WorkLimits, WorkStatus, work_changes};
pub use work_tree::{WorkTree, work_tree};
