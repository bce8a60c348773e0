//! A client of three requests around one `fake-agent`.
// Each test program uses a part of it.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use taffrail_testkit::eventually;

const LIMIT: Duration = Duration::from_secs(60);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

impl Client {
    pub fn start(script: &str) -> Self {
        Self::spawn(&["--inline", script])
    }

    pub fn spawn(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                let count = output.read_until(b'\n', &mut line).unwrap_or(0);
                if count == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            lines,
        }
    }

    pub fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub fn line(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(LIMIT).expect("a line of the agent")
    }

    pub fn message(&mut self) -> Value {
        serde_json::from_slice(&self.line()).expect("a message of the agent")
    }

    pub fn open(&mut self) {
        self.open_in(Path::new("/tmp"));
    }

    pub fn open_in(&mut self, folder: &Path) {
        self.open_with(&folder.display().to_string(), &json!([]));
    }

    /// The three requests with which a conversation begins, and the first two answers.
    pub fn open_with(&mut self, folder: &str, servers: &Value) {
        let params = json!({"protocolVersion": 1});
        self.request(1, "initialize", &params);
        assert_eq!(self.message()["result"]["protocolVersion"], 1);
        self.request(
            2,
            "session/new",
            &json!({"cwd": folder, "mcpServers": servers}),
        );
        let session = self.message()["result"]["sessionId"].clone();
        let prompt = json!([{"type": "text", "text": "task"}]);
        self.request(
            3,
            "session/prompt",
            &json!({"sessionId": session, "prompt": prompt}),
        );
    }

    pub fn request(&mut self, id: i64, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    pub fn terminate(&self) {
        rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    pub fn lives_for(&mut self, time: Duration) -> bool {
        !self.exited(time)
    }

    pub fn exited(&mut self, limit: Duration) -> bool {
        eventually(limit, || self.child.try_wait().unwrap().is_some())
    }

    /// All output that was not taken yet; the exit code is 0 while it lives.
    pub fn output_ended(&mut self, limit: Duration) -> (i32, Vec<u8>) {
        let mut out = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(limit) {
            out.extend(line);
        }
        (0, out)
    }

    /// The exit code, and all output that was not taken yet.
    pub fn bytes(mut self) -> (i32, Vec<u8>) {
        let (_, out) = self.output_ended(LIMIT);
        (self.code(), out)
    }

    /// The exit code and standard error, after its input has ended.
    pub fn end(mut self) -> (i32, String) {
        self.close_input();
        let mut text = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut text).unwrap();
        (self.code(), text)
    }

    fn code(&mut self) -> i32 {
        assert!(self.exited(LIMIT), "the agent lives on");
        let status = self.child.wait().unwrap();
        status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
