//! The machine itself.

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::answers::{
    cancelled, invalid, no_session, notify, prompt_text, respond, text_of, too_large,
};
use super::sessions::{MOST, Sessions, Turn};
use super::{AgentEffect, AgentEvent, ClientOffers, OpenRequest, Stop, TurnKey};
use crate::frame::Incoming;
use crate::v1::{Implementation, McpServer, VERSION};
use crate::wire::{Id, Message, RpcError};

/// MCP servers of one session at most, and the bytes of all their words.
const MOST_SERVERS: usize = 16;
const LARGEST_SERVERS: usize = 128 << 10;

/// One connection to a client.
#[derive(Debug)]
pub struct Agent {
    info: Implementation,
    sessions: Sessions,
    offers: ClientOffers,
    next_turn: u64,
    next_request: u64,
}

impl Agent {
    /// A machine that has heard nothing yet.
    pub fn new(info: Implementation) -> Self {
        Self {
            info,
            sessions: Sessions::default(),
            offers: ClientOffers::default(),
            next_turn: 0,
            next_request: 0,
        }
    }

    /// What the client serves, as far as it has said.
    pub fn offers(&self) -> ClientOffers {
        self.offers
    }

    /// Takes an event.
    pub fn on(&mut self, event: AgentEvent) -> Vec<AgentEffect> {
        match event {
            AgentEvent::Received(incoming) => self.received(incoming),
            AgentEvent::Opened { request, session } => vec![self.opened(request, session)],
            AgentEvent::Tell { turn, update } => self.tell(turn, &update),
            AgentEvent::Ask {
                turn,
                method,
                params,
            } => self.ask(turn, method, params),
            AgentEvent::TurnOver { turn, ended } => self.turn_over(turn, ended),
            AgentEvent::Closed => self.closed(),
        }
    }

    fn received(&mut self, incoming: Incoming) -> Vec<AgentEffect> {
        match incoming {
            Incoming::Message(message) | Incoming::Mended(message) => self.message(message),
            Incoming::Dropped(dropped) => too_large(dropped),
            // A line that is no message asks for nothing. One that never ends is the driver's to end.
            Incoming::Junk { .. } | Incoming::LineTooLong { .. } => Vec::new(),
        }
    }

    fn message(&mut self, message: Message) -> Vec<AgentEffect> {
        match message {
            Message::Request { id, method, params } => self.request(id, &method, &params),
            Message::Notification { method, params } if method == "session/cancel" => {
                self.cancel(&params)
            }
            Message::Notification { method, params } if method == "$/cancel_request" => {
                self.cancel_request(&params)
            }
            Message::Notification { .. } => Vec::new(),
            Message::Response { id, outcome } => self.answered(&id, outcome),
        }
    }

    fn request(&mut self, id: Id, method: &str, params: &Value) -> Vec<AgentEffect> {
        let answer = match method {
            "initialize" => Ok(self.initialize(params)),
            "authenticate" => Err(invalid("no sign-in is offered")),
            "session/new" => return self.new_session(id, params),
            "session/prompt" => return self.prompt(id, params),
            "session/set_mode" => self.set_mode(params),
            "session/close" => return self.close(id, params),
            other => Err(RpcError::new(
                RpcError::METHOD_NOT_FOUND,
                format!("`{other}` is not served"),
            )),
        };
        vec![respond(id, answer)]
    }

    /// Whatever version is asked for, ours is 1: a client that cannot speak it closes the connection.
    fn initialize(&mut self, params: &Value) -> Value {
        let serves = |what: &str| {
            let path = format!("/clientCapabilities/fs/{what}");
            params
                .pointer(&path)
                .and_then(Value::as_bool)
                .unwrap_or(false)
        };
        self.offers = ClientOffers {
            read: serves("readTextFile"),
            write: serves("writeTextFile"),
        };
        json!({
            "protocolVersion": VERSION,
            "agentInfo": self.info,
            "agentCapabilities": {
                "loadSession": false,
                "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
                "mcpCapabilities": {"http": false, "sse": false},
                "sessionCapabilities": {"close": {}},
            },
            "authMethods": [],
        })
    }

