//! One turn: the script, step by step.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_acp::RpcError;
use taffrail_acp::agent::{AgentEvent, ClientOffers, Stop, TurnKey};
use taffrail_acp::v1::McpServer;
use taffrail_confine::env::{ChildEnv, Environment};
use taffrail_confine::tool::{Tool, ToolLimits};
use taffrail_domain::Ended;
use taffrail_tools::{DoorOptions, TextDoor};

use super::connection::Heard;
use super::mcp::Server;
use super::script::{Edit, McpCall, OnRefused, Script, Step};

/// A command of a script may take this long, and say so much.
const COMMAND: ToolLimits = ToolLimits {
    time: Duration::from_secs(60),
    stdout: 1 << 20,
    stderr: 64 << 10,
};

/// The way from a turn to its client and back.
pub(super) struct Port {
    turn: TurnKey,
    tell: SyncSender<Heard>,
    answers: Receiver<Result<Value, RpcError>>,
    cancelled: Arc<AtomicBool>,
}

impl Port {
    pub fn new(
        turn: TurnKey,
        tell: SyncSender<Heard>,
        answers: Receiver<Result<Value, RpcError>>,
        cancelled: Arc<AtomicBool>,
    ) -> Self {
        Self {
            turn,
            tell,
            answers,
            cancelled,
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    fn update(&self, update: Value) {
        self.send(AgentEvent::Tell {
            turn: self.turn,
            update,
        });
    }

    /// Asks the client and waits for its answer.
    fn ask(&self, method: &'static str, params: Value) -> Result<Value, RpcError> {
        self.send(AgentEvent::Ask {
            turn: self.turn,
            method,
            params,
        });
        let gone = || RpcError::new(RpcError::INTERNAL, "the client is gone");
        self.answers.recv().unwrap_or_else(|_| Err(gone()))
    }

    fn over(&self, ended: Result<Stop, RpcError>) {
        self.send(AgentEvent::TurnOver {
            turn: self.turn,
            ended,
        });
    }

    /// A connection that ended hears nothing any more, and the process goes with it.
    fn send(&self, event: AgentEvent) {
        drop(self.tell.send(Heard::Turn(event)));
    }
}

/// What a turn is played with.
pub(super) struct Player {
    pub port: Port,
    pub script: Arc<Script>,
    pub cwd: PathBuf,
    pub servers: Vec<McpServer>,
    pub offers: ClientOffers,
    pub environment: Environment,
}

/// What became of a step.
enum Done {
    Yes,
    Refused,
}

impl Player {
    pub fn play(self) {
        let mut server = None;
        let script = Arc::clone(&self.script);
        for (place, step) in script.steps.iter().enumerate() {
            if self.port.is_cancelled() {
                break;
            }
            let call = format!("step_{}", place + 1);
            match self.step(&call, step, &mut server) {
                Ok(Done::Refused) if script.on_refused == OnRefused::Stop => break,
                Ok(Done::Yes | Done::Refused) => {}
                Err(error) => return self.port.over(Err(error)),
            }
        }
        let ended = if self.port.is_cancelled() {
            Stop::Cancelled
        } else {
            Stop::EndTurn
        };
        self.port.over(Ok(ended));
    }

    fn step(&self, call: &str, step: &Step, server: &mut Option<Server>) -> Result<Done, RpcError> {
        match step {
            Step::Say(text) => self.says("agent_message_chunk", text),
            Step::Think(text) => self.says("agent_thought_chunk", text),
            Step::Plan(entries) => self.plan(entries),
            Step::Read(path) => return self.read(call, path),
            Step::Edit(edit) => return self.edit(call, edit),
            Step::Run(command) => return self.run(call, command),
            Step::Mcp(wanted) => return self.mcp(call, wanted, server),
            Step::Result(document) => {
                let text = format!("```json\n{}\n```\n", json!(document));
                self.says("agent_message_chunk", &text);
            }
        }
        Ok(Done::Yes)
    }

    fn says(&self, kind: &str, text: &str) {
        self.port
            .update(json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}));
    }

    fn plan(&self, entries: &[String]) {
        let entries = entries
            .iter()
            .map(|entry| json!({"content": entry, "priority": "medium", "status": "pending"}));
        let entries: Vec<Value> = entries.collect();
        self.port
            .update(json!({"sessionUpdate": "plan", "entries": entries}));
    }

    fn read(&self, call: &str, path: &str) -> Result<Done, RpcError> {
        self.begins(
            call,
            "read",
            &format!("Read {path}"),
            json!({"path": path}),
            Some(path),
            &[],
        );
        let text = self.text_of(path);
        match text {
            Ok(text) => self.ends(call, "completed", &text),
            Err(error) => self.ends(call, "failed", &error.message),
        }
        Ok(Done::Yes)
    }

    /// Through the client where it serves that, else beneath the working directory.
    fn text_of(&self, path: &str) -> Result<String, RpcError> {
        if self.offers.read {
            let answer = self
                .port
                .ask("fs/read_text_file", json!({"path": self.at(path)}))?;
            let text = answer
                .get("content")
                .and_then(Value::as_str)
                .unwrap_or_default();
            return Ok(text.to_owned());
        }
        let door = self.door()?;
        door.read(Path::new(path), None, None)
            .map_err(|error| failed(&error))
    }

