//! Questions and files during a turn (FA-20 to FA-24).

mod support;

use serde_json::json;
use support::{Play, SESSION, asked, cancelled, key, plan, selected};
use taffrail_acp::{Decision, Effect, Event, NoteKind, Plan, RpcError, Update};
use taffrail_domain::ToolKind;

#[test]
fn fa_24_a_permission_is_answered_with_the_option_for_one_call() {
    for id in [
        json!(0),
        json!(-5),
        json!("829ead73"),
        json!(9_007_199_254_740_993_u64),
        json!(null),
        json!(""),
    ] {
        for (decision, wanted) in [(Decision::Allow, "yes"), (Decision::Reject, "no")] {
            let mut play = Play::in_turn();
            let effects = play.asks(id.clone(), json!({"toolCallId": "t", "kind": "edit"}));
            play.decide(key(&effects), decision);
            let answers = play.answers(&id);
            assert_eq!(answers.len(), 1, "{id}");
            assert_eq!(answers[0]["result"], selected(wanted));
        }
    }
}

#[test]
fn fa_24_without_an_option_that_fits_nothing_is_allowed() {
    let always = json!({"optionId": "a", "name": "Allow", "kind": "allow_always"});
    let once = json!({"optionId": "o", "name": "Allow", "kind": "allow_once"});
    let switches = json!({"optionId": "s", "name": "Allow and switch", "kind": "allow_once"});
    let no = json!({"optionId": "n", "name": "No", "kind": "reject_once"});
    let never = json!({"optionId": "v", "name": "No", "kind": "reject_always"});
    let odd = json!({"optionId": "x", "name": "Allow", "kind": "allow_maybe"});
    for (options, allow, wanted) in [
        (json!([]), None, cancelled()),
        (json!(null), None, cancelled()),
        (json!("odd"), None, cancelled()),
        (json!([always]), None, cancelled()),
        (json!([always, never]), None, cancelled()),
        (json!([always, no]), None, selected("n")),
        (json!([odd, no]), None, selected("n")),
        (json!([switches, once, no]), None, selected("n")),
        (json!([once, switches]), Some("o"), selected("o")),
        (
            json!([7, {"kind": "allow_once"}, once]),
            Some("o"),
            selected("o"),
        ),
    ] {
        let mut play = Play::in_turn();
        let effects = play.asks_with(json!(1), json!({"toolCallId": "t"}), options.clone());
        assert_eq!(asked(&effects).allow.as_deref(), allow, "{options}");
        play.decide(key(&effects), Decision::Allow);
        assert_eq!(play.answers(&json!(1))[0]["result"], wanted, "{options}");
    }
}

#[test]
fn fa_23_permissions_wait_side_by_side_and_each_is_answered_once() {
    let mut play = Play::in_turn();
    let first = key(&play.asks(json!(1), json!({"toolCallId": "t"})));
    let second = key(&play.asks(json!("1"), json!({"toolCallId": "t"})));
    assert_ne!(first, second);
    play.decide(second, Decision::Reject);
    play.decide(first, Decision::Allow);
    play.decide(first, Decision::Reject);
    play.decide(second, Decision::Allow);
    assert_eq!(play.answers(&json!(1)).len(), 1);
    assert_eq!(play.answers(&json!("1")).len(), 1);
    assert_eq!(play.answers(&json!(1))[0]["result"], selected("yes"));
    assert_eq!(play.noted(NoteKind::LateEvent), 2);
    // The same id while one waits: an error, so that no yes is taken for another's.
    play.asks(json!(7), json!({"toolCallId": "a"}));
    play.asks(json!(7), json!({"toolCallId": "b"}));
    assert_eq!(play.answers(&json!(7)).len(), 1);
    assert_eq!(
        play.answers(&json!(7))[0]["error"]["code"],
        RpcError::INVALID_REQUEST
    );
    // Sixty-four wait; the next is refused by name.
    for at in 100..164 {
        play.asks(json!(at), json!({"toolCallId": "a"}));
    }
    assert_eq!(
        play.answers(&json!(163))[0]["error"]["message"],
        "64 requests wait already"
    );
    assert!(play.answers(&json!(162)).is_empty());
}

