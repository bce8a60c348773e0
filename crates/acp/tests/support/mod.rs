//! An agent by hand: what it says goes through the frame reader into the machine, what the machine does is kept.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on says so, and reads better with values"
)]

use std::time::Duration;

use serde_json::{Value, json};
use taffrail_acp::{Client, Decision, Effect, Event, Frames, Limits, NoteKind, Plan, RequestKey};
use taffrail_domain::EndReason;

pub const SESSION: &str = "s-1";

pub struct Play {
    pub client: Client,
    pub now: Duration,
    pub effects: Vec<Effect>,
    /// What was sent to the agent.
    pub sent: Vec<Value>,
    frames: Frames,
}

pub fn plan() -> Plan {
    Plan {
        cwd: "/work/check out".into(),
        write: true,
        text: "do it".into(),
        ..Plan::default()
    }
}

impl Play {
    pub fn new(plan: Plan) -> Self {
        Self {
            client: Client::new(plan),
            now: Duration::ZERO,
            effects: Vec::new(),
            sent: Vec::new(),
            frames: Frames::new(Limits::default()),
        }
    }

    /// In the first turn of a plain session.
    pub fn in_turn() -> Self {
        Self::opened(plan())
    }

    pub fn opened(plan: Plan) -> Self {
        let mut play = Self::new(plan);
        play.event(Event::Begun);
        play.answer("initialize", json!({"protocolVersion": 1}));
        play.answer("session/new", json!({"sessionId": SESSION}));
        assert_eq!(play.client.facts().turns, 1);
        play
    }

    pub fn event(&mut self, event: Event) -> Vec<Effect> {
        let effects = self.client.on(self.now, event);
        for effect in &effects {
            if let Effect::Send(line) = effect {
                assert!(
                    line.ends_with(b"\n") && line.iter().filter(|at| **at == b'\n').count() == 1
                );
                self.sent.push(serde_json::from_slice(line).unwrap());
            }
        }
        self.effects.extend(effects.clone());
        effects
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for frame in self.frames.push(bytes) {
            effects.extend(self.event(Event::Received(frame.incoming)));
        }
        effects
    }

    pub fn line(&mut self, line: &str) -> Vec<Effect> {
        self.bytes(format!("{line}\n").as_bytes())
    }

    pub fn says(&mut self, message: Value) -> Vec<Effect> {
        let mut message = message;
        message["jsonrpc"] = json!("2.0");
        self.line(&message.to_string())
    }

    /// Answers the last request of ours with this method.
    pub fn answer(&mut self, method: &str, result: Value) -> Vec<Effect> {
        let id = self.id_of(method);
        self.says(json!({"id": id, "result": result}))
    }

    pub fn fail(&mut self, method: &str, error: Value) -> Vec<Effect> {
        let id = self.id_of(method);
        self.says(json!({"id": id, "error": error}))
    }

    pub fn update(&mut self, update: Value) -> Vec<Effect> {
        self.says(
            json!({"method": "session/update", "params": {"sessionId": SESSION, "update": update}}),
        )
    }

    pub fn asks(&mut self, id: Value, tool: Value) -> Vec<Effect> {
        let options = json!([
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]);
        self.asks_with(id, tool, options)
    }

    pub fn asks_with(&mut self, id: Value, tool: Value, options: Value) -> Vec<Effect> {
        self.says(json!({"id": id, "method": "session/request_permission",
            "params": {"sessionId": SESSION, "toolCall": tool, "options": options}}))
    }

    pub fn decide(&mut self, request: RequestKey, decision: Decision) -> Vec<Effect> {
        self.event(Event::Decided { request, decision })
    }

    pub fn wait(&mut self, seconds: f64) -> Vec<Effect> {
        self.now += Duration::from_secs_f64(seconds);
        self.event(Event::Tick)
    }

    pub fn id_of(&self, method: &str) -> Value {
        let sent = self.sent.iter().rev();
        let found = sent.clone().find(|sent| sent["method"] == method);
        found.unwrap_or_else(|| panic!("{method} was not sent: {:?}", self.sent))["id"].clone()
    }

    pub fn was_sent(&self, method: &str) -> usize {
        self.sent
            .iter()
            .filter(|sent| sent["method"] == method)
            .count()
    }

    /// The answers that the agent got for an id.
    pub fn answers(&self, id: &Value) -> Vec<Value> {
        let answers = self
            .sent
            .iter()
            .filter(|sent| sent["id"] == *id && sent.get("method").is_none());
        answers.cloned().collect()
    }

    pub fn ended(&self) -> Option<(EndReason, String)> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Ended(reason, detail) => Some((*reason, detail.clone())),
            _ => None,
        })
    }

    pub fn reason(&self) -> Option<EndReason> {
        self.ended().map(|(reason, _)| reason)
    }

    pub fn noted(&self, kind: NoteKind) -> u64 {
        self.client
            .facts()
            .notes
            .get(&kind)
            .copied()
            .unwrap_or_default()
    }
}

/// The key of the permission, read or write among effects.
pub fn key(effects: &[Effect]) -> RequestKey {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::Permission { request, .. }
        | Effect::Read { request, .. }
        | Effect::Write { request, .. } => Some(*request),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no request among {effects:?}"))
}

pub fn asked(effects: &[Effect]) -> taffrail_acp::Asked {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::Permission { asked, .. } => Some((**asked).clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no permission among {effects:?}"))
}

pub fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

pub fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

pub fn say(play: &mut Play, text: &str) {
    play.update(
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
    );
}
