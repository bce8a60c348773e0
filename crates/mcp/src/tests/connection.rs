//! How much of a connection may be open at once.

use std::time::Duration;

use rmcp::transport::Transport;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_util::sync::CancellationToken;

use super::wire::{call, lines};
use crate::lines::{Bounds, Lines};
use crate::stdio::runtime;

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
