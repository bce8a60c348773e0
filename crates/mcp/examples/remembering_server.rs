//! A server whose host only remembers: for the tests of a whole process, and to look at with any MCP client.
//!
//! `remembering_server` serves standard input and output; `remembering_server http PORT` serves loopback with a token of
//! sevens.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // An example may say what went wrong by a panic.
#![allow(clippy::disallowed_methods)] // It is its own binary: it reads its own arguments.

#[path = "../tests/support/fake.rs"]
#[allow(dead_code)] // The tests need more of it.
mod fake;

use std::sync::Arc;

use taffrail_domain::Transport;
use taffrail_mcp::{About, HttpOptions, Offer, OfferedTo, serve_http, serve_stdio};

fn main() {
    let about = About {
        version: "0.0.0".to_owned(),
        redaction: taffrail_redact::Options::default(),
    };
    let host = Arc::new(fake::Fake::default());
    let mut offer = Offer {
        read_only: false,
        transport: Transport::Stdio,
        to: OfferedTo::Program,
    };
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some("http") {
        return serve_stdio(host, &offer, &about).unwrap();
    }
    offer.transport = Transport::Http;
    let options = HttpOptions {
        port: arguments.next().map_or(0, |port| port.parse().unwrap()),
        token: [7; 32],
    };
    serve_http(host, &offer, &about, &options, |url, token| {
        println!("{url} {token}");
    })
    .unwrap();
}
