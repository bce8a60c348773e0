//! One turn: the script, step by step. A step that fails or is refused is a failed call of a tool, not the turn's error.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_acp::RpcError;
use taffrail_acp::agent::{ClientOffers, Stop};
use taffrail_acp::v1::McpServer;
use taffrail_confine::env::{ChildEnv, Environment};
use taffrail_confine::tool::{Tool, ToolLimits};
use taffrail_domain::Ended;
use taffrail_tools::{DoorError, DoorOptions, TextDoor};

use super::call::{Call, Done};
use super::mcp::Server;
pub(super) use super::port::Port;
use super::port::Said;
use super::script::{Edit, McpCall, OnRefused, Script, Step};

/// A command of a script may take this long, and say so much.
const COMMAND: ToolLimits = ToolLimits {
    time: Duration::from_secs(60),
    stdout: 1 << 20,
    stderr: 64 << 10,
};

/// What a turn is played with.
pub(super) struct Player {
    pub port: Port,
    pub script: Arc<Script>,
    pub cwd: PathBuf,
    pub servers: Vec<McpServer>,
    pub offers: ClientOffers,
    pub environment: Environment,
    /// Taffrail's home, which nothing beneath the working directory may reach.
    pub managed: Option<PathBuf>,
}

/// An edit that is ready to be asked about.
struct Change {
    path: String,
    after: String,
    diff: Value,
}

impl Player {
    pub fn play(self) {
        let mut server = None;
        for (place, step) in self.script.steps.iter().enumerate() {
            if !self.port.goes_on() {
                break;
            }
            let was_done = self.step(&format!("step_{}", place + 1), step, &mut server);
            if !was_done && self.script.on_refused == OnRefused::Stop {
                break;
            }
        }
        // The turn is over when what it started is.
        drop(server);
        let ended = if self.port.goes_on() {
            Stop::EndTurn
        } else {
            Stop::Cancelled
        };
        self.port.over(Ok(ended));
    }

    /// Whether the step was done.
    fn step(&self, id: &str, step: &Step, server: &mut Option<Server>) -> bool {
        match step {
            Step::Say(text) => self.says("agent_message_chunk", text),
            Step::Think(text) => self.says("agent_thought_chunk", text),
            Step::Plan(entries) => self.plan(entries),
            Step::Read(path) => self.read(id, path),
            Step::Edit(edit) => self.edit(id, edit),
            Step::Run(command) => self.run(id, command),
            Step::Mcp(wanted) => self.mcp(id, wanted, server),
            Step::Result(document) => {
                let text = format!("```json\n{}\n```\n", json!(document));
                self.says("agent_message_chunk", &text)
            }
        }
    }

