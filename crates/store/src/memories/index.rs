//! Which memories may be recalled, and under which grade: the rows in the recall index follow every write and review.

use rusqlite::Transaction;
use taffrail_domain::{Grade, Lifecycle, MemoryStatus};

use super::model::MemoryRow;
use super::read::{by_seq, project_of};
use crate::convert::Fault;
use crate::recall::{IndexRow, put, put_many, remove};

/// Under which grade a row may be recalled; none for a row that may not.
pub(crate) fn grade(row: &MemoryRow) -> Option<Grade> {
    if row.lifecycle != Lifecycle::Active || row.bits.do_not_inject_automatically {
        return None;
    }
    match row.status {
        MemoryStatus::Confirmed if row.bits.can_use_as_instruction => Some(Grade::Approved),
        MemoryStatus::EvidenceOnly if row.bits.can_use_as_evidence => Some(Grade::Evidence),
        MemoryStatus::Pending => Some(Grade::Pending),
        MemoryStatus::Confirmed
        | MemoryStatus::EvidenceOnly
        | MemoryStatus::Restricted
        | MemoryStatus::Rejected
        | MemoryStatus::Stale
        | MemoryStatus::Merged => None,
    }
}

/// Puts a memory where it belongs in the index, or takes it out.
pub(crate) fn refresh(transaction: &Transaction<'_>, memory: i64) -> Result<(), Fault> {
    let row = by_seq(transaction, memory)?;
    match grade(&row) {
        Some(grade) => {
            let project = project_of(transaction, memory)?;
            put(transaction, &index_row(&row, grade, project))
        }
        None => remove(transaction, memory),
    }
}

/// The same for new rows of a batch, which costs less than one after the other.
pub(crate) fn refresh_many(transaction: &Transaction<'_>, memories: &[i64]) -> Result<(), Fault> {
    let mut rows = Vec::with_capacity(memories.len());
    for seq in memories {
        let row = by_seq(transaction, *seq)?;
        match grade(&row) {
            Some(grade) => rows.push((row, grade, project_of(transaction, *seq)?)),
            None => remove(transaction, *seq)?,
        }
    }
    let rows: Vec<IndexRow<'_>> = rows
        .iter()
        .map(|(row, grade, project)| index_row(row, *grade, *project))
        .collect();
    put_many(transaction, &rows)
}

fn index_row(row: &MemoryRow, lane: Grade, project: Option<i64>) -> IndexRow<'_> {
    IndexRow {
        memory_seq: row.seq,
        lane,
        project,
        created_at: row.created_at.0,
        confirmed_at: row.confirmed_at.map(|at| at.0),
        stale_after: row.stale_after.map(|at| at.0),
        kind: row.kind,
        summary: &row.text.summary,
        content: &row.text.content,
        before: &row.text.context_before,
        after: &row.text.context_after,
    }
}
