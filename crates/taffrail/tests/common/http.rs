//! `taffrail serve-mcp --http` and raw bytes on its socket: what a browser would not send can be sent too.
// Some test programs allow less, and a helper's panic is the test's failure.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};
use taffrail_testkit::{Hermetic, Running};

use super::PATIENCE;

/// A server over HTTP.
pub struct HttpServer {
    /// The process.
    pub running: Running,
    /// Where it is.
    pub url: String,
    /// What it asks for.
    pub token: String,
    /// Its port.
    pub port: u16,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body as it came.
    pub body: String,
}

impl HttpServer {
    /// Starts one in `folder` on a free port.
    #[track_caller]
    pub fn start(world: &Hermetic, folder: &Path) -> Self {
        let line = ["serve-mcp", "--http"];
        let run = world
            .command(&line)
            .in_directory(folder)
            .limit(PATIENCE * 8);
        let running = run.start();
        running.wait_for("}\n", PATIENCE);
        let said: Value = serde_json::from_str(&running.stdout()).unwrap();
        let url = said["url"].as_str().unwrap().to_owned();
        let port = url.rsplit(':').next().unwrap().split('/').next().unwrap();
        Self {
            port: port.parse().unwrap(),
            token: said["token"].as_str().unwrap().to_owned(),
            running,
            url,
        }
    }

    /// A request with exactly these header lines and `Connection: close`.
    #[track_caller]
    pub fn request(&self, line: &str, headers: &[String], body: &str) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers: String = headers
            .iter()
            .map(|header| format!("{header}\r\n"))
            .collect();
        let head = format!(
            "{line} HTTP/1.1\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let whole = head + body;
        // A server that refuses may not read the whole of it.
        stream.write_all(whole.as_bytes()).unwrap_or_default();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Reply {
            status: status.unwrap_or(0),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// The header lines of a client that has the token.
    pub fn headers(&self) -> Vec<String> {
        vec![
            format!("Host: 127.0.0.1:{}", self.port),
            format!("Authorization: Bearer {}", self.token),
            "Content-Type: application/json".to_owned(),
            "Accept: application/json, text/event-stream".to_owned(),
        ]
    }

    /// A session: its header lines.
    #[track_caller]
    pub fn session(&self) -> Vec<String> {
        let reply = self.request("POST /mcp", &self.headers(), &hello());
        assert_eq!(reply.status, 200, "{reply:?}");
        let line = reply
            .head
            .lines()
            .find(|line| line.starts_with("mcp-session-id:"));
        let mut headers = self.headers();
        headers.push(line.unwrap().to_owned());
        headers.push("Mcp-Protocol-Version: 2025-11-25".to_owned());
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let reply = self.request("POST /mcp", &headers, &ready.to_string());
        assert_eq!(reply.status, 202, "{reply:?}");
        headers
    }
}

impl Reply {
    /// The JSON-RPC message in it, whether it came as an event or as it is.
    #[track_caller]
    pub fn message(&self) -> Value {
        let start = self.body.find("{\"").unwrap_or_else(|| panic!("{self:?}"));
        let line = self.body.get(start..).unwrap().lines().next().unwrap();
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The first message of a session.
pub fn hello() -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": super::mcp::CLIENT, "version": "1.2.3"},
    }});
    hello.to_string()
}
