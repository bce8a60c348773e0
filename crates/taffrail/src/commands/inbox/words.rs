//! Questions as a list, as JSON, and how each stands.

use serde::Serialize;
use taffrail_app::external::questions::{Said, Waiting};
use taffrail_domain::{Millis, QuestionState, Risk};
use taffrail_text::Shown;

use crate::output::{Moment, ago};

/// Columns of an action in the list.
const ACTION: usize = 75;

/// A question in JSON.
#[derive(Serialize)]
pub struct Listed {
    question: String,
    run: String,
    run_name: String,
    agent: String,
    /// One line.
    what: String,
    risk: &'static str,
    destructive: bool,
    may_grant: bool,
    masked: bool,
    state: &'static str,
    asked_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
}

#[derive(Serialize)]
struct Answer {
    reply: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    surface: &'static str,
}

/// A question in JSON, whole.
#[derive(Serialize)]
pub struct Whole {
    #[serde(flatten)]
    listed: Listed,
    wants: String,
    parts: Vec<Part>,
    cwd: String,
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

#[derive(Serialize)]
struct Part {
    label: String,
    text: String,
}

impl Listed {
    /// What a script reads of it.
    pub fn of(waiting: &Waiting) -> Self {
        let question = &waiting.question;
        Self {
            question: question.id.short(),
            run: question.run.short(),
            run_name: waiting.run_name.clone(),
            agent: question.view.agent.clone(),
            what: question.view.one_line().into_string(),
            risk: question.risk.name(),
            destructive: question.destructive,
            may_grant: question.may_grant,
            masked: question.view.masked,
            state: waiting.state.name(),
            asked_at: waiting.asked_at.into(),
            expires_at: waiting.expires_at.map(Moment::from),
            answer: waiting.answer.as_ref().map(Answer::of),
        }
    }
}

impl Answer {
    fn of(said: &Said) -> Self {
        Self {
            reply: said.reply.name(),
            reason: said.reason.clone(),
            surface: said.surface.name(),
        }
    }
}

impl Whole {
    /// The same with the whole action.
    pub fn of(waiting: &Waiting) -> Self {
        let view = waiting.question.view.clone();
        let parts = view.parts.into_iter().map(|part| Part {
            label: part.label,
            text: part.text,
        });
        Self {
            listed: Listed::of(waiting),
            wants: view.wants,
            parts: parts.collect(),
            cwd: view.cwd,
            reasons: view.reasons,
            title: view.title,
            kind: view.kind,
        }
    }
}

/// The list for a person: two lines each, so that the action has room.
pub fn list(waiting: &[Waiting], now: Millis) -> String {
    let lines = |one: &Waiting| {
        let question = &one.question;
        let risk = match question.destructive && question.risk != Risk::Destructive {
            true => format!("{}, destructive", question.risk.name()),
            false => question.risk.name().to_owned(),
        };
        let (run, agent) = (
            Shown::line(&one.run_name),
            Shown::line(&question.view.agent),
        );
        let asked = ago(one.asked_at, now);
        let what = question.view.one_line().truncated(ACTION);
        format!(
            "{}  {asked}  {agent} in {run}  {risk}\n    {what}\n",
            question.id
        )
    };
    waiting.iter().map(lines).collect()
}

/// How it stands, in a line.
pub fn stands(waiting: &Waiting, now: Millis) -> String {
    let asked = ago(waiting.asked_at, now);
    let answered = waiting.answer.as_ref().map(|said| {
        let reason = said.reason.as_deref().unwrap_or_default();
        let reason = match reason {
            "" => String::new(),
            reason => format!(", {}", Shown::line(reason)),
        };
        format!("{} ({}){reason}", said.reply.name(), said.surface.name())
    });
    let answered = answered.unwrap_or_default();
    match waiting.state {
        QuestionState::Open => format!("waits, asked {asked}"),
        QuestionState::Answered => format!("answered: {answered}"),
        QuestionState::Used => format!("answered, and the run used it: {answered}"),
        QuestionState::Expired => format!("nobody answered in time, asked {asked}"),
        QuestionState::Withdrawn => format!("withdrawn, asked {asked}"),
    }
}
