//! A tunnel: bytes both ways, once TLS in it names the tunnel's own host.

use std::io::Write;
use std::net::TcpStream;

use taffrail_domain::Place;

use crate::answer;
use crate::pump::{Counts, Upwards, pump};
use crate::serve::Shared;
use crate::visit::Why;
use crate::watch::{Refused, Watch};

const STANDS: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";
/// A fatal alert of TLS (RFC 8446, 6), but for its last byte.
const ALERT: [u8; 6] = [21, 3, 3, 0, 2, 2];
const DECODE_ERROR: u8 = 50;
const UNRECOGNIZED_NAME: u8 = 112;

/// Says that the tunnel stands, and carries what goes through it. What the client sent already comes first.
pub(crate) fn carry(
    shared: &Shared,
    client: &TcpStream,
    server: &TcpStream,
    place: &Place,
    first: &[u8],
) -> (Counts, Option<Refused>) {
    // Fewer bytes than any socket's buffer holds: it does not block.
    if (&mut &*client).write_all(STANDS).is_err() {
        return (Counts::default(), None);
    }
    let mut upwards = Upwards::Watched(Watch::new(place.clone()));
    let counts = pump(client, server, first, &mut upwards, shared.bounds());
    let refused = match upwards {
        Upwards::Watched(watch) => watch.refused,
        Upwards::All | Upwards::Body(_) => None,
    };
    if let Some(refused) = &refused {
        // Behind the server's first words an alert in the clear is none any more.
        if counts.down == 0 {
            alert(client, refused.why);
        }
        answer::let_go(client);
    }
    (counts, refused)
}

/// Says why in the client's own language, if it takes it at once.
fn alert(client: &TcpStream, why: Why) {
    let what = match why {
        Why::OtherName | Why::NoName => UNRECOGNIZED_NAME,
        Why::Malformed => DECODE_ERROR,
        Why::NotTls | Why::NotAllowed | Why::NotAnswered | Why::Address => return,
    };
    let said = (&mut &*client).write(&[ALERT.as_slice(), &[what]].concat());
    // Whoever is gone is told nothing.
    said.map(drop).unwrap_or_default();
}
