//! Use cases: what a person can have done, without a terminal or a page. Surfaces call these; these call the rims.
//!
//! A driver here is the only place where an effect happens, and its row is written before it (invariant 6).
#![forbid(unsafe_code)]

pub mod boxes;
pub mod configuration;
pub mod connect;
pub mod demo;
pub mod docs;
pub mod doctor;
pub mod exchange;
pub mod external;
pub mod hooks;
pub mod memory;
pub mod network;
pub mod notebook;
pub mod ops;
pub mod peer;
pub mod policy;
pub mod projects;
pub mod prompt;
pub mod redaction;
pub mod secrets;
pub mod serve_mcp;
pub mod sessions;
pub mod slates;
pub mod traces;
pub mod trust;
pub mod workspaces;

#[cfg(test)]
mod a_world;
mod context;
mod error;

pub use context::{App, AppInputs};
pub use error::AppError;
