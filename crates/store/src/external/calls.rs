//! Tool calls as the agent describes them: one row each, whatever number of updates it took.

use rusqlite::{Row, named_params, params};
use taffrail_domain::RunId;
use taffrail_redact::Clean;

use super::model::{ToolCallRow, ToolCallSeen};
use super::{EXTERNAL_PAGE, next_position};
use crate::convert::{count, millis, session, signed};
use crate::writer::Durability;
use crate::{Store, StoreError};

/// Bytes that are kept of one text: an input, an output, an action. Agents send megabytes, and a record is read by people.
pub(crate) const KEPT: usize = 64 << 10;
/// Bytes that are kept of a title, a kind, a status or an id.
pub(crate) const KEPT_LINE: usize = 1 << 10;

/// JSON as it is, or an object that says how long it was and how it begins.
pub(crate) fn kept_json(json: &Clean) -> String {
    let text = json.as_str();
    if text.len() <= KEPT {
        return text.to_owned();
    }
    // Quoting may double it; half of what is kept is enough to recognise it.
    let begins = json.cut(KEPT / 4);
    serde_json::json!({"bytes": text.len(), "begins": begins.as_str()}).to_string()
}

/// A text, whole or its beginning.
pub(crate) fn kept(text: &Clean, bytes: usize) -> String {
    text.cut(bytes).into_string()
}

impl Store {
    /// Adds what was newly seen of a tool call to its row, or makes the row. Acknowledged, it survives the end of the process,
    /// not the loss of power. One call may stand for many updates.
    ///
    /// # Errors
    /// `NotFound`; as for every write.
    pub fn upsert_tool_call(&self, run: &RunId, seen: &ToolCallSeen<'_>) -> Result<(), StoreError> {
        let (run, now) = (*run, self.now());
        let line = |text: Option<&Clean>| text.map(|text| kept(text, KEPT_LINE));
        let call = kept(seen.call, KEPT_LINE);
        let lines = [seen.title, seen.kind, seen.status].map(line);
        let json = [seen.locations, seen.input].map(|json| json.map(kept_json));
        let output = seen.output.map(|text| kept(text, KEPT));
        let (updates, bytes) = (signed(seen.updates), signed(seen.bytes));
        self.write(Durability::Normal, move |transaction| {
            let seq = session(transaction, &run)?;
            let position = next_position(transaction, "tool_calls", seq)?;
            let ([title, kind, status], [locations, input]) = (&lines, &json);
            transaction
                .prepare_cached(
                    "INSERT INTO tool_calls (session, position, call, title, kind, status, locations, input, output,
                                             updates, bytes, first_at, last_at)
                     VALUES (:session, :position, :call, :title, :kind, :status, :locations, :input, :output,
                             :updates, :bytes, :now, :now)
                     ON CONFLICT (session, call) DO UPDATE
                     SET title = coalesce(:title, title), kind = coalesce(:kind, kind),
                         status = coalesce(:status, status), locations = coalesce(:locations, locations),
                         input = coalesce(:input, input), output = coalesce(:output, output),
                         updates = updates + :updates, bytes = bytes + :bytes, last_at = :now",
                )?
                .execute(named_params! {
                    ":session": seq, ":position": position, ":call": call, ":title": title, ":kind": kind,
                    ":status": status, ":locations": locations, ":input": input, ":output": output,
                    ":updates": updates, ":bytes": bytes, ":now": now,
                })?;
            Ok(())
        })
    }

    /// Tool calls of a run from place `from` on, in the order in which they were first told of; at most `limit` and
    /// [`EXTERNAL_PAGE`].
    ///
    /// # Errors
    /// `NotFound`; `Busy`, `Damaged`, `Io`.
    pub fn tool_calls(
        &self,
        run: &RunId,
        from: u64,
        limit: u32,
    ) -> Result<Vec<ToolCallRow>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let mut statement = conn.prepare_cached(
                "SELECT * FROM tool_calls WHERE session = ?1 AND position >= ?2 ORDER BY position LIMIT ?3",
            )?;
            let values = params![seq, signed(from), limit.min(EXTERNAL_PAGE)];
            let rows = statement.query_map(values, row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<ToolCallRow> {
    Ok(ToolCallRow {
        position: count(row, "position")?,
        call: row.get("call")?,
        title: row.get("title")?,
        kind: row.get("kind")?,
        status: row.get("status")?,
        locations: row.get("locations")?,
        input: row.get("input")?,
        output: row.get("output")?,
        updates: count(row, "updates")?,
        bytes: count(row, "bytes")?,
        first_at: millis(row, "first_at")?,
        last_at: millis(row, "last_at")?,
    })
}
