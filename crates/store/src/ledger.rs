//! The ledger of disposable checkouts: what was made, who answers for it, what is left (FA-12).

use rusqlite::{Row, params};
use taffrail_domain::RunId;

use crate::convert::{missing, parsed, parsed_or_none, run_id, session, signed};
use crate::model::{CheckoutState, Leftover, Owner};
use crate::runs::checkout_row;
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Every checkout that is not removed, in the order of creation.
pub(crate) const LEFT: &str = "
    SELECT s.id, s.name, s.status, c.path, c.state AS checkout_state, c.pid, c.start_ticks, c.boot_id,
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

pub(crate) fn leftover(row: &Row<'_>) -> rusqlite::Result<Leftover> {
    Ok(Leftover {
        run: run_id(row)?,
        name: row.get("name")?,
        status: parsed(row, "status")?,
        checkout: checkout_row(row)?,
        change: parsed_or_none(row, "change_state")?,
    })
}
