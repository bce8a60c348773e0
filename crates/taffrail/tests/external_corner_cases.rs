//! The corner cases of the protocol, each as a run at the command line (FA-20 to FA-29): how it ends, what is on record,
//! that nothing hangs, that no process is left, that the project is as it was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;
mod external;

#[path = "corner/files.rs"]
mod files;
#[path = "corner/framing.rs"]
mod framing;
#[path = "corner/ids.rs"]
mod ids;
#[path = "corner/opening.rs"]
mod opening;
#[path = "corner/processes.rs"]
mod processes;
#[path = "corner/questions.rs"]
mod questions;
#[path = "corner/quirks.rs"]
mod quirks;
#[path = "corner/turns.rs"]
mod turns;
