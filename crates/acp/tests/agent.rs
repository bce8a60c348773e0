//! FA-45: ourselves as an agent, any client before us: every request is answered exactly once, a cancelled turn ends as
//! cancelled, and nothing of it comes after.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "a test that cannot go on says so; a table is as long as it is, and reads better with values"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taffrail_acp::agent::{Agent, AgentEffect, AgentEvent, Stop, TurnKey};
use taffrail_acp::v1::Implementation;
use taffrail_acp::{Frames, Limits, RpcError};

/// A client by hand, and turns by hand.
struct Play {
    agent: Agent,
    frames: Frames,
    sessions: usize,
    /// Turns that began and did not say that they are over.
    turns: Vec<TurnKey>,
    cancelled: Vec<TurnKey>,
    answered: Vec<(TurnKey, Result<Value, RpcError>)>,
    forgotten: Vec<String>,
    /// What was sent to the client.
    sent: Vec<Value>,
}

impl Play {
    fn new() -> Self {
        Self {
            agent: Agent::new(Implementation {
                name: "t".into(),
                title: None,
                version: "1".into(),
            }),
            frames: Frames::new(Limits::default()),
            sessions: 0,
            turns: Vec::new(),
            cancelled: Vec::new(),
            answered: Vec::new(),
            forgotten: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// With the session `s0` and a turn in it, whose prompt is request 1.
    fn in_turn() -> Self {
        let mut play = Self::new();
        play.request(0, "session/new", json!({"cwd": "/", "mcpServers": []}));
        play.prompt(1, "s0");
        assert_eq!(play.turns.len(), 1);
        play
    }

    fn line(&mut self, line: &str) {
        for frame in self.frames.push(format!("{line}\n").as_bytes()) {
            self.event(AgentEvent::Received(frame.incoming));
        }
    }

    fn says(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.line(&message.to_string());
    }

    fn request(&mut self, id: u64, method: &str, params: Value) {
        self.says(json!({"id": id, "method": method, "params": params}));
    }

    fn prompt(&mut self, id: u64, session: &str) {
        let text = json!([{"type": "text", "text": "go"}]);
        self.request(
            id,
            "session/prompt",
            json!({"sessionId": session, "prompt": text}),
        );
    }

    fn tells(&mut self, method: &str, params: Value) {
        self.says(json!({"method": method, "params": params}));
    }

    fn ask(&mut self, turn: TurnKey) {
        self.event(AgentEvent::Ask {
            turn,
            method: "session/request_permission",
            params: json!({}),
        });
    }

    fn over(&mut self, turn: TurnKey, ended: Result<Stop, RpcError>) {
        self.event(AgentEvent::TurnOver { turn, ended });
    }

    fn event(&mut self, event: AgentEvent) {
        for effect in self.agent.on(event) {
            match effect {
                AgentEffect::Send(line) => {
                    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
                    self.sent.push(serde_json::from_slice(&line).unwrap());
                }
                AgentEffect::Open(open) => {
                    let id = format!("s{}", self.sessions);
                    self.sessions += 1;
                    self.event(AgentEvent::Opened {
                        request: open.request,
                        session: Ok(id),
                    });
                }
                AgentEffect::Begin { turn, .. } => self.turns.push(turn),
                AgentEffect::Answered { turn, outcome } => self.answered.push((turn, outcome)),
                AgentEffect::Cancel { turn } => self.cancelled.push(turn),
                AgentEffect::Forget { session } => self.forgotten.push(session),
            }
        }
    }

    /// Every answer to the client's request `id`.
    fn answers(&self, id: u64) -> Vec<&Value> {
        let sent = self.sent.iter();
        sent.filter(|sent| sent["id"] == id && sent.get("method").is_none())
            .collect()
    }

    #[track_caller]
    fn answer(&self, id: u64) -> &Value {
        let answers = self.answers(id);
        assert_eq!(answers.len(), 1, "{answers:?}");
        answers[0]
    }

    fn sent_of(&self, method: &str) -> Vec<&Value> {
        let sent = self.sent.iter();
        sent.filter(|sent| sent["method"] == method).collect()
    }
}

#[test]
fn fa_45_what_is_asked_wrongly_is_refused_by_its_code() {
    let many: Vec<_> = (0..17)
        .map(|_| json!({"name": "x", "command": "/x", "args": [], "env": []}))
        .collect();
    let long = json!([{"name": "x", "command": "/x", "args": ["a".repeat(200_000)], "env": []}]);
    let prompt = json!([{"type": "text", "text": "go"}]);
    let table = [
        (
            "authenticate",
            json!({"methodId": "x"}),
            RpcError::INVALID_PARAMS,
        ),
        (
            "session/load",
            json!({"sessionId": "s0"}),
            RpcError::METHOD_NOT_FOUND,
        ),
        ("session/list", json!({}), RpcError::METHOD_NOT_FOUND),
        ("", json!(null), RpcError::METHOD_NOT_FOUND),
        ("terminal/create", json!({}), RpcError::METHOD_NOT_FOUND),
        (
            "session/prompt",
            json!({"sessionId": "none", "prompt": prompt}),
            RpcError::NOT_FOUND,
        ),
        (
            "session/prompt",
            json!({"prompt": prompt}),
            RpcError::NOT_FOUND,
        ),
        (
            "session/prompt",
            json!({"sessionId": "s0"}),
            RpcError::INVALID_PARAMS,
        ),
        (
            "session/prompt",
            json!({"sessionId": "s0", "prompt": "go"}),
            RpcError::INVALID_PARAMS,
        ),
        ("session/prompt", json!([1]), RpcError::INVALID_PARAMS),
        (
            "session/set_mode",
            json!({"sessionId": "s0", "modeId": "yolo"}),
            RpcError::INVALID_PARAMS,
        ),
        (
            "session/set_mode",
            json!({"sessionId": "none", "modeId": "ask"}),
            RpcError::NOT_FOUND,
        ),
        (
            "session/close",
            json!({"sessionId": "none"}),
            RpcError::NOT_FOUND,
        ),
        ("session/close", json!(null), RpcError::NOT_FOUND),
        ("session/new", json!({}), RpcError::INVALID_PARAMS),
        ("session/new", json!({"cwd": 7}), RpcError::INVALID_PARAMS),
        (
            "session/new",
            json!({"cwd": "/", "mcpServers": many}),
            RpcError::INVALID_PARAMS,
        ),
        (
            "session/new",
            json!({"cwd": "/", "mcpServers": long}),
            RpcError::INVALID_PARAMS,
        ),
    ];
    let mut play = Play::new();
    play.request(0, "session/new", json!({"cwd": "/", "mcpServers": []}));
    for (at, (method, params, code)) in table.into_iter().enumerate() {
        let id = 1 + at as u64;
        play.request(id, method, params.clone());
        assert_eq!(play.answer(id)["error"]["code"], code, "{method} {params}");
    }
    assert!(play.turns.is_empty());
}

#[test]
fn fa_45_initialize_answers_one_to_anything_and_offers_what_is_there() {
    for asked in [json!(1), json!(0), json!(99), json!("2"), json!(null)] {
        let mut play = Play::new();
        play.request(0, "initialize", json!({"protocolVersion": asked}));
        let result = &play.answer(0)["result"];
        assert_eq!(result["protocolVersion"], 1);
        assert_eq!(result["authMethods"], json!([]));
        assert_eq!(result["agentCapabilities"]["loadSession"], false);
        assert_eq!(
            result["agentCapabilities"]["mcpCapabilities"],
            json!({"http": false, "sse": false})
        );
    }
}

#[test]
fn fa_45_a_cancelled_turn_withdraws_its_question_and_ends_as_cancelled_whatever_it_says() {
    for ended in [
        Ok(Stop::EndTurn),
        Ok(Stop::Cancelled),
        Err(RpcError::new(RpcError::INTERNAL, "broke")),
    ] {
        let mut play = Play::in_turn();
        let turn = play.turns[0];
        play.ask(turn);
        let asked = play.sent_of("session/request_permission")[0]["id"].clone();
        play.tells("session/cancel", json!({"sessionId": "s0"}));
        play.tells("session/cancel", json!({"sessionId": "s0"}));
        assert_eq!(play.cancelled, [turn]);
        assert_eq!(play.answered.len(), 1);
        assert_eq!(
            play.answered[0].1.as_ref().unwrap_err().code,
            RpcError::CANCELLED
        );
        assert_eq!(
            play.sent_of("$/cancel_request")[0]["params"]["requestId"],
            asked
        );
        // What the client answers to it now is heard by nobody; a new question is not asked.
        play.says(json!({"id": asked, "result": {"outcome": {"outcome": "selected", "optionId": "once"}}}));
        play.ask(turn);
        assert_eq!(play.sent_of("session/request_permission").len(), 1);
        assert_eq!(play.answered.len(), 2);
        assert!(play.answers(1).is_empty(), "the turn has not ended yet");
        play.over(turn, ended);
        assert_eq!(play.answer(1)["result"]["stopReason"], "cancelled");
        let sent = play.sent.len();
        play.event(AgentEvent::Tell {
            turn,
            update: json!({}),
        });
        play.over(turn, Ok(Stop::EndTurn));
        assert_eq!(play.sent.len(), sent, "nothing comes after its end");
        // The next one works.
        play.prompt(2, "s0");
        play.over(TurnKey(1), Ok(Stop::EndTurn));
        assert_eq!(play.answer(2)["result"]["stopReason"], "end_turn");
    }
}

#[test]
fn fa_45_cancelling_is_one_sessions_and_a_prompt_is_cancelled_by_its_id_too() {
    let mut play = Play::in_turn();
    play.request(2, "session/new", json!({"cwd": "/", "mcpServers": []}));
    play.prompt(3, "s1");
    play.tells("session/cancel", json!({"sessionId": "s1"}));
    assert_eq!(play.cancelled, [TurnKey(1)]);
    play.tells("$/cancel_request", json!({"requestId": 77}));
    play.tells("$/cancel_request", json!({}));
    assert_eq!(play.cancelled.len(), 1);
    play.tells("$/cancel_request", json!({"requestId": 1}));
    assert_eq!(play.cancelled, [TurnKey(1), TurnKey(0)]);
}

#[test]
fn fa_45_a_session_has_one_turn_at_a_time() {
    let mut play = Play::in_turn();
    play.prompt(2, "s0");
    assert_eq!(play.answer(2)["error"]["code"], RpcError::INVALID_PARAMS);
    assert_eq!(play.turns.len(), 1);
}

#[test]
fn fa_45_closing_a_session_or_the_connection_answers_what_goes_on_once() {
    for closes_all in [false, true] {
        let mut play = Play::in_turn();
        play.ask(TurnKey(0));
        if closes_all {
            play.event(AgentEvent::Closed);
        } else {
            play.request(2, "session/close", json!({"sessionId": "s0"}));
            assert_eq!(play.answer(2)["result"], json!({}));
            assert_eq!(play.forgotten, ["s0"]);
        }
        assert_eq!(play.cancelled, [TurnKey(0)]);
        assert_eq!(play.answered.len(), 1, "who waits is woken");
        assert_eq!(play.answer(1)["result"]["stopReason"], "cancelled");
        play.over(TurnKey(0), Ok(Stop::EndTurn));
        assert_eq!(play.answers(1).len(), 1);
    }
}

#[test]
fn fa_45_sessions_and_what_is_read_are_bounded() {
    let mut play = Play::new();
    for id in 0..65 {
        play.request(id, "session/new", json!({"cwd": "/", "mcpServers": []}));
    }
    assert!(play.answer(63)["result"].is_object());
    assert_eq!(play.answer(64)["error"]["code"], RpcError::INVALID_PARAMS);
    play.request(65, "session/close", json!({"sessionId": "s0"}));
    play.request(66, "session/new", json!({"cwd": "/", "mcpServers": []}));
    assert!(play.answer(66)["result"].is_object());
    // A request of 5 MiB is not looked into, and is answered.
    let text = json!([{"type": "text", "text": "x".repeat(5 << 20)}]);
    play.request(
        67,
        "session/prompt",
        json!({"sessionId": "s1", "prompt": text}),
    );
    assert_eq!(play.answer(67)["error"]["code"], RpcError::INVALID_PARAMS);
    assert!(play.turns.is_empty());
}

/// One thing that a client or a turn does.
#[derive(Debug, Clone)]
enum Move {
    Request(&'static str, Value),
    Tell(&'static str, Value),
    Answer(u64, bool),
    Junk(String),
    TurnAsks(usize),
    TurnTells(usize),
    TurnEnds(usize, bool),
}

fn session() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4_u8).prop_map(|at| format!("s{at}")),
        Just("none".to_owned())
    ]
}

fn moves() -> impl Strategy<Value = Move> {
    let prompt = json!([{"type": "text", "text": "go"}]);
    prop_oneof![
        1 => Just(Move::Request("initialize", json!({"protocolVersion": 1}))),
        1 => Just(Move::Request("session/new", json!({"cwd": "/", "mcpServers": []}))),
        1 => Just(Move::Request("unknown/method", json!([]))),
        6 => session().prop_map(move |s| Move::Request(
            "session/prompt", json!({"sessionId": s, "prompt": prompt}))),
        1 => session().prop_map(|s| Move::Request("session/close", json!({"sessionId": s}))),
        1 => session().prop_map(|s| Move::Request("session/set_mode", json!({"sessionId": s, "modeId": "ask"}))),
        2 => session().prop_map(|s| Move::Tell("session/cancel", json!({"sessionId": s}))),
        1 => (0..40_u64).prop_map(|id| Move::Tell("$/cancel_request", json!({"requestId": id}))),
        3 => (0..12_u64, any::<bool>()).prop_map(|(id, good)| Move::Answer(id, good)),
        1 => "[ -~]{0,40}".prop_map(Move::Junk),
        4 => (0..6_usize).prop_map(Move::TurnAsks),
        2 => (0..6_usize).prop_map(Move::TurnTells),
        4 => (0..6_usize, any::<bool>()).prop_map(|(at, good)| Move::TurnEnds(at, good)),
    ]
}

/// Each turn's prompt, as the harness gives them: request id by turn.
fn play_out(moves: Vec<Move>) -> (Play, u64, BTreeMap<TurnKey, u64>) {
    let mut play = Play::new();
    let mut next = 1_000;
    let mut prompts = BTreeMap::new();
    for step in moves {
        match step {
            Move::Request(method, params) => {
                let begun = play.turns.len();
                play.request(next, method, params);
                for turn in play.turns.iter().skip(begun) {
                    prompts.insert(*turn, next);
                }
                next += 1;
            }
            // Ids of a prompt lie above a thousand.
            Move::Tell("$/cancel_request", params) => {
                let id = params["requestId"].as_u64().unwrap() + 1_000;
                play.tells("$/cancel_request", json!({"requestId": id}));
            }
            Move::Tell(method, params) => play.tells(method, params),
            Move::Answer(id, true) => play.says(json!({"id": id, "result": {}})),
            Move::Answer(id, false) => {
                play.says(json!({"id": id, "error": {"code": 1, "message": "x"}}))
            }
            Move::Junk(line) => play.line(&line),
            Move::TurnAsks(at) => {
                if let Some(turn) = play.turns.get(at).copied() {
                    play.ask(turn);
                }
            }
            Move::TurnTells(at) => {
                if let Some(turn) = play.turns.get(at).copied() {
                    play.event(AgentEvent::Tell {
                        turn,
                        update: json!({"turn": turn.0}),
                    });
                }
            }
            Move::TurnEnds(at, good) => {
                if let Some(turn) = play.turns.get(at).copied() {
                    let ended = if good {
                        Ok(Stop::EndTurn)
                    } else {
                        Err(RpcError::new(1, "broke"))
                    };
                    play.over(turn, ended);
                }
            }
        }
    }
    play.event(AgentEvent::Closed);
    (play, next, prompts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fa_45_every_request_is_answered_exactly_once_in_any_order(moves in prop::collection::vec(moves(), 0..60)) {
        let (play, next, prompts) = play_out(moves);
        for id in 1_000..next {
            prop_assert_eq!(play.answers(id).len(), 1, "request {}", id);
        }
        for (turn, prompt) in &prompts {
            if play.cancelled.contains(turn) {
                prop_assert_eq!(&play.answer(*prompt)["result"]["stopReason"], "cancelled");
            }
            // Nothing of a turn after the answer to its prompt.
            let ended = play.sent.iter().position(|sent| sent["id"] == *prompt && sent.get("method").is_none());
            let last = play.sent.iter().rposition(|sent| sent["params"]["update"]["turn"] == turn.0);
            prop_assert!(last < ended, "{:?} {:?}", last, ended);
        }
        // Each question has its own number, and whoever asked is answered at most once for each.
        let asked = play.sent_of("session/request_permission");
        let mut ids: Vec<_> = asked.iter().map(|sent| sent["id"].as_u64()).collect();
        ids.dedup();
        prop_assert_eq!(ids.len(), asked.len());
    }
}
