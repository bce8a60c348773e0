//! Permission requests of every odd shape (FA-22 to FA-24, FA-28).

use rustix::process::Signal;

use crate::common::checkouts;
use crate::external::{DONE, End, Over, case};

const CALL: &str = r#""toolCall":{"toolCallId":"t","kind":"edit","title":"Edit","locations":[{"path":"${cwd}/a.txt"}]}"#;

/// A command, which asks a person.
const COMMAND: &str =
    r#""toolCall":{"toolCallId":"t","kind":"execute","rawInput":{"command":"touch a"}}"#;

/// A script that asks once and insists on an outcome.
fn asking(params: &str, outcome: &str) -> String {
    format!("open\nask q {params}\nmust ${{q.outcome}} {outcome}\ndone")
}

#[test]
fn fa_24_unattended_is_a_no_that_names_its_reason() {
    let script = "open\nask-run q \"touch a\"\nmust ${q.outcome} reject\nask-edit e a.txt new\nmust ${e.outcome} reject\ndone";
    let over = case(script).ends(DONE);
    let decisions = over.events_of("decision");
    let grounds: Vec<_> = decisions
        .iter()
        .map(|decision| (&decision["verdict"], &decision["ground"]))
        .collect();
    let refused = serde_json::json!("refused");
    let (unattended, policy) = (serde_json::json!("unattended"), serde_json::json!("policy"));
    // Of a run that may not write no edit is asked about at all.
    assert_eq!(grounds, [(&refused, &unattended), (&refused, &policy)]);
    assert_eq!(over.result()["refused"].as_array().map(Vec::len), Some(2));
}

#[test]
fn fa_22_reading_inside_is_allowed_once_and_never_always() {
    let read = r#"{"toolCall":{"toolCallId":"t","kind":"read","title":"Read","locations":[{"path":"${cwd}/README.md"}]}}"#;
    let script = format!(
        "open\nask q {read}\nmust ${{q.result.outcome.optionId}} once\nmust ${{q.outcome}} allow\ndone"
    );
    let over = case(&script).ends(DONE);
    assert_eq!(over.events_of("decision")[0]["ground"], "policy");
}

#[test]
fn fa_22_s24_a_read_of_a_place_outside_is_not_taken_for_a_read() {
    for path in [
        "/etc/passwd",
        "${cwd}/../../x",
        "relative/../../../etc",
        "~/.ssh/id_ed25519",
    ] {
        let call = format!(
            r#"{{"toolCall":{{"toolCallId":"t","kind":"read","title":"Read","locations":[{{"path":"{path}"}}]}}}}"#
        );
        case(&asking(&call, "reject")).ends(DONE);
    }
}

/// In the record, too, the reason names the file.
#[test]
fn fa_22_a_credential_of_the_checkout_is_no_plain_read() {
    let call = r#"{"toolCall":{"toolCallId":"t","kind":"read","title":"Read","locations":[{"path":"${cwd}/conf/.env"}]}}"#;
    let over = case(&asking(call, "reject"))
        .file("conf/.env", "A=b\n")
        .ends(DONE);
    let decision = &over.events_of("decision")[0];
    assert_eq!(
        (&decision["risk"], &decision["answer"]),
        (&"credential".into(), &"ask".into())
    );
    let named = |reasons: &serde_json::Value| reasons.to_string().contains("credential: conf/.env");
    assert!(named(&decision["reasons"]), "{decision}");
    let mut reasons = decision["reasons"].as_array().unwrap().clone();
    let told = reasons.len();
    reasons.sort_by_key(ToString::to_string);
    reasons.dedup();
    assert_eq!(reasons.len(), told, "each once: {decision}");
    assert!(
        named(&over.show()["decisions"][0]["reasons"]),
        "{}",
        over.show()
    );
}

