//! Everything that touches processes and the files of a project: child environments, bounded tools and streams, files
//! beneath a root, the sandbox, the supervisor and process trees.
//!
//! Must not know: git's meaning of a file, the store, policy, surfaces. It reports facts and refuses; it decides nothing.

// This crate owns processes and project files: it is what the bans in `clippy.toml` send everybody else to.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod env;
pub mod foreground;
pub mod fs;
pub mod interrupt;
pub mod piped;
pub mod played;
pub mod process;
pub mod sandbox;
pub mod stopwatch;
pub mod stream;
pub mod supervise;
pub mod tool;
