//! Which memories may be recalled, and under which grade: the rows in the recall index follow every write and review.

use rusqlite::Transaction;
use taffrail_domain::{Grade, Lifecycle, MemoryStatus, PolicyBits};
use taffrail_memory::draft::Screened;
use taffrail_redact::Clean;

use super::model::MemoryRow;
use super::read::{by_seq, project_of};
use super::write::Made;
use crate::convert::Fault;
use crate::recall::{IndexRow, put, put_many, remove};

/// Under which grade a row may be recalled; none for a row that may not.
pub(crate) fn grade(row: &MemoryRow) -> Option<Grade> {
    grade_of(row.status, row.lifecycle, row.bits)
}

/// The same by the columns that decide it.
pub(super) fn grade_of(
    status: MemoryStatus,
    lifecycle: Lifecycle,
    bits: PolicyBits,
) -> Option<Grade> {
    if lifecycle != Lifecycle::Active || bits.do_not_inject_automatically {
        return None;
    }
    match status {
        MemoryStatus::Confirmed if bits.can_use_as_instruction => Some(Grade::Approved),
        MemoryStatus::EvidenceOnly if bits.can_use_as_evidence => Some(Grade::Evidence),
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

/// The same for the new rows of a batch, whose texts are here already. A new row is pending.
pub(crate) fn put_new(
    transaction: &Transaction<'_>,
    made: &[(&Made, &Screened)],
    now: i64,
) -> Result<(), Fault> {
    let sentences = |all: &[Clean]| all.iter().map(|one| one.as_str().to_owned()).collect();
    let around: Vec<(Vec<String>, Vec<String>)> = made
        .iter()
        .map(|(_, draft)| {
            (
                sentences(&draft.context_before),
                sentences(&draft.context_after),
            )
        })
        .collect();
    let rows: Vec<IndexRow<'_>> = made
        .iter()
        .zip(&around)
        .map(|((made, draft), (before, after))| IndexRow {
            memory_seq: made.seq,
            lane: Grade::Pending,
            project: made.project,
            created_at: draft.created.map_or(now, |at| at.0),
            confirmed_at: None,
            stale_after: draft.stale_after.map(|at| at.0),
            kind: draft.kind,
            summary: draft.summary.as_str(),
            content: draft.content.as_str(),
            before,
            after,
        })
        .collect();
    match rows.as_slice() {
        [one] => put(transaction, one),
        many => put_many(transaction, many),
    }
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
