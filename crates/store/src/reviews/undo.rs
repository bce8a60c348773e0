//! The last decision taken back: the row, and the row that it retired, stand as they stood before (REV-02).

use rusqlite::{Connection, OptionalExtension, params};
use taffrail_domain::{ContentHash, MemoryId, MemoryStatus, ReviewAction};
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_memory::review::{Refused, Subject, undone};

use super::apply::{After, Noted, Review, conflict};
use super::before::{Before, standing};
use super::{Judged, Reviewed, refused};
use crate::convert::{Fault, parsed, signed};
use crate::memories::{self, MemoryRow, index};
use crate::{Store, StoreError, journal};

/// How a memory stands after an undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoRow {
    /// Which.
    pub memory: MemoryId,
    /// The hash of the text that will be in force.
    pub content: ContentHash,
    /// The revision of that text.
    pub revision: u64,
    /// The status that comes back.
    pub status: MemoryStatus,
    /// Whether it may instruct again.
    pub instructs: bool,
}

/// What an undo of a memory's last decision would do. Show all of `rows`, in this order; where a code is needed, it is
/// the code over exactly this list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPlan {
    /// The decision that is taken back.
    pub action: ReviewAction,
    /// The memory that was decided on, then the one that was retired by it, if one was.
    pub rows: Vec<UndoRow>,
    /// Whether something may instruct again, which takes the typed code.
    pub needs_code: bool,
}

/// A review on record, as an undo takes it.
struct Last {
    seq: i64,
    action: ReviewAction,
    memory: i64,
    before: Before,
    other: Option<(i64, Before)>,
}

impl Store {
    /// What an undo of a memory's last decision would do.
    ///
    /// # Errors
    /// `NotFound`; `ReviewRefused` where there is nothing to undo, or a later decision on the other row comes first.
    pub fn undo_plan(&self, memory: &MemoryId) -> Result<UndoPlan, StoreError> {
        self.read(|conn| {
            let row = memories::by_id(conn, memory)?;
            let last = last_of(conn, &row)?;
            let mut rows = vec![restored(conn, last.memory, &last.before)?];
            if let Some((other, before)) = &last.other {
                rows.push(restored(conn, *other, before)?);
            }
            // An edit that is taken back leaves the standing and its seal as they are.
            let needs_code =
                last.action != ReviewAction::Edit && rows.iter().any(|row| row.instructs);
            let action = last.action;
            Ok(UndoPlan {
                action,
                rows,
                needs_code,
            })
        })
    }
}

impl Review<'_> {
    /// Takes the last decision on a memory back.
    pub(super) fn undo(&self, row: &MemoryRow, reviewed: &Reviewed) -> Result<Judged, Fault> {
        let last = last_of(self.transaction, row)?;
        let restored = match &last.other {
            Some((other, before)) if *other == row.seq => before,
            Some(_) | None => &last.before,
        };
        if self.content(row, restored.revision)? != reviewed.expected_hash {
            return Err(conflict(row));
        }
        let mut sealed = false;
        let mut other_id = None;
        if last.action == ReviewAction::Edit {
            self.undo_edit(row, &last.before)?;
        } else {
            let main = memories::by_seq(self.transaction, last.memory)?;
            let other = match &last.other {
                Some((seq, _)) => Some(memories::by_seq(self.transaction, *seq)?),
                None => None,
            };
            let main_sealed = self.restore(&main, &last.before, other.as_ref(), reviewed)?;
            sealed = main_sealed;
            if let (Some(other), Some((_, before))) = (&other, &last.other) {
                let other_sealed = self.restore(other, before, Some(&main), reviewed)?;
                let is_other = other.seq == row.seq;
                sealed = if is_other { other_sealed } else { main_sealed };
                other_id = Some(if is_other { main.id } else { other.id });
            }
        }
        self.transaction
            .prepare_cached("UPDATE memory_reviews SET undone = 1 WHERE seq = ?1")?
            .execute([last.seq])?;
        Ok(Judged {
            memory: row.id,
            status: restored.standing.status,
            version: row.version + 1,
            sealed,
            other: other_id,
        })
    }

    /// One row as it was before. Whether it was sealed anew.
    fn restore(
        &self,
        row: &MemoryRow,
        before: &Before,
        other: Option<&MemoryRow>,
        reviewed: &Reviewed,
    ) -> Result<bool, Fault> {
        let content = self.content(row, before.revision)?;
        let subject = Subject {
            id: row.id,
            content,
        };
        let decided = undone(&standing(row), &before.standing, self.decision, subject)
            .map_err(|error| refused(row.id, &error))?;
        let after = After {
            standing: decided.standing(),
            revision: before.revision,
            content,
            draft: before.draft,
            retired_by: None,
            confirmed_at: before.confirmed_at,
        };
        let entry = self.record(row, &after, other.map(|other| other.id))?;
        let notes = reviewed.notes.as_ref().map(taffrail_redact::Clean::as_str);
        self.note(&Noted {
            memory: row,
            other: None,
            entry,
            notes,
        })?;
        self.settle(row, &after, entry)
    }

    /// The text that waited is dropped, or the one before is in force again; standing and seal stay.
    fn undo_edit(&self, row: &MemoryRow, before: &Before) -> Result<(), Fault> {
        let facts = Facts::new()
            .word("action", "undo")
            .content("content", self.content(row, before.revision)?)
            .word("surface", self.decision.surface().name())
            .number("revision", signed(before.revision))
            .number("version", signed(row.version + 1));
        let (kind, subject) = (EventKind::MemoryEdited, Some(row.id.bytes()));
        let entry = journal::append(self.transaction, self.now, kind, subject, &facts)?;
        self.note(&Noted {
            memory: row,
            other: None,
            entry,
            notes: None,
        })?;
        self.transaction
            .prepare_cached(
                "UPDATE memories SET revision = ?2, draft_revision = ?3, version = version + 1 WHERE seq = ?1",
            )?
            .execute(params![row.seq, signed(before.revision), before.draft.map(signed)])?;
        if before.revision != row.text.revision {
            memories::rekey(self.transaction, row, before.revision)?;
        }
        index::refresh(self.transaction, row.seq)
    }
}

