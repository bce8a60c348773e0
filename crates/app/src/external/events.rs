//! What happens in a run, as one stream of events for programs and people (EVT-01). Additive within version 1: readers
//! ignore types that they do not know.

use serde::Serialize;
use taffrail_domain::Enforcement;

/// The version of the envelope.
pub const VERSION: u32 = 1;

/// One line of `--json`: the envelope and what happened.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Envelope {
    /// [`VERSION`].
    pub v: u32,
    /// From 1, without a gap within one run.
    pub seq: u64,
    /// When, RFC 3339 in UTC. For display; `seq` is the order.
    pub ts: String,
    /// What happened.
    #[serde(flatten)]
    pub event: RunEvent,
}

/// What happened. Texts of an agent are redacted; a surface that shows them escapes them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The agent's session stands; what was enforced around it.
    Init(Init),
    /// A piece of the agent's message.
    Message {
        /// The piece.
        text: String,
        /// It is a thought, not an answer.
        thought: bool,
    },
    /// A tool call of the agent, as the agent describes it.
    ToolCall {
        /// The agent's own id of the call.
        id: String,
        /// What it calls the call.
        title: Option<String>,
        /// Its kind.
        kind: Option<String>,
        /// Its status.
        status: Option<String>,
    },
    /// Something that the agent asked for was decided.
    Decision(Decided),
    /// A person is asked.
    Question {
        /// The question's id, as `taffrail inbox` takes it.
        id: String,
        /// What is asked, one line.
        what: String,
        /// What it risks.
        risk: &'static str,
        /// It takes away what cannot easily be brought back, or that cannot be ruled out.
        destructive: bool,
    },
    /// A file was asked for through the protocol.
    FsRequest {
        /// The method.
        method: String,
        /// The path.
        path: String,
        /// What became of it.
        outcome: &'static str,
        /// Why, where it was refused.
        reason: Option<String>,
        /// Bytes read or written.
        bytes: u64,
    },
    /// What the agent says that it used.
    Usage {
        /// Tokens in its context.
        used: Option<u64>,
        /// Tokens that fit.
        size: Option<u64>,
        /// What it cost.
        cost: Option<Cost>,
    },
    /// Something that a reader should know.
    Note {
        /// The text.
        text: String,
    },
    /// Something went wrong; the result follows.
    Error {
        /// The stable code.
        code: String,
        /// The message.
        message: String,
    },
    /// The last event.
    Result(Box<Ended>),
}

/// A session that stands.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Init {
    /// The run.
    pub run: String,
    /// The agent's id in the registry.
    pub agent: String,
    /// What the agent calls itself.
    pub agent_name: Option<String>,
    /// And its version.
    pub agent_version: Option<String>,
    /// The version of the protocol.
    pub protocol: i64,
    /// The checkout.
    pub checkout: String,
    /// How far the sandbox reaches.
    pub sandbox: &'static str,
    /// The agent's own mode, where one was set.
    pub mode: Option<String>,
    /// What is enforced, for a terminal; scripts find it in the record.
    #[serde(skip)]
    pub enforcement: Option<Enforcement>,
}

/// A decision.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Decided {
    /// What was asked, one line.
    pub what: String,
    /// What it risks.
    pub risk: &'static str,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// What the policy answered.
    pub answer: &'static str,
    /// What became of it.
    pub verdict: &'static str,
    /// What that rests on.
    pub ground: &'static str,
    /// The policy's reasons.
    pub reasons: Vec<String>,
}

/// What something cost, in the agent's own words: a currency is never converted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// The amount.
    pub amount: f64,
    /// The currency.
    pub currency: String,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ended {
    /// The run.
    pub run: String,
    /// How it ended.
    pub status: &'static str,
    /// Why: a stable code.
    pub reason: String,
    /// What there is to say of that.
    pub detail: Option<String>,
    /// Where what is not rows lies.
    pub session_dir: String,
    /// The stored diff, where the run could write and changed something.
    pub patch: Option<String>,
    /// The first twelve digits of its hash.
    pub patch_hash: Option<String>,
    /// The result document, where a valid one came.
    pub result: Option<serde_json::Value>,
    /// What was refused, one line each.
    pub refused: Vec<String>,
    /// Paths that changed without a question.
    pub wrote_without_asking: Vec<String>,
    /// Memory candidates that the run left, all pending.
    pub candidates: u64,
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
