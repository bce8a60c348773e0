//! What an agent asked of the client beside its questions.

use rusqlite::params;
use taffrail_domain::RunId;

use super::calls::kept;
use super::model::{AgentRequestRow, NewAgentRequest};
use super::{EXTERNAL_PAGE, next_position};
use crate::convert::{count, millis, parsed, session, signed};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Bytes that are kept of the name of a method.
const KEPT_METHOD: usize = 200;
/// Bytes that are kept of what it was about, and of why it was refused.
const KEPT_WHAT: usize = 4 << 10;

impl Store {
    /// Puts a request on record that was served, refused or ignored. Acknowledged, it survives the end of the process, not the
    /// loss of power.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn append_agent_request(
        &self,
        run: &RunId,
        request: &NewAgentRequest<'_>,
    ) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let method = kept(request.method, KEPT_METHOD);
        let [what, reason] =
            [request.what, request.reason].map(|text| text.map(|text| kept(text, KEPT_WHAT)));
        let (outcome, bytes) = (request.outcome, signed(request.bytes));
        self.write(Durability::Normal, move |transaction| {
            let seq = session(transaction, &run)?;
            let position = next_position(transaction, "agent_requests", seq)?;
            transaction
                .prepare_cached(
                    "INSERT INTO agent_requests (session, position, method, what, outcome, reason, bytes, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    seq,
                    position,
                    method,
                    what,
                    outcome.name(),
                    reason,
                    bytes,
                    now
                ])?;
            Ok(())
        })
    }

    /// Requests of a run from place `from` on, in order; at most `limit` and [`EXTERNAL_PAGE`].
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn agent_requests(
        &self,
        run: &RunId,
        from: u64,
        limit: u32,
    ) -> Result<Vec<AgentRequestRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let mut statement = conn.prepare_cached(
                "SELECT * FROM agent_requests WHERE session = ?1 AND position >= ?2 ORDER BY position LIMIT ?3",
            )?;
            let values = params![seq, signed(from), limit.min(EXTERNAL_PAGE)];
            let rows = statement.query_map(values, |row| {
                Ok(AgentRequestRow {
                    position: count(row, "position")?,
                    method: row.get("method")?,
                    what: row.get("what")?,
                    outcome: parsed(row, "outcome")?,
                    reason: row.get("reason")?,
                    bytes: count(row, "bytes")?,
                    at: millis(row, "at")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
