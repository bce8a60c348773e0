//! Decisions on captured diffs: a row before the effect, its result after it, one decision per run (FA-31, STO-05).

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{ChangeHash, ChangeState, Oid, RunId};

use crate::convert::signed;
use crate::convert::{Fault, millis, missing, owner, parsed, parsed_or_none, run_id, session};
use crate::model::{Decided, Decision, DecisionState, OpenDecision, Owner};
use crate::writer::Durability;
use crate::{Store, StoreError, ledger};

impl Store {
    /// Begins a decision on a pending change. When this returns, the decision is on record and nobody else can decide;
    /// the caller carries it out and then calls [`finish_landing`](Self::finish_landing),
    /// [`finish_discard`](Self::finish_discard) or [`fail_landing`](Self::fail_landing).
    ///
    /// # Errors
    /// `NotFound`; `NotPending`; `Deciding` while another decision is open; `CheckoutLive` while the checkout is in
    /// use; `HashMismatch`.
    pub fn decide_change(
        &self,
        run: &RunId,
        decision: Decision,
        hash: &ChangeHash,
        owner: &Owner,
    ) -> Result<(), StoreError> {
        let (run, hash, owner, now) = (*run, hash.clone(), owner.clone(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            refuse_undecidable(transaction, &run, seq, &hash)?;
            transaction
                .prepare_cached(
                    "INSERT INTO decisions (session, verdict, hash, state, pid, start_ticks, boot_id, decided_at)
                     VALUES (?1, ?2, ?3, 'intent', ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    seq,
                    decision.name(),
                    hash.bytes(),
                    owner.pid,
                    signed(owner.start_ticks),
                    owner.boot_id,
                    now,
                ])?;
            Ok(())
        })
    }

    /// The landing that was begun made this commit and this branch.
    ///
    /// # Errors
    /// `NotFound` when no landing of this run is open.
    pub fn finish_landing(
        &self,
        run: &RunId,
        commit: &Oid,
        branch: &str,
    ) -> Result<(), StoreError> {
        let made = (commit.as_str().to_owned(), branch.as_bytes().to_vec());
        self.finish(run, Decision::Landing, ChangeState::Landed, Some(made))
    }

    /// The discard that was begun is done.
    ///
    /// # Errors
    /// `NotFound` when no discard of this run is open.
    pub fn finish_discard(&self, run: &RunId) -> Result<(), StoreError> {
        self.finish(run, Decision::Discard, ChangeState::Discarded, None)
    }

    /// The landing (or discard) that was begun came to nothing, for the reason with this stable code; the change is
    /// pending again.
    ///
    /// # Errors
    /// `NotFound` when no decision of this run is open.
    pub fn fail_landing(&self, run: &RunId, code: &'static str) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE decisions SET state = 'failed', failure = ?2, finished_at = ?3
                     WHERE session = ?1 AND state = 'intent'",
                )?
                .execute(params![seq, code, now])?;
            one_decision(&run, changed)
        })
    }

    /// Decisions whose result is not on record: under way, or cut off when their process was killed.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn open_decisions(&self) -> Result<Vec<OpenDecision>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT s.id, d.* FROM decisions d JOIN sessions s ON s.seq = d.session
                 WHERE d.state = 'intent' ORDER BY d.seq",
            )?;
            let rows = statement.query_map([], |row| {
                let (run, decided) = (run_id(row)?, decided(row)?);
                Ok(OpenDecision { run, decided })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn finish(
        &self,
        run: &RunId,
        decision: Decision,
        state: ChangeState,
        made: Option<(String, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let (commit, branch) = made.unzip();
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE decisions SET state = 'done', commit_oid = ?3, branch = ?4, finished_at = ?5
                     WHERE session = ?1 AND verdict = ?2 AND state = 'intent'",
                )?
                .execute(params![seq, decision.name(), commit, branch, now])?;
            one_decision(&run, changed)?;
            transaction
                .prepare_cached("UPDATE changes SET state = ?2 WHERE session = ?1")?
                .execute(params![seq, state.name()])?;
            Ok(())
        })
    }
}

fn refuse_undecidable(
    transaction: &Transaction<'_>,
    run: &RunId,
    session: i64,
    hash: &ChangeHash,
) -> Result<(), Fault> {
    let recorded =
        refuse_decided(transaction, session)?.ok_or_else(|| missing("captured change", run))?;
    ledger::refuse_in_use(transaction, session)?;
    if recorded.state != ChangeState::Pending {
        return Err(StoreError::NotPending {
            state: recorded.state,
        }
        .into());
    }
    if recorded.hash != *hash {
        let recorded = recorded.hash.to_string();
        return Err(StoreError::HashMismatch { recorded }.into());
    }
    Ok(())
}

/// What is on record of a diff that nobody has decided on.
pub(crate) struct Undecided {
    state: ChangeState,
    hash: ChangeHash,
}

/// Refuses a diff that was decided on or is being decided on; none when nothing was captured.
pub(crate) fn refuse_decided(
    transaction: &Transaction<'_>,
    session: i64,
) -> Result<Option<Undecided>, Fault> {
    let found = transaction
        .prepare_cached(
            "SELECT state, hash, EXISTS (SELECT 1 FROM decisions d
                                         WHERE d.session = g.session AND d.state = 'intent') AS deciding
             FROM changes g WHERE session = ?1",
        )?
        .query_row([session], |row| {
            let state = parsed(row, "state")?;
            let hash = row.get("hash").map(ChangeHash::new)?;
            Ok((Undecided { state, hash }, row.get::<_, bool>("deciding")?))
        })
        .optional()?;
    match found {
        Some((_, true)) => Err(StoreError::Deciding.into()),
        Some((found, false)) => match found.state {
            ChangeState::Empty | ChangeState::Pending => Ok(Some(found)),
            state @ (ChangeState::Landed | ChangeState::Discarded) => {
                Err(StoreError::NotPending { state }.into())
            }
        },
        None => Ok(None),
    }
}

fn one_decision(run: &RunId, changed: usize) -> Result<(), Fault> {
    (changed == 1)
        .then_some(())
        .ok_or_else(|| missing("open decision", run))
}

/// Every decision on the diff of a session, oldest first.
pub(crate) fn of(conn: &Connection, session: i64) -> Result<Vec<Decided>, Fault> {
    let mut statement =
        conn.prepare_cached("SELECT * FROM decisions WHERE session = ?1 ORDER BY seq")?;
    let rows = statement.query_map([session], decided)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn decided(row: &Row<'_>) -> rusqlite::Result<Decided> {
    let state: String = row.get("state")?;
    let state = match state.as_str() {
        "intent" => DecisionState::Intent,
        "done" => DecisionState::Done {
            commit: parsed_or_none(row, "commit_oid")?,
            branch: row
                .get::<_, Option<Vec<u8>>>("branch")?
                .map(|branch| String::from_utf8_lossy(&branch).into_owned()),
        },
        _ => DecisionState::Failed(row.get::<_, Option<String>>("failure")?.unwrap_or_default()),
    };
    Ok(Decided {
        decision: parsed(row, "verdict")?,
        hash: row.get("hash").map(ChangeHash::new)?,
        state,
        owner: owner(row)?,
        at: millis(row, "decided_at")?,
    })
}
