//! What happened in a session, in order; for reading, never for deciding.

use rusqlite::params;
use taffrail_domain::RunId;
use taffrail_redact::Clean;

use crate::convert::{millis, session};
use crate::model::EventRow;
use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// Adds an event; `body` is JSON. Acknowledged, it survives the end of the process, not the loss of power.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn add_event(
        &self,
        run: &RunId,
        kind: &'static str,
        body: &Clean,
    ) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let body = body.as_str().to_owned();
        self.write(Durability::Normal, move |transaction| {
            let seq = session(transaction, &run)?;
            transaction
                .prepare_cached(
                    "INSERT INTO events (session, kind, body, at) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![seq, kind, body, now])?;
            Ok(())
        })
    }

    /// Every event of a run, oldest first.
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn events(&self, run: &RunId) -> Result<Vec<EventRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let mut statement =
                conn.prepare_cached("SELECT * FROM events WHERE session = ?1 ORDER BY seq")?;
            let rows = statement.query_map([seq], |row| {
                Ok(EventRow {
                    seq: row.get("seq")?,
                    kind: row.get("kind")?,
                    body: row.get("body")?,
                    at: millis(row, "at")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
