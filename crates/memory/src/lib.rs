//! Governed memory, without IO: what may be written, what a review does, how recall ranks, what a turn is given.
//!
//! Pure: time, randomness and keys come in as values; the index that recall asks is a trait. Knows nothing of SQL, files,
//! keychains or terminals.
#![forbid(unsafe_code)]

pub mod draft;
mod hashing;
pub mod inject;
pub mod journal;
pub mod mirror;
pub mod near;
pub mod notebook;
pub mod orders;
pub mod pieces;
pub mod prompt;
pub mod rank;
pub mod recall;
pub mod review;
pub mod seal;
pub mod token;
