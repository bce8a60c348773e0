//! What is odd, too large or unknown is survived (FA-27 to FA-29).

mod support;

use serde_json::{Value, json};
use support::{Play, SESSION, say};
use taffrail_acp::NoteKind;
use taffrail_acp::v1::StopReason;
use taffrail_domain::EndReason;

#[test]
fn fa_27_what_is_too_large_is_refused_by_name_and_an_answer_of_that_size_is_an_error() {
    let mut play = Play::in_turn();
    let big = "x".repeat(5 << 20);
    play.asks(json!(1), json!({"toolCallId": "t", "rawInput": big}));
    let message = play.answers(&json!(1))[0]["error"]["message"].to_string();
    assert!(message.contains("longer than 4 MiB"), "{message}");
    say(&mut play, &big);
    assert_eq!((play.noted(NoteKind::Dropped), play.client.text()), (1, ""));
    assert_eq!(play.reason(), None);
    play.answer(
        "session/prompt",
        json!({"stopReason": "end_turn", "x": big}),
    );
    assert_eq!(play.reason(), Some(EndReason::AgentError));
    // Many small parts weigh as much.
    let mut play = Play::in_turn();
    play.asks(
        json!(1),
        json!({"toolCallId": "t", "rawInput": vec![json!({}); 1_200_000]}),
    );
    let message = play.answers(&json!(1))[0]["error"]["message"].to_string();
    assert!(message.contains("more parts"), "{message}");
}

#[test]
fn fa_28_answers_to_nothing_and_unknown_things_are_survived() {
    let mut play = Play::in_turn();
    let prompt = play.id_of("session/prompt");
    for id in [json!(0), json!(99), json!("2"), json!(null), json!(-2)] {
        play.says(json!({"id": id, "result": {"stopReason": "end_turn"}}));
    }
    assert_eq!(play.noted(NoteKind::UnknownAnswer), 5);
    play.says(json!({"method": "_auth/status_update", "params": {}}));
    play.says(json!({"method": "session/update"}));
    play.says(json!({"method": "session/update", "params": {"sessionId": SESSION}}));
    for update in [
        json!(null),
        json!([]),
        json!({}),
        json!({"sessionUpdate": 7}),
        json!({"sessionUpdate": "state_update"}),
        json!({"sessionUpdate": "agent_message_chunk"}),
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}),
        json!({"sessionUpdate": "tool_call"}),
        json!({"sessionUpdate": "current_mode_update"}),
        json!({"sessionUpdate": "config_option_update", "configOptions": 3}),
        json!({"sessionUpdate": "subagent_update", "sessionId": "child"}),
    ] {
        play.update(update);
    }
    assert_eq!(play.reason(), None);
    assert_eq!(play.noted(NoteKind::ChildSession), 1);
    play.says(json!({"id": prompt, "result": {"stopReason": "end_turn"}}));
    play.says(json!({"id": prompt, "result": {"stopReason": "refusal"}}));
    assert_eq!(play.noted(NoteKind::UnknownAnswer), 6);
    assert_eq!(play.client.facts().stop, Some(StopReason::EndTurn));
}

#[test]
fn fa_29_usage_is_kept_as_told() {
    let mut play = Play::in_turn();
    let mut usage = |fields: Value| {
        let mut fields = fields;
        fields["sessionUpdate"] = json!("usage_update");
        let before = play.noted(NoteKind::OddUsage);
        play.update(fields);
        let usage = play.client.facts().usage.clone().unwrap();
        (usage, play.noted(NoteKind::OddUsage) - before)
    };
    let (told, odd) = usage(json!({"used": 5, "size": 100}));
    assert!(told.cost.is_none() && odd == 0, "missing stays missing");
    let (told, odd) =
        usage(json!({"used": 5, "size": 100, "cost": {"amount": 0, "currency": "USD"}}));
    assert_eq!((told.cost.unwrap().amount.as_u64(), odd), (Some(0), 0));
    let (told, odd) =
        usage(json!({"used": 3, "size": 100, "cost": {"amount": 1.5, "currency": "Taler"}}));
    assert_eq!(
        (told.cost.unwrap().currency.as_str(), odd),
        ("Taler", 0),
        "a context may shrink"
    );
    for fields in [
        json!({"used": 3, "size": 100, "cost": {"amount": 1.25, "currency": "Taler"}}),
        json!({"used": -3, "size": 100, "cost": {"amount": 2}}),
        json!({"used": 3, "cost": {"amount": -1, "currency": "USD"}}),
        json!({"used": "NaN", "size": null}),
        json!({"used": 1, "cost": {"amount": "NaN", "currency": "USD"}}),
        json!({"used": 1, "cost": 7}),
        json!({}),
    ] {
        let (_, odd) = usage(fields.clone());
        assert_eq!(odd, 1, "{fields}");
    }
    play.line(&format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{SESSION}","update":{{"sessionUpdate":"usage_update","used":NaN}}}}}}"#));
    assert_eq!(
        play.noted(NoteKind::Junk) + play.noted(NoteKind::Dropped),
        1
    );
}
