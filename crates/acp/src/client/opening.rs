//! From the first line to a session: `initialize`, `authenticate`, `session/new`.

use serde_json::Value;
use taffrail_domain::EndReason;

use super::machine::{CallKind, Client, Phase};
use super::{NoteKind, notes};
use crate::v1::{Ask, Implementation, Initialized, NewSession, VERSION};
use crate::wire::{RpcError, weight};

/// What is kept of capabilities, in bytes of memory.
const KEPT: usize = 64 << 10;
/// What is kept of a name or a version, in bytes.
const NAME: usize = 256;
/// The longest id of a session, in bytes: it goes along with every request.
const SESSION: usize = 1024;
/// How many ways to sign in are kept.
const METHODS: usize = 64;
/// Words of an error that wants somebody to sign in.
const SIGN_IN: &[&str] = &[
    "unauthorized",
    "unauthenticated",
    "authenticat",
    "authoriz",
    "auth required",
    "auth_required",
    "not logged in",
    "log in",
    "login",
    "sign in",
    "sign-in",
    "signin",
    "api key",
    "api_key",
    "apikey",
];

impl Client {
    pub(super) fn begin(&mut self) {
        if self.phase != Phase::New {
            return self.note(NoteKind::LateEvent, "begun");
        }
        self.phase = Phase::Opening;
        let client = self.plan.client.clone();
        let ask = Ask::Initialize {
            client: &client,
            write: self.plan.write,
        };
        self.ask(CallKind::Initialize, ask);
    }

    pub(super) fn initialized(&mut self, outcome: Result<Value, RpcError>) {
        let mut told = match outcome {
            Ok(result) => Initialized::read(&result),
            Err(error) => return self.failed("initialize", &error),
        };
        self.facts.protocol_version = Some(told.version.clone()).filter(|told| !told.is_null());
        if told.version.as_u64() != Some(VERSION) {
            let version = notes::cut(&told.version.to_string(), 64);
            let detail = format!("asked for version {VERSION}, answered {version}");
            return self.end(EndReason::ProtocolVersion, &detail);
        }
        told.auth_methods.truncate(METHODS);
        self.facts.agent = told.agent.map(|agent| Implementation {
            name: notes::cut(&agent.name, NAME),
            title: agent.title.map(|title| notes::cut(&title, NAME)),
            version: notes::cut(&agent.version, NAME),
        });
        self.facts.prompt = told.prompt;
        self.facts.auth_methods = told.auth_methods;
        if weight(&told.capabilities) <= KEPT {
            self.facts.capabilities = told.capabilities;
        }
        self.sign_in();
    }

    fn sign_in(&mut self) {
        let Some(method) = self.plan.auth_method.clone() else {
            return self.open_session();
        };
        if self
            .facts
            .auth_methods
            .iter()
            .any(|offered| offered.id == method)
        {
            return self.ask(CallKind::Authenticate, Ask::Authenticate(&method));
        }
        self.note(NoteKind::AuthNotOffered, &method);
        self.open_session();
    }

    pub(super) fn authenticated(&mut self, outcome: Result<Value, RpcError>) {
        match outcome {
            Ok(_) => {
                self.facts.authenticated = self.plan.auth_method.clone();
                self.open_session();
            }
            // Whatever it says, it was about signing in.
            Err(error) => self.end(EndReason::SignIn, &said("authenticate", &error)),
        }
    }

    fn open_session(&mut self) {
        let (cwd, servers) = (self.plan.cwd.clone(), self.plan.mcp_servers.clone());
        let ask = Ask::NewSession {
            cwd: &cwd,
            mcp_servers: &servers,
        };
        self.ask(CallKind::NewSession, ask);
    }

    pub(super) fn session_made(&mut self, outcome: Result<Value, RpcError>) {
        let told = match outcome {
            Ok(result) => NewSession::read(&result),
            Err(error) => return self.failed("session/new", &error),
        };
        let Some(session) = told.session.filter(|session| session.len() <= SESSION) else {
            let detail = "session/new: no sessionId of 1 to 1024 bytes was told";
            return self.end(EndReason::AgentError, detail);
        };
        self.facts.session = Some(session);
        self.options = told.options;
        self.modes = told.modes;
        self.settle(told.model);
    }

    /// Ends the run for an error that the agent answered with.
    pub(super) fn failed(&mut self, method: &str, error: &RpcError) {
        let reason = if wants_sign_in(error) {
            EndReason::SignIn
        } else {
            EndReason::AgentError
        };
        self.end(reason, &said(method, error));
    }
}

fn said(method: &str, error: &RpcError) -> String {
    let message = notes::cut(&error.message, 2048);
    format!("{method}: error {}: {message}", error.code)
}

fn wants_sign_in(error: &RpcError) -> bool {
    if matches!(error.code, RpcError::AUTH_REQUIRED | 401 | 403) {
        return true;
    }
    let data = error
        .data
        .as_ref()
        .map(Value::to_string)
        .unwrap_or_default();
    let text = format!("{} {data}", error.message).to_lowercase();
    SIGN_IN.iter().any(|word| begins_word(&text, word))
}

/// Whether a word of the text begins so: `log in` is not in `catalog in`.
fn begins_word(text: &str, begins: &str) -> bool {
    text.match_indices(begins).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        !before.ends_with(char::is_alphanumeric)
    })
}
