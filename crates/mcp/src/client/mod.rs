//! A real MCP client, blocking: for the demo, for benchmarks and for tests. In process over a pair of streams in memory,
//! or over the pipes of a program that somebody else started.

mod pipes;

use std::io::{Read, Write};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    ProtocolVersion, Tool,
};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, serve_client};
use serde_json::Value;
use taffrail_domain::ErrorCode;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::about::About;
use crate::catalog::{Annotations, Offer, ToolInfo};
use crate::error::{ClientError, ServeError};
use crate::host::{ClientName, Failure, Host};
use crate::stdio::{runtime, serve_streams, server};
use crate::wire::{CODE_KEY, HINT};

/// Between an in-process client and its server lie at most so many bytes.
const BETWEEN: usize = 256 * 1024;

/// A client and its connection.
#[derive(Debug)]
pub struct Client {
    service: Option<RunningService<RoleClient, ClientConfig>>,
    runtime: Runtime,
}

/// What a server said of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The protocol's version that both speak.
    pub protocol: String,
    /// What it wants every client to know.
    pub instructions: Option<String>,
}

impl Client {
    /// A client of a server in this process. The server runs while the client is being used.
    ///
    /// # Errors
    /// When the system gives no thread, or the two do not understand each other.
    pub fn in_process(
        host: Arc<dyn Host>,
        offer: &Offer,
        about: &About,
        name: &ClientName,
    ) -> Result<Self, ClientError> {
        let runtime = runtime().map_err(ClientError::from)?;
        let server = server(host, *offer, about).map_err(ClientError::from)?;
        let (ours, theirs) = tokio::io::duplex(BETWEEN);
        let (read, write) = tokio::io::split(theirs);
        drop(runtime.spawn(serve_streams(server, read, write, CancellationToken::new())));
        Self::greeted(runtime, ours, name)
    }

    /// A client of the program that reads from `write` and writes to `read`: a child's standard streams.
    ///
    /// # Errors
    /// When the system gives no thread, or the program does not greet as the protocol has it.
    pub fn over_pipes(
        read: impl Read + Send + 'static,
        write: impl Write + Send + 'static,
        name: &ClientName,
    ) -> Result<Self, ClientError> {
        let runtime = runtime().map_err(ClientError::from)?;
        let pipes = pipes::Pipes::start(read, write).map_err(|source| ClientError::Io {
            doing: "cannot start a thread",
            source,
        })?;
        Self::greeted(runtime, pipes, name)
    }

    fn greeted<T, E, A>(
        runtime: Runtime,
        transport: T,
        name: &ClientName,
    ) -> Result<Self, ClientError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let us = Implementation::new(name.name.clone(), name.version.clone());
        let mut config = ClientConfig::new(ClientCapabilities::default(), us);
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        let service = runtime
            .block_on(serve_client(config, transport))
            .map_err(|error| ClientError::Greeting {
                why: error.to_string(),
            })?;
        Ok(Self {
            service: Some(service),
            runtime,
        })
    }

    /// What the server said of itself.
    pub fn greeting(&self) -> Option<Greeting> {
        let info = self.service.as_ref()?.peer_info()?;
        Some(Greeting {
            name: info.server_info.as_ref()?.name.clone(),
            version: info.server_info.as_ref()?.version.clone(),
            protocol: info.protocol_version.as_str().to_owned(),
            instructions: info.instructions.clone(),
        })
    }

    /// The tools that the server lists.
    ///
    /// # Errors
    /// When the connection is gone, or the server refuses.
    pub fn list_tools(&self) -> Result<Vec<ToolInfo>, ClientError> {
        let service = self.service.as_ref().ok_or(ClientError::Gone)?;
        let tools = self.runtime.block_on(service.list_all_tools());
        Ok(tools.map_err(refused)?.into_iter().map(info).collect())
    }

    /// Calls a tool. The arguments are an object, or null for none.
    ///
    /// # Errors
    /// The tool's refusal, with its stable code; what the protocol itself refused, and a connection that is gone, are
    /// [`ErrorCode::Internal`] with the words in the message.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = match arguments {
            Value::Null => None,
            Value::Object(keys) => Some(keys),
            _ => return Err(internal("the arguments are no object".to_owned())),
        };
        let Some(service) = self.service.as_ref() else {
            return Err(internal(ClientError::Gone.to_string()));
        };
        let result = self
            .runtime
            .block_on(service.call_tool(params))
            .map_err(|error| internal(refused(error).to_string()))?;
        outcome(tool, result)
    }

    /// Ends the connection: the server sees the end of its input.
    pub fn close(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(service) = self.service.take() {
            drop(self.runtime.block_on(service.cancel()));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

impl From<ServeError> for ClientError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Io { doing, source } => Self::Io { doing, source },
            other @ (ServeError::AddressTaken { .. } | ServeError::Port { .. }) => Self::Refused {
                why: other.to_string(),
            },
        }
    }
}

fn outcome(tool: &str, result: CallToolResult) -> Result<Value, Failure> {
    let text = result
        .content
        .first()
        .and_then(|block| block.as_text())
        .map(|block| block.text.clone())
        .unwrap_or_default();
    if result.is_error != Some(true) {
        return Ok(result.structured_content.unwrap_or(Value::String(text)));
    }
    let code = result.meta.as_ref().and_then(|meta| meta.get(CODE_KEY));
    let (message, hint) = text.split_once(HINT).unwrap_or((&text, ""));
    let named = format!("{tool}: ");
    Err(Failure {
        code: code
            .and_then(Value::as_str)
            .map_or(ErrorCode::Internal, coded),
        message: message.strip_prefix(&named).unwrap_or(message).to_owned(),
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
    })
}

fn coded(name: &str) -> ErrorCode {
    ErrorCode::ALL
        .iter()
        .copied()
        .find(|code| code.row().name == name)
        .unwrap_or(ErrorCode::Internal)
}

fn internal(message: String) -> Failure {
    Failure {
        code: ErrorCode::Internal,
        message,
        hint: None,
    }
}

fn refused(error: ServiceError) -> ClientError {
    match error {
        ServiceError::McpError(error) => ClientError::Refused {
            why: error.message.into_owned(),
        },
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => ClientError::Gone,
        other => ClientError::Refused {
            why: other.to_string(),
        },
    }
}

fn info(tool: Tool) -> ToolInfo {
    let hints = tool.annotations.unwrap_or_default();
    ToolInfo {
        name: tool.name.into_owned(),
        title: tool.title.unwrap_or_default(),
        description: tool.description.unwrap_or_default().into_owned(),
        input_schema: Value::Object(Arc::unwrap_or_clone(tool.input_schema)),
        output_schema: tool
            .output_schema
            .map(|schema| Value::Object(Arc::unwrap_or_clone(schema))),
        annotations: Annotations {
            read_only_hint: hints.read_only_hint.unwrap_or(false),
            destructive_hint: hints.destructive_hint.unwrap_or(true),
            idempotent_hint: hints.idempotent_hint.unwrap_or(false),
            open_world_hint: hints.open_world_hint.unwrap_or(true),
        },
    }
}