    fn new_session(&self, request: Id, params: &Value) -> Vec<AgentEffect> {
        if self.sessions.is_full() {
            let why = format!("this connection has {MOST} sessions, which is the most");
            return vec![respond(request, Err(invalid(why)))];
        }
        let Some(cwd) = params.get("cwd").and_then(Value::as_str) else {
            return vec![respond(request, Err(invalid("`cwd` is missing")))];
        };
        let mcp_servers = match servers_of(params) {
            Ok(servers) => servers,
            Err(error) => return vec![respond(request, Err(error))],
        };
        vec![AgentEffect::Open(OpenRequest {
            request,
            cwd: cwd.to_owned(),
            mcp_servers,
        })]
    }

    fn opened(&mut self, request: Id, session: Result<String, RpcError>) -> AgentEffect {
        let answer = session.map(|session| {
            self.sessions.add(session.clone());
            json!({
                "sessionId": session,
                "modes": {
                    "currentModeId": "ask",
                    "availableModes": [{"id": "ask", "name": "Ask", "description": "Asks before it acts"}],
                },
            })
        });
        respond(request, answer)
    }

    fn prompt(&mut self, prompt: Id, params: &Value) -> Vec<AgentEffect> {
        if !params.get("prompt").is_some_and(Value::is_array) {
            return vec![respond(
                prompt,
                Err(invalid("`prompt` is no list of blocks")),
            )];
        }
        let session = text_of(params, "sessionId");
        let key = TurnKey(self.next_turn);
        let refused = match self.sessions.turn_of(&session) {
            None => Some(no_session(&session)),
            Some(Some(_)) => Some(invalid("a turn of this session goes on; cancel it first")),
            Some(place) => {
                *place = Some(Turn {
                    key,
                    prompt: prompt.clone(),
                    is_cancelled: false,
                    asked: None,
                });
                None
            }
        };
        if let Some(error) = refused {
            return vec![respond(prompt, Err(error))];
        }
        self.next_turn += 1;
        let text = prompt_text(params);
        vec![AgentEffect::Begin {
            turn: key,
            session,
            text,
        }]
    }

    fn set_mode(&mut self, params: &Value) -> Result<Value, RpcError> {
        let session = text_of(params, "sessionId");
        self.sessions
            .turn_of(&session)
            .ok_or_else(|| no_session(&session))?;
        match text_of(params, "modeId").as_str() {
            "ask" => Ok(json!({})),
            other => Err(invalid(format!("there is no mode `{other}`, only `ask`"))),
        }
    }

    fn close(&mut self, id: Id, params: &Value) -> Vec<AgentEffect> {
        let session = text_of(params, "sessionId");
        let Some(turn) = self.sessions.remove(&session) else {
            return vec![respond(id, Err(no_session(&session)))];
        };
        let mut effects: Vec<_> = turn.into_iter().flat_map(drop_turn).collect();
        effects.push(AgentEffect::Forget { session });
        effects.push(respond(id, Ok(json!({}))));
        effects
    }

    /// Only the session that is named, and only once.
    fn cancel(&mut self, params: &Value) -> Vec<AgentEffect> {
        let session = text_of(params, "sessionId");
        let turn = self.sessions.turn_of(&session).and_then(Option::as_mut);
        turn.map(stop).unwrap_or_default()
    }

    /// Of the requests of a client only a prompt takes its time; any other is answered already.
    fn cancel_request(&mut self, params: &Value) -> Vec<AgentEffect> {
        let prompt = params.get("requestId").and_then(Id::read);
        let turn = prompt.and_then(|prompt| self.sessions.turn_for(&prompt));
        turn.map(stop).unwrap_or_default()
    }

    /// The client says nothing any more: what goes on is cancelled and answered.
    fn closed(&mut self) -> Vec<AgentEffect> {
        self.sessions.end_all().flat_map(drop_turn).collect()
    }