#[test]
fn fa_23_s25_another_session_gets_a_named_error_at_once() {
    let mut play = Play::in_turn();
    for (at, method) in [
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
    ]
    .iter()
    .enumerate()
    {
        for session in [json!("child"), json!(null), json!(7)] {
            let id = json!(format!("{at}{session}"));
            let effects = play.says(json!({"id": id, "method": method,
                "params": {"sessionId": session, "path": "/a", "content": "x", "toolCall": {"toolCallId": "t"}}}));
            let error = &play.answers(&id)[0]["error"];
            assert_eq!(
                error["code"],
                RpcError::INVALID_PARAMS,
                "{method} {session}"
            );
            assert!(
                effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Refused(_)))
            );
        }
    }
    // The twin: the session of the run is heard, and its question waits.
    play.asks(json!("own"), json!({"toolCallId": "t"}));
    assert!(play.answers(&json!("own")).is_empty());
    let error = play.answers(&json!("0\"child\""))[0]["error"]["message"].clone();
    assert_eq!(error, "only the session of this run is served, not `child`");
    play.says(json!({"method": "session/update", "params": {"sessionId": "child",
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "no"}}}}));
    assert_eq!(play.noted(NoteKind::OtherSession), 1);
    assert_eq!(play.client.text(), "");
}

#[test]
fn fa_20_what_is_not_advertised_is_refused_by_name() {
    let mut play = Play::opened(Plan {
        write: false,
        ..plan()
    });
    for (method, message) in [
        (
            "fs/write_text_file",
            "fs/write_text_file was not advertised: this run does not write",
        ),
        ("terminal/create", "terminal/create was not advertised"),
        (
            "elicitation/create",
            "elicitation/create was not advertised",
        ),
        (
            "craft/drainMidTurnQueue",
            "craft/drainMidTurnQueue is not known",
        ),
    ] {
        let params = json!({"sessionId": SESSION, "path": "/a", "content": "x", "command": "rm"});
        let effects = play.says(json!({"id": method, "method": method, "params": params}));
        let error = &play.answers(&json!(method))[0]["error"];
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32601), &json!(message))
        );
        let refused = effects.iter().find_map(|effect| match effect {
            Effect::Refused(refused) => Some(refused.clone()),
            _ => None,
        });
        assert_eq!(refused.unwrap().reason, message);
    }
    assert_eq!(play.reason(), None);
    // The twin: a run that writes is asked to.
    let mut play = Play::in_turn();
    let effects = play.says(json!({"id": 1, "method": "fs/write_text_file",
        "params": {"sessionId": SESSION, "path": "/a", "content": "\u{feff}x\r\n"}}));
    assert!(effects.iter().any(
        |effect| matches!(effect, Effect::Write { content, .. } if content == "\u{feff}x\r\n")
    ));
}

#[test]
fn fa_21_files_are_answered_with_what_the_driver_tells() {
    let mut play = Play::in_turn();
    let effects = play.says(json!({"id": "r", "method": "fs/read_text_file",
        "params": {"sessionId": SESSION, "path": "/a", "line": 3, "limit": null}}));
    let Some(Effect::Read {
        request,
        path,
        line,
        limit,
    }) = effects.first().cloned()
    else {
        panic!("{effects:?}");
    };
    assert_eq!((path.as_str(), line, limit), ("/a", Some(3), None));
    // A decision is no answer to a read, nor is a written file.
    play.decide(request, Decision::Allow);
    play.event(Event::WriteDone {
        request,
        result: Ok(()),
    });
    assert!(play.answers(&json!("r")).is_empty());
    play.event(Event::ReadDone {
        request,
        result: Ok("\u{feff}a\r\n".into()),
    });
    assert_eq!(
        play.answers(&json!("r"))[0]["result"],
        json!({"content": "\u{feff}a\r\n"})
    );
    let effects = play.says(json!({"id": "w", "method": "fs/write_text_file",
        "params": {"sessionId": SESSION, "path": "/a", "content": ""}}));
    let result = Err(RpcError::new(
        RpcError::INVALID_PARAMS,
        "it holds credentials",
    ));
    play.event(Event::WriteDone {
        request: key(&effects),
        result,
    });
    assert_eq!(
        play.answers(&json!("w"))[0]["error"]["message"],
        "it holds credentials"
    );
    for params in [
        json!({}),
        json!({"path": 7}),
        json!({"path": "/a", "content": null}),
    ] {
        let mut params = params;
        params["sessionId"] = json!(SESSION);
        play.says(json!({"id": "odd", "method": "fs/write_text_file", "params": params}));
    }
    assert_eq!(play.answers(&json!("odd")).len(), 3);
}

