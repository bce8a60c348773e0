//! What holds for every order of events and for every stream of bytes (FA-28). The same promises are under `fuzz/`.

#[path = "support/wild.rs"]
mod wild;

use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::proptest;

/// What stands between the braces of a message, and what does not belong there.
const FIELDS: &[&[u8]] = &[
    b",\"id\":1",
    b",\"id\":\"a\\u0041\"",
    b", \"id\" : -7 ",
    b",\"id\":null",
    b",\"id\":{}",
    b",\"method\":\"m\"",
    b",\"\\u006dethod\":\"\\ud83d\\ude00\"",
    b",\"method\":\"\\ud800\"",
    b",\"params\":{\"sessionId\":\"s\"}",
    b",\"params\":{\"x\":{\"id\":9},\"sessionId\":{\"x\":[\"]\"]},\"y\":\"\\\\\"}",
    b",\"params\":[[[1,2,3]],\"id\",\"x\"]",
    b",\"result\":{\"id\":2,\"method\":\"no\"}",
    b",\"result\":[{}]",
    b",\"error\":{\"code\":1}",
    b",\"error\":null",
    b",\"x\":\"}]{[,:\"",
];
const NOISE: &[&[u8]] = &[
    b"log\n",
    b"}",
    b"\r\n",
    b" ",
    b"[",
    b"]\n",
    b"\"",
    b"\\",
    b"\xff\xef\xbb\xbf",
    b"0\n",
];

fn message() -> impl Strategy<Value = Vec<u8>> {
    let fields = proptest::collection::vec(proptest::sample::select(FIELDS), 0..5);
    (fields, any::<bool>()).prop_map(|(fields, ends)| {
        let tail: &[u8] = if ends { b"}\n" } else { b"}\r\n" };
        [&b"{\"jsonrpc\":\"2.0\""[..], &fields.concat(), tail].concat()
    })
}

/// Bytes that are often frames, or nearly.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let noise = proptest::sample::select(NOISE).prop_map(<[u8]>::to_vec);
    let pieces = proptest::collection::vec(prop_oneof![4 => message(), 1 => noise], 0..8);
    let flips = proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3);
    (pieces, flips).prop_map(|(pieces, flips)| {
        let mut bytes = pieces.concat();
        for (at, byte) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fa_28_every_cut_of_a_stream_gives_the_same_frames(bytes in streams()) {
        wild::frames_agree(&bytes);
    }

    #[test]
    fn fa_28_noise_gives_the_same_frames_too(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        wild::frames_agree(&bytes);
    }

    #[test]
    fn fa_28_s25_every_order_of_events_ends_with_each_request_answered_once(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        wild::play(&bytes);
    }
}
