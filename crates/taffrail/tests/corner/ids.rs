//! Ids and envelopes that a careful peer would not send (FA-28).

use crate::external::{DONE, End, case};

#[test]
fn fa_28_ids_of_the_agent_come_back_as_they_were() {
    let mut script = "open\n".to_owned();
    for id in ["\"uuid-1\"", "0", "-7", "9007199254740993", "\"\"", "\"0\""] {
        script.push_str(&format!(
            "next-id {id}\nread README.md -> r\nmust ${{r.outcome}} served\n"
        ));
    }
    script.push_str("done");
    case(&script).ends(DONE);
}

#[test]
fn fa_28_one_id_for_two_requests_at_once() {
    // Both are answered: whoever sends an id twice gets two answers with it.
    case(
        "open\nnext-id 5\ncall-later a fs/read_text_file {\"sessionId\":\"s1\",\"path\":\"${cwd}/README.md\"}\n\
         next-id 5\ncall-later b fs/read_text_file {\"sessionId\":\"s1\",\"path\":\"${cwd}/README.md\"}\n\
         await a\nawait b\ndone",
    )
    .ends(DONE);
}

#[test]
fn fa_28_answers_that_come_twice_or_to_nobody() {
    let over = case(
        "expect initialize\nanswer {\"protocolVersion\":1}\nanswer {\"protocolVersion\":2}\n\
         expect session/new\nraw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":4711,\\\"result\\\":{}}\\n\"\n\
         answer {\"sessionId\":\"s1\"}\nanswer {\"sessionId\":\"s2\"}\nexpect session/prompt\nmust ${params.sessionId} s1\n\
         raw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":null,\\\"result\\\":{}}\\n\"\n\
         raw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":\\\"x\\\",\\\"error\\\":{}}\\n\"\nsay a\ndone",
    )
    .ends(DONE);
    assert!(!over.notes().is_empty());
}

#[test]
fn fa_28_the_prompt_is_answered_twice() {
    case("open\ndone\nend cancelled\nexit 0").ends(DONE);
}

#[test]
fn fa_28_errors_with_odd_codes_and_without_data() {
    for error in [
        r#"{"code":429,"message":"slow down"}"#,
        r#"{"code":1001,"message":"app-server died","data":"text"}"#,
        r#"{"code":-32603}"#,
        r#"{"message":"no code"}"#,
        r#"{}"#,
        r#""text""#,
    ] {
        let answer = format!(
            "raw \"{}\\n\"",
            format!("{{\"jsonrpc\":\"2.0\",\"id\":${{id}},\"error\":{error}}}")
                .replace('"', "\\\"")
        );
        case(&format!("open\n{answer}")).ends(End(1, "error", "agent_error"));
    }
}

#[test]
fn fa_28_an_answer_with_result_and_error_or_with_neither() {
    for fields in [
        "\\\"result\\\":{\\\"stopReason\\\":\\\"end_turn\\\"},\\\"error\\\":{\\\"code\\\":1}",
        "",
    ] {
        let comma = if fields.is_empty() { "" } else { "," };
        let over = case(&format!(
            "open\nresult {{\"status\":\"DONE\",\"summary\":\"ok\"}}\n\
             raw \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":${{id}}{comma}{fields}}}\\n\"\nend end_turn"
        ))
        .run();
        let result = over.result();
        let status = result["status"].as_str().unwrap_or_default();
        assert!(["completed", "error"].contains(&status), "{result}");
    }
}

#[test]
fn fa_20_a_request_that_nobody_knows_gets_an_error() {
    let over = case(
        "open\ncall x/y {\"sessionId\":\"s1\"} -> c\nmust ${c.error.code} -32601\n\
         call craft/drainMidTurnQueue {} -> d\nmust ${d.error.code} -32601\ndone",
    )
    .ends(DONE);
    let show = over.show().to_string();
    assert!(
        show.contains("x/y") && show.contains("craft/drainMidTurnQueue"),
        "{show}"
    );
}

#[test]
fn fa_28_a_request_without_a_method_or_with_an_odd_one() {
    case(
        "open\nraw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":7}\\n{\\\"jsonrpc\\\":\\\"1.0\\\",\\\"id\\\":2,\\\"method\\\":\\\"fs/read_text_file\\\"}\\n\"\nsay a\ndone",
    )
    .ends(DONE);
}

#[test]
fn fa_28_notifications_that_nobody_knows_are_ignored() {
    case("open\nnotify _auth/status_update {}\nnotify qwen/notify/x [1]\nnotify session/update null\ndone")
        .ends(DONE);
}

#[test]
fn fa_28_params_that_are_none() {
    let mut script = "open\n".to_owned();
    for method in [
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
    ] {
        for params in [
            "null",
            "[]",
            "{}",
            "{\"sessionId\":\"s1\"}",
            "{\"sessionId\":7,\"path\":{}}",
        ] {
            script.push_str(&format!(
                "call {method} {params} -> c\nmust ${{c.outcome}} error\n"
            ));
        }
    }
    script.push_str("done");
    case(&script).ends(DONE);
}