/// The last decision that stands on a memory, which has to be the last on the other one of it too.
fn last_of(conn: &Connection, row: &MemoryRow) -> Result<Last, Fault> {
    let last = find(conn, row.seq)?
        .ok_or_else(|| refused(row.id, &Refused::NothingToUndo { id: row.id }))?;
    let others = [Some(last.memory), last.other.as_ref().map(|(seq, _)| *seq)];
    for seq in others.into_iter().flatten() {
        if find(conn, seq)?.is_none_or(|newest| newest.seq != last.seq) {
            let other = memories::by_seq(conn, seq)?.id;
            return Err(StoreError::ReviewRefused {
                memory: row.id.short(),
                why: format!("a later decision on {other} has to be taken back first"),
            }
            .into());
        }
    }
    Ok(last)
}

fn find(conn: &Connection, memory: i64) -> Result<Option<Last>, Fault> {
    let found = conn
        .prepare_cached(
            "SELECT seq, action, memory, before, other, other_before FROM memory_reviews
             WHERE seq = (SELECT max(seq) FROM (
                 SELECT max(seq) AS seq FROM memory_reviews
                 WHERE memory = ?1 AND undone = 0 AND action <> 'undo'
                 UNION ALL
                 SELECT max(seq) FROM memory_reviews
                 WHERE other = ?1 AND other_before IS NOT NULL AND undone = 0 AND action <> 'undo'))",
        )?
        .query_row([memory], |row| {
            Ok((
                row.get::<_, i64>("seq")?,
                parsed::<ReviewAction>(row, "action")?,
                row.get::<_, i64>("memory")?,
                row.get::<_, String>("before")?,
                row.get::<_, Option<i64>>("other")?,
                row.get::<_, Option<String>>("other_before")?,
            ))
        })
        .optional()?;
    let Some((seq, action, memory, before, other, other_before)) = found else {
        return Ok(None);
    };
    let other = match (other, other_before) {
        (Some(other), Some(before)) => Some((other, Before::from_json(&before)?)),
        (Some(_) | None, _) => None,
    };
    let before = Before::from_json(&before)?;
    Ok(Some(Last {
        seq,
        action,
        memory,
        before,
        other,
    }))
}

fn restored(conn: &Connection, memory: i64, before: &Before) -> Result<UndoRow, Fault> {
    let row = memories::by_seq(conn, memory)?;
    Ok(UndoRow {
        memory: row.id,
        content: memories::hash_of(conn, &row, before.revision)?,
        revision: before.revision,
        status: before.standing.status,
        instructs: before.standing.bits.can_use_as_instruction,
    })
}
