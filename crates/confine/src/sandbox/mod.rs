//! The sandbox of a run (CNF-03): what a child may see and reach, put in force in layers and proven from inside.
//!
//! Three layers, none of which holds alone: bubblewrap builds a mount view with namespaces of its own, Landlock limits
//! files, ports and signals, seccomp limits system calls. [`bwrap_args`] speaks for the first, outside; [`enter`] puts
//! the other two in force inside and tries, before the child is started, what must fail.
//!
//! Must not know: how processes are started, watched and ended (`supervise`), which agent runs, what a run is.

mod command;
mod enter;
mod error;
mod hard_links;
mod ladder;
mod open;
mod paths;
mod policy;
mod roots;
mod view;
mod visible;

#[cfg(target_os = "linux")]
mod capability;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod proof;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod sys;

pub use command::{CommandError, real_path, resolve_command};
pub use enter::{enter, enter_none};
pub use error::SandboxError;
pub use hard_links::refuse_hard_links;
pub use ladder::{Ladder, LadderInputs, MIN_LANDLOCK_ABI, probe_ladder};
pub use policy::{Canary, Outside, Policy};
pub use roots::{common_mask, common_read};
pub use view::{WARDEN_PATH, bwrap_args};
pub use visible::{Visible, visible_for};

/// The layers one by one, for the tests that leave one out and must see the proof fail. Nothing else calls them.
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub mod layers {
    pub use super::capability::drop_all as capabilities;
    pub use super::files::restrict as landlock;
    pub use super::proof::{Before, prove};
    pub use super::seccomp::install as seccomp;
}
