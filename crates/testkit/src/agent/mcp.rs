//! The agent as a client of the MCP server that `session/new` offers: started as told, spoken to over its pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};

use serde_json::{Value, json};

use super::Stop;
use super::parse::Command;
use super::play::Player;

/// A server that was started.
pub(super) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    counter: i64,
}

impl Player {
    /// `mcp start` (the first server of the offer), `mcp list -> x`, `mcp call TOOL {…} -> x`, `mcp stop`.
    pub(super) fn mcp(&mut self, command: &Command) -> Result<(), Stop> {
        let what = self.text(command, 0)?;
        let answer = match what.as_str() {
            "start" => self.start_peer()?,
            "list" => self.peer()?.request("tools/list", &json!({}))?,
            "call" => {
                let (tool, arguments) = (self.value(command, 1)?, self.value(command, 2)?);
                let params = json!({"name": tool, "arguments": arguments});
                self.peer()?.request("tools/call", &params)?
            }
            "stop" => {
                self.mcp = None;
                Value::Null
            }
            other => return Err(format!("no such thing: {other}").into()),
        };
        if let Some(name) = &command.into {
            self.scope.set(name, answer);
        }
        Ok(())
    }

    fn start_peer(&mut self) -> Result<Value, Stop> {
        let server = self.scope.get("mcpServers.0")?;
        let mut peer = Peer::start(&server)?;
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "fake", "version": "1.0.0"},
        });
        let answer = peer.request("initialize", &hello)?;
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        self.mcp = Some(peer);
        Ok(answer)
    }

    fn peer(&mut self) -> Result<&mut Peer, Stop> {
        self.mcp
            .as_mut()
            .ok_or_else(|| "no server was started".to_owned().into())
    }
}

impl Peer {
    fn start(server: &Value) -> Result<Self, Stop> {
        let program = server["command"].as_str().unwrap_or_default();
        let mut process = Process::new(program);
        for argument in server["args"].as_array().into_iter().flatten() {
            process.arg(argument.as_str().unwrap_or_default());
        }
        for pair in server["env"].as_array().into_iter().flatten() {
            let (name, value) = (pair["name"].as_str(), pair["value"].as_str());
            process.env(name.unwrap_or_default(), value.unwrap_or_default());
        }
        let mut child = process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self {
                child,
                input,
                output: BufReader::new(output),
                counter: 0,
            }),
            _ => Err("no pipes".to_owned().into()),
        }
    }

    /// The answer of the server: `{result}` or `{error}`.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Stop> {
        self.counter += 1;
        let id = self.counter;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            let count = self.output.read_line(&mut line);
            if !count.is_ok_and(|count| count > 0) {
                return Err(format!("the server ended before it answered {method}").into());
            }
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Stop> {
        writeln!(self.input, "{message}").map_err(|error| format!("the server: {error}"))?;
        Ok(self.input.flush().map_err(|error| error.to_string())?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Gone by itself or not: nothing of it stays.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
