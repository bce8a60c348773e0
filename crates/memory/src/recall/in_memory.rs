//! An index in memory: for tests, and for ranking rows that are at hand.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use taffrail_domain::{MemoryType, Millis};

use crate::rank::{Document, Packed};

use super::{Entry, Index, Partition, RowKey, Statistics};

/// A row of it.
#[derive(Debug, Clone)]
pub struct IndexedRow {
    /// Its type.
    pub kind: MemoryType,
    /// When it was said or last confirmed.
    pub dated: Millis,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// What it says.
    pub document: Document,
}

/// Rows by key. Looks at every row of a partition: for thousands of rows, not for millions.
#[derive(Debug, Clone, Default)]
pub struct MemoryIndex {
    rows: BTreeMap<RowKey, IndexedRow>,
}

impl MemoryIndex {
    /// Puts a row in, in place of the one with its key.
    pub fn put(&mut self, partition: Partition, memory: i64, row: IndexedRow) {
        self.rows.insert(partition.key(memory), row);
    }

    /// Takes a row out.
    pub fn remove(&mut self, partition: Partition, memory: i64) {
        self.rows.remove(&partition.key(memory));
    }

    fn of(&self, partition: Partition) -> impl Iterator<Item = (&RowKey, &IndexedRow)> {
        let (first, last) = partition.range();
        self.rows.range(RowKey(first)..=RowKey(last))
    }
}

impl Index for MemoryIndex {
    type Error = Infallible;

    fn statistics(&self, partition: Partition) -> Result<Statistics, Infallible> {
        let mut found = Statistics::default();
        for (_, row) in self.of(partition) {
            found.rows += 1;
            let add = |sum: u64, length: u16| sum + u64::from(length);
            found.lengths = found.lengths.zip(row.document.lengths, add);
        }
        Ok(found)
    }

    fn frequencies(&self, partition: Partition, terms: &[String]) -> Result<Vec<u64>, Infallible> {
        let with = |term: &String| {
            let rows = self.of(partition).filter(|(_, row)| has(row, term));
            rows.count() as u64
        };
        Ok(terms.iter().map(with).collect())
    }

    fn postings(
        &self,
        partition: Partition,
        term: &str,
        take: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Infallible> {
        let with = self.of(partition).filter(|(_, row)| has(row, term));
        // Where it breaks off makes no difference here.
        let _ended = with.map(|(key, _)| key.memory()).try_for_each(take);
        Ok(())
    }

    fn rows(&self, keys: &[RowKey], take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Infallible> {
        let found = keys
            .iter()
            .filter_map(|key| self.rows.get(key).map(|row| entry(*key, row)));
        found.for_each(take);
        Ok(())
    }

    fn row(&self, memory: i64, take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Infallible> {
        let found = self.rows.iter().find(|(key, _)| key.memory() == memory);
        found
            .into_iter()
            .for_each(|(key, row)| take(entry(*key, row)));
        Ok(())
    }
}

fn has(row: &IndexedRow, term: &str) -> bool {
    row.document
        .terms
        .binary_search_by(|known| known.as_str().cmp(term))
        .is_ok()
}

fn entry(key: RowKey, row: &IndexedRow) -> Entry<'_> {
    Entry {
        key,
        kind: row.kind,
        dated: row.dated,
        stale_after: row.stale_after,
        packed: Packed(&row.document.packed),
    }
}
