//! Memory while floods come through reader and machine (FA-27), by an allocator that counts: one test, so that nothing else
//! is counted.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.

mod support;

use peak_alloc::PeakAlloc;
use serde_json::json;
use support::{Play, SESSION};
use taffrail_acp::{Client, Event, Frames, Incoming, Limits, NoteKind};

#[global_allocator]
static HELD: PeakAlloc = PeakAlloc;

/// How much more is held at the most while something is done, in MiB.
fn peak(act: impl FnOnce()) -> f64 {
    let before = HELD.current_usage();
    HELD.reset_peak_usage();
    act();
    HELD.peak_usage().saturating_sub(before) as f64 / f64::from(1 << 20)
}

/// The machine in its first turn, with its reader.
struct Run {
    frames: Frames,
    client: Client,
    effects: usize,
    last: Option<Incoming>,
}

impl Run {
    fn new() -> Self {
        Self {
            frames: Frames::new(Limits::default()),
            client: Play::in_turn().client,
            effects: 0,
            last: None,
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(64 << 10) {
            for frame in self.frames.push(piece) {
                self.last = Some(match frame.incoming.clone() {
                    Incoming::Message(_) => Incoming::LineTooLong { bytes: 0 },
                    other => other,
                });
                self.effects += self
                    .client
                    .on(std::time::Duration::ZERO, Event::Received(frame.incoming))
                    .len();
            }
        }
    }

    fn repeat(&mut self, piece: &[u8], bytes: usize) {
        let block = piece.repeat((64 << 10) / piece.len());
        for _ in 0..bytes / block.len() {
            self.bytes(&block);
        }
    }
}

fn update(update: &serde_json::Value) -> Vec<u8> {
    let line = json!({"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": SESSION, "update": update}});
    format!("{line}\n").into_bytes()
}

#[test]
fn fa_27_floods_are_held_in_a_few_mebibytes() {
    long_lines();
    heavy_values();
    many_updates();
    odd_things_and_text();
}

fn long_lines() {
    // A line that never ends.
    let mut run = Run::new();
    let held = peak(|| run.repeat(b"0123456789abcdef", 65 << 20));
    assert!(held < 12.0, "a line without end: {held} MiB");
    assert!(matches!(run.last, Some(Incoming::LineTooLong { .. })));
    assert!(run.client.ended());

    // A legal array of 64 MiB, and a message of nearly that: read for their envelopes.
    for head in [
        "[",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"fs/read_text_file\",\"params\":[",
    ] {
        let mut run = Run::new();
        let held = peak(|| {
            run.bytes(head.as_bytes());
            run.repeat(b"[0],", (64 << 20) - (128 << 10));
            run.bytes(if head.len() > 1 { b"0]}\n" } else { b"0]\n" });
        });
        assert!(held < 12.0, "an array: {held} MiB");
        let told = run.last.unwrap();
        assert!(
            matches!(told, Incoming::Junk { .. } | Incoming::Dropped(_)),
            "{told:?}"
        );
        assert!(!run.client.ended(), "the run goes on");
    }
}

fn heavy_values() {
    // Just below the limit, what is parsed takes the most memory for its bytes.
    for item in ["0,", "[],", "{},", "[0],", "{\"a\":0},", "\"\","] {
        let mut run = Run::new();
        let held = peak(|| {
            run.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[");
            run.bytes(item.repeat((4 << 20) / item.len() - 16).as_bytes());
            run.bytes(b"0]}\n");
        });
        assert!(held < 80.0, "{item}: {held} MiB");
    }
}

fn many_updates() {
    // Fifty thousand updates of many calls, and output that comes again with every line.
    let mut run = Run::new();
    let held = peak(|| {
        for at in 0..50_000 {
            run.bytes(&update(
                &json!({"sessionUpdate": "tool_call", "toolCallId": format!("call_{at}"),
                "title": "run", "rawInput": {"command": "x".repeat(100)}}),
            ));
        }
    });
    assert!(held < 16.0, "50,000 calls: {held} MiB");
    assert!(run.client.facts().notes[&NoteKind::ToolCut] > 40_000);
    let mut run = Run::new();
    let held = peak(|| {
        for lines in 0..1500 {
            let text = "a line of output\n".repeat(lines);
            run.bytes(&update(
                &json!({"sessionUpdate": "tool_call_update", "toolCallId": "t",
                "content": [{"type": "content", "content": {"type": "text", "text": text}}]}),
            ));
        }
    });
    assert!(held < 4.0, "cumulative output: {held} MiB");
}

fn odd_things_and_text() {
    let mut run = Run::new();
    let held = peak(|| {
        for at in 1..=50_000 {
            run.bytes(&update(&json!({"sessionUpdate": format!("odd_{at}")})));
            run.bytes(format!("{{\"jsonrpc\":\"2.0\",\"id\":-{at},\"result\":0}}\n").as_bytes());
        }
    });
    assert!(held < 1.0, "odd things: {held} MiB");
    assert_eq!(run.effects, 2 * 16);

    // Text up to its bound.
    let mut run = Run::new();
    let held = peak(|| {
        let piece = update(&json!({"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "x".repeat(10_000)}}));
        run.repeat(&piece, 17 << 20);
    });
    assert!(held < 52.0, "text: {held} MiB");
    assert_eq!(run.client.facts().notes.len(), 0);
    assert!(run.client.ended());
}
