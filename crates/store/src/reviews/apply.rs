//! One decision on one memory, and on the memory that it retires.

use rusqlite::{Transaction, params};
use taffrail_domain::{ContentHash, MemoryId, Millis};
use taffrail_memory::journal::{Anchor, EventKind, Facts};
use taffrail_memory::review::{
    Decision, Retired, Standing, Subject, may_take_in, retired, transition,
};
use taffrail_memory::seal::SealedFacts;

use super::before::{Before, standing};
use super::{Judged, Reviewed, Sealer, refused};
use crate::convert::{Fault, signed};
use crate::memories::{self, MemoryRow, index};
use crate::{StoreError, journal};

/// One decision in its transaction.
pub(super) struct Review<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) decision: &'a Decision,
    pub(super) sealer: Option<&'a Sealer>,
    pub(super) home: [u8; 16],
    pub(super) now: i64,
}

/// What a row becomes.
pub(super) struct After<'a> {
    pub(super) standing: &'a Standing,
    pub(super) revision: u64,
    /// The hash of that revision, made before anything is written: a trigger that somebody put into the database may
    /// change the text between the check and the seal.
    pub(super) content: ContentHash,
    pub(super) draft: Option<u64>,
    pub(super) retired_by: Option<i64>,
    pub(super) confirmed_at: Option<Millis>,
}

/// What a row of `memory_reviews` says.
pub(super) struct Noted<'a> {
    pub(super) memory: &'a MemoryRow,
    pub(super) other: Option<&'a MemoryRow>,
    pub(super) entry: Anchor,
    pub(super) notes: Option<&'a str>,
}

