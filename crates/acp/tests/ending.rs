//! Cancelling, silence, deaths and limits: each ending has one named reason (FA-26, FA-27).

mod support;

use std::time::Duration;

use serde_json::json;
use support::{Play, SESSION, cancelled, key, plan, say};
use taffrail_acp::v1::StopReason;
use taffrail_acp::{Decision, Effect, Event, NoteKind, RpcError};
use taffrail_domain::{EndReason, Ended};

#[test]
fn fa_26_a_cancelled_turn_answers_what_waits_once_and_ends_with_the_answer() {
    let mut play = Play::in_turn();
    let permission = key(&play.asks(json!(1), json!({"toolCallId": "t"})));
    let read = key(&play.says(json!({"id": 2, "method": "fs/read_text_file",
        "params": {"sessionId": SESSION, "path": "/a"}})));
    let effects = play.event(Event::Cancel);
    assert!(effects.contains(&Effect::Withdrawn {
        request: permission
    }));
    assert_eq!(play.was_sent("session/cancel"), 1);
    assert_eq!(play.answers(&json!(1))[0]["result"], cancelled());
    assert_eq!(
        play.answers(&json!(2))[0]["error"]["code"],
        RpcError::CANCELLED
    );
    // What comes late is not answered again.
    play.decide(permission, Decision::Allow);
    play.event(Event::ReadDone {
        request: read,
        result: Ok(String::new()),
    });
    play.says(json!({"method": "$/cancel_request", "params": {"requestId": 1}}));
    play.event(Event::Cancel);
    assert_eq!(
        play.answers(&json!(1)).len() + play.answers(&json!(2)).len(),
        2
    );
    assert_eq!(play.was_sent("session/cancel"), 1);
    // New questions are answered as the protocol wants it, and updates still count.
    play.asks(json!(3), json!({"toolCallId": "t"}));
    assert_eq!(play.answers(&json!(3))[0]["result"], cancelled());
    say(&mut play, "last words");
    play.answer("session/prompt", json!({"stopReason": "cancelled"}));
    assert_eq!(play.reason(), Some(EndReason::Cancelled));
    let ended = play.effects.iter().any(|effect| {
        matches!(effect,
        Effect::TurnEnded { stop: StopReason::Cancelled, text } if text == "last words")
    });
    assert!(ended);
}

#[test]
fn fa_26_the_answer_to_a_cancelled_turn_may_be_anything() {
    for answer in [json!({"stopReason": "end_turn"}), json!({}), json!(null)] {
        let mut play = Play::in_turn();
        play.event(Event::Cancel);
        play.answer("session/prompt", answer);
        assert_eq!(play.reason(), Some(EndReason::Cancelled));
    }
    let mut play = Play::in_turn();
    play.event(Event::Cancel);
    play.fail(
        "session/prompt",
        json!({"code": -32000, "message": "login"}),
    );
    assert_eq!(play.reason(), Some(EndReason::Cancelled));
    // And cancelling after the answer ends the run at once.
    let mut play = Play::in_turn();
    play.answer("session/prompt", json!({"stopReason": "end_turn"}));
    play.event(Event::Cancel);
    assert_eq!(play.reason(), Some(EndReason::Cancelled));
}

#[test]
fn fa_26_a_cancel_that_is_ignored_ends_after_two_seconds() {
    let mut play = Play::in_turn();
    play.event(Event::Cancel);
    assert_eq!(play.client.wakes_at(), Some(Duration::from_secs(2)));
    // Neither chatter nor a person's question draws it out.
    play.event(Event::PersonAsked(true));
    play.wait(1.9);
    say(&mut play, "still here");
    assert_eq!(play.reason(), None);
    play.wait(0.1);
    assert_eq!(play.reason(), Some(EndReason::CancelIgnored));
}

