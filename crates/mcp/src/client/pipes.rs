//! A client's transport over blocking streams: a thread reads lines, and writes go straight out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

/// A server's largest line, in bytes: an answer at its limit has its JSON twice, once escaped.
const LINE_LIMIT: u64 = 32 * 1024 * 1024;

/// So many lines may wait to be taken.
const WAITING: usize = 64;

type Sink = Arc<Mutex<Option<Box<dyn Write + Send>>>>;

pub(super) struct Pipes {
    lines: mpsc::Receiver<Vec<u8>>,
    write: Sink,
}

impl Pipes {
    /// Starts the reading thread; it ends with its stream, or when nobody takes its lines any more.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(
        read: impl Read + Send + 'static,
        write: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (give, lines) = mpsc::channel(WAITING);
        drop(
            Builder::new()
                .name("answers".to_owned())
                .spawn(move || pass_on(BufReader::new(read), &give))?,
        );
        Ok(Self {
            lines,
            write: Arc::new(Mutex::new(Some(Box::new(write)))),
        })
    }
}

fn pass_on(mut read: impl BufRead, give: &mpsc::Sender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        let got = read.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line);
        let is_whole = line.ends_with(b"\n");
        if got.is_err() || !is_whole || give.blocking_send(line).is_err() {
            return;
        }
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = write_line(&self.write, &item);
        async move { sent }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = self.lines.recv().await?;
            if let Ok(message) = serde_json::from_slice(&line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(locked(&self.write).take());
        Ok(())
    }
}

fn write_line(write: &Sink, item: &ClientJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(item)?;
    line.push(b'\n');
    let mut write = locked(write);
    let write = write
        .as_mut()
        .ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
    write.write_all(&line)?;
    write.flush()
}

fn locked(write: &Sink) -> std::sync::MutexGuard<'_, Option<Box<dyn Write + Send>>> {
    write.lock().unwrap_or_else(PoisonError::into_inner)
}
