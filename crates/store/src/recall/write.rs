//! Putting rows in and taking them out, with postings and counts, inside the transaction that changes the memory.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};
use taffrail_domain::{Grade, MemoryType};
use taffrail_memory::rank::{Columns, Document, Packed, pack};
use taffrail_memory::recall::{Partition, RowKey};

use crate::convert::Fault;

use super::postings::{run, without};
use super::search::blob;
use super::tail;

/// A list of memories longer than this, in bytes, is closed, so that putting a row in never rewrites much.
const BLOCK: usize = 1_024;

/// What a memory that may be recalled puts into the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexRow<'a> {
    /// `memories.seq`.
    pub(crate) memory_seq: i64,
    /// Under which grade it may be recalled.
    pub(crate) lane: Grade,
    /// `projects.seq`; none for a personal memory.
    pub(crate) project: Option<i64>,
    /// When it was said.
    pub(crate) created_at: i64,
    /// When a person confirmed it last.
    pub(crate) confirmed_at: Option<i64>,
    /// After this it is not recalled.
    pub(crate) stale_after: Option<i64>,
    /// Its type.
    pub(crate) kind: MemoryType,
    /// One sentence.
    pub(crate) summary: &'a str,
    /// The whole text.
    pub(crate) content: &'a str,
    /// Sentences before, in reading order.
    pub(crate) before: &'a [String],
    /// Sentences after, in reading order.
    pub(crate) after: &'a [String],
}

/// Puts a row in, in place of the one of that memory in whatever grade it was.
pub(crate) fn put(conn: &Connection, row: &IndexRow<'_>) -> Result<(), Fault> {
    put_all(conn, std::slice::from_ref(row), tail::SHORT)
}

