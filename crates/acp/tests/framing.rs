//! The frame reader on every kind of bytes (FA-27, FA-28).

#![allow(clippy::disallowed_methods)] // Measures how long reading takes.

use std::time::{Duration, Instant};

use serde_json::json;
use taffrail_acp::{DroppedFor, Frame, Frames, Id, Incoming, JunkKind, Limits, Message};

/// All frames of a stream that comes in pieces of `step` bytes.
fn read(bytes: &[u8], step: usize) -> Vec<Frame> {
    let mut frames = Frames::new(Limits::default());
    let mut all: Vec<_> = bytes
        .chunks(step)
        .flat_map(|piece| frames.push(piece))
        .collect();
    all.extend(frames.finish());
    all
}

fn incoming(bytes: &[u8]) -> Vec<Incoming> {
    read(bytes, usize::MAX)
        .into_iter()
        .map(|frame| frame.incoming)
        .collect()
}

fn one(bytes: &[u8]) -> Incoming {
    let mut all = incoming(bytes);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn note(method: &str) -> Message {
    Message::Notification {
        method: method.into(),
        params: json!(null),
    }
}

#[test]
fn fa_28_the_cut_of_the_pieces_changes_nothing() {
    let stream = b"log line\n{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\r\n\r\n \n{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa9\",\"result\":[1,{}]}\n\
        5\n[{}]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}\n\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"b\"}";
    let whole = read(stream, usize::MAX);
    assert_eq!(whole.len(), 7);
    for step in 1..40 {
        assert_eq!(read(stream, step), whole, "pieces of {step}");
    }
    assert_eq!(whole[1].incoming, Incoming::Message(note("a")));
    assert_eq!(
        whole[1].bytes, 31,
        "the carriage return is part of the line"
    );
    assert_eq!(
        whole[6].incoming,
        Incoming::Message(note("b")),
        "without its newline, behind a byte order mark"
    );
}

#[test]
fn fa_28_what_is_no_message_is_junk_by_its_kind() {
    for (line, kind) in [
        ("Migration done.", JunkKind::NotJson),
        ("{", JunkKind::NotJson),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"x\"", JunkKind::NotJson),
        ("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}", JunkKind::NotJson),
        ("\u{1}\u{2}\0", JunkKind::NotJson),
        ("nul", JunkKind::NotJson),
        ("0", JunkKind::NotObject),
        ("null", JunkKind::NotObject),
        ("true", JunkKind::NotObject),
        ("\"2.0\"", JunkKind::NotObject),
        (
            "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]",
            JunkKind::NotObject,
        ),
        ("{}", JunkKind::NotMessage),
        (
            "{\"level\":\"info\",\"id\":0,\"msg\":\"up\"}",
            JunkKind::NotMessage,
        ),
        ("{\"id\":0,\"result\":{}}", JunkKind::NotMessage),
        (
            "{\"jsonrpc\":2.0,\"id\":0,\"result\":{}}",
            JunkKind::NotMessage,
        ),
        (
            "{\"jsonrpc\":\"1.0\",\"id\":0,\"result\":{}}",
            JunkKind::NotMessage,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":0}", JunkKind::NotMessage),
        ("{\"jsonrpc\":\"2.0\",\"result\":{}}", JunkKind::NotMessage),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":null}",
            JunkKind::NotMessage,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}",
            JunkKind::NotMessage,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}",
            JunkKind::NotMessage,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
            JunkKind::NotMessage,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":18446744073709551616,\"result\":{}}",
            JunkKind::NotMessage,
        ),
    ] {
        let bytes = line.len() as u64;
        assert_eq!(
            one(line.as_bytes()),
            Incoming::Junk { kind, bytes },
            "{line}"
        );
    }
}

#[test]
fn fa_28_ids_are_kept_exactly() {
    for (text, id) in [
        ("0", Id::Unsigned(0)),
        ("18446744073709551615", Id::Unsigned(u64::MAX)),
        ("-9223372036854775808", Id::Signed(i64::MIN)),
        ("null", Id::Null),
        ("\"0\"", Id::Text("0".into())),
        ("\"\\u0000 \\\" é\"", Id::Text("\0 \" é".into())),
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{text},\"method\":\"m\"}}");
        let Incoming::Message(Message::Request { id: read, .. }) = one(line.as_bytes()) else {
            panic!("{line}");
        };
        assert_eq!(read, id);
        let back = Message::Response {
            id,
            outcome: Ok(json!({})),
        }
        .line();
        let back: serde_json::Value = serde_json::from_slice(&back).unwrap();
        assert_eq!(
            back["id"],
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
    }
}

#[test]
fn fa_28_of_keys_that_are_given_twice_the_last_counts_in_both_readings() {
    let twice = br#"{"jsonrpc":"1.0","id":1,"method":"a","jsonrpc":"2.0","id":2,"method":"b"}"#;
    let Incoming::Message(Message::Request { id, method, .. }) = one(twice) else {
        panic!("no request");
    };
    assert_eq!((id, method.as_str()), (Id::Unsigned(2), "b"));
    let long = format!(
        r#"{{"jsonrpc":"1.0","id":1,"method":"a","x":"{}","jsonrpc":"2.0","id":2,"method":"b"}}"#,
        "x".repeat(5 << 20)
    );
    let Incoming::Dropped(dropped) = one(long.as_bytes()) else {
        panic!("not dropped");
    };
    assert_eq!(dropped.envelope.id, Some(Id::Unsigned(2)));
    assert_eq!(dropped.envelope.method.as_deref(), Some("b"));
}

