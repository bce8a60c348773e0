//! Whether index and memories agree, and making them agree again (`doctor`, STO-10).

use std::ops::ControlFlow;

use rusqlite::Connection;
use taffrail_domain::{Grade, MemoryType};
use taffrail_memory::rank::Packed;

use crate::convert::{Fault, senseless};

use super::postings::each_memory;
use super::search::blob;
use super::tail;
use super::write::{IndexRow, put_many};

/// Rows put in at once: bounds the memory that a rebuild takes.
const BATCH: i64 = 2_000;

/// Which rows may be recalled, and under which grade. `0` approved, `1` evidence, `2` pending.
const RECALLABLE: &str = "lifecycle = 'active' AND do_not_inject_automatically = 0 AND (
    (status = 'confirmed' AND can_use_as_instruction = 1)
    OR (status = 'evidence_only' AND can_use_as_evidence = 1)
    OR status = 'pending')";

/// The grade of such a row, as a number.
const LANE: &str = "CASE status WHEN 'confirmed' THEN 0 WHEN 'evidence_only' THEN 1 ELSE 2 END";

/// What is wrong with the index, one line each; empty when all is well.
pub(crate) fn check(conn: &Connection) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    // SQLite gives shifts and bits one precedence, from the left.
    let key = format!("((({LANE}) << 61) | (coalesce(project, 0) << 40) | seq)");
    let missing = count(&format!(
        "SELECT count(*) FROM memories WHERE {RECALLABLE}
            AND NOT EXISTS (SELECT 1 FROM recall_docs WHERE key = {key})"
    ))?;
    let surplus = count(&format!(
        "SELECT count(*) FROM recall_docs AS d WHERE NOT EXISTS (
           SELECT 1 FROM memories WHERE seq = d.key & 1099511627775 AND {RECALLABLE} AND d.key = {key})"
    ))?;
    let rows = count("SELECT count(*) FROM recall_docs")?;
    let counted = count("SELECT coalesce(sum(rows), 0) FROM recall_partitions")?;
    let mut say = |number: i64, what: &str| {
        if number != 0 {
            found.push(format!("{number} {what}"));
        }
    };
    say(
        missing,
        "memories that may be recalled are not in the recall index",
    );
    say(
        surplus,
        "rows of the recall index belong to no memory that may be recalled",
    );
    let loose =
        count("SELECT count(*) FROM recall_tail WHERE key NOT IN (SELECT key FROM recall_docs)")?;
    say(loose, "rows of the recall index's tail are not in it");
    say(
        counted - rows,
        "more rows counted than there are in the recall index",
    );
    let postings = count("SELECT coalesce(sum(rows), 0) FROM recall_terms")?;
    if let Some(what) = broken_postings(conn, postings)? {
        found.push(what);
    }
    Ok(found)
}

/// Whether the documents' terms, the counts and the lists all speak of the same number of postings.
pub(super) fn broken_postings(conn: &Connection, counted: i64) -> Result<Option<String>, Fault> {
    let sum = |sql: &str, of: fn(&[u8]) -> i64| -> Result<i64, Fault> {
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut sum = 0;
        while let Some(row) = rows.next()? {
            sum += of(blob(row, 0)?);
        }
        Ok(sum)
    };
    let said = sum(
        "SELECT terms FROM recall_docs WHERE key NOT IN (SELECT key FROM recall_tail)",
        different_terms,
    )?;
    let listed = sum("SELECT memories FROM recall_terms", listed_memories)?
        + sum("SELECT memories FROM recall_blocks", listed_memories)?;
    Ok((said != counted || listed != counted).then(|| {
        format!("the recall index has {said} terms of rows, counts {counted} and lists {listed}")
    }))
}

fn different_terms(packed: &[u8]) -> i64 {
    let mut before = None;
    let mut count = 0;
    for (hash, _) in Packed(packed).terms() {
        count += i64::from(before != Some(hash));
        before = Some(hash);
    }
    count
}

fn listed_memories(bytes: &[u8]) -> i64 {
    let mut count = 0;
    let _all = each_memory(bytes, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}

/// Empties the index and fills it from the memories. Answers how many rows are in it.
pub(crate) fn rebuild(conn: &Connection) -> Result<u64, Fault> {
    conn.execute_batch(
        "DELETE FROM recall_docs; DELETE FROM recall_tail; DELETE FROM recall_terms; DELETE FROM recall_blocks;
         DELETE FROM recall_partitions;",
    )?;
    let (mut after, mut rows) = (0, 0);
    loop {
        let batch = read_batch(conn, after)?;
        let Some(last) = batch.last() else {
            tail::settle(conn, 0)?;
            return Ok(rows);
        };
        after = last.seq;
        rows += batch.len() as u64;
        let batch: Vec<IndexRow<'_>> = batch.iter().map(Kept::index_row).collect();
        put_many(conn, &batch)?;
    }
}

/// A memory that may be recalled, with its text.
struct Kept {
    seq: i64,
    lane: Grade,
    project: Option<i64>,
    kind: MemoryType,
    times: (i64, Option<i64>, Option<i64>),
    summary: String,
    content: String,
    before: Vec<String>,
    after: Vec<String>,
}

impl Kept {
    fn index_row(&self) -> IndexRow<'_> {
        let (created_at, confirmed_at, stale_after) = self.times;
        IndexRow {
            memory_seq: self.seq,
            lane: self.lane,
            project: self.project,
            created_at,
            confirmed_at,
            stale_after,
            kind: self.kind,
            summary: &self.summary,
            content: &self.content,
            before: &self.before,
            after: &self.after,
        }
    }
}

fn read_batch(conn: &Connection, after: i64) -> Result<Vec<Kept>, Fault> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT m.seq, {LANE} AS lane, m.project, m.type, m.created_at, m.confirmed_at, m.stale_after,
                t.summary, t.content, t.context_before, t.context_after
           FROM memories AS m JOIN memory_texts AS t ON t.memory = m.seq AND t.revision = m.revision
          WHERE m.seq > ?1 AND {RECALLABLE} ORDER BY m.seq LIMIT ?2"
    ))?;
    let rows = statement.query_map([after, BATCH], |row| {
        let lane = match row.get::<_, i64>("lane")? {
            0 => Grade::Approved,
            1 => Grade::Evidence,
            _ => Grade::Pending,
        };
        Ok(Kept {
            seq: row.get("seq")?,
            lane,
            project: row.get("project")?,
            kind: crate::convert::parsed(row, "type")?,
            times: (
                row.get("created_at")?,
                row.get("confirmed_at")?,
                row.get("stale_after")?,
            ),
            summary: row.get("summary")?,
            content: row.get("content")?,
            before: sentences(&row.get::<_, String>("context_before")?)?,
            after: sentences(&row.get::<_, String>("context_after")?)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn sentences(json: &str) -> rusqlite::Result<Vec<String>> {
    serde_json::from_str(json).map_err(|error| senseless(&error))
}