/// The same for many rows at once, of which more will come: their terms go into the lists later, and together. Whoever is
/// at the end of them calls [`tail::settle`].
pub(crate) fn put_many(conn: &Connection, rows: &[IndexRow<'_>]) -> Result<(), Fault> {
    put_all(conn, rows, tail::LONG)
}

fn put_all(conn: &Connection, rows: &[IndexRow<'_>], longest: i64) -> Result<(), Fault> {
    let mut changes = Changes::default();
    for row in rows {
        take_out(conn, row.memory_seq, &mut changes)?;
        put_in(conn, row, &mut changes)?;
    }
    changes.write(conn)?;
    let partitions: BTreeSet<Partition> = rows
        .iter()
        .map(|row| Partition::new(row.lane, row.project))
        .collect();
    partitions
        .into_iter()
        .try_for_each(|partition| tail::settle_if_long(conn, partition, longest))
}

/// Takes a memory out; nothing happens when it is not in.
pub(crate) fn remove(conn: &Connection, memory_seq: i64) -> Result<(), Fault> {
    let mut changes = Changes::default();
    take_out(conn, memory_seq, &mut changes)?;
    changes.write(conn)
}

fn put_in(conn: &Connection, row: &IndexRow<'_>, changes: &mut Changes) -> Result<(), Fault> {
    let Document {
        packed, lengths, ..
    } = pack(row.summary, row.content, row.before, row.after);
    let partition = Partition::new(row.lane, row.project);
    let key = partition.key(row.memory_seq);
    let dated = row.created_at.max(row.confirmed_at.unwrap_or(i64::MIN));
    let kinds = (0_i64..).zip(MemoryType::ALL);
    let kind = kinds
        .filter(|(_, kind)| **kind == row.kind)
        .map(|(place, _)| place)
        .next();
    conn.prepare_cached(
        "INSERT INTO recall_docs (key, kind, dated, stale_after, terms) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute((key.0, kind, dated, row.stale_after, &packed))?;
    tail::add(conn, key)?;
    changes.count(partition, 1, lengths);
    Ok(())
}

fn take_out(conn: &Connection, memory_seq: i64, changes: &mut Changes) -> Result<(), Fault> {
    let found = conn
        .prepare_cached(
            "DELETE FROM recall_docs WHERE key & 1099511627775 = ?1 RETURNING key, terms",
        )?
        .query_row([memory_seq], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((key, packed)): Option<(i64, Vec<u8>)> = found else {
        return Ok(());
    };
    let partition = RowKey(key).partition();
    if !tail::take_away(conn, RowKey(key))? {
        for (hash, _) in Packed(&packed).terms() {
            changes.take_out(partition, hash, memory_seq);
        }
    }
    changes.count(partition, -1, Packed(&packed).lengths());
    Ok(())
}

/// What a batch does to the postings of a term.
#[derive(Default)]
struct Posted {
    added: Vec<i64>,
    removed: Vec<i64>,
}

/// What a batch does to postings and counts.
#[derive(Default)]
pub(super) struct Changes {
    /// By the number of the term in its partition; in order, so that neighbours are written one after the other.
    terms: BTreeMap<i64, Posted>,
    partitions: BTreeMap<Partition, (i64, Columns<i64>)>,
}

impl Changes {
    /// A row has a term.
    pub(super) fn add(&mut self, partition: Partition, hash: u32, memory: i64) {
        let posted = self.terms.entry(partition.term_key(hash)).or_default();
        posted.added.push(memory);
    }

    fn take_out(&mut self, partition: Partition, hash: u32, memory: i64) {
        let posted = self.terms.entry(partition.term_key(hash)).or_default();
        posted.removed.push(memory);
    }

    fn count(&mut self, partition: Partition, sign: i64, lengths: Columns<u16>) {
        let (rows, sums) = self.partitions.entry(partition).or_default();
        *rows += sign;
        *sums = sums.zip(lengths, |sum, length| sum + sign * i64::from(length));
    }

    pub(super) fn write(self, conn: &Connection) -> Result<(), Fault> {
        for (key, mut posted) in self.terms {
            for memory in &posted.removed {
                take_from_postings(conn, key, *memory)?;
            }
            if !posted.added.is_empty() {
                posted.added.sort_unstable();
                // Two terms of one row with the same hash are one.
                posted.added.dedup();
                append(conn, key, &posted.added)?;
            }
        }
        let mut sums = conn.prepare_cached(
            "INSERT INTO recall_partitions (partition, rows, summary, content, near, far)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (partition) DO UPDATE SET rows = rows + excluded.rows,
               summary = summary + excluded.summary, content = content + excluded.content,
               near = near + excluded.near, far = far + excluded.far",
        )?;
        for (partition, (rows, lengths)) in self.partitions {
            let Columns {
                summary,
                content,
                near,
                far,
            } = lengths;
            sums.execute([partition.number(), rows, summary, content, near, far])?;
        }
        Ok(())
    }
}

fn append(conn: &Connection, key: i64, memories: &[i64]) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO recall_terms (key, rows, memories) VALUES (?1, ?2, ?3)
         ON CONFLICT (key) DO UPDATE SET rows = rows + excluded.rows,
           memories = CAST(memories || excluded.memories AS BLOB)
         RETURNING length(memories)",
    )?;
    let count = i64::try_from(memories.len()).unwrap_or(i64::MAX);
    let length: usize = statement
        .query_row((key, count, run(memories)), |row| row.get::<_, i64>(0))?
        .try_into()
        .unwrap_or(usize::MAX);
    if length > BLOCK {
        close_block(conn, key)?;
    }
    Ok(())
}

fn close_block(conn: &Connection, key: i64) -> Result<(), Fault> {
    conn.prepare_cached(
        "INSERT INTO recall_blocks (key, block, memories)
         SELECT key, 1 + coalesce((SELECT max(block) FROM recall_blocks WHERE key = ?1), 0), memories
           FROM recall_terms WHERE key = ?1",
    )?
    .execute([key])?;
    conn.prepare_cached("UPDATE recall_terms SET memories = x'' WHERE key = ?1")?
        .execute([key])?;
    Ok(())
}

fn take_from_postings(conn: &Connection, key: i64, memory: i64) -> Result<(), Fault> {
    let found: Option<Vec<u8>> = conn
        .prepare_cached("SELECT memories FROM recall_terms WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    let Some(last) = found else {
        return Ok(());
    };
    let left = without(&last, memory);
    if left.is_none() {
        take_from_blocks(conn, key, memory)?;
    }
    conn.prepare_cached("UPDATE recall_terms SET rows = rows - 1, memories = ?2 WHERE key = ?1")?
        .execute((key, left.unwrap_or(last)))?;
    conn.prepare_cached("DELETE FROM recall_terms WHERE key = ?1 AND rows <= 0")?
        .execute([key])?;
    Ok(())
}

/// The newest block first: what is reviewed came lately.
fn take_from_blocks(conn: &Connection, key: i64, memory: i64) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT block, memories FROM recall_blocks WHERE key = ?1 ORDER BY block DESC",
    )?;
    let mut rows = statement.query([key])?;
    while let Some(row) = rows.next()? {
        let block: i64 = row.get(0)?;
        let Some(left) = without(blob(row, 1)?, memory) else {
            continue;
        };
        drop(rows);
        return write_block(conn, key, block, &left);
    }
    Ok(())
}

fn write_block(conn: &Connection, key: i64, block: i64, left: &[u8]) -> Result<(), Fault> {
    let sql = if left.is_empty() {
        "DELETE FROM recall_blocks WHERE key = ?1 AND block = ?2 AND ?3 IS NOT NULL"
    } else {
        "UPDATE recall_blocks SET memories = ?3 WHERE key = ?1 AND block = ?2"
    };
    conn.prepare_cached(sql)?.execute((key, block, left))?;
    Ok(())
}
