//! The HTTP server through raw sockets: each refusal beside its twin that passes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_domain::Transport;
use tokio_util::sync::CancellationToken;

use super::wire::{call, initialize};
use super::{Fake, about, fitting};
use crate::http::{Door, LIMITS, Limits, bound, serve_connections};
use crate::stdio::{runtime, server};
use crate::{HttpOptions, Offer, ServeError, serve_http};

const TOKEN: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

const HTTP: Offer = Offer {
    read_only: false,
    transport: Transport::Http,
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

#[test]
fn web_02_no_token_or_a_wrong_one_is_401_before_anything_else() {
    let served = serve();
    let good = served.hello();
    assert_eq!(served.ask(&good).status, 200);
    for wrong in [
        good.clone().without("Authorization"),
        good.clone().with("Authorization", "Bearer "),
        good.clone()
            .with("Authorization", format!("Bearer {}", "0".repeat(64))),
        good.clone()
            .with("Authorization", format!("Bearer {TOKEN}0")),
        good.clone()
            .with("Authorization", format!("Bearer {}", &TOKEN[..63])),
        good.clone().with("Authorization", TOKEN),
        good.clone().with("Authorization", format!("Basic {TOKEN}")),
        good.clone().and("Authorization", format!("Bearer {TOKEN}")),
        good.clone()
            .with("Authorization", format!("Bearer {}", TOKEN.to_uppercase())),
    ] {
        let reply = served.ask(&wrong);
        assert_eq!(reply.status, 401, "{reply:?}");
        assert_eq!(reply.header("www-authenticate"), Some("bearer"));
        // Whatever else is wrong, or whichever path or method: the token comes first.
        for line in [
            "GET / HTTP/1.1",
            "DELETE /mcp HTTP/1.1",
            "OPTIONS /mcp HTTP/1.1",
            "TRACE /x HTTP/1.1",
        ] {
            let also = wrong
                .clone()
                .line(line)
                .with("Host", "evil.example")
                .with("Origin", "http://evil.example");
            assert_eq!(served.ask(&also).status, 401);
        }
    }
    // The scheme's name is of no case, as HTTP has it.
    let lower = good.with("Authorization", format!("bearer {TOKEN}"));
    assert_eq!(served.ask(&lower).status, 200);
}

#[test]
fn web_02_a_host_that_is_not_ours_is_403() {
    let served = serve();
    let port = served.at.port();
    let good = served.hello();
    for ours in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("LOCALHOST:{port}"),
    ] {
        assert_eq!(served.ask(&good.clone().with("Host", ours)).status, 200);
    }
    for theirs in [
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.1:{port}.evil.example"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.2:{port}"),
        format!("0.0.0.0:{port}"),
        "::1".to_owned(),
    ] {
        let reply = served.ask(&good.clone().with("Host", &theirs));
        assert!(matches!(reply.status, 400 | 403), "{theirs}: {reply:?}");
    }
    assert_eq!(served.ask(&good.clone().without("Host")).status, 403);
    let two = good.clone().and("Host", "evil.example");
    assert!(matches!(served.ask(&two).status, 400 | 403));
    // The host in the request's own line counts, too.
    let proxied = good
        .clone()
        .line(&format!("POST http://evil.example:{port}/mcp HTTP/1.1"));
    assert_eq!(served.ask(&proxied).status, 403);
    let own = good.line(&format!("POST http://127.0.0.1:{port}/mcp HTTP/1.1"));
    assert_eq!(served.ask(&own).status, 200);
}

#[test]
fn web_02_an_origin_that_is_not_ours_is_403() {
    let served = serve();
    let port = served.at.port();
    let good = served.hello();
    for ours in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
    ] {
        let reply = served.ask(&good.clone().with("Origin", ours));
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    for theirs in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port}/"),
        String::new(),
    ] {
        let reply = served.ask(&good.clone().with("Origin", &theirs));
        assert_eq!(reply.status, 403, "{theirs}: {reply:?}");
    }
    let two = good
        .and("Origin", format!("http://127.0.0.1:{port}"))
        .and("Origin", "http://evil.example");
    assert_eq!(served.ask(&two).status, 403);
}

