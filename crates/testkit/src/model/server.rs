//! The server: listens, hands each request to its wire format, records it.

use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::act::Scripts;
use super::conversation::{Conversation, Reply};
use super::http::{Request, send_events, send_json};
use super::wire::{Answer, Wire};
use crate::run::eventually;

/// One request that came in.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// `GET`, `POST`.
    pub method: String,
    /// With the query.
    pub path: String,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` when there was none, or none that is JSON.
    pub body: Value,
    /// The wire format, when the path is one of a model call.
    pub wire: Option<Wire>,
    /// Names of the tools that a model call declared, in order.
    pub tools: Vec<String>,
}

/// The server, listening on a port of 127.0.0.1. Dropped, it breaks all connections and ends.
#[derive(Debug)]
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    scripts: Scripts,
    recorded: Mutex<Vec<Recorded>>,
    connections: Mutex<Vec<TcpStream>>,
    answers: AtomicU64,
    stopping: AtomicBool,
}

impl ModelServer {
    /// Listens on a free port and follows `scripts`.
    ///
    /// # Panics
    /// When there is no free port.
    pub fn start(scripts: Scripts) -> Self {
        Self::start_on(0, scripts).expect("a free port on 127.0.0.1")
    }

    /// Listens on `port` of 127.0.0.1; 0 for a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn start_on(port: u16, scripts: Scripts) -> io::Result<Self> {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = socket.local_addr()?;
        let shared = Arc::new(Shared {
            scripts,
            recorded: Mutex::default(),
            connections: Mutex::default(),
            answers: AtomicU64::new(1),
            stopping: AtomicBool::new(false),
        });
        let for_listener = Arc::clone(&shared);
        let listener = std::thread::spawn(move || listen(&socket, &for_listener));
        Ok(Self {
            shared,
            address,
            listener: Some(listener),
        })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared.recorded).clone()
    }

    /// The requests so far that asked the model for something.
    pub fn model_calls(&self) -> Vec<Recorded> {
        self.requests()
            .into_iter()
            .filter(|request| request.wire.is_some())
            .collect()
    }

    /// Waits until `count` requests of any kind came in; whether they did within `limit`.
    pub fn wait_for_requests(&self, count: usize, limit: Duration) -> bool {
        eventually(limit, || lock(&self.shared.recorded).len() >= count)
    }

    /// Waits until the model was asked `count` times; whether it was within `limit`.
    pub fn wait_for_calls(&self, count: usize, limit: Duration) -> bool {
        eventually(limit, || self.model_calls().len() >= count)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees the flag; when that fails it has ended already.
        TcpStream::connect(self.address).ok();
        if let Some(listener) = self.listener.take() {
            listener.join().ok();
        }
        for stream in lock(&self.shared.connections).drain(..) {
            stream.shutdown(Shutdown::Both).ok();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("a lock of the model server")
}

fn listen(socket: &TcpListener, shared: &Arc<Shared>) {
    for stream in socket.incoming().flatten() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(copy) = stream.try_clone() {
            lock(&shared.connections).push(copy);
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || serve(stream, &shared));
    }
}

/// Whether the connection goes on after an answer.
enum After {
    Open,
    Closed,
}

/// Answers requests until either side closes. A client that goes away early is its own business.
fn serve(stream: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = Request::read(&mut reader) {
        let close = request.header("connection").eq_ignore_ascii_case("close");
        let after = answer(&mut reader, &request, shared);
        if close || !matches!(after, Ok(After::Open)) {
            break;
        }
    }
    reader.get_ref().shutdown(Shutdown::Both).ok();
}

fn answer(
    reader: &mut BufReader<TcpStream>,
    request: &Request,
    shared: &Shared,
) -> io::Result<After> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = request.path.split('?').next().unwrap_or_default();
    let wire = Wire::of(path).filter(|_| request.method == "POST");
    let conversation = wire.map(|wire| wire.conversation(&body));
    record(shared, request, &body, wire, conversation.as_ref());
    match (wire, conversation) {
        (Some(wire), Some(conversation)) => {
            let reply = conversation.reply(&shared.scripts);
            send_reply(
                reader,
                shared,
                &Asked {
                    wire,
                    path,
                    body: &body,
                },
                reply,
            )
        }
        _ => {
            let (status, answer) = side_answer(path);
            send_json(reader.get_mut(), status, &answer)?;
            Ok(After::Open)
        }
    }
}

fn record(
    shared: &Shared,
    request: &Request,
    body: &Value,
    wire: Option<Wire>,
    conversation: Option<&Conversation>,
) {
    let tools = conversation.map_or(&[][..], |said| said.tools.as_slice());
    lock(&shared.recorded).push(Recorded {
        method: request.method.clone(),
        path: request.path.clone(),
        headers: request.headers.clone(),
        body: body.clone(),
        wire,
        tools: tools.iter().map(|tool| tool.name.clone()).collect(),
    });
}

struct Asked<'a> {
    wire: Wire,
    path: &'a str,
    body: &'a Value,
}

fn send_reply(
    reader: &mut BufReader<TcpStream>,
    shared: &Shared,
    asked: &Asked<'_>,
    reply: Reply,
) -> io::Result<After> {
    let stream = reader.get_mut();
    let (parts, whole) = match reply {
        Reply::Error(status) => {
            send_json(stream, status, &asked.wire.error(status))?;
            return Ok(After::Open);
        }
        Reply::Silence => {
            wait_for_end(reader);
            return Ok(After::Closed);
        }
        Reply::Said { parts, whole } => (parts, whole),
    };
    let model = asked
        .body
        .get("model")
        .and_then(Value::as_str)
        .unwrap_or("scripted");
    let number = shared.answers.fetch_add(1, Ordering::SeqCst);
    let answer = Answer {
        model,
        parts: &parts,
        number,
    };
    if asked.wire.streams(asked.path, asked.body) {
        let (mut events, end) = asked.wire.events(&answer);
        events.extend(end.into_iter().filter(|_| whole));
        send_events(stream, &events, whole)?;
    } else if whole {
        send_json(stream, 200, &asked.wire.whole(&answer))?;
    } else {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{")?;
    }
    Ok(if whole { After::Open } else { After::Closed })
}

/// Reads until the client goes away, or the server breaks the connection.
fn wait_for_end(reader: &mut BufReader<TcpStream>) {
    let mut byte = [0_u8; 1];
    while reader.read(&mut byte).is_ok_and(|count| count > 0) {}
}

/// What is asked around model calls: which models there are, how many tokens a text has.
fn side_answer(path: &str) -> (u16, Value) {
    if path.ends_with("/models") {
        let id = "scripted";
        let data = json!([{"id": id, "object": "model", "type": "model", "created": 1, "owned_by": id, "display_name": id}]);
        let models = json!([{"name": format!("models/{id}"), "supportedGenerationMethods": ["generateContent"]}]);
        (
            200,
            json!({"object": "list", "data": data, "models": models, "has_more": false}),
        )
    } else if let Some((_, id)) = path
        .split_once("/models/")
        .filter(|(_, id)| !id.contains(':'))
    {
        (
            200,
            json!({"id": id, "object": "model", "name": format!("models/{id}"), "inputTokenLimit": 100_000, "outputTokenLimit": 8_000}),
        )
    } else if path.ends_with(":countTokens") {
        (200, json!({"totalTokens": 100}))
    } else if path.ends_with("/messages/count_tokens") {
        (200, json!({"input_tokens": 100}))
    } else {
        (
            404,
            json!({"error": {"type": "not_found_error", "code": 404, "message": format!("nothing at {path}")}}),
        )
    }
}