#[test]
fn fa_22_a_question_is_gathered_from_all_of_its_fields() {
    let mut play = Play::in_turn();
    play.update(json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "write · a", "kind": "edit",
        "rawInput": {"file_path": "/w/a", "content": "x\n"}, "locations": [{"path": "/w/b", "line": null}]}));
    let question = asked(&play.asks(json!(1), json!({"toolCallId": "t", "kind": "read",
        "locations": [{"path": "/w/c"}], "content": [{"type": "diff", "path": "/w/d", "oldText": null, "newText": "n"}]})));
    assert_eq!(question.title, "write · a");
    assert_eq!(question.kind, Some(ToolKind::Edit), "announced as an edit");
    assert_eq!(question.paths, ["/w/c", "/w/a", "/w/d", "/w/b"]);
    assert_eq!(question.diffs.len(), 2);
    // Nothing was announced, nothing is told.
    let question = asked(&play.asks(json!(2), json!({})));
    assert_eq!(
        (question.kind, question.paths.len(), question.command),
        (None, 0, None)
    );
    // No tool call at all cannot be looked at.
    play.asks(json!(3), json!(null));
    assert_eq!(
        play.answers(&json!(3))[0]["error"]["message"],
        "toolCall is missing"
    );
    // More paths than anybody looks at.
    let many: Vec<_> = (0..1001)
        .map(|at| json!({"path": format!("/w/{at}")}))
        .collect();
    play.asks(json!(4), json!({"toolCallId": "m", "locations": many}));
    assert_eq!(
        play.answers(&json!(4))[0]["error"]["message"],
        "the tool call names more than 1000 paths"
    );
    // What was announced and did not fit makes the kind unknown.
    play.update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "kind": "read",
        "rawInput": {"a": "x".repeat(2 << 20)}}),
    );
    assert_eq!(
        asked(&play.asks(json!(5), json!({"toolCallId": "c"}))).kind,
        None
    );
}

#[test]
fn fa_22_tool_calls_are_told_with_the_question_that_names_them_first() {
    let mut play = Play::in_turn();
    let effects = play.asks(
        json!(1),
        json!({"toolCallId": "never-announced", "title": "rm x", "kind": "execute"}),
    );
    assert!(
        matches!(&effects[0], Effect::Update(Update::Tool(seen)) if seen.first && seen.title == "rm x")
    );
    assert_eq!(play.client.tool_call("never-announced").unwrap().updates, 1);
}

/// As kimi does: the arguments are the text of the announced call, and the question has neither a kind nor a raw input.
#[test]
fn fa_22_arguments_that_are_told_as_text_are_looked_at() {
    let text = |text: &str| json!([{"type": "content", "content": {"type": "text", "text": text}}]);
    let mut play = Play::in_turn();
    let announce = |play: &mut Play, id: &str, kind: &str, words: &str| {
        play.update(
            json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "Tool", "kind": kind,
            "status": "pending", "content": text(words)}),
        );
        let told = json!({"toolCallId": id, "title": "Tool", "content": text("Requesting approval to Tool")});
        asked(&play.asks(json!(id), told))
    };
    let question = announce(&mut play, "a", "execute", r#"{"command":"rm -rf build"}"#);
    assert_eq!(question.command.as_deref(), Some("rm -rf build"));
    assert_eq!(question.kind, Some(ToolKind::Execute));
    let question = announce(&mut play, "b", "other", r#"{"command":"ls"}"#);
    assert_eq!(question.command.as_deref(), Some("ls"));
    let question = announce(&mut play, "c", "edit", r#"{"path":"/w/a","content":"x"}"#);
    assert_eq!((question.paths.len(), question.diffs.len()), (1, 1));
    // A reading that writes is none.
    let question = announce(&mut play, "d", "read", r#"{"path":"/w/a","content":"x"}"#);
    assert_eq!(question.kind, Some(ToolKind::Edit));
    // Words are no arguments, and arguments that are told as such count alone.
    let question = announce(&mut play, "e", "execute", "run rm -rf build");
    assert_eq!(question.command, None);
    let question = announce(&mut play, "f", "execute", r#"["rm"]"#);
    assert_eq!(question.command, None);
    let told = json!({"toolCallId": "g", "kind": "execute", "rawInput": {"command": "make"},
        "content": text(r#"{"command":"ls"}"#)});
    assert_eq!(
        asked(&play.asks(json!("g"), told)).command.as_deref(),
        Some("make")
    );
}
