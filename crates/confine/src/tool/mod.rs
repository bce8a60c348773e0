//! Bounded runs of trusted tools, such as git: the environment given whole, a process group of its own, a time limit
//! for the whole run, pipes within limits.
//!
//! Must not know what a tool is for. Agents and what they start are not tools: those run under the supervisor.
//!
//! A tool dies with the **thread** that started it (`PR_SET_PDEATHSIG` follows the thread, not the process), which is
//! why [`Tool::run`] stays in the caller's thread and [`ToolSession`] cannot be sent to another one.

mod running;
mod session;
mod start;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use taffrail_domain::Ended;
use thiserror::Error;

use crate::env::{ChildEnv, EnvError};
use running::Running;
pub use session::ToolSession;

/// How often a run that may be ended from outside looks whether it was.
const LOOKED_UP: Duration = Duration::from_millis(50);

/// How far one run of a tool may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLimits {
    /// From start to end, whatever the tool does. At the limit its process group is killed.
    pub time: Duration,
    /// Bytes of standard output: of a whole run, or of what a session holds unread. More is an error.
    pub stdout: usize,
    /// Bytes of standard error that are kept, half from the beginning and half from the end. More is no error.
    pub stderr: usize,
}

/// A trusted program and all that its run depends on.
#[derive(Debug, Clone)]
pub struct Tool {
    /// An absolute path, or a bare name that is looked up in the `PATH` of [`env`](Self::env).
    pub program: PathBuf,
    /// Arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// The whole environment: nothing else is inherited.
    pub env: ChildEnv,
    /// Where it runs.
    pub cwd: PathBuf,
    /// How far it may go.
    pub limits: ToolLimits,
}

/// What a tool left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// All of standard output.
    pub stdout: Vec<u8>,
    /// Standard error within its limit; a line between head and tail says how many bytes were left out.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub ended: Ended,
}

/// Why a tool gave no output. A tool that ran and failed is no error: see [`ToolOutput::ended`].
#[derive(Debug, Error)]
pub enum ToolError {
    /// The program is not there.
    #[error("`{program}` was not found")]
    Missing {
        /// The program as it was asked for.
        program: String,
    },
    /// The directory in which it should run is not there.
    #[error("`{program}` cannot run in `{}`: there is no such directory", .path.display())]
    NoDirectory {
        /// The program.
        program: String,
        /// The directory.
        path: PathBuf,
    },
    /// The environment holds what no kernel takes.
    #[error("`{program}` cannot run: {source}")]
    Environment {
        /// The program.
        program: String,
        /// Which variable.
        source: EnvError,
    },
    /// The system refused to start it.
    #[error("`{program}` could not be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It ran longer than its limit and was killed with its process group.
    #[error("`{program}` ran longer than {limit:?} and was killed")]
    TimedOut {
        /// The program.
        program: String,
        /// The limit.
        limit: Duration,
        /// What it had written to standard error.
        stderr: Vec<u8>,
    },
    /// It wrote more than its limit and was killed with its process group.
    #[error("`{program}` wrote more than {limit} bytes and was killed")]
    TooMuchOutput {
        /// The program.
        program: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// A session's tool ended before it answered.
    #[error("`{program}` ended before it answered ({ended:?})")]
    EndedEarly {
        /// The program.
        program: String,
        /// How it ended.
        ended: Ended,
        /// What it had written to standard error.
        stderr: Vec<u8>,
    },
    /// Talking to it failed.
    #[error("talking to `{program}` failed: {source}")]
    Io {
        /// The program.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Tool {
    /// Runs it to its end with these bytes as standard input.
    ///
    /// Whatever of its process group outlives it is killed; output that such a leftover writes later is not waited for.
    pub fn run(&self, stdin: &[u8]) -> Result<ToolOutput, ToolError> {
        self.watch(stdin, &mut |_| ())
    }

    /// As [`run`](Self::run) without input, and kills it with its process group within 50 ms of `goes_on` being false;
    /// what it wrote until then is its output.
    pub fn run_while(&self, goes_on: &dyn Fn() -> bool) -> Result<ToolOutput, ToolError> {
        let mut running = Running::start(self)?;
        running.close_stdin_when_written();
        while !running.has_ended() && goes_on() {
            running.step_within(LOOKED_UP, &mut |_| ())?;
            running.check_output(self.limits.stdout)?;
        }
        if !running.has_ended() {
            running.stop(&mut |_| ())?;
        }
        running.into_output()
    }

    /// As [`run`](Self::run), and hands on standard error as it comes, in pieces of at most 64 KiB.
    pub fn watch(
        &self,
        stdin: &[u8],
        on_stderr: &mut dyn FnMut(&[u8]),
    ) -> Result<ToolOutput, ToolError> {
        let mut running = Running::start(self)?;
        running.queue(stdin);
        running.close_stdin_when_written();
        while !running.has_ended() {
            running.step(on_stderr)?;
            running.check_output(self.limits.stdout)?;
        }
        running.into_output()
    }

    /// Starts it for questions and answers, as `git cat-file --batch` takes them.
    pub fn session(&self) -> Result<ToolSession, ToolError> {
        Running::start(self).map(ToolSession::new)
    }
}
