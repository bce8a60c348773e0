//! The inbox: questions of all live runs, and a person's answer from anywhere.

use taffrail_confine::process::ProcessId;
use taffrail_domain::{Millis, QuestionState, Reply, Surface};
use taffrail_store::{Answered, QuestionRow};

use super::{Question, QuestionFault, Said, View};
use crate::memory::gate;
use crate::{App, AppError};

/// A question in the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The question. Its view is without secrets.
    pub question: Question,
    /// The name of the run that asks.
    pub run_name: String,
    /// How it stands.
    pub state: QuestionState,
    /// When it was asked.
    pub asked_at: Millis,
    /// From when on no answer counts; none where it waits.
    pub expires_at: Option<Millis>,
    /// What was answered, where it was.
    pub answer: Option<Said>,
}

impl Waiting {
    /// Whether it can still be answered. One whose asker is gone was withdrawn when it was read.
    pub fn is_open(&self) -> bool {
        self.state == QuestionState::Open
    }
}

/// What waits for a person, oldest first. Questions whose asker is gone are withdrawn first: nobody would use an answer.
///
/// # Errors
/// What the store can give.
pub fn waiting(app: &App) -> Result<Vec<Waiting>, AppError> {
    for row in app.store.unused_questions()? {
        withdraw_orphan(app, &row)?;
    }
    let open = app.store.open_questions()?;
    Ok(open.into_iter().map(Waiting::from).collect())
}

/// The question whose id begins so, however it stands.
///
/// # Errors
/// `NotFound`, `Ambiguous`; what the store can give.
pub fn find(app: &App, id: &str) -> Result<Waiting, AppError> {
    let row = app.store.find_question(id)?;
    if withdraw_orphan(app, &row)? {
        return Ok(app.store.question(&row.id)?.into());
    }
    let mut found = Waiting::from(row);
    let now = app.inputs.clock.now();
    if found.is_open() && found.expires_at.is_some_and(|at| now >= at) {
        found.state = QuestionState::Expired;
    }
    Ok(found)
}

/// Answers a question that a person was shown. A yes needs the whole action to have been shown: one with something masked in
/// it is answered so only where it is whole, at the terminal of its run.
///
/// # Errors
/// `AgentPresent`; the faults of [`QuestionFault`]; what the store can give.
pub fn answer(app: &App, shown: &Waiting, said: &Said) -> Result<(), AppError> {
    gate::person_only(app)?;
    record(app, shown, said)
}

/// The answer of somebody who is a person.
pub(super) fn record(app: &App, shown: &Waiting, said: &Said) -> Result<(), AppError> {
    takes(shown, said.reply)?;
    let question = &shown.question;
    let reason = said.reason.as_deref();
    let reason = reason.map(|reason| app.redactor.clean(reason));
    let answered = app.store.answer_question(
        &question.id,
        &question.fingerprint,
        said.reply,
        reason.as_ref(),
        Surface::Inbox,
    )?;
    let closed = |state: QuestionState| QuestionFault::Closed {
        question: question.id.short(),
        state,
    };
    match answered {
        Answered::Recorded => Ok(()),
        Answered::Over(state) => Err(closed(state).into()),
        Answered::OtherAction => Err(closed(QuestionState::Withdrawn).into()),
        Answered::NotOffered => Err(QuestionFault::NotOffered {
            question: question.id.short(),
        }
        .into()),
    }
}

/// Whether a question takes this answer from here, as far as can be said beforehand.
///
/// # Errors
/// The faults of [`QuestionFault`].
pub fn takes(shown: &Waiting, reply: Reply) -> Result<(), QuestionFault> {
    let question = shown.question.id.short();
    match reply {
        _ if !shown.is_open() => Err(QuestionFault::Closed {
            question,
            state: shown.state,
        }),
        Reply::Yes | Reply::Edits if shown.question.view.masked => Err(QuestionFault::Masked {
            run: shown.run_name.clone(),
        }),
        Reply::Edits if !shown.question.may_grant => Err(QuestionFault::NotOffered { question }),
        Reply::Yes | Reply::Edits | Reply::No => Ok(()),
    }
}

/// Withdraws a question that is open, or answered and not used, and whose asker is gone; whether it did.
fn withdraw_orphan(app: &App, row: &QuestionRow) -> Result<bool, AppError> {
    let is_unused = matches!(row.state, QuestionState::Open | QuestionState::Answered);
    let asker = ProcessId {
        pid: row.owner.pid,
        start_ticks: row.owner.start_ticks,
        boot_id: row.owner.boot_id.clone(),
    };
    if !is_unused || asker.is_alive() {
        return Ok(false);
    }
    Ok(app.store.withdraw_question(&row.id)?)
}

impl From<QuestionRow> for Waiting {
    fn from(row: QuestionRow) -> Self {
        let view = View::from_row(&row.details).unwrap_or_else(|| View::unreadable(&row.shown));
        Self {
            question: Question {
                id: row.id,
                run: row.run,
                fingerprint: row.fingerprint,
                risk: row.risk,
                destructive: row.destructive,
                may_grant: row.may_grant,
                view,
            },
            run_name: row.run_name,
            state: row.state,
            asked_at: row.asked_at,
            expires_at: row.expires_at,
            answer: row.answer.map(|answer| Said {
                reply: answer.reply,
                reason: answer.reason,
                surface: answer.surface,
            }),
        }
    }
}