#[test]
fn web_02_a_browsers_question_before_a_request_gets_no_leave() {
    let served = serve();
    let port = served.at.port();
    let asks = served
        .hello()
        .line("OPTIONS /mcp HTTP/1.1")
        .with("Access-Control-Request-Method", "POST")
        .with("Origin", format!("http://127.0.0.1:{port}"));
    for asks in [asks.clone(), asks.without("Authorization")] {
        let reply = served.ask(&asks);
        assert!(matches!(reply.status, 401 | 403), "{reply:?}");
        assert!(!reply.head.contains("access-control"), "{reply:?}");
    }
}

#[test]
fn web_02_paths_methods_and_content_types_are_few() {
    let served = serve();
    let good = served.hello();
    for (line, status) in [
        ("POST / HTTP/1.1", 404),
        ("POST /mcp/ HTTP/1.1", 404),
        ("POST /MCP HTTP/1.1", 404),
        ("POST /mcp/../mcp HTTP/1.1", 404),
        ("POST /.well-known/oauth-protected-resource HTTP/1.1", 404),
        ("PUT /mcp HTTP/1.1", 405),
        ("HEAD /mcp HTTP/1.1", 405),
        ("PATCH /mcp HTTP/1.1", 405),
        ("TRACE /mcp HTTP/1.1", 405),
        ("OPTIONS /mcp HTTP/1.1", 405),
        ("BREW /mcp HTTP/1.1", 405),
    ] {
        assert_eq!(
            served.ask(&good.clone().line(line)).status,
            status,
            "{line}"
        );
    }
    let tunnel = format!("CONNECT 127.0.0.1:{} HTTP/1.1", served.at.port());
    assert_eq!(served.ask(&good.clone().line(&tunnel)).status, 404);
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "",
    ] {
        let reply = served.ask(&good.clone().with("Content-Type", kind));
        assert_eq!(reply.status, 415, "{kind}");
    }
    assert_eq!(
        served.ask(&good.clone().without("Content-Type")).status,
        415
    );
    let charset = good.with("Content-Type", "application/json; charset=utf-8");
    assert_eq!(served.ask(&charset).status, 200);
}

#[test]
fn web_02_a_body_has_a_limit() {
    let served = serve();
    let mut over = served.hello();
    over.body = vec![b' '; 4 * 1024 * 1024 + 1];
    assert_eq!(served.ask(&over).status, 413);
    // What is announced is refused before it is sent.
    let mut announced = served.hello().with("Content-Length", "4194305");
    announced.body.clear();
    assert_eq!(served.ask(&announced).status, 413);
    // What is not announced is counted.
    let mut chunked = served.hello().with("Transfer-Encoding", "chunked");
    chunked.body = format!(
        "{:x}\r\n{}\r\n0\r\n\r\n",
        over.body.len(),
        " ".repeat(over.body.len())
    )
    .into_bytes();
    assert_eq!(served.ask(&chunked).status, 413);
    // The twins: one at the limit passes, announced or not.
    let mut most = served.hello();
    most.body.resize(4 * 1024 * 1024, b' ');
    assert_eq!(served.ask(&most).status, 200);
    let body = initialize("2025-11-25").to_string();
    let mut chunked = served.hello().with("Transfer-Encoding", "chunked");
    chunked.body = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes();
    assert_eq!(served.ask(&chunked).status, 200);
}

/// A session's id, and a request of that session.
fn session(served: &Served) -> String {
    let reply = served.ask(&served.hello());
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.header("mcp-session-id").unwrap().to_owned()
}

fn within(served: &Served, session: &str, message: &Value) -> Reply {
    served.ask(&served.good(message).with("Mcp-Session-Id", session))
}

#[test]
fn xsl_02_slates_are_denied_before_the_host() {
    let served = serve();
    let id = session(&served);
    for tool in ["slate.open", "slate.writeSeed", "slate.close"] {
        let reply = within(&served, &id, &call(1, tool, fitting(tool)));
        let result = &reply.message()["result"];
        assert_eq!(
            result["structuredContent"],
            json!({"code": "slate_transport_denied"})
        );
        assert_eq!(result["isError"], false);
    }
    let listing = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let tools = within(&served, &id, &listing).message()["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 10);
}

#[test]
fn mcp_01_calls_go_through_and_a_session_ends_when_asked() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let id = session(&served);
    for tool in [
        "notebook_read",
        "memory_recall",
        "search_text",
        "list_files",
    ] {
        let reply = within(&served, &id, &call(1, tool, fitting(tool)));
        assert_eq!(reply.message()["result"]["isError"], false, "{reply:?}");
    }
    let seen = host.seen();
    assert_eq!(seen.len(), 4);
    assert_eq!(seen[0].caller.transport, Transport::Http);
    assert_eq!(seen[0].caller.client.as_ref().unwrap().name, "raw");
    let wrong = within(&served, &id, &call(2, "read_file", json!("x")));
    assert_eq!(wrong.message()["result"]["isError"], true);

    let end = served
        .hello()
        .line("DELETE /mcp HTTP/1.1")
        .with("Mcp-Session-Id", &id);
    assert!(served.ask(&end).status < 300);
    assert_eq!(
        within(&served, &id, &call(3, "notebook_read", json!({}))).status,
        404
    );
}

