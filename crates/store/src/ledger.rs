//! The ledger of disposable checkouts: what was made, who answers for it, what is left (FA-12).

use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_domain::{RunId, RunStatus};

use crate::convert::{Fault, missing, parsed, parsed_or_none, run_id, session, signed};
use crate::model::{CheckoutState, Leftover, Owner};
use crate::runs::checkout_row;
use crate::writer::Durability;
use crate::{Store, StoreError, decisions};

/// Every checkout that is not removed, in the order of creation.
pub(crate) const LEFT: &str = "
    SELECT s.id, s.kind, s.name, s.status, c.path, c.state AS checkout_state, c.pid, c.start_ticks, c.boot_id,
           g.state AS change_state
    FROM checkouts c JOIN sessions s ON s.seq = c.session LEFT JOIN changes g ON g.session = s.seq
    WHERE c.state <> 'removed' ORDER BY c.session";

impl Store {
    /// Records where a checkout stands: before it is removed as little as after it was made.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn set_checkout_state(&self, run: &RunId, state: CheckoutState) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE checkouts SET state = ?2, changed_at = ?3 WHERE session = ?1",
                )?
                .execute(params![seq, state.name(), now])?;
            (changed == 1)
                .then_some(())
                .ok_or_else(|| missing("checkout", &run))
        })
    }

    /// Takes a checkout over from an owner that is dead. Of two sweeps at once one gets it: whether it is this one.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn claim_checkout(
        &self,
        run: &RunId,
        from: &Owner,
        to: &Owner,
    ) -> Result<bool, StoreError> {
        let (run, from, to, now) = (*run, from.clone(), to.clone(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE checkouts SET pid = ?5, start_ticks = ?6, boot_id = ?7, changed_at = ?8
                     WHERE session = ?1 AND pid = ?2 AND start_ticks = ?3 AND boot_id = ?4
                       AND state <> 'removed'",
                )?
                .execute(params![
                    seq,
                    from.pid,
                    signed(from.start_ticks),
                    from.boot_id,
                    to.pid,
                    signed(to.start_ticks),
                    to.boot_id,
                    now,
                ])?;
            Ok(changed == 1)
        })
    }

    /// Takes a kept checkout into use again. Until its state is set to another one, nobody can decide on the change.
    ///
    /// # Errors
    /// `NotFound`, also when there is no kept checkout; `CheckoutLive`; `WrongStatus` while the run itself goes on;
    /// `NotPending` and `Deciding` as for a decision.
    pub fn reopen_checkout(&self, run: &RunId, owner: &Owner) -> Result<(), StoreError> {
        let (run, owner, now) = (*run, owner.clone(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            refuse_live_run(transaction, seq)?;
            refuse_in_use(transaction, seq)?;
            decisions::refuse_decided(transaction, seq)?;
            let changed = transaction
                .prepare_cached(
                    "UPDATE checkouts
                     SET state = 'live', pid = ?2, start_ticks = ?3, boot_id = ?4, changed_at = ?5
                     WHERE session = ?1 AND state = 'kept'",
                )?
                .execute(params![
                    seq,
                    owner.pid,
                    signed(owner.start_ticks),
                    owner.boot_id,
                    now
                ])?;
            (changed == 1)
                .then_some(())
                .ok_or_else(|| missing("checkout", &run))
        })
    }

    /// Every checkout that is not removed, oldest first, those of live runs too.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(LEFT)?;
            let rows = statement.query_map([], leftover)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn refuse_live_run(conn: &Connection, session: i64) -> Result<(), Fault> {
    let status = conn
        .prepare_cached("SELECT status FROM sessions WHERE seq = ?1")?
        .query_row([session], |row| parsed(row, "status"))?;
    match status {
        RunStatus::Preparing | RunStatus::Running => Err(StoreError::WrongStatus { status }.into()),
        RunStatus::Completed
        | RunStatus::Error
        | RunStatus::Timeout
        | RunStatus::Cancelled
        | RunStatus::Died
        | RunStatus::Budget
        | RunStatus::Refused => Ok(()),
    }
}

/// Refuses a checkout that something writes in.
pub(crate) fn refuse_in_use(conn: &Connection, session: i64) -> Result<(), Fault> {
    let user: Option<i32> = conn
        .prepare_cached(
            "SELECT pid FROM checkouts WHERE session = ?1 AND state IN ('preparing', 'live')",
        )?
        .query_row([session], |row| row.get(0))
        .optional()?;
    match user {
        Some(pid) => Err(StoreError::CheckoutLive { pid }.into()),
        None => Ok(()),
    }
}

pub(crate) fn leftover(row: &Row<'_>) -> rusqlite::Result<Leftover> {
    Ok(Leftover {
        run: run_id(row)?,
        kind: parsed(row, "kind")?,
        name: row.get("name")?,
        status: parsed(row, "status")?,
        checkout: checkout_row(row)?,
        change: parsed_or_none(row, "change_state")?,
    })
}
