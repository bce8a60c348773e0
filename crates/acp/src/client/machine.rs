//! The machine itself: where the session stands, and which event goes where.

use std::time::Duration;

use taffrail_domain::{EndReason, Ended};

use super::clock::Clock;
use super::pending::Pending;
use super::tools::Tools;
use super::{Effect, Event, Facts, NoteKind, Plan, ToolCall};
use crate::frame::{Dropped, Incoming};
use crate::v1::{Ask, ConfigOption, ModeState, request};
use crate::wire::{Id, Message, RpcError};

/// The junk that a session may hold, in bytes as counted here: each line's first 4 KiB, and 64 more.
const JUNK: u64 = 16 << 20;

/// The session machine. After [`Effect::Ended`] nothing comes out any more.
#[derive(Debug)]
pub struct Client {
    pub(super) plan: Plan,
    pub(super) facts: Facts,
    pub(super) clock: Clock,
    pub(super) phase: Phase,
    /// Our own request that is not answered yet; there is never more than one.
    pub(super) call: Option<Call>,
    pub(super) calls: u64,
    pub(super) pending: Pending,
    pub(super) tools: Tools,
    /// The text of the turn.
    pub(super) text: String,
    /// When the agent was last heard of, or told something, on the run's clock.
    pub(super) heard: Duration,
    pub(super) gone: Gone,
    pub(super) options: Vec<ConfigOption>,
    pub(super) modes: Option<ModeState>,
    /// The ids behind the names of the plan.
    pub(super) wanted: Wanted,
    junk: u64,
    effects: Vec<Effect>,
}

/// Where the session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not begun.
    New,
    /// From `initialize` to the first prompt.
    Opening,
    /// A prompt is being answered.
    Turn,
    /// A turn is over, and the driver has not said how it goes on.
    Between,
    /// `session/cancel` was sent.
    Cancelling {
        reason: EndReason,
        detail: String,
        until: Duration,
    },
    /// Over.
    Over,
}

/// A request of ours.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) kind: CallKind,
    /// When it must be answered, on the run's clock; never for a prompt.
    pub(super) until: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Initialize,
    Authenticate,
    NewSession,
    ModeOption,
    Mode,
    Model,
    Prompt,
}

/// What is left of the process.
#[derive(Debug, Default)]
pub(super) struct Gone {
    pub(super) closed: bool,
    pub(super) ended: Option<Ended>,
    /// When the other of the two is no longer waited for.
    pub(super) until: Option<Duration>,
}

#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) mode: Option<String>,
    pub(super) model: Option<String>,
}

