//! A session played from arbitrary bytes, and what must hold whatever they are: used by the property tests and by the fuzz
//! targets, so it names nothing of either.
#![allow(clippy::unwrap_used, clippy::panic)] // A broken promise is a panic.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use taffrail_acp::{
    Client, Decision, Effect, Event, Frame, Frames, Incoming, Limits, Message, Plan, RequestKey,
    RpcError,
};
use taffrail_domain::{EndReason, Ended};

const SESSION: &str = "s";
/// A deadline is followed by another at most so often before the end: settings, the turn, the grace.
const TICKS: usize = 32;

struct Wild {
    client: Client,
    frames: Frames,
    now: Duration,
    /// By the id on the wire: how often it was asked, and how often answered.
    asked: BTreeMap<String, (u32, u32)>,
    waiting: Vec<RequestKey>,
    seen: Vec<RequestKey>,
    person: bool,
    ended: bool,
    told: BTreeMap<&'static str, u64>,
    last_call: u64,
}

/// Plays `bytes`; panics where a promise is broken.
pub fn play(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let flags = bytes.next().unwrap_or_default();
    let mut wild = Wild::new(flags);
    if flags & 8 == 0 {
        wild.open();
    }
    while let Some(op) = bytes.next() {
        wild.step(op, &mut bytes);
    }
    wild.wind_down();
}

/// Every cut of `bytes` gives the same frames, and a reader holds little.
pub fn frames_agree(bytes: &[u8]) {
    let limits = Limits {
        line: 4096,
        parsed: 256,
        memory: 16 << 10,
        head: 16,
    };
    let whole = read(bytes, limits, usize::MAX);
    for step in [1, 2, 7, 64] {
        assert_eq!(read(bytes, limits, step), whole, "pieces of {step}");
    }
    let counted: u64 = whole.iter().map(|frame| frame.bytes).sum();
    assert!(counted <= bytes.len() as u64);
    // What is only scanned tells the same as what is parsed.
    let scanned = read(
        bytes,
        Limits {
            parsed: 0,
            ..limits
        },
        usize::MAX,
    );
    for frame in read(
        bytes,
        Limits {
            parsed: 4096,
            memory: 1 << 20,
            ..limits
        },
        usize::MAX,
    ) {
        let Incoming::Message(message) = &frame.incoming else {
            continue;
        };
        let same = scanned
            .iter()
            .any(|other| match (&other.incoming, message) {
                (Incoming::Dropped(dropped), Message::Request { id, method, .. }) => {
                    dropped.envelope.id.as_ref() == Some(id)
                        && dropped.envelope.method.as_ref() == Some(method)
                }
                (Incoming::Dropped(dropped), Message::Notification { method, .. }) => {
                    dropped.envelope.id.is_none()
                        && dropped.envelope.method.as_ref() == Some(method)
                }
                (Incoming::Dropped(dropped), Message::Response { id, .. }) => {
                    dropped.envelope.id.as_ref() == Some(id) && dropped.envelope.answers
                }
                _ => false,
            });
        assert!(same, "{message:?} is not among {scanned:?}");
    }
}

fn read(bytes: &[u8], limits: Limits, step: usize) -> Vec<Frame> {
    let mut frames = Frames::new(limits);
    let mut all = Vec::new();
    for piece in bytes.chunks(step) {
        all.extend(frames.push(piece));
        assert!(
            frames.held() <= 2 * (limits.parsed + limits.head) + 64,
            "{}",
            frames.held()
        );
    }
    all.extend(frames.finish());
    all
}

impl Wild {
    fn new(flags: u8) -> Self {
        let some = |bit: u8, text: &str| (flags & bit != 0).then(|| text.to_owned());
        Self {
            client: Client::new(Plan {
                cwd: "/w".into(),
                write: flags & 1 != 0,
                mode: some(2, "ask"),
                model: some(4, "m"),
                auth_method: some(16, "key"),
                ..Plan::default()
            }),
            frames: Frames::new(Limits {
                parsed: 64 << 10,
                ..Limits::default()
            }),
            now: Duration::ZERO,
            asked: BTreeMap::new(),
            waiting: Vec::new(),
            seen: Vec::new(),
            person: false,
            ended: false,
            told: BTreeMap::new(),
            last_call: 0,
        }
    }

    fn open(&mut self) {
        self.event(Event::Begun);
        self.says(json!({"id": self.last_call, "result": {"protocolVersion": 1}}));
        self.says(json!({"id": self.last_call, "result": {"sessionId": SESSION}}));
    }

