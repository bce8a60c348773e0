//! A client at the standard input and output of `taffrail serve-mcp`, as small as one can be, so that a test sees what
//! is on the wire and not what an SDK makes of it. And a look at the files of slates.
// Some test programs allow less, and a helper's panic is the test's failure.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use serde_json::{Value, json};
use taffrail_testkit::Hermetic;

use super::PATIENCE;

/// What the client of these tests calls itself.
pub const CLIENT: &str = "test-client";

/// A running server with its `initialize` done.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    next: u64,
    /// What `initialize` answered.
    pub initialized: Value,
    /// Notifications that came before answers, in order.
    pub told: Vec<Value>,
}

/// The answer to one request, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer(pub Value);

impl Answer {
    /// The structured content of a call that went well.
    #[track_caller]
    pub fn done(&self) -> &Value {
        assert!(!self.is_refused(), "{}", self.0);
        &self.0["result"]["structuredContent"]
    }

    /// The text of a call that was refused: `isError`, never an error of the protocol.
    #[track_caller]
    pub fn refused(&self) -> &str {
        assert_eq!(self.0["result"]["isError"], true, "{}", self.0);
        self.text()
    }

    /// Whether it is a refusal of any kind.
    pub fn is_refused(&self) -> bool {
        self.0["result"]["isError"] == true || self.0.get("error").is_some()
    }

    /// The first block of text.
    pub fn text(&self) -> &str {
        self.0["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
    }
}

impl Server {
    /// Starts one in `folder`.
    #[track_caller]
    pub fn start(world: &Hermetic, folder: &Path) -> Self {
        Self::start_with(world, folder, &[])
    }

    /// Starts one in `folder` with more arguments.
    #[track_caller]
    pub fn start_with(world: &Hermetic, folder: &Path, args: &[&str]) -> Self {
        let mut server = Self::spawn(world, folder, args);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": CLIENT, "version": "1.2.3"},
        });
        server.initialized = server.request("initialize", &hello).0;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.send(&ready);
        server
    }

    /// Starts one that has not been greeted yet.
    #[track_caller]
    pub fn spawn(world: &Hermetic, folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_taffrail"))
            .arg("serve-mcp")
            .args(args)
            .env_clear()
            .envs(world.env())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let said = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(said).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            lines,
            next: 1,
            initialized: Value::Null,
            told: Vec::new(),
        }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are, with a line's end. A server that is gone is no error here.
    pub fn send_line(&mut self, line: &[u8]) {
        if let Some(input) = &mut self.input {
            let whole = [line, b"\n"].concat();
            input
                .write_all(&whole)
                .and_then(|()| input.flush())
                .unwrap_or_default();
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message; `None` when the server is gone.
    #[track_caller]
    pub fn receive(&self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server did not answer"),
        }
    }

    /// The answer to the request of that id; `None` when the server is gone before it.
    #[track_caller]
    pub fn answer_to(&mut self, id: u64) -> Option<Answer> {
        loop {
            let message = self.receive()?;
            if message["id"] == id {
                return Some(Answer(message));
            }
            self.told.push(message);
        }
    }

    /// A request and its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Answer {
        let id = self.ask(method, params);
        self.answer_to(id).expect("the server lives")
    }

    /// Sends a call of a tool and returns its id.
    pub fn ask_tool(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// A call of a tool and its answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        self.try_call(tool, arguments).expect("the server lives")
    }

    /// A call of a tool and its answer; `None` when the server is gone before it.
    #[track_caller]
    pub fn try_call(&mut self, tool: &str, arguments: &Value) -> Option<Answer> {
        let id = self.ask_tool(tool, arguments);
        self.answer_to(id)
    }

    /// `slate.open` of an id.
    #[track_caller]
    pub fn open(&mut self, id: &str) -> Value {
        let answer = self.call("slate.open", &json!({"externalSessionId": id}));
        answer.done().clone()
    }

    /// `slate.writeSeed` without a kind.
    #[track_caller]
    pub fn write(&mut self, id: &str, text: &str) -> Value {
        let arguments = json!({"externalSessionId": id, "text": text});
        self.call("slate.writeSeed", &arguments).done().clone()
    }

    /// `slate.close` of an id.
    #[track_caller]
    pub fn close(&mut self, id: &str) -> Value {
        let answer = self.call("slate.close", &json!({"externalSessionId": id}));
        answer.done().clone()
    }

    /// The tools that are listed, by name.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", &json!({}));
        answer.0["result"]["tools"].as_array().unwrap().clone()
    }

    /// Kills it as the system does, and waits until it is gone.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes its input and gives the code that it ended with.
    #[track_caller]
    pub fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        while self.receive().is_some() {}
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

/// The folders of slates that a home has, one for each project.
pub fn slate_folders(world: &Hermetic) -> Vec<PathBuf> {
    let all = world.taffrail_home().join("external-slates");
    let mut folders: Vec<PathBuf> = entries(&all)
        .into_iter()
        .filter(|path| path.is_dir() && path.file_name().is_some_and(|name| name != "locks"))
        .collect();
    folders.sort();
    folders
}

/// The only folder of slates.
#[track_caller]
pub fn slate_folder(world: &Hermetic) -> PathBuf {
    let folders = slate_folders(world);
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders.into_iter().next().unwrap()
}

/// Files of open slates.
pub fn live_files(world: &Hermetic) -> Vec<PathBuf> {
    let folders = slate_folders(world);
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|path| json_files(path)).collect();
    files.sort();
    files
}

/// Files of closed slates.
pub fn closed_files(world: &Hermetic) -> Vec<PathBuf> {
    let folders = slate_folders(world);
    let closed = folders
        .iter()
        .flat_map(|path| json_files(&path.join("closed")));
    let mut files: Vec<PathBuf> = closed.collect();
    files.sort();
    files
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    entries(folder).into_iter().filter(is_json).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// The record in a file.
#[track_caller]
pub fn record(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap();
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Makes an open slate look as if nobody had written for a year.
#[track_caller]
pub fn make_idle(path: &Path) {
    set_last_write(path, "2020-01-01T00:00:00.000Z");
}

/// Gives an open slate another time of its last write, in a file of its own, as the server does it.
#[track_caller]
pub fn set_last_write(path: &Path, at: &str) {
    let mut slate = record(path);
    slate["lastWriteAt"] = json!(at);
    let new = path.with_extension("new");
    std::fs::write(&new, slate.to_string()).unwrap();
    std::fs::rename(&new, path).unwrap();
}
