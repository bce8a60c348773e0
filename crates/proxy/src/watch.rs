//! What a client sends up a tunnel, held back until it is known whom its TLS names: the tunnel's own host, or nothing
//! goes.
//!
//! A front that serves many names would else serve any of them through a tunnel to an allowed one. The records are
//! followed to the end: a client may be asked for a second hello, and servers take the name in that one.

use taffrail_domain::{Host, Place};

use crate::hello::{self, Malformed};
use crate::visit::Why;

/// The first two bytes of TLS: a record of a handshake, and the version's upper half.
const TLS: [u8; 2] = [HANDSHAKE, 3];
const HANDSHAKE: u8 = 22;
/// Kind, version and length of a record.
const HEADER: usize = 5;
/// Most bytes of a record in the clear (RFC 8446, 5.1).
const LONGEST_RECORD: usize = 1 << 14;
/// Most bytes that are held back for a hello, but for one record and one read: the longest in records of ten bytes.
const HELD: usize = 32 << 10;
/// What a second hello is known by.
const KNOWN_BY: usize = 6;
/// The port of TLS, through which nothing else goes.
const HTTPS: u16 = 443;
/// Most bytes that are told of a name that is none.
const TOLD: usize = 256;

/// Why a tunnel is ended before anything went up, and the name that was asked for in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub why: Why,
    pub name: Option<String>,
}

impl From<Malformed> for Refused {
    fn from(_: Malformed) -> Self {
        Self {
            why: Why::Malformed,
            name: None,
        }
    }
}

/// Watches one tunnel.
pub(crate) struct Watch {
    place: Place,
    state: State,
    held: Vec<u8>,
    /// So many bytes of those that are held may go.
    free: usize,
    pub refused: Option<Refused>,
}

enum State {
    /// Nothing came yet.
    Start,
    /// No TLS: everything goes.
    Open,
    /// Before a record.
    Between,
    /// Inside a record that is nothing to us; so many bytes of it are to come.
    Within(usize),
    /// Inside a hello: what came of it, and how many of the bytes that may not go yet it took.
    Hello(Vec<u8>, usize),
}

/// Whether there is more to be seen in what is held.
#[derive(PartialEq, Eq)]
enum More {
    Yes,
    No,
}

impl Watch {
    pub const fn new(place: Place) -> Self {
        Self {
            place,
            state: State::Start,
            held: Vec::new(),
            free: 0,
            refused: None,
        }
    }

    /// Takes what the client sent, and puts what may go into `out`. `None`: nothing may go any more, and `refused` says
    /// why.
    pub fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        self.held.extend_from_slice(bytes);
        loop {
            match self.step() {
                Ok(More::Yes) => {}
                Ok(More::No) => break,
                Err(refused) => {
                    self.refused = Some(refused);
                    return None;
                }
            }
        }
        out.extend(self.held.drain(..self.free));
        self.free = 0;
        Some(())
    }

    /// Something was sent, and is not known yet.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    fn step(&mut self) -> Result<More, Refused> {
        let ahead = self.held.get(self.free..).unwrap_or_default();
        match &mut self.state {
            State::Start => start(ahead, self.place.port).map(|next| self.enter(next)),
            State::Open => {
                self.free = self.held.len();
                Ok(More::No)
            }
            State::Between => {
                let next = between(ahead);
                if matches!(next, Some(State::Within(_))) {
                    self.free += HEADER;
                }
                Ok(self.enter(next))
            }
            State::Within(left) => {
                let now = ahead.len().min(*left);
                self.free += now;
                *left -= now;
                let is_over = *left == 0;
                Ok(self.enter(is_over.then_some(State::Between)))
            }
            State::Hello(hello, taken) => {
                let whole = collect(hello, taken, ahead)?;
                match whole {
                    Collected::Whole => {
                        fits(&self.place, hello::name(hello)?)?;
                        self.free += *taken;
                        Ok(self.enter(Some(State::Between)))
                    }
                    Collected::Part => Ok(More::Yes),
                    Collected::Waits => Ok(More::No),
                }
            }
        }
    }

    fn enter(&mut self, next: Option<State>) -> More {
        match next {
            Some(next) => {
                self.state = next;
                More::Yes
            }
            None => More::No,
        }
    }
}

/// What the first bytes begin; none where there are too few of them.
fn start(ahead: &[u8], port: u16) -> Result<Option<State>, Refused> {
    let is_tls = ahead.iter().zip(TLS).all(|(byte, tls)| *byte == tls);
    match (is_tls, port) {
        (true, _) if ahead.len() < TLS.len() => Ok(None),
        (true, _) => Ok(Some(State::Hello(Vec::new(), 0))),
        (false, HTTPS) => Err(refused(Why::NotTls)),
        (false, _) => Ok(Some(State::Open)),
    }
}

/// A handshake that begins in the clear as a hello does is one. Everything else goes as it is.
fn between(ahead: &[u8]) -> Option<State> {
    let (header, rest) = ahead.split_at_checked(HEADER)?;
    let length = length(header);
    let known = rest.get(..rest.len().min(length)).unwrap_or_default();
    if header.first() != Some(&HANDSHAKE) || length == 0 || !hello::begins(known) {
        return Some(State::Within(length));
    }
    let is_known = known.len() >= KNOWN_BY.min(length);
    is_known.then(|| State::Hello(Vec::new(), 0))
}

enum Collected {
    /// The hello is whole.
    Whole,
    /// A record of it is.
    Part,
    /// The record is not.
    Waits,
}

/// Takes one record of a hello.
fn collect(hello: &mut Vec<u8>, taken: &mut usize, ahead: &[u8]) -> Result<Collected, Malformed> {
    let rest = ahead.get(*taken..).unwrap_or_default();
    let Some((header, rest)) = rest.split_at_checked(HEADER) else {
        return Ok(Collected::Waits);
    };
    let length = length(header);
    let is_handshake = header.starts_with(&TLS) && (1..=LONGEST_RECORD).contains(&length);
    if !is_handshake || *taken > HELD {
        return Err(Malformed);
    }
    let Some(part) = rest.get(..length) else {
        return Ok(Collected::Waits);
    };
    hello.extend_from_slice(part);
    *taken += HEADER + length;
    match hello::length(hello)? {
        // Behind a hello its record is over.
        Some(whole) if hello.len() > whole => Err(Malformed),
        Some(whole) if hello.len() == whole => Ok(Collected::Whole),
        Some(_) | None => Ok(Collected::Part),
    }
}

/// Whether a tunnel's host is the one that its hello names. Whoever asks for an address has no name to say; whoever
/// asks for a name and says none leaves it to what is encrypted, for which some fronts look.
fn fits(place: &Place, name: Option<&[u8]>) -> Result<(), Refused> {
    let Some(name) = name else {
        return match place.host {
            Host::Address(_) => Ok(()),
            Host::Name(_) => Err(refused(Why::NoName)),
        };
    };
    let read = std::str::from_utf8(name).ok().map(str::parse::<Host>);
    if matches!(&read, Some(Ok(host)) if *host == place.host) {
        return Ok(());
    }
    let told = name.get(..name.len().min(TOLD)).unwrap_or_default();
    Err(Refused {
        why: Why::OtherName,
        name: Some(String::from_utf8_lossy(told).into_owned()),
    })
}

const fn refused(why: Why) -> Refused {
    Refused { why, name: None }
}

/// The length in a record's header.
fn length(header: &[u8]) -> usize {
    match header {
        [_, _, _, high, low] => usize::from(*high) << 8 | usize::from(*low),
        _ => 0,
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
