//! The MCP server of a session, for as long as one turn.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value};
use taffrail_acp::v1::McpServer;
use taffrail_confine::env::{ChildEnv, Environment};
use taffrail_confine::piped::Piped;
use taffrail_mcp::ClientName;
use taffrail_mcp::client::Client;

/// A server that runs.
pub(super) struct Server {
    client: Client,
    // Ended when the client has said goodbye.
    _program: Piped,
}

impl Server {
    /// Starts it with its own variables beside the usual ones.
    pub fn start(entry: &McpServer, environment: &Environment, cwd: &Path) -> Result<Self, String> {
        let args: Vec<OsString> = entry.args.iter().map(OsString::from).collect();
        let env = entry
            .env
            .iter()
            .fold(ChildEnv::allowed(environment), |env, variable| {
                env.set(&variable.name, &variable.value)
            });
        let failed = |why: String| format!("the MCP server `{}`: {why}", entry.name);
        let (program, input, output) = Piped::start(Path::new(&entry.command), &args, &env, cwd)
            .map_err(|error| failed(error.to_string()))?;
        let name = ClientName {
            name: "taffrail".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let client =
            Client::over_pipes(output, input, &name).map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            client,
            _program: program,
        })
    }

    /// Calls a tool; its answer, or its error, as text.
    pub fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<String, String> {
        let answer = self.client.call(tool, Value::Object(arguments.clone()));
        answer
            .map(|answer| answer.to_string())
            .map_err(|failure| failure.message)
    }
}
