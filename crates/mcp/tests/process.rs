//! A whole process: what it writes, and how it ends.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Starts the example server, and looks at it from outside.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use taffrail_domain::Transport;
use taffrail_mcp::client::Client;
use taffrail_mcp::{ClientName, Offer, OfferedTo, tools};

/// The example, which cargo builds beside the tests.
fn server() -> Command {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples/remembering_server");
    assert!(
        path.exists(),
        "build the examples first: {}",
        path.display()
    );
    let mut command = Command::new(path);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn greeted() -> Self {
        let mut child = server().spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self {
            child,
            input,
            output,
        };
        server.say(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        );
        assert_eq!(server.hear()["result"]["serverInfo"]["name"], "taffrail");
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(killed.success());
    }

    /// How it ended, and what it wrote after what was read.
    fn end(mut self) -> (ExitStatus, String, String) {
        drop(self.input.take());
        self.waited()
    }

    fn waited(&mut self) -> (ExitStatus, String, String) {
        let (mut out, mut error) = (String::new(), String::new());
        self.output.read_to_string(&mut out).unwrap();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut error).unwrap();
        (self.child.wait().unwrap(), out, error)
    }
}

fn close(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "slate.close", "arguments": {"externalSessionId": "a"}}})
}

#[test]
fn mcp_01_standard_output_holds_the_protocol_and_nothing_else_and_an_end_is_clean() {
    let mut server = Server::greeted();
    for id in 1..=50 {
        server.say(&close(id));
    }
    server.say(&json!({"jsonrpc": "2.0", "id": 51, "method": "tools/call",
        "params": {"name": "nothing"}}));
    let (status, out, error) = server.end();
    assert!(status.success(), "{status}");
    assert_eq!(error, "");
    assert_eq!(out.lines().count(), 51);
    for line in out.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
    }
}

#[test]
fn mcp_01_a_signal_ends_it_while_its_input_stays_open() {
    for name in ["-TERM", "-INT"] {
        let mut server = Server::greeted();
        server.signal(name);
        let (status, out, error) = server.waited();
        assert!(status.success(), "{name}: {status}");
        assert_eq!((&*out, &*error), ("", ""));
    }
}

/// Clients on Node give their children sockets, not pipes.
#[test]
fn mcp_01_sockets_as_standard_streams_are_served_and_a_signal_still_ends_it() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut child = server()
        .stdin(OwnedFd::from(theirs.try_clone().unwrap()))
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    let client = Client::over_pipes(ours.try_clone().unwrap(), ours, &name()).unwrap();
    let closed = client.call("slate.close", json!({"externalSessionId": "a"}));
    assert_eq!(closed.unwrap()["closed"], true);
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(killed.success());
    assert!(child.wait().unwrap().success());
}

fn name() -> ClientName {
    ClientName {
        name: "test".to_owned(),
        version: "1".to_owned(),
    }
}

#[test]
fn mcp_01_a_client_that_goes_without_a_word_ends_it_quietly() {
    let mut child = server().spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The input stays open: only the broken output can end it. A process that another test starts at this moment holds a copy
    // of the output's end until it is the program that it becomes: an answer may still find a reader, a later one does not.
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // Nobody reads it any more once the server goes.
        drop(writeln!(input, "{}", close(1)));
        std::thread::yield_now();
    };
    let mut error = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut error).unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(error, "");
}

#[test]
fn mcp_01_the_blocking_client_speaks_to_a_process() {
    let mut child = server().spawn().unwrap();
    let (output, input) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let client = Client::over_pipes(output, input, &name()).unwrap();
    let offer = Offer {
        read_only: false,
        transport: Transport::Stdio,
        to: OfferedTo::Program,
    };
    assert_eq!(client.list_tools().unwrap(), tools(&offer));
    assert_eq!(client.greeting().unwrap().name, "taffrail");
    let closed = client.call("slate.close", json!({"externalSessionId": "a"}));
    assert_eq!(closed.unwrap()["closed"], true);
    let refused = client.call("slate.close", json!({})).unwrap_err();
    assert_eq!(refused.message, "'externalSessionId' is required");
    client.close();
    assert!(child.wait().unwrap().success());
}

#[test]
fn mcp_01_over_http_it_announces_itself_after_it_listens_and_ends_by_a_signal() {
    let mut child = server().args(["http", "0"]).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let (url, token) = line.trim().split_once(' ').unwrap();
    assert_eq!(token, "07".repeat(32));
    let address = url
        .strip_prefix("http://")
        .unwrap()
        .strip_suffix("/mcp")
        .unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /mcp HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(child.wait().unwrap().success());
}
