//! The proxy's own answers: short, in plain words for whoever reads them in the run.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::head::BadHead;
use crate::poll::{self, Ready};

/// How long a client gets to take an answer and to stop sending.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most bytes that are read from a client after its answer, so that closing does not take the answer away.
const DRAINED: usize = 256 << 10;

/// A status, and the words of the body.
pub(crate) struct Answer {
    status: &'static str,
    words: String,
    more: &'static str,
}

impl Answer {
    pub fn new(status: &'static str, words: impl Into<String>) -> Self {
        let words = words.into();
        Self {
            status,
            words,
            more: "",
        }
    }

    pub fn of_bad_head(why: &BadHead) -> Self {
        match why {
            BadHead::Syntax(what) => Self::new("400 Bad Request", *what),
            BadHead::Version => Self::new(
                "505 HTTP Version Not Supported",
                "only HTTP/1.1 is spoken here",
            ),
            BadHead::Host(why, _) => {
                Self::new("400 Bad Request", format!("the host is malformed: {why}"))
            }
            BadHead::TwoHosts(_) => Self::new("400 Bad Request", "the request names two hosts"),
        }
    }

    /// For a client that did not show what it must.
    pub fn sign_in() -> Self {
        Self {
            more: "Proxy-Authenticate: Basic realm=\"taffrail\"\r\n",
            ..Self::new(
                "407 Proxy Authentication Required",
                "the proxy of this run needs the run's own password",
            )
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let (status, more) = (self.status, self.more);
        let words = format!("taffrail: {}\n", self.words);
        let length = words.len();
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n{more}\
             Connection: close\r\n\r\n{words}"
        )
        .into_bytes()
    }

    /// Says it, or as much of it as goes out at once.
    pub fn say(&self, client: &TcpStream) {
        if client.set_nonblocking(true).is_ok() {
            (&mut &*client)
                .write(&self.bytes())
                .map(drop)
                .unwrap_or_default();
        }
    }

    /// Says it and lets the client go. What a client does with it is its own affair.
    pub fn send(&self, client: &TcpStream) {
        if client.set_nonblocking(true).is_err() {
            return;
        }
        let mut rest: &[u8] = &self.bytes();
        let until = Instant::now() + PATIENCE;
        while !rest.is_empty() {
            let written = match (&mut &*client).write(rest) {
                Ok(count) => count,
                Err(why) if why.kind() == std::io::ErrorKind::WouldBlock => 0,
                Err(_) => return,
            };
            rest = rest.get(written..).unwrap_or_default();
            if written == 0 && is_late(client, PollFlags::OUT, until) {
                return;
            }
        }
        let_go(client);
    }
}

/// Ends our side and reads what a client still sends, so that the kernel does not answer it with a reset that overtakes
/// our last words.
pub(crate) fn let_go(client: &TcpStream) {
    if client.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let until = Instant::now() + PATIENCE;
    let mut chunk = [0; 4 << 10];
    let mut left = DRAINED;
    while left > 0 && !is_late(client, PollFlags::IN, until) {
        match (&mut &*client).read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(count) => left = left.saturating_sub(count),
        }
    }
}

fn is_late(client: &TcpStream, what: PollFlags, until: Instant) -> bool {
    poll::wait(&mut [PollFd::new(client, what)], until) == Ready::Late
}
