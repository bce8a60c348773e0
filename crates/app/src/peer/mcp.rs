//! The MCP server of a session, for as long as one turn.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use taffrail_acp::v1::McpServer;
use taffrail_confine::env::{ChildEnv, Environment};
use taffrail_confine::piped::Piped;
use taffrail_mcp::ClientName;
use taffrail_mcp::client::Client;

use super::switch::Switch;

/// A server that runs. It ends with its turn's switch, or when this is dropped.
pub(super) struct Server {
    /// None once it is dropped.
    client: Option<Client>,
    switch: Arc<Switch>,
}

impl Server {
    /// Starts it with its own variables beside the usual ones.
    pub fn start(
        entry: &McpServer,
        environment: &Environment,
        cwd: &Path,
        switch: &Arc<Switch>,
    ) -> Result<Self, String> {
        let args: Vec<OsString> = entry.args.iter().map(OsString::from).collect();
        let env = entry
            .env
            .iter()
            .fold(ChildEnv::allowed(environment), |env, variable| {
                env.set(&variable.name, &variable.value)
            });
        let failed = |why: String| format!("the MCP server `{}`: {why}", entry.name);
        env.check().map_err(|error| failed(error.to_string()))?;
        let (program, input, output) = Piped::start(Path::new(&entry.command), &args, &env, cwd)
            .map_err(|error| failed(error.to_string()))?;
        // Kept first: a server that does not greet is ended by the switch.
        switch.keep(program);
        let mut server = Self {
            client: None,
            switch: Arc::clone(switch),
        };
        let name = ClientName {
            name: "taffrail".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let client = Client::over_pipes(output, input, &name);
        server.client = Some(client.map_err(|error| failed(error.to_string()))?);
        Ok(server)
    }

    /// Calls a tool; its answer, or its error, as text.
    pub fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<String, String> {
        let client = self.client.as_ref().ok_or("the MCP server is gone")?;
        let answer = client.call(tool, Value::Object(arguments.clone()));
        answer
            .map(|answer| answer.to_string())
            .map_err(|failure| failure.message)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The goodbye first, then the end.
        drop(self.client.take());
        self.switch.end_program();
    }
}
