//! Judged actions: each is a row before its effect, and the asked ones are entries of the journal too (POL-01, FA-24).

use rusqlite::{OptionalExtension, Row, Transaction, named_params, params};
use taffrail_domain::{Answer, Ground, Mode, QuestionId, Risk, RunId, Verdict};
use taffrail_memory::journal::{EventKind, Facts};

use super::EXTERNAL_PAGE;
use super::calls::{KEPT, KEPT_LINE, kept, kept_json};
use super::judged::{ActionDecisionRow, DecisionSource, NewActionDecision};
use crate::convert::{Fault, millis, missing, parsed, session};
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

/// A row to be, owned, for the writer's thread.
struct Insert {
    request: String,
    tool_call: Option<String>,
    source: DecisionSource,
    action: String,
    shown: String,
    kind: Option<String>,
    risk: Risk,
    destructive: bool,
    answer: Answer,
    reasons: String,
    rule: Option<String>,
    verdict: Verdict,
    ground: Ground,
    timed_out: bool,
    option: Option<String>,
    modes: (Mode, Mode),
    question: Option<QuestionId>,
    asked_at: i64,
    now: i64,
}

impl Store {
    /// Puts a judged action on record; its effect comes after this returned. What the policy would not simply allow survives
    /// the loss of power; an allowed one the end of the process. One that the policy wanted asked is in the journal too, without
    /// a word of what it was about.
    ///
    /// # Errors
    /// `NotFound`, also for a question of another run; as for every write.
    pub fn record_action_decision(
        &self,
        run: &RunId,
        decision: &NewActionDecision<'_>,
    ) -> Result<(), StoreError> {
        let run = *run;
        let insert = Insert::new(decision, self.now());
        let durability = match decision.answer {
            Answer::Allow => Durability::Normal,
            Answer::Ask | Answer::Deny => Durability::Full,
        };
        self.write(durability, move |transaction| insert.run(transaction, &run))
    }

    /// Judged actions of a run whose order is greater than `after`, in order; at most `limit` and [`EXTERNAL_PAGE`]. The first
    /// page is after 0.
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn action_decisions(
        &self,
        run: &RunId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ActionDecisionRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let mut statement = conn.prepare_cached(
                "SELECT d.*, q.id AS question_id, t.title FROM action_decisions d LEFT JOIN questions q ON q.seq = d.question
                   LEFT JOIN tool_calls t ON t.session = d.session AND t.call = d.tool_call
                 WHERE d.session = ?1 AND d.seq > ?2 ORDER BY d.seq LIMIT ?3",
            )?;
            let values = params![seq, after, limit.min(EXTERNAL_PAGE)];
            let rows = statement.query_map(values, row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Insert {
    fn new(new: &NewActionDecision<'_>, now: i64) -> Self {
        let line = |text: Option<&taffrail_redact::Clean>| text.map(|text| kept(text, KEPT_LINE));
        Self {
            request: kept(new.request, KEPT_LINE),
            tool_call: line(new.tool_call),
            source: new.source,
            action: kept_json(new.action),
            shown: kept(new.shown, KEPT),
            kind: line(new.kind),
            risk: new.risk,
            destructive: new.destructive,
            answer: new.answer,
            reasons: kept_json(new.reasons),
            rule: line(new.rule),
            verdict: new.verdict,
            ground: new.ground,
            timed_out: new.timed_out,
            option: line(new.option),
            modes: (new.mode_requested, new.mode_effective),
            question: new.question,
            asked_at: new.asked_at.0,
            now,
        }
    }

    fn run(&self, transaction: &Transaction<'_>, run: &RunId) -> Result<(), Fault> {
        let session = session(transaction, run)?;
        let question = self
            .question
            .map(|question| question_of(transaction, session, &question, run))
            .transpose()?;
        transaction
            .prepare_cached(
                "INSERT INTO action_decisions (session, request, tool_call, source, action, shown, kind, risk, destructive,
                                               answer, reasons, rule, verdict, ground, timed_out, option_id,
                                               mode_requested, mode_effective, question, asked_at, decided_at)
                 VALUES (:session, :request, :tool_call, :source, :action, :shown, :kind, :risk, :destructive,
                         :answer, :reasons, :rule, :verdict, :ground, :timed_out, :option,
                         :requested, :effective, :question, :asked_at, :now)",
            )?
            .execute(named_params! {
                ":session": session, ":request": self.request, ":tool_call": self.tool_call,
                ":source": self.source.name(), ":action": self.action, ":shown": self.shown, ":kind": self.kind,
                ":risk": self.risk.name(), ":destructive": self.destructive, ":answer": self.answer.name(),
                ":reasons": self.reasons, ":rule": self.rule, ":verdict": self.verdict.name(),
                ":ground": self.ground.name(), ":timed_out": self.timed_out, ":option": self.option,
                ":requested": self.modes.0.name(), ":effective": self.modes.1.name(), ":question": question,
                ":asked_at": self.asked_at, ":now": self.now,
            })?;
        if self.answer == Answer::Ask {
            let kind = EventKind::QuestionDecided;
            journal::append(
                transaction,
                self.now,
                kind,
                Some(run.bytes()),
                &self.facts(),
            )?;
        }
        Ok(())
    }

    /// What the journal is told: words of closed lists and ids, nothing of the action.
    fn facts(&self) -> Facts {
        let facts = Facts::new()
            .word("door", self.source.name())
            .word("risk", self.risk.name())
            .flag("destructive", self.destructive)
            .word("verdict", self.verdict.name())
            .word("ground", self.ground.name());
        match self.question {
            Some(question) => facts.id("question", question.bytes()),
            None => facts,
        }
    }
}

/// The row of a question, which has to be this session's.
fn question_of(
    transaction: &Transaction<'_>,
    session: i64,
    question: &QuestionId,
    run: &RunId,
) -> Result<i64, Fault> {
    transaction
        .prepare_cached("SELECT seq FROM questions WHERE id = ?1 AND session = ?2")?
        .query_row(params![question.bytes(), session], |row| row.get(0))
        .optional()?
        .ok_or_else(|| missing("such question", run))
}

fn row(row: &Row<'_>) -> rusqlite::Result<ActionDecisionRow> {
    Ok(ActionDecisionRow {
        seq: row.get("seq")?,
        request: row.get("request")?,
        tool_call: row.get("tool_call")?,
        title: row.get("title")?,
        source: parsed(row, "source")?,
        action: row.get("action")?,
        shown: row.get("shown")?,
        kind: row.get("kind")?,
        risk: parsed(row, "risk")?,
        destructive: row.get("destructive")?,
        answer: parsed(row, "answer")?,
        reasons: row.get("reasons")?,
        rule: row.get("rule")?,
        verdict: parsed(row, "verdict")?,
        ground: parsed(row, "ground")?,
        timed_out: row.get("timed_out")?,
        option: row.get("option_id")?,
        mode_requested: parsed(row, "mode_requested")?,
        mode_effective: parsed(row, "mode_effective")?,
        question: row
            .get::<_, Option<[u8; 16]>>("question_id")?
            .map(QuestionId::from_bytes),
        asked_at: millis(row, "asked_at")?,
        decided_at: millis(row, "decided_at")?,
    })
}
