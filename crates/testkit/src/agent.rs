//! A fake ACP agent that plays a script: a corner case of the protocol, or of a process, in a few lines.
//!
//! It knows nothing of the client under test and uses no library of the protocol, because a script decides over every
//! byte. A script is a list of commands, one a line; `agent/README.md` has them all. A program,
//! `fake-agent`, speaks it over its own pipes; [`FakeAgent`] is that program for a test.

mod command_line;
mod deeds;
mod flood;
mod mcp;
mod parse;
mod play;
mod playback;
mod port;
mod process;
mod program;
mod requests;
mod scope;
mod talk;
mod words;

pub use command_line::fake_agent_main;
pub use program::{FakeAgent, fake_agent};

/// How a script ends before its last line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The agent exits with this code.
    Exit(u8),
    /// The script cannot be played: code 98.
    Wrong(String),
    /// A `must` does not hold: code 97.
    Must(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}