#[test]
fn fa_28_damaged_text_is_mended_in_what_asks_nothing_and_refuses_what_asks() {
    for text in ["\\ud800", "\\udc00x", "\\ud83d\\u0041", "\u{0}\u{0}"] {
        let bad = if text.starts_with('\u{0}') {
            b"\xc3\x28".to_vec()
        } else {
            text.as_bytes().to_vec()
        };
        let line = |head: &str| {
            let mut line = format!(
                "{{\"jsonrpc\":\"2.0\",{head}:{{\"good\":\"\\ud83d\\ude00 \\\\ud800\",\"bad\":\""
            )
            .into_bytes();
            line.extend_from_slice(&bad);
            line.extend_from_slice(b"\"}}");
            line
        };
        let Incoming::Mended(Message::Response {
            outcome: Ok(result),
            ..
        }) = one(&line("\"id\":1,\"result\""))
        else {
            panic!("{text}");
        };
        assert_eq!(result["good"], "😀 \\ud800", "what was whole stays");
        assert!(result["bad"].as_str().unwrap().contains('\u{fffd}'));
        assert!(matches!(
            one(&line("\"method\":\"m\",\"params\"")),
            Incoming::Mended(_)
        ));
        let Incoming::Dropped(dropped) = one(&line("\"id\":7,\"method\":\"m\",\"params\"")) else {
            panic!("a request with damaged text must not be believed");
        };
        assert_eq!(
            (dropped.why, dropped.envelope.id),
            (DroppedFor::Unreadable, Some(Id::Unsigned(7)))
        );
    }
}

#[test]
fn fa_28_depth_bombs_are_refused_by_name() {
    for depth in [127_usize, 200, 100_000, 2_000_000] {
        let bomb = "[".repeat(depth) + &"]".repeat(depth);
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"sessionId":"s","x":{bomb}}}}}"#
        );
        let Incoming::Dropped(dropped) = one(line.as_bytes()) else {
            panic!("depth {depth}");
        };
        assert_eq!(
            dropped.envelope.session.as_deref(),
            Some("s"),
            "depth {depth}"
        );
    }
    let unclosed = "{\"a\":".repeat(700_000);
    assert!(matches!(
        one(unclosed.as_bytes()),
        Incoming::Junk {
            kind: JunkKind::NotJson,
            ..
        }
    ));
}

#[test]
fn fa_27_past_four_mebibytes_only_the_envelope_is_read() {
    let limits = Limits::default();
    for extra in [0_usize, 1] {
        let head = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","x":""#;
        let tail = r#""}}"#;
        let body = "y".repeat(limits.parsed - head.len() - tail.len() + extra);
        let line = format!("{head}{body}{tail}\n");
        for step in [1000, 65_536, usize::MAX] {
            let frame = read(line.as_bytes(), step).remove(0);
            assert_eq!(frame.bytes, (limits.parsed + extra) as u64);
            match frame.incoming {
                Incoming::Message(_) if extra == 0 => assert_eq!(frame.line.len(), limits.parsed),
                Incoming::Dropped(dropped) if extra == 1 => {
                    assert_eq!(dropped.why, DroppedFor::TooLong);
                    assert_eq!(dropped.envelope.method.as_deref(), Some("session/update"));
                    assert_eq!(dropped.envelope.session.as_deref(), Some("s"));
                    assert_eq!(frame.line, line.as_bytes()[..limits.head]);
                }
                other => panic!("{extra} by {step}: {other:?}"),
            }
        }
    }
}

#[test]
fn fa_27_a_line_of_64_mebibytes_is_the_longest() {
    let limits = Limits {
        line: 1000,
        parsed: 100,
        ..Limits::default()
    };
    let mut frames = Frames::new(limits);
    let mut longest = vec![b'x'; 1000];
    longest.push(b'\n');
    let fits = frames.push(&longest);
    assert_eq!(
        fits[0].incoming,
        Incoming::Junk {
            kind: JunkKind::NotObject,
            bytes: 1000
        }
    );
    assert!(frames.push(&[b'x'; 1000]).is_empty());
    let dead = frames.push(b"x\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n");
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].incoming, Incoming::LineTooLong { bytes: 1001 });
    assert!(
        frames
            .push(b"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n")
            .is_empty()
    );
    assert_eq!(frames.finish(), None);
    assert_eq!(frames.held(), 0);
    assert_eq!(Limits::default().line, 64 << 20);
}

#[test]
fn fa_28_reading_takes_linear_time_whatever_the_pieces() {
    // 4 MiB byte by byte, and 8 MiB past the limit byte by byte: quadratic work would take hours.
    let begun = Instant::now();
    let mut frames = Frames::new(Limits::default());
    let head = b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":\"";
    for byte in head.iter().chain(std::iter::repeat_n(&b'a', 12 << 20)) {
        assert!(frames.push(std::slice::from_ref(byte)).is_empty());
    }
    assert!(frames.held() <= Limits::default().head + 64);
    assert_eq!(frames.push(b"\"}\n").len(), 1);
    assert!(
        begun.elapsed() < Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
}
