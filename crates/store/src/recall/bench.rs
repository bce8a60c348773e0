//! For the benchmark: rows of the index without the memories that they stand for.

use taffrail_domain::{Grade, MemoryType};

use crate::writer::Durability;
use crate::{Store, StoreError};

use super::{IndexRow, put_many};

/// A row: memory, project, grade, content.
pub type BenchRow = (i64, Option<i64>, Grade, String);

impl Store {
    /// Puts rows in, in one transaction.
    ///
    /// # Errors
    /// `Busy`, `DiskFull`, `Io`.
    pub fn fill_recall_index(&self, rows: Vec<BenchRow>) -> Result<(), StoreError> {
        self.write(Durability::Normal, move |transaction| {
            let rows: Vec<IndexRow<'_>> = rows.iter().map(index_row).collect();
            put_many(transaction, &rows)
        })
    }
}

fn index_row((memory_seq, project, lane, content): &BenchRow) -> IndexRow<'_> {
    IndexRow {
        memory_seq: *memory_seq,
        lane: *lane,
        project: *project,
        created_at: 0,
        confirmed_at: None,
        stale_after: None,
        kind: MemoryType::Lesson,
        summary: "",
        content,
        before: &[],
        after: &[],
    }
}