    fn answered(&mut self, id: &Id, outcome: Result<Value, RpcError>) -> Vec<AgentEffect> {
        let Id::Unsigned(request) = id else {
            return Vec::new();
        };
        // A second answer, or one to nothing, waits for nobody.
        let Some(turn) = self.sessions.waiting(*request) else {
            return Vec::new();
        };
        turn.asked = None;
        vec![AgentEffect::Answered {
            turn: turn.key,
            outcome,
        }]
    }

    fn tell(&mut self, key: TurnKey, update: &Value) -> Vec<AgentEffect> {
        let Some((session, _)) = self.sessions.find(key) else {
            return Vec::new();
        };
        let params = json!({"sessionId": session, "update": update});
        vec![notify("session/update", params)]
    }

    /// A turn asks one thing at a time. What a turn that is over or cancelled asks is answered at once.
    fn ask(&mut self, key: TurnKey, method: &str, mut params: Value) -> Vec<AgentEffect> {
        let request = self.next_request;
        let found = self.sessions.find(key);
        let Some((session, turn)) = found.filter(|(_, turn)| !turn.is_cancelled) else {
            let outcome = Err(cancelled());
            return vec![AgentEffect::Answered { turn: key, outcome }];
        };
        params["sessionId"] = json!(session);
        turn.asked = Some(request);
        self.next_request += 1;
        let id = Id::Unsigned(request);
        let method = method.to_owned();
        vec![AgentEffect::Send(
            Message::Request { id, method, params }.line(),
        )]
    }

    /// A turn that was cancelled ends as such, whatever it says itself: never as an error.
    fn turn_over(&mut self, key: TurnKey, ended: Result<Stop, RpcError>) -> Vec<AgentEffect> {
        let Some(turn) = self.sessions.end(key) else {
            return Vec::new();
        };
        let ended = if turn.is_cancelled {
            Ok(Stop::Cancelled)
        } else {
            ended
        };
        let answer = ended.map(|stop| json!({"stopReason": stop.name()}));
        vec![respond(turn.prompt, answer)]
    }
}

/// Begins to end a turn, once: what it waits for is answered here, and the client need not answer it any more.
fn stop(turn: &mut Turn) -> Vec<AgentEffect> {
    if std::mem::replace(&mut turn.is_cancelled, true) {
        return Vec::new();
    }
    let mut effects = vec![AgentEffect::Cancel { turn: turn.key }];
    if let Some(request) = turn.asked.take() {
        effects.push(notify("$/cancel_request", json!({"requestId": request})));
        effects.push(AgentEffect::Answered {
            turn: turn.key,
            outcome: Err(cancelled()),
        });
    }
    effects
}

/// Ends a turn that was taken away, without waiting for it.
fn drop_turn(mut turn: Turn) -> Vec<AgentEffect> {
    let mut effects = stop(&mut turn);
    let answer = json!({"stopReason": Stop::Cancelled.name()});
    effects.push(respond(turn.prompt, Ok(answer)));
    effects
}

/// The servers of a session. Those of another transport were not offered, and are not there for us.
fn servers_of(params: &Value) -> Result<Vec<McpServer>, RpcError> {
    let servers = params.get("mcpServers").and_then(Value::as_array);
    let servers = servers.map(Vec::as_slice).unwrap_or_default();
    if servers.len() > MOST_SERVERS {
        let why = format!("there are more than {MOST_SERVERS} MCP servers");
        return Err(invalid(why));
    }
    let read = |server: &Value| McpServer::deserialize(server).ok();
    let servers: Vec<_> = servers.iter().filter_map(read).collect();
    if servers.iter().map(size).sum::<usize>() > LARGEST_SERVERS {
        let why = format!("the MCP servers take more than {LARGEST_SERVERS} bytes");
        return Err(invalid(why));
    }
    Ok(servers)
}

fn size(server: &McpServer) -> usize {
    let variables = server.env.iter();
    let variables = variables.map(|variable| variable.name.len() + variable.value.len());
    let args = server.args.iter().map(String::len);
    server.name.len() + server.command.len() + args.chain(variables).sum::<usize>()
}
