//! Questions to a person (POL-07): put on record over a fingerprint of the action, shown whole by whoever can show it,
//! answered once by whoever is first, and used up by the run that asked.
//!
//! Must not know: what decides that a question is needed (the policy), how it looks on a screen (the surfaces), and what is
//! done with the answer (the run).

mod fault;
mod inbox;
mod put;
mod view;
mod wait;

#[cfg(test)]
mod tests;

use taffrail_domain::{Action, QuestionId, Reply, Risk, RunId, Surface};

pub use fault::QuestionFault;
pub use inbox::{Waiting, answer, find, takes, waiting};
pub use put::put;
pub use view::{Form, Part, View, summary};
pub use wait::wait;

/// How long a question waits where nobody sits at a terminal or a page (FA-24).
pub const UNATTENDED_WAIT: std::time::Duration = std::time::Duration::from_secs(45);

/// What a run wants to know of a person. Everything an agent said is as it came: it is escaped and redacted here.
#[derive(Debug, Clone)]
pub struct Asking {
    /// The id of the agent's request, as it came.
    pub request: String,
    /// The agent's id in the registry.
    pub agent: String,
    /// What the agent calls it.
    pub title: Option<String>,
    /// The kind that the agent gave it.
    pub kind: Option<String>,
    /// The action, as the policy judged it.
    pub action: Action,
    /// What would be written, as the agent tells it.
    pub edits: Vec<Edit>,
    /// The calls that the agent announced and has not ended, in its own words: of a question that says nothing by itself.
    pub beside: Vec<String>,
    /// The working directory of the action.
    pub cwd: Vec<u8>,
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// The policy's reasons, each in words.
    pub reasons: Vec<String>,
    /// A yes to every edit inside the checkout of the run may be given instead: only where a grant would have let this
    /// through (FA-24).
    pub may_grant: bool,
}

/// A change of one file, as an agent tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The path.
    pub path: String,
    /// What is replaced; none for a new file, or where only the new text was told.
    pub old: Option<String>,
    /// By what.
    pub new: String,
}

/// A question that is on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its id, as `taffrail inbox` takes it.
    pub id: QuestionId,
    /// The run that asks.
    pub run: RunId,
    /// What an answer is bound to.
    pub fingerprint: [u8; 32],
    /// What the action risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back, or that cannot be ruled out.
    pub destructive: bool,
    /// A yes to every edit inside the checkout of the run may be given instead.
    pub may_grant: bool,
    /// Everything that a person is shown.
    pub view: View,
}

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The answer.
    pub reply: Reply,
    /// What was said beside it.
    pub reason: Option<String>,
    /// Where.
    pub surface: Surface,
}

/// Why a question does not wait any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A person answered. This was the answer's one use.
    Said(Said),
    /// Nobody answered in time.
    Unanswered,
    /// The asker did not want to know any more, or the row is not the one that it put.
    Withdrawn,
}

/// Whoever can show a question to a person on the spot: a terminal, a page.
pub trait Approver: Send + Sync {
    /// Shows the question whole and waits for an answer; called in a thread of its own. `over` tells once the question does
    /// not wait any more, however that came: then this returns within 200 ms.
    ///
    /// None where nobody is there any more, or when it is over.
    fn ask(&self, question: &Question, over: &dyn Fn() -> Option<Outcome>) -> Option<Said>;
}
