//! Why an agent is not started.

use std::path::PathBuf;

use taffrail_config::{Config, Origin};
use taffrail_domain::ErrorCode;
use thiserror::Error;

/// A gate that is shut. Messages hold untrusted text: a surface escapes them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GateFault {
    /// Somebody reaches this machine from outside.
    #[error(
        "{variable} is `{value}`: foreign agents are driven from the machine itself (local, cli, tui)"
    )]
    Remote {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// There is no such entry.
    #[error("there is no agent `{id}` in the registry; there are {known}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// Those that there are.
        known: String,
    },
    /// It is a build machine.
    #[error("{variable} is set: foreign agents are not driven in CI")]
    Ci {
        /// The variable that says so.
        variable: &'static str,
    },
    /// The switch of all agents.
    #[error("foreign agents are switched off: `external_agents.enabled` is not true in {}", path.display())]
    Off {
        /// The user's file.
        path: PathBuf,
    },
    /// The switch of one agent.
    #[error("the agent `{id}` is switched off: `external_agents.{id}.enabled` is false ({origin})")]
    AgentOff {
        /// The agent.
        id: String,
        /// Who said so.
        origin: Origin,
    },
    /// An agent that we drive started us.
    #[error(
        "{variable} is `{value}`: an agent that taffrail drives starts no other ({limit} deep at most)"
    )]
    Depth {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// How deep agents may start agents.
        limit: u32,
    },
    /// The program is not there.
    #[error("the agent `{id}` is not installed: {why}")]
    Missing {
        /// The agent.
        id: String,
        /// What was looked for.
        why: String,
        /// How it is installed; empty where nobody knows.
        install: String,
    },
    /// The entry cannot be driven.
    #[error("the agent `{id}` cannot be driven: {why}")]
    Unfit {
        /// The agent.
        id: String,
        /// Why.
        why: String,
        /// An entry of the same agent that can be driven.
        instead: Option<String>,
    },
    /// Nobody is there to allow an edit.
    #[error(
        "`--unattended --write` needs the grant, as nobody is asked: \
         `external_agents.write_in_checkout` is not \"allow\" in {}", path.display()
    )]
    NoGrant {
        /// The user's file.
        path: PathBuf,
    },
}

impl GateFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Remote { .. } => ErrorCode::ExternalRemote,
            Self::Unknown { .. } => ErrorCode::AgentUnknown,
            Self::Ci { .. } => ErrorCode::ExternalCi,
            Self::Off { .. } => ErrorCode::ExternalOff,
            Self::AgentOff { .. } => ErrorCode::AgentOff,
            Self::Depth { .. } => ErrorCode::AgentDepth,
            Self::Missing { .. } => ErrorCode::AgentMissing,
            Self::Unfit { .. } => ErrorCode::AgentUnfit,
            Self::NoGrant { .. } => ErrorCode::GrantNeeded,
        }
    }

    /// The same, with the entry that drives this agent where there is one: `claude-acp` for `claude` and `claude-cli`.
    pub(super) fn or_rather(mut self, config: &Config) -> Self {
        if let Self::Unfit { id, instead, .. } = &mut self {
            let other = format!("{}-acp", id.strip_suffix("-cli").unwrap_or(id));
            *instead = config.agents.contains_key(&other).then_some(other);
        }
        self
    }

    /// What helps nearer than the code's own hint.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { install, .. } if !install.is_empty() => {
                Some(format!("install it: {install}"))
            }
            Self::Unfit {
                instead: Some(other),
                ..
            } => Some(format!("taffrail agents external run {other} …")),
            Self::Remote { .. }
            | Self::Unknown { .. }
            | Self::Ci { .. }
            | Self::Off { .. }
            | Self::AgentOff { .. }
            | Self::Depth { .. }
            | Self::Missing { .. }
            | Self::Unfit { .. }
            | Self::NoGrant { .. } => None,
        }
    }
}
