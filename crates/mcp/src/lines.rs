//! One JSON-RPC message a line, over any pair of streams: the SDK's transport with our own bounds and manners.
//!
//! - A line has a limit. A longer one is skipped, answered with an error, and the connection goes on.
//! - What is no JSON, or no message, is answered with an error, by its id where it has one.
//! - So many requests may be unanswered, and so many bytes of answers unread; then no more is read, and the sender's pipe
//!   fills: back-pressure.
//! - The last line may lack its newline.
//! - A peer that reads no more ends the connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A message's largest size, in bytes. The largest call, `slate.open` at its limits, has some 1.3 MB when every
/// character is escaped.
pub(crate) const LINE_LIMIT: usize = 4 * 1024 * 1024;

/// So many requests of one connection may be unanswered.
const UNANSWERED: usize = 256;

/// Bytes of answers that may wait for their reader: the largest one there is, and its JSON twice.
const OWED: usize = 32 * 1024 * 1024;

/// How much of a connection may be open at once.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// Bytes of one message.
    pub(crate) line: usize,
    /// Brackets and commas of one message.
    pub(crate) values: usize,
    /// Bytes of answers that may wait for their reader before more is read.
    pub(crate) owed: usize,
    /// Requests that may be unanswered; shared by whoever shares it.
    pub(crate) unanswered: Arc<Semaphore>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            line: LINE_LIMIT,
            values: LINE_LIMIT,
            owed: OWED,
            unanswered: Arc::new(Semaphore::new(UNANSWERED)),
        }
    }
}

/// Bytes of answers that are on their way out.
#[derive(Default)]
struct Owed {
    bytes: AtomicUsize,
    less: Notify,
}

/// A part of what is owed; given back when it goes.
struct Share(Arc<Owed>, usize);

impl Share {
    fn of(owed: &Arc<Owed>, bytes: usize) -> Self {
        owed.bytes.fetch_add(bytes, Ordering::SeqCst);
        Self(Arc::clone(owed), bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.bytes.fetch_sub(self.1, Ordering::SeqCst);
        self.0.less.notify_waiters();
    }
}

/// A line's buffer keeps so much between messages.
const KEPT: usize = 64 * 1024;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// See the module.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is being skipped.
    skipping: bool,
    ended: bool,
    write: Arc<Mutex<W>>,
    bounds: Bounds,
    owed: Arc<Owed>,
    /// The place of the next request; kept over cancelled polls.
    place: Option<OwnedSemaphorePermit>,
    /// Answers to nonsense that are being written.
    refusals: JoinSet<()>,
    /// Cancelled when the peer reads no more.
    broken: CancellationToken,
}

