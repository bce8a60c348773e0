//! The attack program of the sandbox's tests: each row of the table is one attempt in a process of its own.

pub mod claims;
pub mod files;
pub mod launch;
pub mod network;
pub mod processes;
pub mod raw;
pub mod rows;
pub mod world;