#[test]
fn fa_22_s24_paths_count_wherever_they_stand() {
    for call in [
        r#""rawInput":{"file_path":"/etc/passwd"}"#,
        r#""rawInput":{"deep":[{"fileName":"/etc/passwd"}]}"#,
        r#""rawInput":{"path":{"value":"/etc/passwd"}}"#,
        r#""content":[{"type":"diff","path":"/etc/passwd","newText":"x"}]"#,
        r#""locations":[{"path":"${cwd}/README.md"},{"path":"/etc/passwd"}]"#,
    ] {
        let params =
            format!(r#"{{"toolCall":{{"toolCallId":"t","kind":"read","title":"Read",{call}}}}}"#);
        case(&asking(&params, "reject")).ends(DONE);
    }
}

#[test]
fn fa_22_fetching_is_refused_by_policy() {
    let call = r#"{"toolCall":{"toolCallId":"t","kind":"fetch","title":"https://example.invalid/","rawInput":{"url":"https://example.invalid/"}}}"#;
    let over = case(&asking(call, "reject")).ends(DONE);
    assert_eq!(over.events_of("decision")[0]["ground"], "policy");
}

#[test]
fn fa_22_kinds_that_say_nothing_are_the_strictest() {
    for call in [
        r#""toolCallId":"t""#,
        r#""toolCallId":"t","kind":null,"title":null"#,
        r#""toolCallId":"t","kind":"other","title":"write""#,
        r#""toolCallId":"t","kind":"switch_mode","title":"Exit plan mode""#,
        r#""toolCallId":"t","kind":"read_everything","title":"x""#,
        r#""toolCallId":"t","kind":7,"title":{},"rawInput":null,"locations":"x","content":3"#,
    ] {
        let over = case(&asking(&format!("{{\"toolCall\":{{{call}}}}}"), "reject")).ends(DONE);
        assert_eq!(over.events_of("decision")[0]["destructive"], true, "{call}");
    }
}

#[test]
fn fa_22_what_was_announced_counts_against_what_is_asked() {
    let over = case(
        "open\nupdate {\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"kind\":\"execute\",\"title\":\"rm -rf /\",\"rawInput\":{\"command\":\"rm -rf /\"}}\n\
         ask q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"read\",\"title\":\"look\"}}\nmust ${q.outcome} reject\ndone",
    )
    .ends(DONE);
    assert_eq!(over.events_of("decision")[0]["destructive"], true);
}

#[test]
fn fa_24_option_sets_without_a_way_to_say_it() {
    let always = r#"[{"optionId":"a","name":"Always","kind":"allow_always"}]"#;
    let odd = r#"[{"optionId":"a","name":"?","kind":"sudo"},{"optionId":7}]"#;
    for options in ["[]", always, odd, "null", "{}"] {
        // A read that the policy allows, and an edit that it does not.
        for (kind, path) in [("read", "README.md"), ("edit", "a.txt")] {
            let params = format!(
                r#"{{"toolCall":{{"toolCallId":"t","kind":"{kind}","title":"x","locations":[{{"path":"${{cwd}}/{path}"}}]}},"options":{options}}}"#
            );
            let over = case(&format!(
                "open\nask q {params}\non allow {{ exit 9 }}\ndone"
            ))
            .ends(DONE);
            assert_eq!(over.events_of("decision").len(), 1, "{options}");
        }
    }
}

#[test]
fn fa_24_an_option_that_promises_more_than_this_call_is_none() {
    let read = r#""toolCall":{"toolCallId":"t","kind":"read","title":"x","locations":[{"path":"${cwd}/README.md"}]}"#;
    let plain = r#"{"optionId":"proceed_once","name":"Yes","kind":"allow_once"}"#;
    let switching = r#"{"optionId":"proceed_once_and_switch_to_default","name":"Yes, and switch mode","kind":"allow_once"}"#;
    let no = r#"{"optionId":"n","name":"No","kind":"reject_once"}"#;
    for (options, chosen) in [
        (format!("[{plain},{switching},{no}]"), "proceed_once"),
        (format!("[{switching},{plain},{no}]"), "n"),
    ] {
        case(&format!(
            "open\nask q {{{read},\"options\":{options}}}\nmust ${{q.result.outcome.optionId}} {chosen}\ndone"
        ))
        .ends(DONE);
    }
}

#[test]
fn fa_23_s25_questions_of_other_sessions_and_outside_of_the_turn() {
    case(&format!(
        "expect initialize\nanswer {{\"protocolVersion\":1}}\nexpect session/new\n\
         ask early {{\"sessionId\":\"s1\",{CALL}}}\nmust ${{early.outcome}} error\n\
         answer {{\"sessionId\":\"s1\"}}\nexpect session/prompt\ndone"
    ))
    .ends(DONE);
    let over = case(&format!(
        "open\nask other {{\"sessionId\":\"child\",{CALL}}}\nmust ${{other.outcome}} error\ndone"
    ))
    .ends(DONE);
    assert!(over.show().to_string().contains("child"));
}

#[test]
fn fa_23_a_question_after_the_turn_gets_an_error_or_the_end() {
    case(&format!(
        "open\ndone\nask-later q {{{CALL}}}\nawait q\nmust ${{q.outcome}} error"
    ))
    .ends(DONE);
}

#[test]
fn fa_28_two_questions_for_one_call_and_many_at_once() {
    let mut script = "open\n".to_owned();
    for at in 0..20 {
        script.push_str(&format!("ask-later q{at} {{{CALL}}}\n"));
    }
    for at in (0..20).rev() {
        script.push_str(&format!("await q{at}\nmust ${{q{at}.outcome}} reject\n"));
    }
    script.push_str("done");
    let over = case(&script).ends(DONE);
    assert_eq!(over.events_of("decision").len(), 20);
}

#[test]
fn fa_28_more_questions_than_anybody_can_want() {
    let over = case(&format!(
        "open\nrepeat 300 {{ ask-later q${{n}} {{{CALL}}} }}\nrepeat 300 {{ await q${{n}} }}\ndone"
    ))
    .ends(DONE);
    let answers = over.record("frames.jsonl");
    assert!(answers.lines().count() >= 600);
}

/// While a person is asked; the run goes on, and the answer is that of a cancelled turn.
#[test]
fn fa_28_the_agent_takes_its_question_back() {
    let over = case(&format!(
        "open\nnext-id \"w\"\nask-later q {{{COMMAND}}}\nnotify $/cancel_request {{\"requestId\":\"w\"}}\nawait q\n\
         must ${{q.outcome}} cancelled\ndone"
    ))
    .attended()
    .ends(DONE);
    assert_eq!(over.events_of("question").len(), 1);
    assert_eq!(over.events_of("decision")[0]["ground"], "cancelled");
    assert_eq!(state_of_question(&over), "withdrawn");
    let decision = &over.show()["decisions"][0];
    assert_eq!(
        (&decision["outcome"], &decision["optionId"]),
        (&"cancelled".into(), &serde_json::Value::Null)
    );
}

#[test]
fn fa_28_the_agent_exits_while_it_waits() {
    for how in ["exit 0", "kill-self 9", "kill-self 11"] {
        let reason = if how == "exit 0" {
            "exited"
        } else {
            "signalled"
        };
        let waits = "do shell \"while [ ! -e go ]; do sleep 0.1; done\"";
        let script = format!("open\nask-later q {{{COMMAND}}}\n{waits}\n{how}");
        let begun = case(&script).attended().start();
        begun.wait_for("\"type\":\"question\"");
        let checkout = checkouts(&begun.world).remove(0);
        std::fs::write(checkout.join("box/wt/go"), "").unwrap();
        let over = begun.wait().ends(End(1, "died", reason));
        assert_eq!(over.events_of("decision")[0]["ground"], "cancelled");
        assert_eq!(state_of_question(&over), "withdrawn");
    }
}

/// How the one question of a run stands.
fn state_of_question(over: &Over) -> String {
    let questions = over.show()["questions"].clone();
    assert_eq!(questions.as_array().map(Vec::len), Some(1), "{questions}");
    questions[0]["state"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn fa_24_a_question_that_waits_is_answered_when_the_run_is_cancelled() {
    let begun = case(
        "open\nask-later q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"execute\",\"rawInput\":{\"command\":\"touch a\"}}}\n\
         expect-cancel\nawait q\nmust ${q.outcome} cancelled\nend cancelled",
    )
    .attended()
    .start();
    begun.wait_for("\"type\":\"question\"");
    begun.running.signal(Signal::INT);
    let over = begun.wait().ends(End(130, "cancelled", "cancelled"));
    assert!(over.record("frames.jsonl").contains("cancelled"));
}

#[test]
fn fa_27_a_question_that_is_too_large_is_refused_by_name() {
    let over = case(
        "open\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"read\",\"title\":\"${pad:5MiB}\"}}\n\
         must ${q.outcome} error\nsay \"${q.error.message}\"\ndone",
    )
    .ends(DONE);
    assert!(
        over.said().contains("4 MiB") || over.said().contains("large"),
        "{}",
        over.said()
    );
}

#[test]
fn fa_28_a_diff_of_3_mib_is_a_question_like_any_other() {
    let over = case(
        "open\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"kind\":\"edit\",\"title\":\"big\",\"content\":[{\"type\":\"diff\",\"path\":\"${cwd}/a.txt\",\"newText\":\"${pad:3MiB}\"}]}}\n\
         must ${q.outcome} reject\ndone",
    )
    .ends(DONE);
    assert!(
        over.ran.stdout.len() < 64 << 10,
        "{} bytes of events",
        over.ran.stdout.len()
    );
}

#[test]
fn fa_24_a_title_of_a_megabyte_is_told_in_a_line() {
    let over = case("open\nask q {\"toolCall\":{\"toolCallId\":\"t\",\"title\":\"${pad:1MiB}\"}}\nmust ${q.outcome} reject\ndone").ends(DONE);
    let what = over.events_of("decision")[0]["what"].clone();
    assert!(
        what.as_str().is_some_and(|what| what.len() < 1024),
        "{what}"
    );
}
