//! The index that recall asks, over the tables.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rusqlite::{Connection, OptionalExtension, Row};
use taffrail_domain::{MemoryType, Millis};
use taffrail_memory::rank::{Columns, Packed, hash};
use taffrail_memory::recall::{Entry, Index, Partition, RowKey, Statistics};

use crate::convert::{Fault, count, senseless};

use super::postings::each_memory;
use super::tail::{self, Found};

/// One connection's view of the index.
pub(crate) struct TableIndex<'a> {
    conn: &'a Connection,
    /// What the tails of the partitions say of the terms that were asked for.
    tails: RefCell<BTreeMap<Partition, Found>>,
    longest_tail: Cell<i64>,
}

impl<'a> TableIndex<'a> {
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self {
            conn,
            tails: RefCell::default(),
            longest_tail: Cell::new(0),
        }
    }

    /// Rows in the longest tail that was read.
    pub(crate) fn longest_tail(&self) -> i64 {
        self.longest_tail.get()
    }
}

impl Index for TableIndex<'_> {
    type Error = Fault;

    fn statistics(&self, partition: Partition) -> Result<Statistics, Fault> {
        let mut statement = self.conn.prepare_cached(
            "SELECT rows, summary, content, near, far FROM recall_partitions WHERE partition = ?1",
        )?;
        let found = statement.query_row([partition.number()], |row| {
            Ok(Statistics {
                rows: count(row, "rows")?,
                lengths: Columns {
                    summary: count(row, "summary")?,
                    content: count(row, "content")?,
                    near: count(row, "near")?,
                    far: count(row, "far")?,
                },
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    fn frequencies(&self, partition: Partition, terms: &[String]) -> Result<Vec<u64>, Fault> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT rows FROM recall_terms WHERE key = ?1")?;
        let hashes: Vec<u32> = terms.iter().map(|term| hash(term)).collect();
        let (tail, rows_in_tail) = tail::look_up(self.conn, partition, &hashes)?;
        let mut found = Vec::with_capacity(terms.len());
        for hash in hashes {
            let rows = statement
                .query_row([partition.term_key(hash)], |row| row.get::<_, i64>(0))
                .optional()?;
            let listed = u64::try_from(rows.unwrap_or(0)).unwrap_or(0);
            found.push(listed + tail.get(&hash).map_or(0, |rows| rows.len() as u64));
        }
        self.tails.borrow_mut().insert(partition, tail);
        self.longest_tail
            .set(self.longest_tail.get().max(rows_in_tail));
        Ok(found)
    }

    fn postings(
        &self,
        partition: Partition,
        term: &str,
        take: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        if self.in_tail(partition, hash(term), take).is_break() {
            return Ok(());
        }
        let key = partition.term_key(hash(term));
        let mut last = self
            .conn
            .prepare_cached("SELECT memories, rows FROM recall_terms WHERE key = ?1")?;
        let mut rows = last.query([key])?;
        let Some(row) = rows.next()? else {
            return Ok(());
        };
        let all: i64 = row.get(1)?;
        let mut met = 0;
        let mut count = |memory| {
            met += 1;
            take(memory)
        };
        if each_memory(blob(row, 0)?, &mut count).is_break() || met == all {
            return Ok(());
        }
        let mut before = self.conn.prepare_cached(
            "SELECT memories FROM recall_blocks WHERE key = ?1 ORDER BY block DESC",
        )?;
        let mut rows = before.query([key])?;
        while let Some(row) = rows.next()? {
            if each_memory(blob(row, 0)?, &mut *take).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn rows(&self, keys: &[RowKey], take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Fault> {
        let mut statement = self.conn.prepare_cached(
            "SELECT key, kind, dated, stale_after, terms FROM recall_docs WHERE key = ?1",
        )?;
        for key in keys {
            let mut rows = statement.query([key.0])?;
            if let Some(row) = rows.next()? {
                take(entry(row)?);
            }
        }
        Ok(())
    }

    fn row(&self, memory: i64, take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Fault> {
        let mut statement = self.conn.prepare_cached(
            "SELECT key, kind, dated, stale_after, terms FROM recall_docs
              WHERE key & 1099511627775 = ?1",
        )?;
        let mut rows = statement.query([memory])?;
        if let Some(row) = rows.next()? {
            take(entry(row)?);
        }
        Ok(())
    }
}

impl TableIndex<'_> {
    /// What was put in last comes first. Terms are counted before they are taken, so their tail was read.
    fn in_tail(
        &self,
        partition: Partition,
        hash: u32,
        take: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let tails = self.tails.borrow();
        let memories = tails.get(&partition).and_then(|tail| tail.get(&hash));
        memories
            .into_iter()
            .flatten()
            .try_for_each(|memory| take(*memory))
    }
}

pub(super) fn entry<'a>(row: &'a Row<'_>) -> rusqlite::Result<Entry<'a>> {
    let kind = usize::try_from(row.get::<_, i64>(1)?).ok();
    let kind = kind.and_then(|place| MemoryType::ALL.get(place).copied());
    let stale_after: Option<i64> = row.get(3)?;
    Ok(Entry {
        key: RowKey(row.get(0)?),
        kind: kind.ok_or_else(|| senseless(&"a type that there is not"))?,
        dated: Millis(row.get(2)?),
        stale_after: stale_after.map(Millis),
        packed: Packed(blob(row, 4)?),
    })
}

/// Bytes of a row, where they lie.
pub(super) fn blob<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}
