//! The states of a run and of what it changed.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What kind of session a row is. A run's id is its session's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Any command in a box.
    Box,
    /// Another vendor's agent, driven by us.
    External,
}

impl RunKind {
    /// The stable name, as in JSON and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::External => "external",
        }
    }
}

impl FromStr for RunKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Box, Self::External]
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| format!("`{text}` is not the kind of a run"))
    }
}

/// How a run stands, or how it ended (FA-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The row exists, the checkout is being made.
    Preparing,
    /// The child was started.
    Running,
    /// The child exited with 0.
    Completed,
    /// The child exited with another code, or something of ours failed; `reason` says what.
    Error,
    /// A limit on time ended it.
    Timeout,
    /// A person ended it: Ctrl-C, terminal closed, SIGTERM.
    Cancelled,
    /// A signal that we did not send ended the child, or Taffrail itself was killed.
    Died,
    /// A limit on bytes ended it.
    Budget,
    /// It was refused before anything was started.
    Refused,
}

impl RunStatus {
    /// The stable name, as in JSON and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preparing => "preparing",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Died => "died",
            Self::Budget => "budget",
            Self::Refused => "refused",
        }
    }
}

impl FromStr for RunStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use RunStatus::{
            Budget, Cancelled, Completed, Died, Error, Preparing, Refused, Running, Timeout,
        };
        [
            Preparing, Running, Completed, Error, Timeout, Cancelled, Died, Budget, Refused,
        ]
        .into_iter()
        .find(|status| status.name() == text)
        .ok_or_else(|| format!("`{text}` is not the status of a run"))
    }
}

/// How the child ended, as the supervisor saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// This signal killed it.
    Signalled(i32),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(to, "exit code {code}"),
            Self::Signalled(signal) => write!(to, "signal {signal}"),
        }
    }
}

/// Where a captured diff stands. One decision per run (FA-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// Nothing was changed.
    Empty,
    /// Waits for a person.
    Pending,
    /// Became a branch.
    Landed,
    /// A person said no.
    Discarded,
}

impl ChangeState {
    /// The stable name, as in JSON and rows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Pending => "pending",
            Self::Landed => "landed",
            Self::Discarded => "discarded",
        }
    }
}

impl FromStr for ChangeState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Empty, Self::Pending, Self::Landed, Self::Discarded]
            .into_iter()
            .find(|state| state.name() == text)
            .ok_or_else(|| format!("`{text}` is not the state of a change"))
    }
}