    fn says(&self, kind: &str, text: &str) -> bool {
        self.port
            .update(json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}));
        true
    }

    fn plan(&self, entries: &[String]) -> bool {
        let entries = entries
            .iter()
            .map(|entry| json!({"content": entry, "priority": "medium", "status": "pending"}));
        let entries: Vec<Value> = entries.collect();
        self.port
            .update(json!({"sessionUpdate": "plan", "entries": entries}));
        true
    }

    fn read(&self, id: &str, path: &str) -> bool {
        let call = Call::new(
            id,
            "read",
            format!("Read {path}"),
            json!({"path": self.at(path)}),
        );
        let call = call.at(&self.at(path));
        call.make(&self.port, |_| {
            let text = self.text_of(path)?;
            Ok(Done::Yes(
                text.unwrap_or_else(|| format!("{path} is not there")),
            ))
        })
    }

    /// The text of a file, through the client where it serves that, else beneath the working directory; none for one that is
    /// not there.
    fn text_of(&self, path: &str) -> Result<Option<String>, String> {
        if self.offers.read {
            let params = json!({"path": self.at(path)});
            let answer = self.port.ask("fs/read_text_file", params);
            let answer = answer.map_err(|error| said(&error))?;
            let text = answer.get("content").and_then(Value::as_str);
            let text = text.ok_or("the client answered without a text")?;
            return Ok(Some(text.to_owned()));
        }
        match self
            .door()
            .and_then(|door| door.read(Path::new(path), None, None))
        {
            Ok(text) => Ok(Some(text)),
            Err(DoorError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn edit(&self, id: &str, edit: &Edit) -> bool {
        let input = json!({"path": self.at(&edit.path)});
        let call = Call::new(id, "edit", format!("Edit {}", edit.path), input);
        let call = call.at(&self.at(&edit.path));
        match self.change(edit) {
            Err(why) => call.make(&self.port, |_| Err(why)),
            Ok(change) => call.with(change.diff).make(&self.port, |asked| {
                if let Said::No(why) = self.port.may(asked) {
                    return Ok(Done::Refused(why));
                }
                self.write(&change.path, &change.after)?;
                Ok(Done::Yes(String::new()))
            }),
        }
    }

    fn change(&self, edit: &Edit) -> Result<Change, String> {
        let before = self.text_of(&edit.path);
        let before = match (&edit.old, before) {
            // How a client says that a file is not there is its own affair.
            (None, Err(_)) if self.offers.read => None,
            (_, before) => before?,
        };
        let after = match (&edit.old, &before) {
            (None, _) => edit.new.clone(),
            (Some(old), Some(before)) if before.contains(old.as_str()) => {
                before.replacen(old.as_str(), &edit.new, 1)
            }
            (Some(_), _) => {
                return Err(format!(
                    "{} does not hold what is to be replaced",
                    edit.path
                ));
            }
        };
        let path = self.at(&edit.path);
        let diff = json!({"type": "diff", "path": path, "oldText": before, "newText": after});
        Ok(Change {
            path: edit.path.clone(),
            after,
            diff,
        })
    }

    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        if self.offers.write {
            let params = json!({"path": self.at(path), "content": text});
            let written = self.port.ask("fs/write_text_file", params);
            return written.map(drop).map_err(|error| said(&error));
        }
        let written = self
            .door()
            .and_then(|door| door.write(Path::new(path), text));
        written.map(drop).map_err(|error| error.to_string())
    }

    fn run(&self, id: &str, command: &str) -> bool {
        let input = json!({"command": command});
        let call = Call::new(id, "execute", command.to_owned(), input);
        call.make(&self.port, |asked| {
            if let Said::No(why) = self.port.may(asked) {
                return Ok(Done::Refused(why));
            }
            let args = ["--noprofile", "--norc", "-c", command].map(OsString::from);
            let tool = Tool {
                program: PathBuf::from("bash"),
                args: args.to_vec(),
                env: ChildEnv::allowed(&self.environment),
                cwd: self.cwd.clone(),
                limits: COMMAND,
            };
            let output = tool.run_while(&|| self.port.goes_on());
            let output = output.map_err(|error| error.to_string())?;
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            match output.ended {
                Ended::Exited(0) => Ok(Done::Yes(text)),
                ended => Err(format!("{text}\n{ended}")),
            }
        })
    }

    /// The server is started at the first call and ends with the turn.
    fn mcp(&self, id: &str, wanted: &McpCall, server: &mut Option<Server>) -> bool {
        let input = json!({"tool": wanted.tool, "arguments": wanted.arguments});
        let call = Call::new(id, "other", format!("Call {}", wanted.tool), input);
        call.make(&self.port, |_| {
            let server = match server {
                Some(server) => server,
                None => server.insert(self.start_server()?),
            };
            let answer = server.call(&wanted.tool, &wanted.arguments)?;
            Ok(Done::Yes(answer))
        })
    }

    fn start_server(&self) -> Result<Server, String> {
        let entry = self.servers.first();
        let entry = entry.ok_or("the session has no MCP server on standard input and output")?;
        Server::start(entry, &self.environment, &self.cwd, &self.port.switch)
    }

    fn at(&self, path: &str) -> String {
        self.cwd.join(path).to_string_lossy().into_owned()
    }

    fn door(&self) -> Result<TextDoor, DoorError> {
        let options = DoorOptions {
            may_write: true,
            managed: self.managed.iter().cloned().collect(),
            ..DoorOptions::default()
        };
        TextDoor::open(&self.cwd, options)
    }
}

/// A client's error; many say only in its data what it is.
fn said(error: &RpcError) -> String {
    match &error.data {
        Some(data) => format!("{}: {data}", error.message),
        None => error.message.clone(),
    }
}
