//! The machine itself.

use serde_json::{Value, json};

use super::sessions::{MOST, Sessions, Turn};
use super::{AgentEffect, AgentEvent, ClientOffers, OpenRequest, Stop, TurnKey};
use crate::frame::{Dropped, Incoming};
use crate::v1::{Implementation, McpServer, VERSION};
use crate::wire::{Id, Message, RpcError};

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
        let servers = params.get("mcpServers").cloned().unwrap_or_default();
        let mcp_servers = servers.as_array().map(Vec::as_slice).unwrap_or_default();
        // Servers of another transport were not offered, and are not there for us.
        let mcp_servers = mcp_servers
            .iter()
            .filter_map(|server| serde_json::from_value::<McpServer>(server.clone()).ok())
            .collect();
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
        let ended = turn.into_iter().flat_map(|turn| {
            let cancelled = json!({"stopReason": Stop::Cancelled.name()});
            [
                AgentEffect::Cancel { turn: turn.key },
                respond(turn.prompt, Ok(cancelled)),
            ]
        });
        ended.chain([respond(id, Ok(json!({})))]).collect()
    }

    /// Only the session that is named, and only once: what its turn waits for is answered here.
    fn cancel(&mut self, params: &Value) -> Vec<AgentEffect> {
        let session = text_of(params, "sessionId");
        let Some(Some(turn)) = self.sessions.turn_of(&session) else {
            return Vec::new();
        };
        if std::mem::replace(&mut turn.is_cancelled, true) {
            return Vec::new();
        }
        let mut effects = vec![AgentEffect::Cancel { turn: turn.key }];
        if turn.asked.take().is_some() {
            effects.push(AgentEffect::Answered {
                turn: turn.key,
                outcome: Err(cancelled()),
            });
        }
        effects
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
        let method = "session/update".to_owned();
        vec![AgentEffect::Send(
            Message::Notification { method, params }.line(),
        )]
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

fn respond(id: Id, outcome: Result<Value, RpcError>) -> AgentEffect {
    AgentEffect::Send(Message::Response { id, outcome }.line())
}

/// A request that is not looked into is refused by its name; nothing else needs an answer.
fn too_large(dropped: Dropped) -> Vec<AgentEffect> {
    let Dropped {
        envelope,
        why,
        bytes,
    } = dropped;
    match (envelope.id, envelope.method) {
        (Some(id), Some(method)) => {
            let error = invalid(format!(
                "`{method}` has {bytes} bytes and was not read ({why})"
            ));
            vec![respond(id, Err(error))]
        }
        _ => Vec::new(),
    }
}

fn invalid(why: impl Into<String>) -> RpcError {
    RpcError::new(RpcError::INVALID_PARAMS, why)
}

fn no_session(session: &str) -> RpcError {
    let start: String = session.chars().take(64).collect();
    RpcError::new(
        RpcError::NOT_FOUND,
        format!("there is no session `{start}`"),
    )
}

fn cancelled() -> RpcError {
    RpcError::new(RpcError::CANCELLED, "the turn was cancelled")
}

fn text_of(params: &Value, key: &str) -> String {
    params
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The text of the prompt's blocks and of the resources in it; links are named.
fn prompt_text(params: &Value) -> String {
    let blocks = params.get("prompt").and_then(Value::as_array);
    let blocks = blocks.map(Vec::as_slice).unwrap_or_default().iter();
    let texts = blocks.filter_map(|block| {
        let at = |path: &str| block.pointer(path).and_then(Value::as_str);
        at("/text")
            .or_else(|| at("/resource/text"))
            .or_else(|| at("/uri"))
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
