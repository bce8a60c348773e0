//! Waits for the one answer: of whoever shows the question here, or of the inbox elsewhere.

use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use taffrail_domain::{Millis, QuestionState, Reply};
use taffrail_store::{QuestionAnswer, Taken};

use super::put::later;
use super::{Approver, Outcome, Question, Said, UNATTENDED_WAIT};
use crate::{App, AppError};

/// How often the row is looked at: an answer given elsewhere is seen within this, and a look is one read by a key.
const LOOK: Duration = Duration::from_millis(100);

/// Waits until a question is answered, past its time, or not wanted any more (`cancelled`, looked at every 100 ms). The first
/// valid answer wins, whoever gave it, and is used up by this: it counts for this question of this run and no other.
///
/// Without an approver the question expires as [`super::put`] said. An approver that leaves without an answer leaves a
/// question that waits for the inbox as long as one without an approver.
///
/// # Errors
/// What the store can give. The question is withdrawn then, as far as the store still takes that.
pub fn wait(
    app: &App,
    question: &Question,
    approver: Option<&dyn Approver>,
    cancelled: &dyn Fn() -> bool,
) -> Result<Outcome, AppError> {
    let over = Mutex::new(None);
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        if let Some(approver) = approver {
            let (tell, over) = (tell.clone(), &over);
            scope.spawn(move || {
                let is_over = || lock(over).clone();
                let said = approver.ask(question, &is_over);
                // Who does not hear it any more does not want to know.
                tell.send(said).unwrap_or_default();
            });
        }
        let waiting = Waiting {
            app,
            question,
            told: &told,
            expires_at: approver.is_none().then(|| later(app.inputs.clock.now())),
            waited: Duration::ZERO,
        };
        let outcome = waiting.outcome(cancelled);
        let known = outcome.as_ref().map_or(Outcome::Withdrawn, Clone::clone);
        *lock(&over) = Some(known);
        outcome
    })
}

fn lock(over: &Mutex<Option<Outcome>>) -> std::sync::MutexGuard<'_, Option<Outcome>> {
    over.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Past the time on the clock, or past the longest wait, whatever the clock says.
fn is_past(expires_at: Option<Millis>, now: Millis, waited: Duration) -> bool {
    expires_at.is_some_and(|at| now >= at || waited >= UNATTENDED_WAIT)
}

struct Waiting<'a> {
    app: &'a App,
    question: &'a Question,
    told: &'a Receiver<Option<Said>>,
    expires_at: Option<Millis>,
    /// How long nobody has sat there, by the looks at the row: a clock that is set back makes no wait longer.
    waited: Duration,
}

impl Waiting<'_> {
    fn outcome(mut self, cancelled: &dyn Fn() -> bool) -> Result<Outcome, AppError> {
        let outcome = self.first(cancelled);
        if outcome.is_err() {
            // It failed for a reason of the store's, which is told; this can only help.
            self.app
                .store
                .withdraw_question(&self.question.id)
                .unwrap_or_default();
        }
        outcome
    }

    fn first(&mut self, cancelled: &dyn Fn() -> bool) -> Result<Outcome, AppError> {
        loop {
            if cancelled() {
                self.app.store.withdraw_question(&self.question.id)?;
                return Ok(Outcome::Withdrawn);
            }
            if let Some(outcome) = self.taken()? {
                return Ok(outcome);
            }
            if self.is_late() {
                self.app.store.expire_question(&self.question.id)?;
                continue;
            }
            match self.told.recv_timeout(LOOK) {
                Ok(Some(said)) => self.record(&said)?,
                Ok(None) => self.nobody_sits_there(),
                Err(_) if self.expires_at.is_some() => self.waited += LOOK,
                Err(_) => {}
            }
        }
    }

    /// What the row says; none while it waits. A row that is not the one that was put answers nothing.
    fn taken(&self) -> Result<Option<Outcome>, AppError> {
        let Question {
            id,
            run,
            fingerprint,
            ..
        } = self.question;
        Ok(match self.app.store.take_answer(run, id, fingerprint)? {
            Taken::Waiting => None,
            Taken::Answer(answer) => Some(self.outcome_of(answer)),
            Taken::Over(QuestionState::Expired) => Some(Outcome::Unanswered),
            Taken::Over(
                QuestionState::Open
                | QuestionState::Answered
                | QuestionState::Used
                | QuestionState::Withdrawn,
            )
            | Taken::OtherAction => Some(Outcome::Withdrawn),
        })
    }

    /// A yes to all edits where none was offered is no answer that this asker understands.
    fn outcome_of(&self, answer: QuestionAnswer) -> Outcome {
        if answer.reply == Reply::Edits && !self.question.may_grant {
            return Outcome::Withdrawn;
        }
        Outcome::Said(Said {
            reply: answer.reply,
            reason: answer.reason,
            surface: answer.surface,
        })
    }

    fn is_late(&self) -> bool {
        let now = self.app.inputs.clock.now();
        is_past(self.expires_at, now, self.waited)
    }

    /// What the approver heard goes the way of every answer: on record first, and only if nobody was faster.
    fn record(&mut self, said: &Said) -> Result<(), AppError> {
        let reason = said.reason.as_deref();
        let reason = reason.map(|reason| self.app.redactor.clean(reason));
        let answered = self.app.store.answer_question(
            &self.question.id,
            &self.question.fingerprint,
            said.reply,
            reason.as_ref(),
            said.surface,
        )?;
        // Whatever it came to, the next look at the row tells; an answer that did not count leaves nobody there.
        if answered != taffrail_store::Answered::Recorded {
            self.nobody_sits_there();
        }
        Ok(())
    }

    fn nobody_sits_there(&mut self) {
        let at = later(self.app.inputs.clock.now());
        self.expires_at = Some(self.expires_at.map_or(at, |before| before.min(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_24_a_clock_that_is_set_back_makes_no_wait_longer() {
        let (at, day) = (Millis(1_000_000_000), 86_400_000);
        let just_before = UNATTENDED_WAIT - LOOK;
        assert!(!is_past(Some(at), Millis(at.0 - day), just_before));
        assert!(is_past(Some(at), Millis(at.0 - day), UNATTENDED_WAIT));
        assert!(is_past(Some(at), at, Duration::ZERO));
        // At a terminal nothing ends it.
        assert!(!is_past(None, Millis(at.0 + day), UNATTENDED_WAIT));
    }
}
