//! One connection from its first byte to its last: read the head, judge the host, connect, carry bytes, tell.

use std::io::{self, Read};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use taffrail_domain::Place;

use crate::answer::{self, Answer};
use crate::body::Body;
use crate::head::{self, BadHead, Head, Wish};
use crate::judge::{By, Denied, Granted};
use crate::poll::{self, Ready, is_ready};
use crate::pump::{Counts, Upwards, pump};
use crate::serve::Shared;
use crate::tunnel;
use crate::visit::{Verdict, Visit, Why};
use crate::watch::Refused;

/// Serves one client of the proxy.
pub(crate) fn serve(shared: &Shared, client: &TcpStream) {
    let (head, rest) = match read_head(shared, client) {
        Ok(Some(read)) => read,
        Ok(None) => return,
        Err(Bad(answer, visit)) => {
            visit.iter().for_each(|visit| shared.tell(visit));
            return answer.send(client);
        }
    };
    if !shared.knows(head.authorization.as_deref()) {
        return Answer::sign_in().send(client);
    }
    match shared.judge.judge(&head.place) {
        Ok(granted) => carry(shared, client, head, &rest, &granted),
        Err(denied) => {
            let (visit, answer) = refusal(&head.place, &denied);
            shared.tell(&visit);
            answer.send(client);
        }
    }
}

/// Passes one connection on to an address of this machine, as it is.
pub(crate) fn pass(shared: &Shared, client: &TcpStream, to: SocketAddr) {
    let mut visit = Visit {
        host: to.ip().to_string(),
        tunnel: None,
        port: to.port(),
        verdict: Verdict::Unreachable,
        address: Some(to),
        up: 0,
        down: 0,
    };
    if let Ok(server) = TcpStream::connect_timeout(&to, shared.limits.connect) {
        let counts = pump(client, &server, &[], &mut Upwards::All, shared.bounds());
        visit = Visit {
            verdict: Verdict::Allowed,
            up: counts.up,
            down: counts.down,
            ..visit
        };
    }
    shared.tell(&visit);
}

/// An answer to what is no request, and what is told of it where it named a host.
struct Bad(Answer, Option<Box<Visit>>);

/// The head, and what came behind it. `None` where the client said nothing or we stop.
fn read_head(shared: &Shared, client: &TcpStream) -> Result<Option<(Head, Vec<u8>)>, Bad> {
    let until = Instant::now() + shared.limits.head;
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = head::length(&bytes) {
            break end;
        }
        if !head::may_be_request(&bytes) {
            return Err(bad(&BadHead::Syntax(
                "this port speaks HTTP and nothing else",
            )));
        }
        if bytes.len() >= head::LONGEST {
            let words = "the head of the request is longer than 16 KiB";
            return Err(Bad(
                Answer::new("431 Request Header Fields Too Large", words),
                None,
            ));
        }
        match read_some(shared, client, until, &mut bytes) {
            Some(()) => {}
            None if bytes.is_empty() => return Ok(None),
            None => {
                let words = "the head of the request did not come in time";
                return Err(Bad(Answer::new("408 Request Timeout", words), None));
            }
        }
    };
    let rest = bytes.split_off(end);
    let head = head::parse(&bytes).map_err(|why| bad(&why))?;
    Ok(Some((head, rest)))
}

/// `None`: the client ended, its time is over, or we stop.
fn read_some(
    shared: &Shared,
    client: &TcpStream,
    until: Instant,
    bytes: &mut Vec<u8>,
) -> Option<()> {
    let mut set = [
        PollFd::new(&shared.stop, PollFlags::IN),
        PollFd::new(client, PollFlags::IN),
    ];
    if poll::wait(&mut set, until) == Ready::Late || is_ready(&set, 0) {
        return None;
    }
    let mut chunk = [0; 4 << 10];
    let room = chunk
        .len()
        .min(head::LONGEST - bytes.len().min(head::LONGEST));
    match (&mut &*client).read(chunk.get_mut(..room)?) {
        Ok(0) => None,
        Ok(count) => {
            bytes.extend_from_slice(chunk.get(..count)?);
            Some(())
        }
        Err(why)
            if matches!(
                why.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            Some(())
        }
        Err(_) => None,
    }
}

fn bad(why: &BadHead) -> Bad {
    let said = match why {
        BadHead::Host(_, said) | BadHead::TwoHosts(said) => Some(said),
        BadHead::Syntax(_) | BadHead::Version => None,
    };
    let visit = said.map(|said| Visit {
        host: said.clone(),
        tunnel: None,
        port: 0,
        verdict: Verdict::Refused(Why::Malformed),
        address: None,
        up: 0,
        down: 0,
    });
    Bad(Answer::of_bad_head(why), visit.map(Box::new))
}

