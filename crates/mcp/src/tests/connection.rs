//! How much of a connection may be open at once.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::Transport;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_util::sync::CancellationToken;

use super::wire::{call, lines};
use super::{Fake, STDIO, about};
use crate::lines::{Bounds, Lines};
use crate::stdio::{runtime, serve_bounded, server};

#[test]
fn mcp_01_no_more_is_read_while_256_requests_are_unanswered() {
    runtime().unwrap().block_on(async {
        let (mut input, read) = tokio::io::duplex(1024 * 1024);
        let (_output, write) = tokio::io::duplex(1024);
        let requests: Vec<_> = (0..257).map(|id| call(id, "x", json!({}))).collect();
        input.write_all(&lines(&requests)).await.unwrap();
        let mut transport = Lines::new(read, write, CancellationToken::new(), Bounds::default());
        let mut held = Vec::new();
        for _ in 0..256 {
            held.push(transport.receive().await.unwrap());
        }
        let more = tokio::time::timeout(Duration::from_millis(20), transport.receive());
        assert!(more.await.is_err(), "the 257th was read");
        held.pop();
        assert!(transport.receive().await.is_some());
    });
}

#[test]
fn mcp_01_a_read_that_is_broken_off_loses_nothing() {
    runtime().unwrap().block_on(async {
        let (mut input, read) = tokio::io::duplex(64);
        let (_output, write) = tokio::io::duplex(64);
        let mut transport = Lines::new(read, write, CancellationToken::new(), Bounds::default());
        let line = lines(&[call(1, "x", json!({}))]);
        for byte in &line {
            let early = tokio::time::timeout(Duration::ZERO, transport.receive());
            assert!(early.await.is_err());
            input.write_all(&[*byte]).await.unwrap();
        }
        assert!(transport.receive().await.is_some());
    });
}

/// How many bytes of requests are taken while nobody reads the answers; at most so many. `standstill` is how long nothing
/// is taken until nothing more will be.
fn taken(owed: usize, most: usize, standstill: Duration) -> usize {
    runtime().unwrap().block_on(async {
        let (mut input, read) = tokio::io::duplex(4 * 1024);
        let (_output, write) = tokio::io::duplex(8 * 1024);
        let bounds = Bounds {
            owed,
            ..Bounds::default()
        };
        let server = server(Arc::new(Fake::default()), STDIO, &about()).unwrap();
        let stop = CancellationToken::new();
        drop(tokio::spawn(serve_bounded(
            server, read, write, stop, bounds,
        )));
        let listing = lines(&[json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})]);
        let mut through = 0;
        input.write_all(&lines(&[hello()])).await.unwrap();
        while through < most {
            let sent = tokio::time::timeout(standstill, input.write_all(&listing));
            if sent.await.is_err() {
                break;
            }
            through += listing.len();
        }
        through
    })
}

#[test]
fn fa_25_unread_answers_hold_up_the_reading_and_would_pile_up_without_the_bound() {
    let most = 64 * 1024;
    let bounded = taken(64 * 1024, most, Duration::from_millis(500));
    assert!(bounded < 32 * 1024, "{bounded}");
    // What goes on stands still only where the machine does.
    let unbounded = taken(usize::MAX, most, Duration::from_secs(30));
    assert!(unbounded >= most, "{unbounded}");
}

fn hello() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "deaf", "version": "1"}}})
}
