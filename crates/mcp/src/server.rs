//! The protocol's side: what is listed, what may be called, on which thread a call is made.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode as RpcCode, ErrorData, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use taffrail_domain::{ErrorCode, Transport};
use tokio::sync::{Semaphore, oneshot};

use crate::about::{About, instructions};
use crate::begun::{Begun, apart};
use crate::call::Call;
use crate::catalog::{Offer, OfferedTo, Tool, listed, named};
use crate::host::{Caller, ClientName, Failure, Host};
use crate::refusal::Words;
use crate::watch::Meter;
use crate::wire;
use crate::worker::Worker;

/// So many calls may wait or run at once, over all connections of a server.
const CALLS: usize = 512;

/// So many long calls run at once; more wait. Each has a thread, and standard streams that are no pipes need some, too.
pub(crate) const LONG_CALLS: usize = 4;

/// What a client calls itself has at most so many bytes; a longer one is none. It is not cut: half of a secret would not be
/// known for one by whoever masks it.
const CLIENT_NAME: usize = 16 * 1024;

/// One connection's server; clones share the host, the worker and the count of calls.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    host: Arc<dyn Host>,
    offer: Offer,
    about: About,
    words: Words,
    worker: Worker,
    calls: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

impl Server {
    /// A server with its worker thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(host: Arc<dyn Host>, offer: Offer, about: About) -> std::io::Result<Self> {
        let words = Words::new(about.redaction);
        Ok(Self {
            shared: Arc::new(Shared {
                host,
                offer,
                about,
                words,
                worker: Worker::start()?,
                calls: Arc::new(Semaphore::new(CALLS)),
                long: Arc::new(Semaphore::new(LONG_CALLS)),
            }),
        })
    }

    /// The tool that is called, or the answer where it must not be.
    fn admitted(&self, name: &str) -> Result<&'static Tool, Refused> {
        let offer = &self.shared.offer;
        let tool = named(name).ok_or_else(|| Refused::Error(self.unknown(name)))?;
        if offer.transport == Transport::Http && tool.which.is_slate() {
            return Err(Refused::Denied);
        }
        if offer.lists(tool) {
            return Ok(tool);
        }
        let why = match offer.to {
            OfferedTo::Program => "the server is read-only",
            OfferedTo::Run(_) => "the agent of a run needs it for no task",
        };
        let why = format!("tool '{}' is not offered: {why}", tool.name);
        self.shared.host.unserved(tool.name, &why);
        Err(Refused::Error(ErrorData::invalid_params(why, None)))
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let name = self.shared.words.value(name);
        let why = format!("unknown tool '{name}'");
        self.shared.host.unserved(&name, &why);
        ErrorData::invalid_params(why, None)
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        Caller {
            transport: self.shared.offer.transport,
            client: context.client_info().map(|client| ClientName {
                name: whole(&client.name),
                version: whole(&client.version),
            }),
        }
    }

    /// Not `async`: the call is in its worker's line when this returns, so that lines keep the order of arrival.
    fn begin(&self, call: Call, context: RequestContext<RoleServer>) -> Result<Begun, ErrorData> {
        let permit = self.shared.calls.clone().try_acquire_owned().map_err(|_| {
            let why = format!("more than {CALLS} calls at once");
            ErrorData::new(RpcCode::INTERNAL_ERROR, why, None)
        })?;
        let meter = Arc::new(Meter::new(context.ct.clone()));
        let (tell, answer) = oneshot::channel();
        let (host, seen) = (self.shared.host.clone(), meter.clone());
        let is_long = call.tool.which.is_long();
        let job = move || {
            // A call that was taken back while it waited is not begun.
            if !crate::host::Watch::is_cancelled(&*seen) {
                drop(tell.send(call.run(&*host, &*seen)));
            }
            drop(permit);
        };
        if is_long {
            drop(tokio::spawn(apart(self.shared.long.clone(), job)));
        } else {
            self.shared.worker.push(job);
        }
        Ok(Begun {
            answer,
            meter,
            is_long,
            context,
        })
    }
}

/// Why a call is not made.
enum Refused {
    /// The value of XSL-02.
    Denied,
    /// A protocol error.
    Error(ErrorData),
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offer = &self.shared.offer;
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        info.server_info = Implementation::new("taffrail", self.shared.about.version.clone());
        info.with_instructions(instructions(offer))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offer = &self.shared.offer;
        let tools = listed(offer).map(|tool| wire::listed(tool, offer.names()));
        let tools = tools.collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = match self.admitted(&request.name) {
            Ok(tool) => tool,
            Err(Refused::Denied) => return Ok(wire::denied().into()),
            Err(Refused::Error(error)) => return Err(error),
        };
        let call = Call {
            tool,
            caller: self.caller(&context),
            arguments: request.arguments.unwrap_or_default(),
            words: self.shared.words,
        };
        let begun = self.begin(call, context)?;
        Ok(begun.finished().await?.into())
    }

    // What is not offered, and not advertised. Some clients ask all the same: they are told that there is nothing, which
    // they show as nothing, and not as an error.

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::default())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::default())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::default())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    /// Nothing is ever logged to a client, so every level is kept.
    #[expect(deprecated, reason = "clients of older versions still ask")]
    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    /// What no type of the protocol took. A `tools/call` comes here when its arguments are no object or it names no
    /// tool: a model should read that, so it is a result and no protocol error (MCP-01).
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            let method = self.shared.words.value(&request.method);
            let why = format!("unknown method '{method}'");
            return Err(ErrorData::new(RpcCode::METHOD_NOT_FOUND, why, None));
        }
        let params = request.params.unwrap_or_default();
        let result = match params.get("name").and_then(Value::as_str) {
            None => self.misshapen("tools/call", "'name' must be a string"),
            Some(name) => match self.admitted(name) {
                Err(Refused::Denied) => wire::denied(),
                Err(Refused::Error(error)) => return Err(error),
                Ok(tool) => self.misshapen(tool.name, wrong(params.get("arguments"))),
            },
        };
        serde_json::to_value(result)
            .map(CustomResult::new)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl Server {
    fn misshapen(&self, tool: &str, message: &str) -> CallToolResult {
        let failure = Failure {
            code: ErrorCode::ToolArgument,
            message: message.to_owned(),
            hint: None,
        };
        self.shared.host.unserved(tool, message);
        wire::failure(tool, &failure, self.shared.words)
    }
}

/// What is wrong with a call that names a tool and still has not the protocol's shape.
fn wrong(arguments: Option<&Value>) -> &'static str {
    match arguments {
        None | Some(Value::Null | Value::Object(_)) => {
            "what stands beside 'name' and 'arguments' is not as the protocol has it"
        }
        Some(_) => "'arguments' must be an object",
    }
}

fn whole(text: &str) -> String {
    let fits = text.len() <= CLIENT_NAME;
    if fits { text.to_owned() } else { String::new() }
}
