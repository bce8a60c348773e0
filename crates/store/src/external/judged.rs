//! What was judged and what was asked, as types. What comes out is redacted and untrusted: wrap it before it reaches a screen.

use taffrail_domain::{
    Answer, Ground, Millis, Mode, QuestionId, QuestionState, Reply, Risk, RunId, Surface, Verdict,
    words,
};
use taffrail_redact::Clean;

use crate::Owner;

words! {
    /// By which door an action came to be judged.
    DecisionSource, "door" {
        /// The agent asked for permission.
        Permission "permission",
        /// It asked to read a file.
        FsRead "fs_read",
        /// It asked to write a file.
        FsWrite "fs_write",
        /// It asked for a terminal.
        Terminal "terminal",
        /// It called a tool of our MCP server.
        Mcp "mcp",
        /// It reached for a host.
        Network "network",
    }
}

/// What was judged, and how.
#[derive(Debug, Clone, Copy)]
pub struct NewActionDecision<'a> {
    /// The id of the agent's request.
    pub request: &'a Clean,
    /// The agent's id of the tool call that it belongs to.
    pub tool_call: Option<&'a Clean>,
    /// By which door it came.
    pub source: DecisionSource,
    /// The action as it was judged, JSON; what is longer than 64 KiB is kept as an object with its length and its beginning.
    pub action: &'a Clean,
    /// The action as a person would see it; the first 64 KiB are kept.
    pub shown: &'a Clean,
    /// The kind that the agent reported.
    pub kind: Option<&'a Clean>,
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// What the policy answered.
    pub answer: Answer,
    /// Why, a JSON array of texts.
    pub reasons: &'a Clean,
    /// The user's rule that decided.
    pub rule: Option<&'a Clean>,
    /// What became of it.
    pub verdict: Verdict,
    /// What the verdict rests on.
    pub ground: Ground,
    /// Nobody answered in time.
    pub timed_out: bool,
    /// The option of the agent's question that was chosen.
    pub option: Option<&'a Clean>,
    /// The policy's mode that was asked for.
    pub mode_requested: Mode,
    /// The policy's mode that counted.
    pub mode_effective: Mode,
    /// The question that was asked of a person.
    pub question: Option<QuestionId>,
    /// When the agent asked.
    pub asked_at: Millis,
}

/// A judged action on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionDecisionRow {
    /// Order.
    pub seq: i64,
    /// The id of the agent's request.
    pub request: String,
    /// The agent's id of the tool call.
    pub tool_call: Option<String>,
    /// What the agent calls that call, where it told of it.
    pub title: Option<String>,
    /// By which door it came.
    pub source: DecisionSource,
    /// The action, JSON.
    pub action: String,
    /// The action as a person would see it.
    pub shown: String,
    /// The kind that the agent reported.
    pub kind: Option<String>,
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// What the policy answered.
    pub answer: Answer,
    /// Why, a JSON array.
    pub reasons: String,
    /// The user's rule that decided.
    pub rule: Option<String>,
    /// What became of it.
    pub verdict: Verdict,
    /// What the verdict rests on.
    pub ground: Ground,
    /// Nobody answered in time.
    pub timed_out: bool,
    /// The option that was chosen.
    pub option: Option<String>,
    /// The policy's mode that was asked for.
    pub mode_requested: Mode,
    /// The policy's mode that counted.
    pub mode_effective: Mode,
    /// The question that was asked of a person.
    pub question: Option<QuestionId>,
    /// When the agent asked.
    pub asked_at: Millis,
    /// When it was decided.
    pub decided_at: Millis,
}

/// A question to a person.
#[derive(Debug, Clone, Copy)]
pub struct NewQuestion<'a> {
    /// Its id.
    pub id: QuestionId,
    /// Which run asks.
    pub run: RunId,
    /// SHA-256 over the action that is asked about.
    pub fingerprint: [u8; 32],
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// A yes to every edit inside the checkout of the run may be given instead.
    pub may_grant: bool,
    /// The whole action as a person sees it.
    pub shown: &'a Clean,
    /// What else there is to show, JSON.
    pub details: &'a Clean,
    /// From when on no answer counts; none where it waits.
    pub expires_at: Option<Millis>,
    /// The asker: when it is gone, nobody uses an answer.
    pub owner: &'a Owner,
}

/// A question on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionRow {
    /// Order.
    pub seq: i64,
    /// Its id.
    pub id: QuestionId,
    /// Which run asks.
    pub run: RunId,
    /// The name of that run.
    pub run_name: String,
    /// SHA-256 over the action that is asked about: an answer has to echo it.
    pub fingerprint: [u8; 32],
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// A yes to every edit inside the checkout of the run may be given instead.
    pub may_grant: bool,
    /// The whole action as a person sees it.
    pub shown: String,
    /// What else there is to show, JSON.
    pub details: String,
    /// How it stands.
    pub state: QuestionState,
    /// When it was asked.
    pub asked_at: Millis,
    /// From when on no answer counts.
    pub expires_at: Option<Millis>,
    /// The answer.
    pub answer: Option<QuestionAnswer>,
    /// When it was used, expired or withdrawn.
    pub closed_at: Option<Millis>,
    /// The asker.
    pub owner: Owner,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionAnswer {
    /// The answer.
    pub reply: Reply,
    /// What was said beside it.
    pub reason: Option<String>,
    /// Where.
    pub surface: Surface,
    /// When.
    pub at: Millis,
}

/// What became of an answer.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// It is on record, and the only one.
    Recorded,
    /// The question does not wait any more: somebody was first, or it is over.
    Over(QuestionState),
    /// The question is about another action than the one that was shown.
    OtherAction,
    /// A yes to every edit was not on offer.
    NotOffered,
}

/// What the asker finds.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Nobody has answered yet.
    Waiting,
    /// The answer, which is used up by this.
    Answer(QuestionAnswer),
    /// There is no answer to use, and none will come.
    Over(QuestionState),
    /// The question is about another action, or of another run.
    OtherAction,
}
