//! Why there is no agent.

use std::path::PathBuf;

use taffrail_domain::ErrorCode;
use thiserror::Error;

/// Why there is no agent, or no more. Messages hold untrusted text: a surface escapes them.
#[derive(Debug, Error)]
pub enum PeerFault {
    /// The script cannot be read.
    #[error("the script {} cannot be read: {source}", path.display())]
    Unread {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The script is not understood.
    #[error("the script {} is not understood: {why}", path.display())]
    Script {
        /// Where.
        path: PathBuf,
        /// Line, column and reason.
        why: String,
    },
    /// The client is gone, or sends a line without an end.
    #[error("the connection ended: {why}")]
    Connection {
        /// Why.
        why: String,
    },
}

impl PeerFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unread { .. } | Self::Connection { .. } => ErrorCode::Io,
            Self::Script { .. } => ErrorCode::ConfigInvalid,
        }
    }
}
