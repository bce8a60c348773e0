//! What a person wants of a run.

use taffrail_domain::Duration;

use crate::boxes::NetRequest;

/// One run, as it was asked for.
#[derive(Debug, Clone)]
pub struct ExternalRequest {
    /// The agent's id in the registry.
    pub agent: String,
    /// The task, in the person's words.
    pub task: String,
    /// What the agent changes is captured and may be landed; it may write through the protocol.
    pub may_write: bool,
    /// Nobody is asked anything.
    pub unattended: bool,
    /// The agent's model, where it was said.
    pub model: Option<String>,
    /// A limit on time; else the configuration's.
    pub timeout: Option<Duration>,
    /// Bring uncommitted changes along as a first commit.
    pub include_uncommitted: bool,
    /// Ignored paths to bring along.
    pub carry: Vec<String>,
    /// How far the tools of our MCP server see.
    pub mcp_scope: McpScope,
    /// Offer our MCP server.
    pub mcp: bool,
    /// Paths of the checkout that may be read although they look like credentials.
    pub allow_read: Vec<String>,
    /// Contain the agent; `false` is on record.
    pub sandboxed: bool,
    /// The network, where it was said.
    pub net: Option<NetRequest>,
}

/// How far the tools of our MCP server see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpScope {
    /// The checkout.
    Checkout,
    /// The project's own folder, uncommitted work included.
    Project,
}

impl McpScope {
    /// The stable name, as in rows and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkout => "checkout",
            Self::Project => "project",
        }
    }
}
