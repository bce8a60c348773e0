//! A question's life: asked, answered by compare-and-set, used once by its asker; or expired, or withdrawn (POL-07).

use rusqlite::{Transaction, params};
use taffrail_domain::{QuestionId, QuestionState, Reply, RunId, Surface};
use taffrail_redact::Clean;

use super::judged::{Answered, NewQuestion, QuestionRow, Taken};
use super::questions::{by_id, missing_question};
use crate::convert::{Fault, session, signed};
use crate::writer::Durability;
use crate::{Owner, Store, StoreError};

/// Bytes of what a person says beside an answer.
const REASON_LIMIT: usize = 4 << 10;

/// A row to be, owned, for the writer's thread.
struct Insert {
    id: QuestionId,
    run: RunId,
    fingerprint: [u8; 32],
    risk: &'static str,
    destructive: bool,
    may_grant: bool,
    shown: String,
    details: String,
    expires_at: Option<i64>,
    owner: Owner,
    now: i64,
}

impl Store {
    /// Puts a question on record, open.
    ///
    /// # Errors
    /// `NotFound` for an unknown run; `IdTaken`; as for every write.
    pub fn ask_question(&self, new: &NewQuestion<'_>) -> Result<(), StoreError> {
        let insert = Insert {
            id: new.id,
            run: new.run,
            fingerprint: new.fingerprint,
            risk: new.risk.name(),
            destructive: new.destructive,
            may_grant: new.may_grant,
            shown: new.shown.as_str().to_owned(),
            details: new.details.as_str().to_owned(),
            expires_at: new.expires_at.map(|at| at.0),
            owner: new.owner.clone(),
            now: self.now(),
        };
        self.write(Durability::Full, move |transaction| insert.run(transaction))
    }

    /// Answers a question, if it is still open, not past its time, and about the action with this fingerprint: of several that
    /// answer at once, one does.
    ///
    /// # Errors
    /// `NotFound` for an unknown question; as for every write.
    pub fn answer_question(
        &self,
        id: &QuestionId,
        fingerprint: &[u8; 32],
        reply: Reply,
        reason: Option<&Clean>,
        surface: Surface,
    ) -> Result<Answered, StoreError> {
        let (id, fingerprint, now) = (*id, *fingerprint, self.now());
        let reason = reason.map(|reason| reason.cut(REASON_LIMIT).into_string());
        self.write(Durability::Full, move |transaction| {
            let question = current(transaction, &id, now)?;
            if question.state != QuestionState::Open {
                return Ok(Answered::Over(question.state));
            }
            if question.fingerprint != fingerprint {
                return Ok(Answered::OtherAction);
            }
            if reply == Reply::Edits && !question.may_grant {
                return Ok(Answered::NotOffered);
            }
            transaction
                .prepare_cached(
                    "UPDATE questions SET state = 'answered', reply = ?2, reply_reason = ?3, surface = ?4, answered_at = ?5
                     WHERE id = ?1 AND state = 'open'",
                )?
                .execute(params![id.bytes(), reply.name(), reason, surface.name(), now])?;
            Ok(Answered::Recorded)
        })
    }

    /// What the asker's question came to. An answer is used up by this and never given out again; it counts only for the run
    /// that asked and the action with this fingerprint.
    ///
    /// # Errors
    /// `NotFound` for an unknown question; as for every write.
    pub fn take_answer(
        &self,
        run: &RunId,
        id: &QuestionId,
        fingerprint: &[u8; 32],
    ) -> Result<Taken, StoreError> {
        let (run, id, fingerprint, now) = (*run, *id, *fingerprint, self.now());
        let is_fit = move |question: &QuestionRow| {
            question.run == run && question.fingerprint == fingerprint
        };
        // Mostly nobody has answered yet, and reading holds nobody up.
        let seen = self.read(|conn| by_id(conn, &id)?.ok_or_else(|| missing_question(&id)))?;
        if seen.state == QuestionState::Open && !is_late(&seen, now) && is_fit(&seen) {
            return Ok(Taken::Waiting);
        }
        self.write(Durability::Full, move |transaction| {
            let question = current(transaction, &id, now)?;
            if !is_fit(&question) {
                return Ok(Taken::OtherAction);
            }
            match (question.state, question.answer) {
                (QuestionState::Open, _) => Ok(Taken::Waiting),
                (QuestionState::Answered, Some(answer)) => {
                    close(transaction, &id, QuestionState::Used, now)?;
                    Ok(Taken::Answer(answer))
                }
                (state, _) => Ok(Taken::Over(state)),
            }
        })
    }

    /// Nobody answered in time; false when it was answered or closed before.
    ///
    /// # Errors
    /// `NotFound` for an unknown question; as for every write.
    pub fn expire_question(&self, id: &QuestionId) -> Result<bool, StoreError> {
        let (id, now) = (*id, self.now());
        self.write(Durability::Full, move |transaction| {
            let question = current(transaction, &id, now)?;
            let is_open = question.state == QuestionState::Open;
            if is_open {
                close(transaction, &id, QuestionState::Expired, now)?;
            }
            Ok(is_open)
        })
    }

    /// The asker does not want to know any more, or is gone; false when it was closed before. An answer that nobody used is
    /// withdrawn with it.
    ///
    /// # Errors
    /// `NotFound` for an unknown question; as for every write.
    pub fn withdraw_question(&self, id: &QuestionId) -> Result<bool, StoreError> {
        let (id, now) = (*id, self.now());
        self.write(Durability::Full, move |transaction| {
            let question = current(transaction, &id, now)?;
            let waits = matches!(
                question.state,
                QuestionState::Open | QuestionState::Answered
            );
            if waits {
                close(transaction, &id, QuestionState::Withdrawn, now)?;
            }
            Ok(waits)
        })
    }
}

impl Insert {
    fn run(&self, transaction: &Transaction<'_>) -> Result<(), Fault> {
        let session = session(transaction, &self.run)?;
        let made = transaction
            .prepare_cached(
                "INSERT INTO questions (id, short, session, fingerprint, risk, destructive, may_grant, shown, details, state,
                                        asked_at, expires_at, pid, start_ticks, boot_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ?10, ?11, ?12, ?13, ?14)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                self.id.bytes(),
                self.id.short(),
                session,
                self.fingerprint,
                self.risk,
                self.destructive,
                self.may_grant,
                self.shown,
                self.details,
                self.now,
                self.expires_at,
                self.owner.pid,
                signed(self.owner.start_ticks),
                self.owner.boot_id,
            ])?;
        if made == 0 {
            let id = self.id.short();
            return Err(StoreError::IdTaken { id }.into());
        }
        Ok(())
    }
}

/// The question as it stands now: an open one past its time is expired.
fn current(transaction: &Transaction<'_>, id: &QuestionId, now: i64) -> Result<QuestionRow, Fault> {
    let mut question = by_id(transaction, id)?.ok_or_else(|| missing_question(id))?;
    if question.state == QuestionState::Open && is_late(&question, now) {
        close(transaction, id, QuestionState::Expired, now)?;
        question.state = QuestionState::Expired;
    }
    Ok(question)
}

fn is_late(question: &QuestionRow, now: i64) -> bool {
    question.expires_at.is_some_and(|at| at.0 <= now)
}

fn close(
    transaction: &Transaction<'_>,
    id: &QuestionId,
    state: QuestionState,
    now: i64,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "UPDATE questions SET state = ?2, closed_at = ?3 WHERE id = ?1 AND state IN ('open', 'answered')",
        )?
        .execute(params![id.bytes(), state.name(), now])?;
    Ok(())
}
