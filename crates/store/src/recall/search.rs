//! The index that recall asks, over the tables.

use std::ops::ControlFlow;

use rusqlite::{Connection, OptionalExtension, Row};
use taffrail_domain::{MemoryType, Millis};
use taffrail_memory::rank::{Columns, Packed, hash};
use taffrail_memory::recall::{Entry, Index, Partition, RowKey, Statistics};

use crate::convert::{Fault, count, senseless};

/// One connection's view of the index.
pub(crate) struct TableIndex<'a> {
    conn: &'a Connection,
}

impl<'a> TableIndex<'a> {
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn }
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
        let mut found = Vec::with_capacity(terms.len());
        for term in terms {
            let rows = statement
                .query_row([partition.term_key(hash(term))], |row| row.get::<_, i64>(0))
                .optional()?;
            found.push(u64::try_from(rows.unwrap_or(0)).unwrap_or(0));
        }
        Ok(found)
    }

    fn candidates(
        &self,
        partition: Partition,
        any: &[&str],
        without: &[&str],
        take: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let (first, last) = partition.range();
        // The index leads: its rows come by rising key, so the documents are read in their order on disk.
        let mut statement = self.conn.prepare_cached(
            "SELECT d.key, d.kind, d.dated, d.stale_after, d.terms
               FROM recall_index CROSS JOIN recall_docs AS d ON d.key = recall_index.rowid
              WHERE recall_index MATCH ?1 AND recall_index.rowid BETWEEN ?2 AND ?3",
        )?;
        let mut rows = statement.query((expression(any, without), first, last))?;
        while let Some(row) = rows.next()? {
            if take(entry(row)?).is_break() {
                break;
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

/// `("a" OR "b") NOT ("c" OR "d")`. Terms hold no quotes: the tokenizer never makes one.
fn expression(any: &[&str], without: &[&str]) -> String {
    let mut text = String::from("(");
    push_any(&mut text, any);
    if !without.is_empty() {
        text.push_str(") NOT (");
        push_any(&mut text, without);
    }
    text.push(')');
    text
}

fn push_any(text: &mut String, terms: &[&str]) {
    for (place, term) in terms.iter().enumerate() {
        text.push_str(if place == 0 { "\"" } else { " OR \"" });
        text.push_str(term);
        text.push('"');
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
        packed: Packed(row.get_ref(4)?.as_blob()?),
    })
}