/// What a read of one line came to.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, broken: CancellationToken, bounds: Bounds) -> Self {
        Self {
            read: BufReader::with_capacity(KEPT, read),
            line: Vec::new(),
            skipping: false,
            ended: false,
            write: Arc::new(Mutex::new(write)),
            bounds,
            owed: Arc::default(),
            place: None,
            refusals: JoinSet::new(),
            broken,
        }
    }

    /// Reads on until a line is whole. A cancelled poll loses nothing: what was taken lies in `line`.
    async fn next_line(&mut self) -> Line {
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) | Err(_) => return self.end(),
                Ok(available) => available,
            };
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let fits = self.line.len() + taken <= self.bounds.line + 1;
            if fits && !self.skipping {
                self.line
                    .extend_from_slice(available.get(..taken).unwrap_or_default());
            } else {
                self.skipping = true;
                self.line.clear();
            }
            self.read.consume(taken);
            if newline.is_some() {
                return self.line_end();
            }
        }
    }

    fn line_end(&mut self) -> Line {
        if std::mem::take(&mut self.skipping) {
            Line::TooLong
        } else {
            Line::Whole
        }
    }

    /// The stream is at its end; a last line without its newline still counts.
    fn end(&mut self) -> Line {
        self.ended = true;
        if std::mem::take(&mut self.skipping) {
            return Line::TooLong;
        }
        if self.line.is_empty() {
            return Line::End;
        }
        Line::Whole
    }

    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Value> {
        let values = self.line.iter().filter(|at| b"{[,".contains(at)).count();
        let parsed = if values > self.bounds.values {
            let why = format!("the message has more than {} values", self.bounds.values);
            Err(error(&Value::Null, INVALID_REQUEST, &why))
        } else {
            parsed(&self.line)
        };
        self.line.clear();
        self.line.shrink_to(KEPT);
        parsed
    }

    /// Answers what is no message. The answer takes a request's place, so that a flood of nonsense is held up, too.
    fn refuse(&mut self, error: &Value) {
        let mut bytes = error.to_string().into_bytes();
        bytes.push(b'\n');
        let place = self.place.take();
        let sending = write_out(self.write.clone(), self.broken.clone(), bytes);
        while self.refusals.try_join_next().is_some() {}
        self.refusals.spawn(async move {
            // A peer that reads no more ends the connection; that is all there is to do.
            sending.await.ok();
            drop(place);
        });
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let bytes = serde_json::to_vec(&item).map(|mut bytes| {
            bytes.push(b'\n');
            bytes
        });
        let (write, broken) = (self.write.clone(), self.broken.clone());
        let share = Share::of(&self.owed, bytes.as_ref().map_or(0, Vec::len));
        async move {
            let sent = write_out(write, broken, bytes?).await;
            drop(share);
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if !self.ended {
                caught_up(&self.owed, self.bounds.owed).await;
            }
            if self.place.is_none() {
                self.place = self.bounds.unanswered.clone().acquire_owned().await.ok();
            }
            if self.ended {
                while self.refusals.join_next().await.is_some() {}
                return None;
            }
            match self.next_line().await {
                Line::End => {}
                Line::TooLong => self.refuse(&error(
                    &Value::Null,
                    INVALID_REQUEST,
                    &format!("the message exceeds the {}-byte limit", self.bounds.line),
                )),
                Line::Whole => match self.message() {
                    Ok(Some(message)) => return Some(placed(message, &mut self.place)),
                    Ok(None) => {}
                    Err(error) => self.refuse(&error),
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.lock().await.shutdown().await
    }
}

/// Waits while more is owed than may be. Once nothing comes in any more nobody waits: everything that is owed goes out.
async fn caught_up(owed: &Owed, most: usize) {
    loop {
        let less = owed.less.notified();
        if owed.bytes.load(Ordering::SeqCst) <= most {
            return;
        }
        less.await;
    }
}

async fn write_out<W: AsyncWrite + Unpin>(
    write: Arc<Mutex<W>>,
    broken: CancellationToken,
    bytes: Vec<u8>,
) -> io::Result<()> {
    let mut write = write.lock().await;
    let mut outcome = write.write_all(&bytes).await;
    if outcome.is_ok() {
        outcome = write.flush().await;
    }
    if outcome.is_err() {
        broken.cancel();
    }
    outcome
}

/// A request takes its place along until its handler is done.
fn placed(
    mut message: ClientJsonRpcMessage,
    place: &mut Option<OwnedSemaphorePermit>,
) -> ClientJsonRpcMessage {
    if let JsonRpcMessage::Request(request) = &mut message
        && let Some(place) = place.take()
    {
        request.request.extensions_mut().insert(Arc::new(place));
    }
    message
}

/// The message of a line; none for what may be passed over in silence; else the error to answer with.
fn parsed(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice(line) {
        // The SDK takes a request whose parameters are a list for a notification, and would never answer it.
        Ok(JsonRpcMessage::Notification(_)) if has_id(line) => {}
        Ok(message) => return Ok(Some(message)),
        Err(_) => {}
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|_| error(&Value::Null, PARSE_ERROR, "the line is no JSON"))?;
    let id = value.get("id").cloned().unwrap_or_default();
    let is_notification = id.is_null() && value.get("method").is_some_and(Value::is_string);
    let is_answer = value.get("result").is_some() || value.get("error").is_some();
    if is_notification || is_answer {
        return Ok(None);
    }
    let id = if id.is_string() || id.is_number() {
        id
    } else {
        Value::Null
    };
    Err(error(
        &id,
        INVALID_REQUEST,
        "the line is no message of the protocol",
    ))
}

fn has_id(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line)
        .is_ok_and(|value| value.get("id").is_some_and(|id| !id.is_null()))
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