impl Client {
    /// A machine that has not begun.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            facts: Facts::default(),
            clock: Clock::default(),
            phase: Phase::New,
            call: None,
            calls: 0,
            pending: Pending::default(),
            tools: Tools::default(),
            text: String::new(),
            heard: Duration::ZERO,
            gone: Gone::default(),
            options: Vec::new(),
            modes: None,
            wanted: Wanted::default(),
            junk: 0,
            effects: Vec::new(),
        }
    }

    /// Takes an event at `now`, the time since the run began by a clock that never goes back.
    pub fn on(&mut self, now: Duration, event: Event) -> Vec<Effect> {
        if !self.ended() {
            self.clock.advance(now);
            self.take(event);
            self.check_deadlines();
        }
        std::mem::take(&mut self.effects)
    }

    /// When [`Event::Tick`] is wanted at the latest, on the clock of `now`. None after the end, and while a person is asked.
    pub fn wakes_at(&self) -> Option<Duration> {
        if self.ended() {
            return None;
        }
        self.clock.when(self.next_deadline())
    }

    /// What is known so far.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether [`Effect::Ended`] came out.
    pub fn ended(&self) -> bool {
        self.phase == Phase::Over
    }

    /// The text of the turn so far; what there was when it ended without [`Effect::TurnEnded`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tool calls, in the order in which they were first seen; 4,096 at most.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.tools.all()
    }

    /// One tool call.
    pub fn tool_call(&self, id: &str) -> Option<&ToolCall> {
        self.tools.get(id)
    }

    pub(super) fn tell(&mut self, effect: Effect) {
        if !self.ended() {
            self.effects.push(effect);
        }
    }

    pub(super) fn ask(&mut self, kind: CallKind, ask: Ask<'_>) {
        let line = request(self.calls, ask);
        let limit = match kind {
            CallKind::Initialize => Some(self.plan.deadlines.initialize),
            CallKind::Authenticate
            | CallKind::NewSession
            | CallKind::ModeOption
            | CallKind::Mode
            | CallKind::Model => Some(self.plan.deadlines.session),
            CallKind::Prompt => None,
        };
        self.call = Some(Call {
            id: self.calls,
            kind,
            until: limit.map(|limit| self.clock.ran() + limit),
        });
        self.calls += 1;
        self.tell(Effect::Send(line));
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Begun => self.begin(),
            Event::Received(incoming) => self.received(incoming),
            Event::Decided { request, decision } => self.decided(request, decision),
            Event::ReadDone { request, result } => self.read_done(request, result),
            Event::WriteDone { request, result } => self.write_done(request, result),
            Event::PersonAsked(asked) => {
                self.clock.pause(asked);
                self.heard = self.clock.ran();
            }
            Event::Cancel => self.cancel(EndReason::Cancelled, "a person ended the run"),
            Event::Stop(reason) => self.break_off(reason, "the run was stopped"),
            Event::Prompt(text) => self.prompt_again(&text),
            Event::Finish => self.finish(),
            Event::OutputClosed => {
                self.gone.closed = true;
                self.left();
            }
            Event::Exited(ended) => {
                self.gone.ended = Some(ended);
                self.left();
            }
            Event::Tick => {}
        }
    }

    fn received(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Message(message) => self.message(message),
            Incoming::Mended(message) => {
                self.note(NoteKind::Mended, "damaged text was replaced");
                self.message(message);
            }
            Incoming::Dropped(dropped) => self.dropped(&dropped),
            Incoming::Junk { kind, bytes } => {
                self.note(NoteKind::Junk, &format!("{kind}, {bytes} bytes"));
                self.junk += bytes.min(4096) + 64;
                if self.junk > JUNK {
                    self.end(
                        EndReason::OutputLimit,
                        "16 MiB of lines that are no messages",
                    );
                }
            }
            Incoming::LineTooLong { bytes } => self.break_off(
                EndReason::LineLimit,
                &format!("a line without an end, {bytes} bytes so far"),
            ),
        }
    }

    fn message(&mut self, message: Message) {
        self.heard = self.clock.ran();
        match message {
            Message::Request { id, method, params } => self.requested(id, &method, params),
            Message::Notification { method, params } => self.notified(&method, params),
            Message::Response { id, outcome } => self.answered(&id, outcome),
        }
    }

    fn dropped(&mut self, dropped: &Dropped) {
        self.heard = self.clock.ran();
        let Dropped { why, bytes, .. } = dropped;
        match (&dropped.envelope.id, &dropped.envelope.method) {
            (Some(id), Some(_)) => self.refuse_unread(id.clone(), dropped),
            (Some(id), None) => {
                let message = format!("the answer was not read: {why}, {bytes} bytes");
                self.answered(id, Err(RpcError::new(RpcError::INTERNAL, message)));
            }
            (None, method) => {
                let method = method.as_deref().unwrap_or_default();
                self.note(
                    NoteKind::Dropped,
                    &format!("{method}: {why}, {bytes} bytes"),
                );
            }
        }
    }

    fn answered(&mut self, id: &Id, outcome: Result<serde_json::Value, RpcError>) {
        let call = match self.call.take() {
            Some(call) if *id == Id::Unsigned(call.id) => call,
            other => {
                self.call = other;
                return self.note(NoteKind::UnknownAnswer, &format!("id {id}"));
            }
        };
        match call.kind {
            CallKind::Initialize => self.initialized(outcome),
            CallKind::Authenticate => self.authenticated(outcome),
            CallKind::NewSession => self.session_made(outcome),
            CallKind::ModeOption | CallKind::Mode | CallKind::Model => self.set(call.kind, outcome),
            CallKind::Prompt => self.turn_ended(outcome),
        }
    }
}