#[test]
fn fa_26_a_withdrawn_request_is_answered_once() {
    let mut play = Play::in_turn();
    let request = key(&play.asks(json!("p"), json!({"toolCallId": "t"})));
    let effects = play.says(json!({"method": "$/cancel_request", "params": {"requestId": "p"}}));
    assert!(effects.contains(&Effect::Withdrawn { request }));
    play.event(Event::Cancel);
    play.decide(request, Decision::Allow);
    assert_eq!(play.answers(&json!("p")).len(), 1);
    assert_eq!(play.answers(&json!("p"))[0]["result"], cancelled());
    for odd in [
        json!({}),
        json!({"requestId": {}}),
        json!({"requestId": 99}),
        json!(null),
    ] {
        play.says(json!({"method": "$/cancel_request", "params": odd}));
    }
    assert_eq!(play.noted(NoteKind::RequestWithdrawn), 5);
}

#[test]
fn fa_26_the_clocks_stand_still_while_a_person_is_asked() {
    let mut play = Play::in_turn();
    let request = key(&play.asks(json!(1), json!({"toolCallId": "t"})));
    play.event(Event::PersonAsked(true));
    assert_eq!(play.client.wakes_at(), None);
    play.wait(100_000.0);
    assert_eq!(play.reason(), None);
    play.event(Event::PersonAsked(false));
    play.decide(request, Decision::Allow);
    play.wait(299.0);
    assert_eq!(play.reason(), None);
    play.wait(1.0);
    assert_eq!(
        play.was_sent("session/cancel"),
        1,
        "silent for five minutes"
    );
    play.wait(2.0);
    assert_eq!(play.reason(), Some(EndReason::Inactivity));
    // The twin: without a person the same wait is the end.
    let mut play = Play::in_turn();
    play.asks(json!(1), json!({"toolCallId": "t"}));
    play.wait(100_000.0);
    assert_eq!(play.was_sent("session/cancel"), 1);
    assert_eq!(play.answers(&json!(1))[0]["result"], cancelled());
}

#[test]
fn fa_26_silence_and_the_whole_run_have_their_own_ends() {
    let mut play = Play::in_turn();
    for _ in 0..14 {
        play.wait(250.0);
        say(&mut play, ".");
        play.line("noise is no sign of life");
        assert_eq!(play.was_sent("session/cancel"), 0);
    }
    play.wait(100.0);
    play.answer("session/prompt", json!({"stopReason": "cancelled"}));
    assert_eq!(play.reason(), Some(EndReason::Timeout));
    let mut play = Play::in_turn();
    for _ in 0..30 {
        play.wait(10.0);
        play.line("noise is no sign of life");
    }
    play.wait(2.0);
    assert_eq!(play.reason(), Some(EndReason::Inactivity));
}

#[test]
fn fa_05_a_repair_turn_is_one_more_prompt() {
    let mut play = Play::in_turn();
    say(&mut play, "no resu");
    say(&mut play, "lt");
    let effects = play.answer(
        "session/prompt",
        json!({"stopReason": "end_turn", "usage": {"totalTokens": 3}}),
    );
    let ended = Effect::TurnEnded {
        stop: StopReason::EndTurn,
        text: "no result".into(),
    };
    assert!(effects.contains(&ended));
    say(&mut play, "late");
    assert_eq!(play.noted(NoteKind::OutsideTurn), 1);
    play.asks(json!(1), json!({"toolCallId": "t"}));
    assert_eq!(
        play.answers(&json!(1))[0]["error"]["message"],
        "no turn is going on"
    );
    play.event(Event::Prompt("again".into()));
    assert_eq!(
        play.sent.last().unwrap()["params"]["prompt"],
        json!([{"type": "text", "text": "again"}])
    );
    play.event(Event::Prompt("too early".into()));
    play.event(Event::Finish);
    assert_eq!(play.noted(NoteKind::LateEvent), 2);
    say(&mut play, "{}");
    play.answer(
        "session/prompt",
        json!({"stopReason": "max_tokens", "_meta": {"quota": 1}}),
    );
    let effects = play.event(Event::Finish);
    assert_eq!(
        effects,
        [
            Effect::CloseInput,
            Effect::Ended(EndReason::MaxTokens, "max_tokens".into())
        ]
    );
    let facts = play.client.facts();
    assert_eq!(facts.turns, 2);
    assert_eq!(
        facts.prompt_usage,
        [json!({"totalTokens": 3}), json!({"quota": 1})]
    );
    assert!(
        play.event(Event::Cancel).is_empty(),
        "after the end nothing comes"
    );
}

