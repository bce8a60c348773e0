//! The HTTP server through raw sockets.

mod gate;
mod service;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use taffrail_domain::Transport;
use tokio_util::sync::CancellationToken;

use super::wire::initialize;
use super::{Fake, about};
use crate::http::{Door, LIMITS, Limits, bound, serve_connections};
use crate::stdio::{runtime, server};
use crate::{Offer, OfferedTo};

const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

const HTTP: Offer = Offer {
    read_only: false,
    transport: Transport::Http,
    to: OfferedTo::Program,
};

const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a thread of its own, stopped when dropped.
struct Served {
    at: SocketAddr,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn start(host: &Arc<Fake>) -> Self {
        Self::with(host, LIMITS)
    }

    fn with(host: &Arc<Fake>, limits: Limits) -> Self {
        let (tell, told) = channel();
        let stop = CancellationToken::new();
        let (host, stopped) = (host.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let runtime = runtime().unwrap();
            runtime.block_on(async {
                let (listener, port) = bound(0).await.unwrap();
                let server = server(host, HTTP, &about()).unwrap();
                let door = Door::new(server, TOKEN, port, &stopped).with_limits(limits);
                tell.send(listener.local_addr().unwrap()).unwrap();
                serve_connections(&listener, &Arc::new(door), &stopped).await;
            });
            runtime.shutdown_background();
        });
        Self {
            at: told.recv().unwrap(),
            stop,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn ask(&self, request: &Request) -> Reply {
        let mut stream = self.connect();
        let mut bytes = Vec::new();
        // A server that refuses while we still write breaks the connection; what it said has come.
        stream.write_all(&request.bytes()).ok();
        stream.read_to_end(&mut bytes).ok();
        Reply::of(&bytes)
    }

    /// A request that everybody should let pass.
    fn good(&self, body: &Value) -> Request {
        let port = self.at.port();
        Request {
            line: "POST /mcp HTTP/1.1".to_owned(),
            headers: vec![
                ("Host", format!("127.0.0.1:{port}")),
                ("Authorization", format!("Bearer {TOKEN}")),
                ("Content-Type", "application/json".to_owned()),
                ("Accept", "application/json, text/event-stream".to_owned()),
                ("Connection", "close".to_owned()),
            ],
            body: body.to_string().into_bytes(),
        }
    }

    fn hello(&self) -> Request {
        self.good(&initialize("2025-11-25"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[derive(Clone)]
struct Request {
    line: String,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Request {
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self = self.without(name);
        self.headers.push((name, value.into()));
        self
    }

    fn and(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    fn line(self, line: &str) -> Self {
        Self {
            line: line.to_owned(),
            ..self
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let is_chunked = self
            .headers
            .iter()
            .any(|(name, _)| *name == "Transfer-Encoding");
        if !is_chunked
            && self
                .headers
                .iter()
                .all(|(name, _)| *name != "Content-Length")
        {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        let mut bytes = format!("{text}\r\n").into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Self {
            status: status.unwrap_or(0),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let named = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(&named))
    }

    /// The last message of an event stream.
    fn message(&self) -> Value {
        let mut data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let last = data.rfind(|data| !data.is_empty());
        serde_json::from_str(last.unwrap_or_else(|| panic!("{self:?}"))).unwrap()
    }
}

fn serve() -> Served {
    Served::start(&Arc::new(Fake::with(|_, _| panic!("the host was touched"))))
}