#[test]
fn mcp_01_the_version_without_sessions_is_served_too() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let mut message = call(1, "notebook_read", json!({}));
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "stateless", "version": "2"},
    });
    let asks = served
        .good(&message)
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", "tools/call")
        .with("Mcp-Name", "notebook_read");
    let reply = served.ask(&asks);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(
        host.seen()[0].caller.client.as_ref().unwrap().name,
        "stateless"
    );
}

#[test]
fn mcp_01_sessions_are_bounded_and_the_oldest_goes() {
    let host = Arc::new(Fake::default());
    let served = Served::start(&host);
    let sessions: Vec<_> = (0..64).map(|_| session(&served)).collect();
    let asks = |id: &str| within(&served, id, &call(1, "notebook_read", json!({}))).status;
    // The first is used once more, so the second is now the one used longest ago.
    assert_eq!(asks(&sessions[0]), 200);
    let last = session(&served);
    assert_eq!(asks(&sessions[1]), 404);
    assert_eq!(asks(&sessions[0]), 200);
    assert_eq!(asks(&sessions[63]), 200);
    assert_eq!(asks(&last), 200);
}

#[test]
fn mcp_01_who_is_slow_or_silent_is_let_go() {
    let limits = Limits {
        head: Duration::from_millis(100),
        body: Duration::from_millis(100),
        ..LIMITS
    };
    let served = Served::with(&Arc::new(Fake::default()), limits);
    for begun in [
        "",
        "POST /mcp HTT",
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    ] {
        let mut stream = served.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert_ne!(Reply::of(&answer).status, 200, "{begun:?}");
    }
    let mut slow = served.hello().with("Content-Length", "100");
    slow.body = b"{".to_vec();
    assert_eq!(served.ask(&slow).status, 408);
}

#[test]
fn mcp_01_connections_are_bounded_and_more_wait() {
    let limits = Limits {
        connections: 2,
        ..LIMITS
    };
    let served = Served::with(&Arc::new(Fake::default()), limits);
    let silent = [served.connect(), served.connect()];
    let mut third = served.connect();
    third.write_all(&served.hello().bytes()).unwrap();
    third
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    assert!(third.read(&mut [0; 1]).is_err(), "a third was served");
    drop(silent);
    third.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut answer = Vec::new();
    third.read_to_end(&mut answer).unwrap();
    assert_eq!(Reply::of(&answer).status, 200);
}

#[test]
fn mcp_01_only_loopback_is_bound() {
    let served = serve();
    assert!(served.at.ip().is_loopback());
    assert_eq!(served.at.ip().to_string(), "127.0.0.1");
}

#[test]
fn mcp_01_a_port_that_is_taken_is_named() {
    let served = serve();
    let options = HttpOptions {
        port: served.at.port(),
        token: [7; 32],
    };
    let host = Arc::new(Fake::default());
    let announced = |_: &str, _: &str| panic!("announced what is not bound");
    let error = serve_http(host, &HTTP, &about(), &options, announced).unwrap_err();
    assert!(
        matches!(error, ServeError::AddressTaken { port } if port == served.at.port()),
        "{error}"
    );
    assert!(
        !format!("{options:?}").contains("7, 7"),
        "the token is shown"
    );
}

#[test]
fn web_02_a_full_answer_says_that_it_is_no_page() {
    let served = serve();
    for request in [served.hello(), served.hello().without("Authorization")] {
        let reply = served.ask(&request);
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(
            reply.header("cache-control").unwrap().contains("no-"),
            "{reply:?}"
        );
    }
}
