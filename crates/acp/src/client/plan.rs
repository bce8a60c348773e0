//! What a run wants of its session.

use std::time::Duration;

use crate::v1::{Implementation, McpServer};

/// What a run wants of its session.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// How we call ourselves.
    pub client: Implementation,
    /// The working directory of the session, absolute.
    pub cwd: String,
    /// The MCP servers that are offered; empty is sent as an empty array.
    pub mcp_servers: Vec<McpServer>,
    /// Whether `fs/write_text_file` is advertised and served.
    pub write: bool,
    /// The text of the first prompt.
    pub text: String,
    /// What goes along with it.
    pub context: Vec<Context>,
    /// How to sign in, if the agent offers it.
    pub auth_method: Option<String>,
    /// The mode in which the agent asks the most.
    pub mode: Option<String>,
    /// The mode is set even where the agent tells that it is in it already: some do otherwise until then.
    pub sets_mode_anyway: bool,
    /// The model, if one is asked for: its id or its name.
    pub model: Option<String>,
    /// How long things may take.
    pub deadlines: Deadlines,
}

/// Something to know beside the prompt: a `resource` block where the agent takes them, else text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// What it is called, `file:///…/AGENTS.md`.
    pub uri: String,
    /// Its type, `text/markdown`.
    pub mime_type: String,
    /// It.
    pub text: String,
}

/// How long things may take (FA-26). All of them stand still while a person is asked, but for [`Deadlines::grace`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Until `initialize` is answered. 30 s; a cold `npx` wants 300.
    pub initialize: Duration,
    /// Until each of `authenticate`, `session/new` and the settings is answered. 60 s.
    pub session: Duration,
    /// The whole run. 60 min.
    pub total: Duration,
    /// Nothing heard during a turn. 5 min.
    pub silence: Duration,
    /// Between `session/cancel` and the end; and between the end of the output and the exit. 2 s.
    pub grace: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            initialize: Duration::from_secs(30),
            session: Duration::from_secs(60),
            total: Duration::from_secs(60 * 60),
            silence: Duration::from_secs(5 * 60),
            grace: Duration::from_secs(2),
        }
    }
}
