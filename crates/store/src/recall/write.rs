//! Putting rows in and taking them out, with the counts, inside the transaction that changes the memory.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use taffrail_domain::{Grade, MemoryType};
use taffrail_memory::rank::{Columns, Document, Packed, hash, pack};
use taffrail_memory::recall::{Partition, RowKey};

use crate::convert::Fault;

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
    put_many(conn, std::slice::from_ref(row))
}

/// The same for many rows: the counts are written once for all of them, which is most of the cost of a row. For
/// batches of some hundred to some thousand.
pub(crate) fn put_many(conn: &Connection, rows: &[IndexRow<'_>]) -> Result<(), Fault> {
    let mut changes = Changes::default();
    for row in rows {
        take_out(conn, row.memory_seq, &mut changes)?;
        put_in(conn, row, &mut changes)?;
    }
    changes.write(conn)
}

/// Takes a memory out; nothing happens when it is not in.
pub(crate) fn remove(conn: &Connection, memory_seq: i64) -> Result<(), Fault> {
    let mut changes = Changes::default();
    take_out(conn, memory_seq, &mut changes)?;
    changes.write(conn)
}

/// Rewrites the postings without what was removed, so that no term of a removed row is left in them (STO-09).
pub(crate) fn erase(conn: &Connection) -> Result<(), Fault> {
    conn.execute(
        "INSERT INTO recall_index (recall_index) VALUES ('optimize')",
        [],
    )?;
    Ok(())
}

fn put_in(conn: &Connection, row: &IndexRow<'_>, changes: &mut Changes) -> Result<(), Fault> {
    let Document {
        terms,
        packed,
        lengths,
    } = pack(row.summary, row.content, row.before, row.after);
    let partition = Partition::new(row.lane, row.project);
    let key = partition.key(row.memory_seq);
    let dated = row.created_at.max(row.confirmed_at.unwrap_or(i64::MIN));
    let kind = (0_i64..)
        .zip(MemoryType::ALL)
        .find(|(_, kind)| **kind == row.kind)
        .map(|(place, _)| place);
    conn.prepare_cached(
        "INSERT INTO recall_docs (key, kind, dated, stale_after, terms) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute((key.0, kind, dated, row.stale_after, &packed))?;
    conn.prepare_cached("INSERT INTO recall_index (rowid, terms) VALUES (?1, ?2)")?
        .execute((key.0, terms.join(" ")))?;
    changes.add(partition, 1, lengths, terms.iter().map(|term| hash(term)));
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
    conn.prepare_cached("DELETE FROM recall_index WHERE rowid = ?1")?
        .execute([key])?;
    let packed = Packed(&packed);
    let hashes = packed.terms().map(|(hash, _)| hash);
    changes.add(RowKey(key).partition(), -1, packed.lengths(), hashes);
    Ok(())
}

/// What a batch does to the counts.
#[derive(Default)]
struct Changes {
    /// By the number of the term in its partition; in order, so that neighbours are written one after the other.
    terms: BTreeMap<i64, i64>,
    partitions: BTreeMap<Partition, (i64, Columns<i64>)>,
}

impl Changes {
    fn add(
        &mut self,
        partition: Partition,
        sign: i64,
        lengths: Columns<u16>,
        hashes: impl Iterator<Item = u32>,
    ) {
        for hash in hashes {
            *self.terms.entry(partition.term_key(hash)).or_default() += sign;
        }
        let (rows, sums) = self.partitions.entry(partition).or_default();
        *rows += sign;
        *sums = sums.zip(lengths, |sum, length| sum + sign * i64::from(length));
    }

    fn write(self, conn: &Connection) -> Result<(), Fault> {
        let mut more = conn.prepare_cached(
            "INSERT INTO recall_terms (key, rows) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET rows = rows + excluded.rows",
        )?;
        let mut none =
            conn.prepare_cached("DELETE FROM recall_terms WHERE key = ?1 AND rows <= 0")?;
        for (key, change) in self.terms.into_iter().filter(|(_, change)| *change != 0) {
            more.execute([key, change])?;
            if change < 0 {
                none.execute([key])?;
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