    fn edit(&self, call: &str, edit: &Edit) -> Result<Done, RpcError> {
        let before = self.text_of(&edit.path).ok();
        let after = match (&edit.old, &before) {
            (None, _) => edit.new.clone(),
            (Some(old), Some(before)) if before.contains(old.as_str()) => {
                before.replacen(old.as_str(), &edit.new, 1)
            }
            (Some(_), _) => {
                let why = format!("{} does not hold what is to be replaced", edit.path);
                return Err(RpcError::new(RpcError::INTERNAL, why));
            }
        };
        let path = self.at(&edit.path);
        let diff = json!({"type": "diff", "path": path, "oldText": before, "newText": after});
        let title = format!("Edit {}", edit.path);
        let input = json!({"path": edit.path});
        self.begins(
            call,
            "edit",
            &title,
            input,
            Some(&edit.path),
            std::slice::from_ref(&diff),
        );
        let asked = json!({
            "toolCallId": call, "kind": "edit", "title": title, "status": "pending",
            "locations": [{"path": path}], "content": [diff],
        });
        if !self.may(asked)? {
            self.ends(call, "failed", "refused");
            return Ok(Done::Refused);
        }
        match self.write(&edit.path, &after) {
            Ok(()) => self.ends(call, "completed", ""),
            Err(error) => self.ends(call, "failed", &error.message),
        }
        Ok(Done::Yes)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), RpcError> {
        if self.offers.write {
            let params = json!({"path": self.at(path), "content": text});
            return self.port.ask("fs/write_text_file", params).map(drop);
        }
        let written = self.door()?.write(Path::new(path), text);
        written.map(drop).map_err(|error| failed(&error))
    }

    fn run(&self, call: &str, command: &str) -> Result<Done, RpcError> {
        let input = json!({"command": command});
        self.begins(call, "execute", command, input.clone(), None, &[]);
        let asked = json!({
            "toolCallId": call, "kind": "execute", "title": command, "status": "pending",
            "rawInput": input,
        });
        if !self.may(asked)? {
            self.ends(call, "failed", "refused");
            return Ok(Done::Refused);
        }
        let args = ["--noprofile", "--norc", "-c", command].map(OsString::from);
        let tool = Tool {
            program: PathBuf::from("bash"),
            args: args.to_vec(),
            env: ChildEnv::allowed(&self.environment),
            cwd: self.cwd.clone(),
            limits: COMMAND,
        };
        match tool.run(&[]) {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let status = if output.ended == Ended::Exited(0) {
                    "completed"
                } else {
                    "failed"
                };
                self.ends(call, status, &text);
            }
            Err(error) => self.ends(call, "failed", &error.to_string()),
        }
        Ok(Done::Yes)
    }

    /// The server is started at the first call and ends with the turn.
    fn mcp(
        &self,
        call: &str,
        wanted: &McpCall,
        server: &mut Option<Server>,
    ) -> Result<Done, RpcError> {
        let title = format!("Call {}", wanted.tool);
        let input = json!({"tool": wanted.tool, "arguments": wanted.arguments});
        self.begins(call, "other", &title, input, None, &[]);
        if server.is_none() {
            let entry = self.servers.first();
            let started = entry.map(|entry| Server::start(entry, &self.environment, &self.cwd));
            *server = match started {
                None => {
                    return Err(RpcError::new(
                        RpcError::INTERNAL,
                        "the session has no MCP server",
                    ));
                }
                Some(Err(why)) => return Err(RpcError::new(RpcError::INTERNAL, why)),
                Some(Ok(started)) => Some(started),
            };
        }
        let answer = server
            .as_ref()
            .map(|server| server.call(&wanted.tool, &wanted.arguments));
        match answer {
            Some(Ok(text)) => self.ends(call, "completed", &text),
            Some(Err(why)) => self.ends(call, "failed", &why),
            None => {}
        }
        Ok(Done::Yes)
    }

    /// Only a yes to this one call is one.
    fn may(&self, tool_call: Value) -> Result<bool, RpcError> {
        let options = json!([
            {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]);
        let params = json!({"toolCall": tool_call, "options": options});
        match self.port.ask("session/request_permission", params) {
            Ok(answer) => Ok(answer.pointer("/outcome/optionId") == Some(&json!("once"))),
            Err(error) if error.code == RpcError::CANCELLED => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn begins(
        &self,
        call: &str,
        kind: &str,
        title: &str,
        input: Value,
        path: Option<&str>,
        content: &[Value],
    ) {
        let locations: Vec<Value> = path
            .iter()
            .map(|path| json!({"path": self.at(path)}))
            .collect();
        self.port.update(json!({
            "sessionUpdate": "tool_call", "toolCallId": call, "title": title, "kind": kind,
            "status": "pending", "rawInput": input, "locations": locations, "content": content,
        }));
    }

    fn ends(&self, call: &str, status: &str, text: &str) {
        let content = json!([{"type": "content", "content": {"type": "text", "text": text}}]);
        let mut update = json!({
            "sessionUpdate": "tool_call_update", "toolCallId": call, "status": status,
        });
        if !text.is_empty() {
            update["content"] = content;
        }
        self.port.update(update);
    }

    fn at(&self, path: &str) -> String {
        self.cwd.join(path).to_string_lossy().into_owned()
    }

    fn door(&self) -> Result<TextDoor, RpcError> {
        let options = DoorOptions {
            may_write: true,
            ..DoorOptions::default()
        };
        TextDoor::open(&self.cwd, options).map_err(|error| failed(&error))
    }
}

fn failed(error: &taffrail_tools::DoorError) -> RpcError {
    RpcError::new(RpcError::INTERNAL, error.to_string())
}