fn refusal(place: &Place, denied: &Denied) -> (Visit, Answer) {
    let (verdict, address, status, words) = match denied {
        Denied::Refused(why @ Why::NotAllowed, at) => (
            Verdict::Refused(*why),
            *at,
            "403 Forbidden",
            "is not among the hosts that this run may reach",
        ),
        Denied::Refused(why @ Why::NotAnswered, at) => (
            Verdict::Refused(*why),
            *at,
            "403 Forbidden",
            "was not allowed by the person who was asked",
        ),
        Denied::Refused(why @ Why::Address, at) => (
            Verdict::Refused(*why),
            *at,
            "403 Forbidden",
            "is, or leads to, an address that is not of the open internet",
        ),
        // The rest is found in a tunnel, and never by a judge.
        Denied::Refused(
            why @ (Why::Malformed | Why::OtherName | Why::NoName | Why::NotTls),
            at,
        ) => (
            Verdict::Refused(*why),
            *at,
            "400 Bad Request",
            "is malformed",
        ),
        Denied::NoAddress(_) => (
            Verdict::Unreachable,
            None,
            "502 Bad Gateway",
            "has no address",
        ),
    };
    let visit = visit(place, verdict, address, Counts::default());
    (visit, Answer::new(status, format!("{place} {words}")))
}

fn visit(place: &Place, verdict: Verdict, address: Option<SocketAddr>, counts: Counts) -> Visit {
    Visit {
        host: place.host.to_string(),
        tunnel: None,
        port: place.port,
        verdict,
        address,
        up: counts.up,
        down: counts.down,
    }
}

fn carry(shared: &Shared, client: &TcpStream, head: Head, rest: &[u8], granted: &Granted) {
    let place = head.place;
    let Some((server, address)) = connect(&granted.addresses, shared.limits.connect) else {
        let first = granted.addresses.first().copied();
        shared.tell(&visit(
            &place,
            Verdict::Unreachable,
            first,
            Counts::default(),
        ));
        return Answer::new("502 Bad Gateway", format!("{place} did not answer")).send(client);
    };
    let verdict = match granted.by {
        By::Rule => Verdict::Allowed,
        By::Person => Verdict::Asked,
    };
    let counts = match head.wish {
        Wish::Tunnel => {
            let (counts, refused) = tunnel::carry(shared, client, &server, &place, rest);
            if let Some(refused) = refused {
                return shared.tell(&turned(&place, refused, address, counts));
            }
            counts
        }
        Wish::Request { head, body } => request(shared, client, &server, &head, body, rest),
    };
    shared.tell(&visit(&place, verdict, Some(address), counts));
}

/// What is told of a tunnel that was turned to another host than its own.
fn turned(place: &Place, refused: Refused, address: SocketAddr, counts: Counts) -> Visit {
    let verdict = Verdict::Refused(refused.why);
    let plain = visit(place, verdict, Some(address), counts);
    match refused.name {
        Some(name) => Visit {
            tunnel: Some(plain.host),
            host: name,
            ..plain
        },
        None => plain,
    }
}

fn request(
    shared: &Shared,
    client: &TcpStream,
    server: &TcpStream,
    head: &[u8],
    mut body: Body,
    rest: &[u8],
) -> Counts {
    let Ok(taken) = body.take(rest) else {
        Answer::new("400 Bad Request", "a chunk of the body is malformed").send(client);
        return Counts::default();
    };
    let first = [head, rest.get(..taken).unwrap_or_default()].concat();
    let mut upwards = Upwards::Body(body);
    let counts = pump(client, server, &first, &mut upwards, shared.bounds());
    answer::let_go(client);
    counts
}

/// The first of the checked addresses that answers. They share the limit.
fn connect(addresses: &[SocketAddr], limit: Duration) -> Option<(TcpStream, SocketAddr)> {
    let until = Instant::now() + limit;
    addresses.iter().find_map(|address| {
        let left = until.saturating_duration_since(Instant::now());
        // The standard library takes no limit of nothing.
        let left = left.max(Duration::from_millis(1));
        let server = TcpStream::connect_timeout(address, left).ok()?;
        // Small messages of a conversation go out at once; where that is refused they are only later.
        server.set_nodelay(true).unwrap_or_default();
        Some((server, *address))
    })
}
