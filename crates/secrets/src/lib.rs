//! Secrets: the operating system's keychain, or an encrypted file where a person chose one. The only crate that touches
//! a keychain (SEC-01, SEC-02).
//!
//! Knows nothing of the home, of settings or of terminals: the file comes through [`Vault`], the passphrase as a
//! [`Secret`], the address of the bus and the time as values. Never goes from one place to another by itself: a keychain
//! that does not answer is an error, not a reason to keep a secret in memory or in the kernel's keyring.
#![forbid(unsafe_code)]
// This crate owns the waiting for a keychain, which is bounded by the monotonic clock.
#![allow(clippy::disallowed_methods)]

mod backend;
mod entries;
mod error;
mod file;
mod keyring;
mod name;
mod sealed;
mod secret;
mod wrap;

pub use backend::{Backend, BackendKind, Facts, Held};
pub use error::SecretsError;
pub use file::{Change, FILE_LIMIT, FileBackend, Vault};
pub use keyring::{Keyring, KeyringInputs, Probe, SERVICE};
pub use name::Name;
pub use sealed::{Cost, FileKey};
pub use secret::Secret;
pub use wrap::{unwrap, wrap};
