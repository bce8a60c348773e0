//! Another vendor's agent, driven under the user's policy: one run from gates to record (40-foreign-agents.md).
//!
//! Nothing here knows the protocol's bytes (`taffrail_acp`), judges an action (`taffrail_policy`) or holds a process
//! (`taffrail_confine`): this is where they meet.

mod announced;
mod driver;
mod enrol;
mod files;
mod frames;
mod hosts;
mod judge;
mod notes;
mod offer;
mod own_tools;
pub(crate) mod record;
mod report;
mod request;
mod run;
mod surface;
mod teller;
mod text;
mod wishes;

pub mod doors;
pub mod events;
pub mod exports;
pub mod gates;
pub mod prompt;
pub mod questions;
pub mod registry;
pub mod result;
pub mod show;

pub use files::NOT_APPROVED;
pub use report::ExternalReport;
pub use request::{ExternalRequest, McpScope};
pub use run::run;
pub use surface::Surface;
