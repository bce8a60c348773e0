//! Turns: how they end, what is told in them, cancellation (FA-05, FA-26, FA-28, FA-29).

use rustix::process::Signal;
use taffrail_testkit::eventually;

use crate::common::Process;
use crate::external::{DONE, End, LIMIT, NO_RESULT, case, side_by_side};

const CANCELLED: End = End(130, "cancelled", "cancelled");

#[test]
fn fa_05_no_result_document_after_one_more_turn() {
    let over = case("open\nsay \"all done!\"\nend end_turn\nexpect session/prompt\nsay \"really!\"\nend end_turn").ends(NO_RESULT);
    assert!(over.result()["result"].is_null());
    assert!(over.show().to_string().contains("all done!"));
}

#[test]
fn fa_05_the_second_turn_repairs_it() {
    let over =
        case("open\nsay oops\nend end_turn\nexpect session/prompt\ndone repaired").ends(DONE);
    assert_eq!(over.result()["result"]["summary"], "repaired");
}

#[test]
fn fa_05_documents_that_are_none() {
    for document in [
        r#"{"status":"OK","summary":"x"}"#,
        r#"{"status":"DONE"}"#,
        r#"{"summary":"x"}"#,
        r#"{"status":"DONE","summary":7}"#,
    ] {
        case(&format!("open\nresult {document}\nend end_turn\nexpect session/prompt\nresult {document}\nend end_turn"))
            .ends(NO_RESULT);
    }
}

#[test]
fn fa_05_a_document_bare_split_over_messages_and_with_more_in_it() {
    let over = case(
        "open\nsay \"Here: {\\\"status\\\":\\\"DONE\\\",\\\"sum\"\nthink \"hm\"\nsay \"mary\\\":\\\"split\\\",\\\"own\\\":[1],\\\"findings\\\":[]}\"\nend end_turn",
    )
    .ends(DONE);
    assert_eq!(over.result()["result"]["summary"], "split");
    assert_eq!(over.result()["result"]["own"][0], 1);
}

#[test]
fn fa_26_every_stop_reason_has_its_own_name() {
    for (stop, reason) in [
        ("max_tokens", "max_tokens"),
        ("max_turn_requests", "max_turn_requests"),
        ("refusal", "refusal"),
        ("cancelled", "agent_cancelled"),
        ("because", "unknown_stop_reason"),
        ("7", "unknown_stop_reason"),
    ] {
        case(&format!("open\nsay x\nend {stop}")).ends(End(1, "error", reason));
    }
    case("open\nsay x\nanswer {}").ends(End(1, "error", "unknown_stop_reason"));
}

#[test]
fn fa_28_updates_of_every_odd_shape() {
    let over = case(
        r#"open
update {"sessionUpdate":"session_message_chunk","content":{}}
update {"sessionUpdate":7}
update {}
update []
update null
update {"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA==","mimeType":"image/png"}}
update {"sessionUpdate":"agent_message_chunk","content":"text"}
update {"sessionUpdate":"agent_message_chunk"}
update {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"echo"}}
update {"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},7]}
update {"sessionUpdate":"available_commands_update","availableCommands":null}
update {"sessionUpdate":"current_mode_update","currentModeId":"yolo"}
update {"sessionUpdate":"config_option_update","configOptions":[{"id":"mode"}]}
update {"sessionUpdate":"session_info_update","title":"t","updatedAt":null}
update {"sessionUpdate":"notice","severity":"x","title":"unadvertised"}
update {"sessionUpdate":"tool_call","toolCallId":"t"}
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"twice","status":"cancelled","kind":"x"}
update {"sessionUpdate":"tool_call_update","toolCallId":"never-announced","content":[{"type":"terminal","terminalId":"none"},{"type":"odd"}]}
update {"sessionUpdate":"tool_call_update"}
update-for other {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of another session"}}
done"#,
    )
    .ends(DONE);
    assert!(
        !over.said().contains("of another session"),
        "{}",
        over.said()
    );
    assert!(!over.said().contains("echo"), "{}", over.said());
}