impl Review<'_> {
    /// Carries the decision out on one memory of the batch.
    pub(super) fn one(&self, reviewed: &Reviewed) -> Result<Judged, Fault> {
        let row = memories::by_id(self.transaction, &reviewed.memory)?;
        check_version(&row, reviewed.expected_version)?;
        match self.decision {
            Decision::Undo(_) | Decision::UndoToConfirmed(_) => self.undo(&row, reviewed),
            // An edit brings its text along: it has a door of its own.
            Decision::Edit(_) => Err(StoreError::ReviewRefused {
                memory: row.id.short(),
                why: "an edit comes with a text".to_owned(),
            }
            .into()),
            Decision::Confirm(_)
            | Decision::Evidence(_)
            | Decision::Restrict(_)
            | Decision::Reject(_)
            | Decision::Stale(_)
            | Decision::Merge { .. }
            | Decision::Replace { .. } => self.decide(&row, reviewed),
        }
    }

    fn decide(&self, row: &MemoryRow, reviewed: &Reviewed) -> Result<Judged, Fault> {
        let shown = row.reviewed_text().revision;
        let content = self.content(row, shown)?;
        if content != reviewed.expected_hash {
            return Err(conflict(row));
        }
        let subject = Subject {
            id: row.id,
            content,
        };
        let decided = transition(&standing(row), self.decision, subject)
            .map_err(|error| refused(row.id, &error))?;
        let other = self.other(row)?;
        let mut after = self.after(row, decided.standing())?;
        if let (Decision::Merge { .. }, Some(into)) = (self.decision, &other) {
            after.retired_by = Some(into.seq);
        }
        let entry = self.record(row, &after, other.as_ref().map(|other| other.id))?;
        let sealed = self.settle(row, &after, entry)?;
        if let (Decision::Replace { .. }, Some(old)) = (self.decision, &other) {
            self.retire(old, row)?;
        }
        let notes = reviewed.notes.as_ref().map(taffrail_redact::Clean::as_str);
        let other = other.as_ref();
        self.note(&Noted {
            memory: row,
            other,
            entry,
            notes,
        })?;
        Ok(Judged {
            memory: row.id,
            status: decided.standing().status,
            version: row.version + 1,
            sealed,
            other: other.map(|other| other.id),
        })
    }

    /// The other memory of a merge or replacement, fit for its part.
    fn other(&self, row: &MemoryRow) -> Result<Option<MemoryRow>, Fault> {
        let id = match self.decision {
            Decision::Merge { into: id, .. } | Decision::Replace { old: id, .. } => id,
            Decision::Confirm(_)
            | Decision::Evidence(_)
            | Decision::Restrict(_)
            | Decision::Reject(_)
            | Decision::Stale(_)
            | Decision::Edit(_)
            | Decision::Undo(_)
            | Decision::UndoToConfirmed(_) => return Ok(None),
        };
        let other = memories::by_id(self.transaction, id)?;
        if other.project != row.project {
            return Err(StoreError::ReviewRefused {
                memory: row.id.short(),
                why: format!("{} belongs to another project", other.id),
            }
            .into());
        }
        may_take_in(other.id, &standing(&other)).map_err(|error| refused(row.id, &error))?;
        Ok(Some(other))
    }

    /// A text that was put in force or was decided against no longer waits.
    fn after<'s>(&self, row: &MemoryRow, standing: &'s Standing) -> Result<After<'s>, Fault> {
        let (in_force, confirmed) = match self.decision {
            Decision::Confirm(_) | Decision::Replace { .. } => {
                (row.reviewed_text().revision, Some(Millis(self.now)))
            }
            Decision::Evidence(_) => (row.reviewed_text().revision, row.confirmed_at),
            Decision::Restrict(_)
            | Decision::Reject(_)
            | Decision::Stale(_)
            | Decision::Merge { .. }
            | Decision::Edit(_)
            | Decision::Undo(_)
            | Decision::UndoToConfirmed(_) => (row.text.revision, row.confirmed_at),
        };
        let text = [Some(&row.text), row.draft.as_ref()].into_iter().flatten();
        let content = text
            .filter(|text| text.revision == in_force)
            .map(|text| text.hash)
            .next();
        Ok(After {
            standing,
            revision: in_force,
            content: content.ok_or_else(|| conflict(row))?,
            draft: None,
            retired_by: None,
            confirmed_at: confirmed,
        })
    }

    /// The old memory of a replacement goes, with a pointer to the new one.
    fn retire(&self, old: &MemoryRow, by: &MemoryRow) -> Result<(), Fault> {
        let standing = retired(old.id, &standing(old), Retired::Replaced)
            .map_err(|error| refused(by.id, &error))?;
        let after = After {
            standing: &standing,
            revision: old.text.revision,
            content: old.text.hash,
            draft: None,
            retired_by: Some(by.seq),
            confirmed_at: old.confirmed_at,
        };
        let entry = self.record(old, &after, Some(by.id))?;
        self.settle(old, &after, entry)?;
        Ok(())
    }

    /// The hash of one revision, made from its text.
    pub(super) fn content(&self, row: &MemoryRow, revision: u64) -> Result<ContentHash, Fault> {
        memories::hash_of(self.transaction, row, revision)
    }

    /// The journal entry of a decision on a row.
    pub(super) fn record(
        &self,
        row: &MemoryRow,
        after: &After<'_>,
        other: Option<MemoryId>,
    ) -> Result<Anchor, Fault> {
        let facts = Facts::new()
            .word("action", self.decision.action().name())
            .number("bits", i64::from(after.standing.bits.byte()))
            .content("content", after.content)
            .word("status", after.standing.status.name())
            .word("surface", self.decision.surface().name())
            .number("version", signed(row.version + 1));
        let facts = match other {
            Some(other) => facts.id("other", other.bytes()),
            None => facts,
        };
        let (kind, subject) = (EventKind::MemoryReviewed, Some(row.id.bytes()));
        journal::append(self.transaction, self.now, kind, subject, &facts)
    }

    /// Writes the deciding columns, every one of them, seals where that is needed, and moves the row in the recall index.
    /// Whether it was sealed.
    pub(super) fn settle(
        &self,
        row: &MemoryRow,
        after: &After<'_>,
        entry: Anchor,
    ) -> Result<bool, Fault> {
        let seal = self.seal(row, after, entry)?;
        let standing = after.standing;
        self.transaction
            .prepare_cached(
                "UPDATE memories SET provenance = ?2, can_use_as_instruction = ?3, can_use_as_evidence = ?4,
                     requires_user_confirmation = ?5, do_not_inject_automatically = ?6, status = ?7, lifecycle = ?8,
                     revision = ?9, draft_revision = ?10, retired_by = ?11, version = version + 1,
                     review_entry = ?12, seal = ?13, confirmed_at = ?14
                 WHERE seq = ?1",
            )?
            .execute(params![
                row.seq,
                standing.provenance.name(),
                standing.bits.can_use_as_instruction,
                standing.bits.can_use_as_evidence,
                standing.bits.requires_user_confirmation,
                standing.bits.do_not_inject_automatically,
                standing.status.name(),
                standing.lifecycle.name(),
                signed(after.revision),
                after.draft.map(signed),
                after.retired_by,
                signed(entry.seq),
                seal,
                after.confirmed_at.map(|at| at.0),
            ])?;
        if after.revision != row.text.revision {
            memories::rekey(self.transaction, row, after.revision)?;
        }
        index::refresh(self.transaction, row.seq)?;
        Ok(seal.is_some())
    }

    fn seal(
        &self,
        row: &MemoryRow,
        after: &After<'_>,
        entry: Anchor,
    ) -> Result<Option<[u8; 64]>, Fault> {
        if !after.standing.bits.can_use_as_instruction {
            return Ok(None);
        }
        let sealer = self.sealer.ok_or_else(|| StoreError::NoConsent {
            why: format!(
                "{} may instruct only under a seal, and there is no key",
                row.id
            ),
        })?;
        Ok(Some(sealer(&SealedFacts {
            home: self.home,
            memory: row.id,
            content: after.content,
            bits: after.standing.bits,
            stale_after: row.stale_after,
            entry_seq: entry.seq,
            entry_hash: entry.head,
        })))
    }

    /// Puts on record what an undo needs.
    pub(super) fn note(&self, noted: &Noted<'_>) -> Result<(), Fault> {
        // A merge leaves the memory that takes in as it was: only its id is kept.
        let other_before = match self.decision {
            Decision::Merge { .. } => None,
            _ => noted.other.map(|other| Before::of(other).json()),
        };
        self.transaction
            .prepare_cached(
                "INSERT INTO memory_reviews (memory, action, surface, before, other, other_before, notes, entry,
                                             created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                noted.memory.seq,
                self.decision.action().name(),
                self.decision.surface().name(),
                Before::of(noted.memory).json(),
                noted.other.map(|other| other.seq),
                other_before,
                noted.notes,
                signed(noted.entry.seq),
                self.now,
            ])?;
        Ok(())
    }
}

pub(super) fn check_version(row: &MemoryRow, expected: u64) -> Result<(), Fault> {
    if row.version == expected {
        Ok(())
    } else {
        Err(conflict(row))
    }
}

/// The row or its text is not the one that was shown.
pub(super) fn conflict(row: &MemoryRow) -> Fault {
    StoreError::Conflict {
        subject: row.id.short(),
        found: row.version,
    }
    .into()
}
