//! The script that a turn plays: a list of steps in YAML, read whole before anything is served.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::PeerFault;

/// Bytes of a script.
const LIMIT: u64 = 1 << 20;

/// What one turn does, step by step. Every turn plays it from its beginning.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The steps.
    pub steps: Vec<Step>,
    /// What a step that was refused, or that failed, does to the rest.
    #[serde(default)]
    pub on_refused: OnRefused,
}

/// What a refusal or a failure does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRefused {
    /// The next step follows.
    #[default]
    Continue,
    /// The turn ends.
    Stop,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Says this.
    Say(String),
    /// Thinks this aloud.
    Think(String),
    /// Tells a plan, an entry a line.
    Plan(Vec<String>),
    /// Reads a file of the working directory.
    Read(String),
    /// Changes a file of the working directory, after it asked.
    Edit(Edit),
    /// Runs a command line with bash in the working directory, after it asked.
    Run(String),
    /// Calls a tool of the session's first MCP server.
    Mcp(McpCall),
    /// Says this result document, fenced.
    Result(Map<String, Value>),
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Which file, relative to the working directory.
    pub path: String,
    /// What is replaced, once; without it `new` is the whole text.
    #[serde(default)]
    pub old: Option<String>,
    /// By what.
    pub new: String,
}

/// A call of an MCP tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`PeerFault::Unread`], [`PeerFault::Script`] with line and column; more than 1 MiB.
    pub fn read(path: &Path) -> Result<Self, PeerFault> {
        let unread = |source| PeerFault::Unread {
            path: path.to_owned(),
            source,
        };
        let length = std::fs::metadata(path).map_err(unread)?.len();
        let wrong = |why: String| PeerFault::Script {
            path: path.to_owned(),
            why,
        };
        if length > LIMIT {
            return Err(wrong(format!(
                "it has {length} bytes, and {LIMIT} are the most"
            )));
        }
        #[allow(clippy::disallowed_methods)] // the person names the file, and it is read once
        let text = std::fs::read_to_string(path).map_err(unread)?;
        serde_saphyr::from_str(&text).map_err(|error| wrong(error.to_string()))
    }
}
