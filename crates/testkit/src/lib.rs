//! What the tests of Taffrail stand on: a hermetic home, real git repositories, digests of trees, a terminal with a
//! screen, a scripted model server, a scripted ACP agent and a look at the process table.
//!
//! Development only. It knows nothing of the other crates: the binary under test comes in as a path, so that what a
//! test sees is what a person sees. A helper that cannot do its work panics with the path, command or limit, because
//! its panic is the test's failure; that is why the lints below are lifted here and nowhere else.
#![forbid(unsafe_code)]
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]
// The tests' own files, processes and waits: outside the rims on purpose, so that a rim's fault cannot hide itself.
#![allow(clippy::disallowed_methods)]

mod agent;
mod digest;
mod hermetic;
mod model;
mod normalise;
mod processes;
mod repo;
mod run;
mod terminal;

pub use agent::{FakeAgent, fake_agent, fake_agent_main};
pub use digest::{Times, digest, digest_with, manifest};
pub use hermetic::Hermetic;
pub use model::{Act, ModelServer, Recorded, Script, Scripts, Wire};
pub use normalise::Normaliser;
pub use processes::{kill_all, processes_saying, processes_under, processes_with, wait_gone};
pub use repo::Repo;
pub use run::{Ran, Run, Running, eventually, executable, executable_copy};
pub use terminal::{Key, Terminal, TerminalSize};

/// How long a helper waits when the caller names no limit. Generous, because two cores may be shared by many tests;
/// reaching it always fails the test.
pub const DEFAULT_LIMIT: std::time::Duration = std::time::Duration::from_secs(180);
