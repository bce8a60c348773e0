//! Everything up to the first prompt: versions, sign-in, deadlines (FA-20, FA-26).

use crate::external::{DONE, End, case, side_by_side};

const VERSION: End = End(1, "error", "protocol_version");
const DIED: End = End(1, "died", "exited");

#[test]
fn fa_20_another_version_is_named_and_no_session_is_opened() {
    for version in ["2", "0", "99", "\"1\"", "null", "1.5"] {
        let over = case(&format!(
            "expect initialize\nanswer {{\"protocolVersion\":{version}}}\nexpect session/new\nexit 3"
        ))
        .ends(VERSION);
        let detail = over.result()["detail"].to_string();
        assert!(
            detail.contains("protocol") || detail.contains("version"),
            "{detail}"
        );
        assert!(!over.record("frames.jsonl").contains("session/new"));
    }
    case("expect initialize\nanswer {}\nexpect session/new\nexit 3").ends(VERSION);
}

#[test]
fn fa_20_what_is_advertised_is_what_is_served() {
    let terms = "must ${i.protocolVersion} 1\nmust ${i.clientCapabilities.fs.readTextFile} true\n\
                 must ${i.clientCapabilities.terminal} false";
    let script = |write: &str| {
        format!(
            "expect initialize -> i\n{terms}\nmust ${{i.clientCapabilities.fs.writeTextFile}} {write}\n\
             answer {{\"protocolVersion\":1}}\nexpect session/new\nmust ${{params.cwd}} ${{env:PWD}}\n\
             answer {{\"sessionId\":\"s1\"}}\nexpect session/prompt\ndone"
        )
    };
    case(&script("false").replace("must ${params.cwd} ${env:PWD}\n", "")).ends(DONE);
    case(&script("true").replace("must ${params.cwd} ${env:PWD}\n", ""))
        .sandboxed()
        .write()
        .ends(DONE);
}

#[test]
fn fa_25_an_offer_of_one_server_or_an_empty_list_that_is_there() {
    let rest = "answer {\"sessionId\":\"s1\"}\nexpect session/prompt\ndone";
    let begin = "expect initialize\nanswer {\"protocolVersion\":1}\nexpect session/new -> n";
    case(&format!("{begin}\nmust ${{n.mcpServers}} []\n{rest}"))
        .flag("--no-mcp")
        .ends(DONE);
    case(&format!(
        "{begin}\nset m ${{n.mcpServers.0.command}}\nset a ${{n.mcpServers.0.args}}\n{rest}"
    ))
    .ends(DONE);
}

#[test]
fn fa_25_the_offered_server_answers_a_client() {
    let over = case(
        "open\nmcp start -> hello\nmcp list -> l\nset t ${l.result.tools.0.name}\nsay \"${l.result.tools}\"\nmcp stop\ndone",
    )
    .sandboxed()
    .ends(DONE);
    assert!(over.said().contains("read"), "{}", over.said());
}

#[test]
fn fa_28_the_smallest_answers_and_those_with_more_than_is_known() {
    for session in [
        r#"{"sessionId":"s1"}"#,
        r#"{"sessionId":"s1","modes":null,"configOptions":null,"models":{"availableModels":[{"modelId":"m"}],"currentModelId":"m"}}"#,
        r#"{"sessionId":"s1","modes":{"currentModeId":7,"availableModes":"x"},"configOptions":{}}"#,
        r#"{"sessionId":"a b/c\u0001\"'$(x)","_meta":{"x":[]}}"#,
    ] {
        case(&format!(
            "expect initialize\nanswer {{\"protocolVersion\":1,\"agentInfo\":null,\"authMethods\":{{}},\"agentCapabilities\":[]}}\n\
             expect session/new\nanswer {session}\nexpect session/prompt\ndone"
        ))
        .ends(DONE);
    }
}

#[test]
fn fa_28_a_session_without_an_id() {
    for session in [
        "{}",
        "{\"sessionId\":7}",
        "{\"sessionId\":null}",
        "[]",
        "\"s1\"",
    ] {
        let over = case(&format!(
            "expect initialize\nanswer {{\"protocolVersion\":1}}\nexpect session/new\nanswer {session}\nexpect session/prompt\ndone"
        ))
        .run();
        assert_eq!(over.ran.code, 1, "{session}: {}", over.ran.stdout);
        over.ends(End(1, "error", "agent_error"));
    }
}

