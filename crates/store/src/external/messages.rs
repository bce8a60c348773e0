//! What was said in a session.

use rusqlite::params;
use taffrail_domain::RunId;
use taffrail_redact::Clean;

use super::model::{MessageRole, MessageRow, NewMessage};
use super::{EXTERNAL_PAGE, next_position};
use crate::convert::{count, millis, parsed, session, signed};
use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// Adds a message; see [`append_messages`](Self::append_messages).
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn append_message(
        &self,
        run: &RunId,
        role: MessageRole,
        text: &Clean,
    ) -> Result<(), StoreError> {
        self.append_messages(run, &[NewMessage { role, text }])
    }

    /// Adds messages in their order, in one transaction. Acknowledged, they survive the end of the process, not the loss of
    /// power.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn append_messages(
        &self,
        run: &RunId,
        messages: &[NewMessage<'_>],
    ) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let owned = messages
            .iter()
            .map(|one| (one.role, one.text.as_str().to_owned()));
        let owned: Vec<(MessageRole, String)> = owned.collect();
        self.write(Durability::Normal, move |transaction| {
            let seq = session(transaction, &run)?;
            let first = next_position(transaction, "messages", seq)?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO messages (session, position, role, text, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (position, (role, text)) in (first..).zip(&owned) {
                insert.execute(params![seq, position, role.name(), text, now])?;
            }
            Ok(())
        })
    }

    /// Messages of a run from place `from` on, in order; at most `limit` and [`EXTERNAL_PAGE`]. Read on with the place after
    /// the last, until nothing comes.
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn messages(
        &self,
        run: &RunId,
        from: u64,
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let mut statement = conn.prepare_cached(
                "SELECT * FROM messages WHERE session = ?1 AND position >= ?2 ORDER BY position LIMIT ?3",
            )?;
            let values = params![seq, signed(from), limit.min(EXTERNAL_PAGE)];
            let rows = statement.query_map(values, |row| {
                Ok(MessageRow {
                    position: count(row, "position")?,
                    role: parsed(row, "role")?,
                    text: row.get("text")?,
                    at: millis(row, "at")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