#[test]
fn fa_26_every_stop_reason_has_a_name() {
    for (stop, reason) in [
        (json!("end_turn"), EndReason::EndTurn),
        (json!("max_tokens"), EndReason::MaxTokens),
        (json!("max_turn_requests"), EndReason::MaxTurnRequests),
        (json!("refusal"), EndReason::Refusal),
        (json!("cancelled"), EndReason::AgentCancelled),
        (json!("tired"), EndReason::UnknownStop),
        (json!(null), EndReason::UnknownStop),
        (json!({"x": 1}), EndReason::UnknownStop),
    ] {
        let mut play = Play::in_turn();
        play.answer("session/prompt", json!({"stopReason": stop}));
        play.event(Event::Finish);
        assert_eq!(play.reason(), Some(reason), "{stop}");
    }
}

#[test]
fn fa_26_an_agent_that_goes_is_told_by_its_exit_in_either_order() {
    let exit = || Event::Exited(Ended::Exited(0));
    for events in [[Event::OutputClosed, exit()], [exit(), Event::OutputClosed]] {
        let mut play = Play::in_turn();
        play.asks(json!(1), json!({"toolCallId": "t"}));
        play.event(Event::PersonAsked(true));
        for event in events {
            assert_eq!(play.reason(), None);
            play.event(event);
        }
        assert_eq!(
            play.ended().unwrap(),
            (EndReason::Exited, "exit code 0".into())
        );
        assert_eq!(play.answers(&json!(1)).len(), 1);
    }
    let mut play = Play::in_turn();
    play.event(Event::Exited(Ended::Signalled(9)));
    // What it wrote before is still read.
    say(&mut play, "last");
    assert_eq!(play.client.text(), "last");
    play.event(Event::OutputClosed);
    assert_eq!(play.reason(), Some(EndReason::Signalled));
    // It closed its output and lives.
    let mut play = Play::in_turn();
    play.event(Event::PersonAsked(true));
    play.event(Event::OutputClosed);
    play.wait(2.0);
    assert_eq!(play.reason(), Some(EndReason::OutputClosed));
    // It answered, and went: the turn counts.
    let mut play = Play::in_turn();
    play.event(Event::Exited(Ended::Exited(0)));
    play.answer("session/prompt", json!({"stopReason": "end_turn"}));
    play.event(Event::OutputClosed);
    play.wait(5.0);
    play.event(Event::Finish);
    assert_eq!(play.reason(), Some(EndReason::EndTurn));
    // Before initialize is answered.
    let mut play = Play::new(plan());
    play.event(Event::Begun);
    play.event(Event::OutputClosed);
    play.event(Event::Exited(Ended::Exited(1)));
    assert_eq!(
        play.ended().unwrap(),
        (EndReason::Exited, "exit code 1".into())
    );
    // No repair turn with one that is gone.
    let mut play = Play::in_turn();
    play.answer("session/prompt", json!({"stopReason": "end_turn"}));
    play.event(Event::OutputClosed);
    play.event(Event::Prompt("again".into()));
    assert_eq!(play.reason(), Some(EndReason::OutputClosed));
}

#[test]
fn fa_27_limits_end_the_run_at_once() {
    let mut play = Play::in_turn();
    play.asks(json!(1), json!({"toolCallId": "t"}));
    play.event(Event::Stop(EndReason::StderrLimit));
    assert_eq!(play.reason(), Some(EndReason::StderrLimit));
    assert_eq!(play.answers(&json!(1)).len(), 1);
    let mut play = Play::in_turn();
    let piece = "x".repeat(1 << 20);
    for _ in 0..16 {
        say(&mut play, &piece);
    }
    assert_eq!(play.reason(), None);
    say(&mut play, "x");
    assert_eq!(play.reason(), Some(EndReason::OutputLimit));
    let mut play = Play::in_turn();
    for _ in 0..300_000 {
        play.bytes(b"y\n");
    }
    assert_eq!(
        play.reason(),
        Some(EndReason::OutputLimit),
        "`yes` on standard output"
    );
    let told = play
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Note(_)))
        .count();
    assert_eq!(told, 16);
}
