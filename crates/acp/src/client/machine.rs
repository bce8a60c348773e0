//! The machine itself.

use std::time::Duration;

use super::{Effect, Event, Facts, Plan, ToolCall};

/// The session machine. After [`Effect::Ended`] nothing comes out any more.
#[derive(Debug)]
pub struct Client {
    plan: Plan,
    facts: Facts,
}

impl Client {
    /// A machine that has not begun.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            facts: Facts::default(),
        }
    }

    /// Takes an event at `now`, the time since the run began by a clock that never goes back.
    pub fn on(&mut self, now: Duration, event: Event) -> Vec<Effect> {
        let (_, _, _) = (now, event, &self.plan);
        Vec::new()
    }

    /// When [`Event::Tick`] is wanted at the latest, on the clock of `now`. None after the end, and while a person is asked.
    pub fn wakes_at(&self) -> Option<Duration> {
        None
    }

    /// What is known so far.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether [`Effect::Ended`] came out.
    pub fn ended(&self) -> bool {
        false
    }

    /// The tool calls, in the order in which they were first seen.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        std::iter::empty()
    }

    /// One tool call.
    pub fn tool_call(&self, id: &str) -> Option<&ToolCall> {
        self.tool_calls().find(|call| call.id == id)
    }
}
