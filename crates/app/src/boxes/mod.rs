//! The box: any command in a disposable checkout inside the sandbox, landed as a branch (FA-06).
//!
//! `run` drives one box from plan to captured change; `finish` captures; `decide` lands and `discard` throws away; `sweep` finds
//! what a killed taffrail left. Every effect has its row before it (invariant 6).

pub(crate) mod facts;
mod first;
pub(crate) mod job;
mod local_model;
mod names;
mod offer;
pub(crate) mod plan;
pub(crate) mod private_home;
mod report;
pub(crate) mod view;

pub mod decide;
pub mod discard;
pub mod enter;
pub mod finish;
pub mod review;
pub mod run;
pub mod sweep;

pub use plan::{BoxRequest, NetRequest, installation};
pub use private_home::Refreshed;
pub use report::{BoxReport, ChangeReport, Ready, Step, Watch};
pub use taffrail_gitbox::Progress;