#[test]
fn fa_01_nobody_is_signed_in() {
    for place in ["initialize", "session/new", "session/prompt"] {
        let before = match place {
            "initialize" => "",
            "session/new" => "expect initialize\nanswer {\"protocolVersion\":1}",
            _ => {
                "expect initialize\nanswer {\"protocolVersion\":1}\nexpect session/new\nanswer {\"sessionId\":\"s1\"}"
            }
        };
        case(&format!(
            "{before}\nexpect {place}\nfail -32000 \"Authentication required: run fake login\""
        ))
        .ends(End(4, "error", "sign_in"));
    }
}

#[test]
fn fa_28_opening_requests_that_fail() {
    for (before, place) in [
        ("", "initialize"),
        (
            "expect initialize\nanswer {\"protocolVersion\":1}",
            "session/new",
        ),
    ] {
        case(&format!(
            "{before}\nexpect {place}\nfail 1001 \"app-server died\""
        ))
        .ends(End(1, "error", "agent_error"));
    }
}

#[test]
fn fa_26_deadlines_of_the_opening() {
    side_by_side(vec![
        (
            "slow initialize",
            Box::new(|| {
                case("expect initialize\nsleep 400ms\nanswer {\"protocolVersion\":1}\nexpect session/new\n\
                  answer {\"sessionId\":\"s1\"}\nexpect session/prompt\ndone")
            .ends(DONE);
            }),
        ),
        (
            "no answer to initialize",
            Box::new(|| {
                case("expect initialize\nhang")
                    .entry("initialize_timeout = \"1s\"")
                    .ends(End(5, "timeout", "initialize_timeout"));
            }),
        ),
        (
            "noise is no answer",
            Box::new(|| {
                case("expect initialize\nrepeat 1000 { raw \"x\\n\" ; sleep 50ms }")
                    .entry("initialize_timeout = \"1s\"")
                    .ends(End(5, "timeout", "initialize_timeout"));
            }),
        ),
        (
            "no answer to session/new",
            Box::new(|| {
                case("expect initialize\nanswer {\"protocolVersion\":1}\nhang")
                    .flag("--timeout=2s")
                    .ends(End(5, "timeout", "timeout"));
            }),
        ),
        (
            "nothing at all",
            Box::new(|| {
                case("ignore-eof\nignore-term\nhang")
                    .entry("initialize_timeout = \"1s\"")
                    .ends(End(5, "timeout", "initialize_timeout"));
            }),
        ),
    ]);
}

#[test]
fn fa_26_it_exits_before_it_answers() {
    for (script, code) in [
        ("exit 0", "0"),
        ("stderr \"node: not found\\n\"\nexit 127", "127"),
    ] {
        let over = case(script).ends(DIED);
        let detail = over.result()["detail"].to_string();
        assert!(detail.contains(code), "{detail}");
    }
    let over = case("stderr \"corrupt npx cache\\n\"\nexit 1").ends(DIED);
    let said = over.show().to_string();
    assert!(said.contains("corrupt npx cache"), "{said}");
    case("expect initialize\nanswer {\"protocolVersion\":1}\nexpect session/new\nexit 9")
        .ends(DIED);
}

#[test]
fn fa_28_it_talks_before_it_is_asked() {
    let early = r#"notify session/update {"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"early"}}}"#;
    let over = case(&format!(
        "{early}\ncall-later q fs/read_text_file {{\"sessionId\":\"s1\",\"path\":\"/etc/passwd\"}}\nexpect initialize\n{early}\n\
         answer {{\"protocolVersion\":1}}\nexpect session/new\n{early}\nanswer {{\"sessionId\":\"s1\"}}\nawait q\n\
         must ${{q.outcome}} error\nexpect session/prompt\ndone"
    ))
    .ends(DONE);
    assert!(!over.record("frames.jsonl").contains("root:"));
}