    fn event(&mut self, event: Event) {
        let effects = self.client.on(self.now, event);
        assert!(
            !self.ended || effects.is_empty(),
            "after the end: {effects:?}"
        );
        for effect in &effects {
            assert!(!self.ended, "behind the end: {effect:?}");
            self.effect(effect);
        }
        assert_eq!(self.ended, self.client.ended());
        let wakes = self.client.wakes_at();
        assert!(!self.ended || wakes.is_none());
        assert!(
            self.ended || self.person || wakes.is_some(),
            "nothing wakes it"
        );
        assert!(wakes.is_none_or(|wakes| wakes >= self.now));
        assert!(self.client.tool_calls().count() <= 4096);
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Send(line) => self.sent(line),
            Effect::Permission { request, .. }
            | Effect::Read { request, .. }
            | Effect::Write { request, .. } => {
                assert!(!self.seen.contains(request), "a key twice");
                self.seen.push(*request);
                self.waiting.push(*request);
            }
            Effect::Withdrawn { request } => self.waiting.retain(|waiting| waiting != request),
            Effect::Ended(_, _) => self.ended = true,
            Effect::Note(note) => {
                let told = self.told.entry(note.kind.name()).or_default();
                *told += 1;
                assert!(*told <= 16, "{note:?}");
            }
            Effect::Refused(_)
            | Effect::Update(_)
            | Effect::Ready
            | Effect::TurnEnded { .. }
            | Effect::CloseInput => {}
        }
    }

    fn sent(&mut self, line: &[u8]) {
        let sent: Value = serde_json::from_slice(line).unwrap();
        if sent.get("method").is_some() {
            self.last_call = sent["id"].as_u64().unwrap_or(self.last_call);
            return;
        }
        let counts = self.asked.get_mut(&sent["id"].to_string()).unwrap();
        counts.1 += 1;
        assert!(counts.1 <= counts.0, "answered twice: {sent}");
    }

    fn says(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.line(format!("{message}\n").as_bytes());
    }

    fn line(&mut self, bytes: &[u8]) {
        for frame in self.frames.push(bytes) {
            let id = match &frame.incoming {
                Incoming::Message(Message::Request { id, .. }) => Some(id.clone()),
                Incoming::Dropped(dropped) if dropped.envelope.method.is_some() => {
                    dropped.envelope.id.clone()
                }
                _ => None,
            };
            if let (Some(id), false) = (id, self.ended) {
                let id = serde_json::to_value(id).unwrap().to_string();
                self.asked.entry(id).or_default().0 += 1;
            }
            self.event(Event::Received(frame.incoming));
        }
    }

    fn step(&mut self, op: u8, bytes: &mut impl Iterator<Item = u8>) {
        let mut next = || bytes.next().unwrap_or_default();
        match op % 20 {
            0 => self.event(Event::Begun),
            1 => {
                let line: Vec<u8> = (0..next() % 64).map(|_| next()).collect();
                self.line(&line);
            }
            2 => self.line(b"\n"),
            3 | 4 => self.asks(next()),
            5 => self.reads_or_writes(next()),
            6 => self.answers(next()),
            7 | 8 => self.updates(next()),
            9 => self
                .says(json!({"method": "$/cancel_request", "params": {"requestId": next() % 4}})),
            10 => self.mutated(next(), next(), next()),
            11 | 12 => self.decides(next()),
            13 => {
                self.person = next() % 2 == 0;
                self.event(Event::PersonAsked(self.person));
            }
            14 => self.passes(next()),
            15 => self.event(if next() % 2 == 0 {
                Event::Prompt("again".into())
            } else {
                Event::Finish
            }),
            16 if next() % 8 == 0 => self.event(Event::Cancel),
            17 if next() % 16 == 0 => self.event(Event::Stop(EndReason::StderrLimit)),
            18 if next() % 4 == 0 => self.event(Event::OutputClosed),
            19 if next() % 4 == 0 => self.event(Event::Exited(Ended::Exited(0))),
            _ => self.event(Event::Tick),
        }
    }

    fn passes(&mut self, seconds: u8) {
        self.now += Duration::from_secs(u64::from(seconds));
        self.event(Event::Tick);
    }

    fn asks(&mut self, pick: u8) {
        let session = if pick & 4 == 0 { SESSION } else { "child" };
        let id = id_of(pick);
        let kind = ["edit", "read", "odd", "execute"][usize::from(pick >> 6)];
        let options = match pick & 24 {
            0 => {
                json!([{"optionId": "y", "name": "Allow", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}])
            }
            8 => json!([{"optionId": "y", "name": "Always", "kind": "allow_always"}]),
            16 => json!([]),
            _ => json!(null),
        };
        self.says(json!({"id": id, "method": "session/request_permission", "params": {"sessionId": session,
            "toolCall": {"toolCallId": "t", "kind": kind, "rawInput": {"path": "/w/a"}}, "options": options}}));
    }

    fn reads_or_writes(&mut self, pick: u8) {
        let method = [
            "fs/read_text_file",
            "fs/write_text_file",
            "terminal/create",
            "x",
        ][usize::from(pick >> 6)];
        let session = if pick & 4 == 0 { SESSION } else { "child" };
        self.says(json!({"id": id_of(pick), "method": method,
            "params": {"sessionId": session, "path": "/w/a", "content": "x"}}));
    }

    fn answers(&mut self, pick: u8) {
        let id = if pick & 1 == 0 {
            json!(self.last_call)
        } else {
            id_of(pick)
        };
        let message = match pick >> 5 {
            0 => json!({"id": id, "error": {"code": -32000, "message": "x"}}),
            1 => json!({"id": id, "error": {"code": 1001}}),
            2 => {
                json!({"id": id, "result": {"protocolVersion": 1, "authMethods": [{"id": "key"}]}})
            }
            3 => {
                json!({"id": id, "result": {"sessionId": SESSION, "modes": {"currentModeId": "x", "availableModes": [{"id": "ask"}]}}})
            }
            4 => {
                json!({"id": id, "result": {"sessionId": SESSION, "protocolVersion": 1, "stopReason": "end_turn"}})
            }
            5 => json!({"id": id, "result": null}),
            6 => json!({"id": id, "result": {"stopReason": "cancelled"}}),
            _ => {
                json!({"id": id, "result": {"sessionId": SESSION, "configOptions": [{"id": "mode", "currentValue": "x", "options": [{"value": "ask"}]}]}})
            }
        };
        self.says(message);
    }

    fn updates(&mut self, pick: u8) {
        let session = if pick & 4 == 0 { SESSION } else { "child" };
        let update = match pick >> 5 {
            0 => {
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}})
            }
            1 => json!({"sessionUpdate": "tool_call", "toolCallId": "t", "rawInput": {"a": "/b"}}),
            2 => {
                json!({"sessionUpdate": "tool_call_update", "toolCallId": id_of(pick).to_string(), "status": "failed"})
            }
            3 => json!({"sessionUpdate": "usage_update", "used": -1, "cost": {"amount": 1e300}}),
            4 => json!({"sessionUpdate": "current_mode_update", "currentModeId": "ask"}),
            5 => json!({"sessionUpdate": "plan", "entries": 7}),
            6 => json!([]),
            _ => {
                json!({"sessionUpdate": "config_option_update", "configOptions": [{"id": "mode", "currentValue": "x"}]})
            }
        };
        self.says(
            json!({"method": "session/update", "params": {"sessionId": session, "update": update}}),
        );
    }

    /// A message with one byte changed: it may be anything now.
    fn mutated(&mut self, pick: u8, at: u8, byte: u8) {
        let line = json!({"jsonrpc": "2.0", "id": id_of(pick), "method": "session/request_permission",
            "params": {"sessionId": SESSION, "toolCall": {"toolCallId": "t"}, "options": []}});
        let mut line = format!("{line}\n").into_bytes();
        let at = usize::from(at) % line.len();
        line[at] = byte;
        self.line(&line);
    }

    fn decides(&mut self, pick: u8) {
        let request = match self.waiting.get(usize::from(pick >> 4)) {
            Some(request) => *request,
            None => RequestKey(u64::from(pick >> 4)),
        };
        self.event(match pick % 6 {
            0 | 1 => Event::Decided {
                request,
                decision: Decision::Allow,
            },
            2 => Event::Decided {
                request,
                decision: Decision::Reject,
            },
            3 => Event::ReadDone {
                request,
                result: Ok("x".into()),
            },
            4 => Event::WriteDone {
                request,
                result: Ok(()),
            },
            _ => Event::ReadDone {
                request,
                result: Err(RpcError::new(RpcError::NOT_FOUND, "gone")),
            },
        });
    }

    /// From any state the passing of time alone ends the run, and by then every request was answered once.
    fn wind_down(&mut self) {
        self.person = false;
        self.event(Event::PersonAsked(false));
        for _ in 0..TICKS {
            let Some(wakes) = self.client.wakes_at() else {
                break;
            };
            self.now = wakes;
            self.event(Event::Tick);
        }
        assert!(self.ended, "time does not end it");
        for (id, (asked, answered)) in &self.asked {
            assert_eq!(asked, answered, "answers to {id}");
        }
    }
}

fn id_of(pick: u8) -> Value {
    match pick & 3 {
        0 => json!(0),
        1 => json!(-1),
        2 => json!("0"),
        _ => json!(pick),
    }
}