#[test]
fn fa_29_usage_and_cost_of_every_odd_shape_are_kept_as_they_came() {
    let update = |fields: &str| format!("update {{\"sessionUpdate\":\"usage_update\"{fields}}}\n");
    let missing = serde_json::json!("missing");
    for (fields, usage, cost) in [
        (
            r#","used":10,"size":100"#,
            r#"{"used":10,"size":100}"#,
            "\"missing\"",
        ),
        (
            r#","used":9,"size":100,"cost":{"amount":0,"currency":"USD"}"#,
            r#"{"used":9,"size":100}"#,
            r#"{"amount":0,"currency":"USD"}"#,
        ),
        (
            r#","used":-1,"size":"x","cost":{"amount":-2.5,"currency":"EUR"}"#,
            r#"{"used":-1,"size":null}"#,
            r#"{"amount":-2.5,"currency":"EUR"}"#,
        ),
        (
            r#","used":null,"cost":{"amount":"NaN","currency":7}"#,
            "\"missing\"",
            "\"missing\"",
        ),
        (
            r#","used":5,"size":6,"cost":{"amount":3.25,"currency":"credits"}"#,
            r#"{"used":5,"size":6}"#,
            r#"{"amount":3.25,"currency":"credits"}"#,
        ),
    ] {
        let over = case(&format!("open\n{}done", update(fields))).ends(DONE);
        let told = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        let show = over.show();
        assert_eq!(
            (&show["usage"], &show["cost"]),
            (&told(usage), &told(cost)),
            "{fields}"
        );
    }
    // A number that no number is: the line is no message, and the run goes on.
    let over = case(
        "open\nraw \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"session/update\\\",\\\"params\\\":{\\\"sessionId\\\":\\\"s1\\\",\\\"update\\\":{\\\"sessionUpdate\\\":\\\"usage_update\\\",\\\"used\\\":1e400}}}\\n\"\ndone",
    )
    .ends(DONE);
    assert_eq!(over.show()["usage"], missing);
}

#[test]
fn fa_29_missing_usage_and_cost_are_missing() {
    let over = case("open\ndone").ends(DONE);
    let run: serde_json::Value = serde_json::from_str(&over.record("acp-run.json")).unwrap();
    assert_eq!(
        (&run["usage"], &run["cost"]),
        (&"missing".into(), &"missing".into())
    );
}

#[test]
fn fa_28_it_talks_after_its_turn() {
    let over = case("open\ndone\nsay late-words\nupdate {\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2}\nhang").ends(DONE);
    assert!(!over.said().contains("late-words"), "{}", over.said());
}

#[test]
fn fa_26_cancelled_by_a_person() {
    let told = "say \"up\\n\"\nexpect-cancel";
    for (end, reason) in [
        ("end cancelled", "cancelled"),
        ("fail -32603 \"The operation was aborted\"", "cancelled"),
        ("end end_turn", "cancelled"),
        (
            "say late\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"read\"}}\nend cancelled",
            "cancelled",
        ),
        ("exit 0", "cancelled"),
    ] {
        let begun = case(&format!("open\n{told}\n{end}")).start();
        begun.wait_for("up\\n");
        begun.running.signal(Signal::INT);
        begun.wait().ends(End(130, "cancelled", reason));
    }
}

#[test]
fn fa_26_whoever_ignores_a_cancel_is_killed() {
    let begun = case("ignore-term\nignore-eof\nopen\nsay \"up\\n\"\nhang").start();
    begun.wait_for("up\\n");
    let below = begun.below();
    assert!(!below.is_empty());
    begun.running.signal(Signal::INT);
    begun
        .wait_and(&below)
        .ends(End(130, "cancelled", "cancel_ignored"));
}

#[test]
fn fa_26_cancelled_before_there_is_a_session() {
    let begun = case("expect initialize\nhang").start();
    let is_agent = |process: &Process| process.line.contains("--inline");
    assert!(eventually(LIMIT, || begun.below().iter().any(is_agent)));
    begun.running.signal(Signal::INT);
    begun.wait().ends(CANCELLED);
}

#[test]
fn fa_26_limits_of_a_turn() {
    side_by_side(vec![
        (
            "silence",
            Box::new(|| {
                case("open\nhang")
                    .config("external_agents.inactivity = \"1s\"")
                    .ends(End(5, "timeout", "inactivity"));
            }),
        ),
        (
            "silence is no talk",
            Box::new(|| {
                // Longer than the limit as a whole; a machine that stands still for seconds is no silence.
                case("open\nrepeat 10 { say x ; sleep 1s }\ndone")
                    .config("external_agents.inactivity = \"8s\"")
                    .ends(DONE);
            }),
        ),
        (
            "the whole run",
            Box::new(|| {
                case("open\nrepeat 1000 { say x ; sleep 100ms }")
                    .flag("--timeout=2s")
                    .ends(End(5, "timeout", "timeout"));
            }),
        ),
        (
            "a turn that ends on cancel",
            Box::new(|| {
                case("open\nexpect-cancel\nend cancelled")
                    .flag("--timeout=1s")
                    .ends(End(5, "timeout", "timeout"));
            }),
        ),
        (
            "the second turn",
            Box::new(|| {
                case("open\nsay x\nend end_turn\nhang")
                    .config("external_agents.inactivity = \"1s\"")
                    .ends(End(5, "timeout", "inactivity"));
            }),
        ),
    ]);
}
