//! What comes out of a FIFO of requests, in connections: one ends where nobody writes any more, or where another greets.

use std::fs::File;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe::Receiver;

use super::OpenEnd;
use super::greeting::{GREETING_LIMIT, Greeting, may_greet};

/// Bytes before a greeting, over the life of a FIFO. Whoever writes more of them means no good.
const NOISE: usize = 1024 * 1024;
/// Bytes that are read at once.
const CHUNK: usize = 16 * 1024;

/// The bytes of a FIFO, shared between its slot and the connection that it carries.
#[derive(Clone)]
pub(super) struct Upstream(Arc<Mutex<Read>>);

struct Read {
    pipe: Receiver,
    token: [u8; 32],
    held: Vec<u8>,
    /// Whether `held` begins with the beginning of a line.
    at_line: bool,
    /// Bytes that were passed over.
    passed: usize,
    /// Whether nobody writes any more.
    ended: bool,
    /// A pipe that greeted: the connection before it is over.
    greeted: Option<Greeting>,
}

/// How the wait for a greeting ended.
pub(super) enum Heard {
    /// Somebody who knows the token.
    Known(Greeting),
    /// Somebody who does not.
    Unknown(Greeting),
    /// Nobody writes any more.
    End,
    /// More than [`NOISE`] bytes were no greeting.
    Noise,
}

impl Upstream {
    pub(super) fn new(first: File, token: [u8; 32]) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Read {
            pipe: Receiver::from_file(first)?,
            token,
            held: Vec::new(),
            at_line: true,
            passed: 0,
            ended: false,
            greeted: None,
        }))))
    }

    /// Opens the FIFO anew once nobody writes any more: an end that was seen is seen for ever. The old end is closed after
    /// that, so that a pipe that comes meanwhile finds a reader.
    pub(super) fn reopen(&self, open: &OpenEnd) -> io::Result<()> {
        let pipe = Receiver::from_file(open()?)?;
        let mut read = self.read();
        read.pipe = pipe;
        read.ended = false;
        read.at_line = true;
        read.held.clear();
        Ok(())
    }

    /// The next greeting. What comes before it is passed over.
    pub(super) async fn heard(&self) -> Heard {
        std::future::poll_fn(|context| self.read().poll_heard(context)).await
    }

    fn read(&self) -> MutexGuard<'_, Read> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read {
    fn poll_heard(&mut self, context: &mut Context<'_>) -> Poll<Heard> {
        loop {
            if let Some(greeting) = self.greeted.take() {
                return Poll::Ready(Heard::Known(greeting));
            }
            match self.next() {
                Next::Pass(length) => {
                    let line = self.held.get(..length).unwrap_or_default();
                    let greeting = Greeting::of(line.trim_ascii_end());
                    self.passed += length;
                    self.pass(length);
                    if self.passed > NOISE {
                        return Poll::Ready(Heard::Noise);
                    }
                    if let Some(greeting) = greeting {
                        return Poll::Ready(Heard::Unknown(greeting));
                    }
                }
                Next::Greeted => {}
                Next::More if self.ended => return Poll::Ready(Heard::End),
                Next::More => ready!(self.poll_fill(context)),
            }
        }
    }

    /// What is to be done with what is held.
    fn next(&mut self) -> Next {
        if self.held.is_empty() {
            return Next::More;
        }
        let newline = self.held.iter().position(|byte| *byte == b'\n');
        let end = newline.map_or(self.held.len(), |at| at + 1);
        if !self.at_line || !may_greet(&self.held) {
            return Next::Pass(end);
        }
        match newline {
            // The rest of a greeting may be on its way.
            None if self.held.len() < GREETING_LIMIT && !self.ended => Next::More,
            None => Next::Pass(end),
            Some(at) => {
                let greeting = Greeting::of(self.held.get(..at).unwrap_or_default());
                let known = greeting.filter(|greeting| greeting.knows(&self.token));
                match known {
                    Some(greeting) => {
                        self.pass(end);
                        self.greeted = Some(greeting);
                        Next::Greeted
                    }
                    None => Next::Pass(end),
                }
            }
        }
    }

    fn pass(&mut self, length: usize) {
        self.at_line = self.held.get(length.saturating_sub(1)) == Some(&b'\n');
        drop(self.held.drain(..length));
    }

    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut chunk = [0; CHUNK];
        let mut into = ReadBuf::new(&mut chunk);
        let read = ready!(Pin::new(&mut self.pipe).poll_read(context, &mut into));
        let filled = into.filled();
        // A FIFO that cannot be read is one that nobody writes to.
        self.ended = read.is_err() || filled.is_empty();
        self.held.extend_from_slice(filled);
        Poll::Ready(())
    }
}

enum Next {
    /// So many bytes, at most one line, are no greeting.
    Pass(usize),
    /// A greeting was taken.
    Greeted,
    /// More must be read first.
    More,
}

/// One connection's bytes: it ends where nobody writes any more, or where another pipe greets.
impl AsyncRead for Upstream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut read = self.read();
        loop {
            if read.greeted.is_some() {
                return Poll::Ready(Ok(()));
            }
            match read.next() {
                Next::Pass(length) => {
                    let length = length.min(into.remaining());
                    into.put_slice(read.held.get(..length).unwrap_or_default());
                    read.pass(length);
                    return Poll::Ready(Ok(()));
                }
                Next::Greeted => {}
                Next::More if read.ended => return Poll::Ready(Ok(())),
                Next::More => ready!(read.poll_fill(context)),
            }
        }
    }
}
