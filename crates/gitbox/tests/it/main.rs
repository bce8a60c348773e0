//! Checkouts, captures and landings with the real git, in temporary folders.
// The tests play the operator, the agent and the oracle: they touch the real file system and start the real git. The
// lint takes code outside of `#[test]` functions for production code.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod capture;
mod checkout;
mod hostile;
mod land;
mod oracle;
mod planted;
mod uncommitted;
mod work_changes;
mod work_tree;
mod world;
