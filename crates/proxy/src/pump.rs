//! Bytes both ways between two sockets, by one thread, until both have ended, nothing comes for too long, or we stop.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::body::Body;
use crate::poll::{self, Ready, is_ready};
use crate::watch::Watch;

/// Bytes on their way in one direction.
const BUFFER: usize = 32 << 10;

/// How long a client is waited for that does not end its side after the server has ended.
const LINGER: Duration = Duration::from_secs(30);

/// What went through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub up: u64,
    pub down: u64,
}

/// What goes up.
pub(crate) enum Upwards {
    /// Everything, until the client ends.
    All,
    /// A request's body and nothing behind it.
    Body(Body),
    /// Everything, from where it is known whom the client's TLS names.
    Watched(Watch),
}

/// Carries bytes. `first` goes up before anything else, and counts.
pub(crate) fn pump(
    client: &TcpStream,
    server: &TcpStream,
    first: &[u8],
    upwards: &mut Upwards,
    (idle, stop): (Duration, &impl AsFd),
) -> Counts {
    let mut everything = Upwards::All;
    let (mut up, mut down) = (Way::new(upwards), Way::new(&mut everything));
    let usable = up.begin(first).is_ok()
        && client.set_nonblocking(true).is_ok()
        && server.set_nonblocking(true).is_ok();
    let mut moved = Instant::now();
    while usable && !(up.is_over() && down.is_over()) {
        let wishes = [
            (client, up.wants_read(), down.wants_write()),
            (server, down.wants_read(), up.wants_write()),
        ];
        let mut set = vec![PollFd::new(stop, PollFlags::IN)];
        for (socket, reads, writes) in wishes {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, reads);
            flags.set(PollFlags::OUT, writes);
            // A socket of which nothing is wanted would wake us for ever once its peer is gone.
            if !flags.is_empty() {
                set.push(PollFd::from_borrowed_fd(socket.as_fd(), flags));
            }
        }
        let limit = if down.is_over() {
            idle.min(LINGER)
        } else {
            idle
        };
        let until = moved + limit;
        if set.len() == 1 || poll::wait(&mut set, until) == Ready::Late || is_ready(&set, 0) {
            break;
        }
        drop(set);
        let before = up.passed + down.passed;
        if up.step(client, server).is_err() || down.step(server, client).is_err() {
            break;
        }
        if up.passed + down.passed > before {
            moved = Instant::now();
        }
    }
    Counts {
        up: up.written,
        down: down.written,
    }
}

struct Way<'a> {
    buffer: Vec<u8>,
    upwards: &'a mut Upwards,
    /// The sender may send more.
    is_open: bool,
    /// The receiver was told that there is no more.
    is_shut: bool,
    written: u64,
    /// Bytes read and written: whether anything moved.
    passed: u64,
}

impl<'a> Way<'a> {
    fn new(upwards: &'a mut Upwards) -> Self {
        Self {
            buffer: Vec::new(),
            is_open: !matches!(&*upwards, Upwards::Body(body) if body.is_over()),
            upwards,
            is_shut: false,
            written: 0,
            passed: 0,
        }
    }

    /// Bytes that the client sent before. Of a body they were taken already.
    fn begin(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut *self.upwards {
            Upwards::Watched(watch) => watched(watch, bytes, &mut self.buffer),
            Upwards::All | Upwards::Body(_) => {
                self.buffer.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn wants_read(&self) -> bool {
        self.is_open && self.buffer.is_empty()
    }

    fn wants_write(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// The way has brought all that it will. The way up of a request is over with its body, and stays unshut: a server
    /// may take a client that shuts its side for one that went away.
    fn is_over(&self) -> bool {
        !self.is_open && self.buffer.is_empty()
    }

    fn step(&mut self, from: &TcpStream, to: &TcpStream) -> io::Result<()> {
        if self.wants_read() {
            self.read(from)?;
        }
        if self.wants_write() {
            let count = unless_blocked((&mut &*to).write(&self.buffer))?.unwrap_or(0);
            self.buffer.drain(..count);
            self.written += count as u64;
            self.passed += count as u64;
        }
        if self.is_over() && !self.is_shut && !matches!(self.upwards, Upwards::Body(_)) {
            self.is_shut = true;
            // A peer that is gone already cannot be told.
            to.shutdown(Shutdown::Write)
                .or_else(|why| match why.kind() {
                    io::ErrorKind::NotConnected => Ok(()),
                    _ => Err(why),
                })?;
        }
        Ok(())
    }

    fn read(&mut self, from: &TcpStream) -> io::Result<()> {
        let mut chunk = [0; BUFFER];
        let Some(count) = unless_blocked((&mut &*from).read(&mut chunk))? else {
            return Ok(());
        };
        let read = chunk.get(..count).unwrap_or_default();
        self.passed += count as u64;
        self.is_open = count > 0;
        match &mut *self.upwards {
            Upwards::All => self.buffer.extend_from_slice(read),
            Upwards::Body(body) => {
                let taken = body.take(read).map_err(|_| malformed())?;
                self.is_open &= !body.is_over();
                self.buffer
                    .extend_from_slice(read.get(..taken).unwrap_or_default());
            }
            Upwards::Watched(watch) => watched(watch, read, &mut self.buffer)?,
        }
        match &*self.upwards {
            // A server that waits for the rest would wait for ever.
            Upwards::Body(_) if count == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Upwards::Watched(watch) if count == 0 && watch.holds() => {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
            Upwards::Body(_) | Upwards::All | Upwards::Watched(_) => Ok(()),
        }
    }
}

fn watched(watch: &mut Watch, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    watch.take(bytes, out).ok_or_else(malformed)
}

fn malformed() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

fn unless_blocked(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(why)
            if matches!(
                why.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            Ok(None)
        }
        Err(why) => Err(why),
    }
}
