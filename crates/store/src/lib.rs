//! Everything below the home: the directory itself, its private files, and the one SQLite file with runs,
//! captured changes, decisions, the ledger of checkouts, events and what a person trusts.
//!
//! The only crate with SQL. Knows nothing of git, of processes or of the sandbox: it records what it is told.
//! Text comes in as [`Clean`](taffrail_redact::Clean), so that nothing secret-shaped is kept by accident; what
//! comes out is untrusted text and must be wrapped before it reaches a screen.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // This crate owns the home's files and the monotonic limits of its waiting.

mod changes;
mod connection;
mod convert;
mod decisions;
mod error;
mod events;
pub mod files;
mod find;
mod home;
mod insert;
mod ledger;
mod local_homes;
mod migrate;
mod model;
mod peek;
mod random;
mod runs;
mod schema;
mod store;
#[cfg(test)]
mod store_tests;
pub mod traces;
mod trust;
mod writer;

pub use error::{HomeError, StoreError};
pub use home::{Found, Home, HomeInputs, HomeSource};
pub use local_homes::init_local_state;
pub use model::{
    Captured, CheckoutRow, CheckoutState, Decided, Decision, DecisionState, EventRow, Leftover,
    NewChange, NewRun, OpenDecision, Owner, PinRow, ProjectDirs, RunFilter, RunRow, RunTimes,
};
pub use peek::{Counts, Peek, SchemaState};
pub use schema::schema_doc;
pub use store::Store;
