//! Bytes on standard output that are not the frames that they should be (FA-27, FA-28).

use crate::external::{DONE, End, case};

#[test]
fn fa_28_noise_before_the_first_frame() {
    let over = case("raw \"Loading…\\nmigration 3 of 7\\n\"\nopen\ndone").ends(DONE);
    assert!(over.record("frames.jsonl").contains("migration 3 of 7"));
}

#[test]
fn fa_28_noise_between_frames_and_empty_lines() {
    case("open\nraw \"\\n\\r\\n\\n\"\nsay a\nraw \"log: {not json}\\n\"\nsay b\ndone")
        .ends(DONE)
        .noted("a line that is no message");
}

#[test]
fn fa_28_scalars_lists_and_log_objects_are_no_answers() {
    // Ids that a client is likely to wait for, in objects that are no JSON-RPC.
    let noise =
        r#"raw "42\n\"text\"\nnull\n[]\n{\"id\":0,\"msg\":\"log\"}\n{\"id\":1,\"result\":{}}\n""#;
    for script in [
        format!("{noise}\nopen\n{noise}\nsay a\n{noise}\ndone"),
        "expect initialize\nraw \"{\\\"id\\\":${id},\\\"level\\\":\\\"info\\\"}\\n\"\n\
         answer {\"protocolVersion\":1}\nexpect session/new\nanswer {\"sessionId\":\"s1\"}\n\
         expect session/prompt\ndone"
            .to_owned(),
    ] {
        case(&script).ends(DONE);
    }
}

#[test]
fn fa_28_a_frame_in_pieces_of_seven_bytes_and_of_one() {
    for size in ["7", "1"] {
        let over = case(&format!("split {size}\nopen\nsay \"ä€😀\"\ndone")).ends(DONE);
        assert!(over.said().contains("ä€😀"));
    }
}

#[test]
fn fa_28_two_frames_in_one_write() {
    let update = r#"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"one\"}}}}\n"#;
    let over = case(&format!("open\nraw \"{update}{update}\"\ndone")).ends(DONE);
    assert!(over.said().starts_with("oneone"), "{}", over.said());
}

#[test]
fn fa_28_lines_that_end_in_crlf() {
    case("crlf on\nopen\nsay a\ndone").ends(DONE);
}

#[test]
fn fa_28_a_last_frame_without_its_newline() {
    case("open\nresult {\"status\":\"DONE\",\"summary\":\"ok\"}\nno-final-newline\nend end_turn\nexit 0")
        .ends(DONE);
}

#[test]
fn fa_28_bytes_that_are_no_utf_8() {
    let over = case(
        "open\nraw \"\\xff\\xfe\\x80\\n\"\n\
         raw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"session/update\\\",\\\"params\\\":{\\\"x\\\":\\\"\\xc3\\x28\\\"}}\\n\"\n\
         raw \"\\x00\\x00\\n\"\ndone",
    )
    .ends(DONE);
    assert!(over.record("frames.jsonl").is_ascii() || !over.record("frames.jsonl").is_empty());
}

#[test]
fn fa_28_json_that_breaks_off() {
    case("open\nraw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":\\n\"\nraw \"{}{}\\n\"\nsay a\ndone")
        .ends(DONE);
}

#[test]
fn fa_28_a_batch_is_no_frame() {
    case("open\nraw \"[{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":5,\\\"method\\\":\\\"x/y\\\"}]\\n\"\ndone").ends(DONE);
}

#[test]
fn fa_28_names_twice_in_one_object_and_deep_nesting() {
    case("open\nraw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"a\\\",\\\"method\\\":\\\"b\\\"}\\n\"\nflood nested 1MiB\ndone")
        .ends(DONE);
}

#[test]
fn fa_28_only_noise_and_then_nothing() {
    case("repeat 3 { raw \"hello\\n\" }\nexit 0").ends(End(1, "died", "exited"));
}
