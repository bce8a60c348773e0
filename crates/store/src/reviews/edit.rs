//! Another text for a memory: at once where nobody confirmed the old one, else it waits beside it (REV-02).

use rusqlite::{Transaction, params};
use taffrail_domain::MemoryStatus;
use taffrail_memory::draft::{HashedText, Scope, Screened, content_hash};
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_memory::review::{Decision, Key, Subject, transition};
use taffrail_redact::Clean;

use super::apply::{Noted, Review, check_version, conflict};
use super::before::standing;
use super::{Reviewed, refused};
use crate::convert::{Fault, signed};
use crate::memories::{self, MemoryRow, index, near};
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited {
    /// The memory's version now.
    pub version: u64,
    /// The number of the new text.
    pub revision: u64,
    /// The old text stays in force until a person confirms the new one.
    pub waits: bool,
}

impl Store {
    /// Gives a memory another text, which went through the guardrails like any draft. What was confirmed or may be cited
    /// stays in force, with its seal, until the new text is confirmed; of the other memories the text is replaced at once.
    /// The scope and the type stay. `seen.expected_hash` is that of the text that waits, else of the one in force.
    ///
    /// # Errors
    /// `NotFound`; `Conflict`; `ReviewRefused` for a merged memory, and for another scope or type.
    pub fn edit_memory(
        &self,
        seen: &Reviewed,
        text: Screened,
        salt: [u8; 16],
        key: Key,
    ) -> Result<Edited, StoreError> {
        let (seen, decision, now) = (seen.clone(), Decision::Edit(key), self.now());
        self.write(Durability::Full, move |transaction| {
            let row = memories::by_id(transaction, &seen.memory)?;
            check_version(&row, seen.expected_version)?;
            if row.reviewed_text().hash != seen.expected_hash {
                return Err(conflict(&row));
            }
            let edit = Edit {
                transaction,
                row: &row,
                text: &text,
                salt: &salt,
                now,
            };
            edit.run(&decision, seen.notes.as_ref().map(Clean::as_str))
        })
    }
}

struct Edit<'a> {
    transaction: &'a Transaction<'a>,
    row: &'a MemoryRow,
    text: &'a Screened,
    salt: &'a [u8; 16],
    now: i64,
}

impl Edit<'_> {
    fn run(&self, decision: &Decision, notes: Option<&str>) -> Result<Edited, Fault> {
        self.refuse_other(decision)?;
        let revision = self.next_revision()?;
        memories::insert_text(
            self.transaction,
            self.row.seq,
            revision,
            self.text,
            self.salt,
            self.now,
        )?;
        let waits = matches!(
            self.row.status,
            MemoryStatus::Confirmed | MemoryStatus::EvidenceOnly
        );
        self.note(decision, revision, waits, notes)?;
        self.point(revision, waits)?;
        let project = memories::project_of(self.transaction, self.row.seq)?;
        near::find(
            self.transaction,
            self.row.seq,
            project,
            self.text.content.as_str(),
        )?;
        index::refresh(self.transaction, self.row.seq)?;
        Ok(Edited {
            version: self.row.version + 1,
            revision: u64::try_from(revision).unwrap_or_default(),
            waits,
        })
    }

    fn refuse_other(&self, decision: &Decision) -> Result<(), Fault> {
        let scope = self.row.project.map_or(Scope::Personal, Scope::Project);
        if self.text.scope != scope || self.text.kind != self.row.kind {
            return Err(StoreError::ReviewRefused {
                memory: self.row.id.short(),
                why: "an edit keeps the project and the type".to_owned(),
            }
            .into());
        }
        let content = content_hash(self.salt, &HashedText::of(self.text));
        let id = self.row.id;
        transition(&standing(self.row), decision, Subject { id, content })
            .map_err(|error| refused(id, &error))?;
        Ok(())
    }

    fn next_revision(&self) -> Result<i64, Fault> {
        Ok(self
            .transaction
            .prepare_cached("SELECT max(revision) + 1 FROM memory_texts WHERE memory = ?1")?
            .query_row([self.row.seq], |row| row.get(0))?)
    }

    fn note(
        &self,
        decision: &Decision,
        revision: i64,
        waits: bool,
        notes: Option<&str>,
    ) -> Result<(), Fault> {
        let facts = Facts::new()
            .word("action", "edit")
            .content(
                "content",
                content_hash(self.salt, &HashedText::of(self.text)),
            )
            .number("revision", revision)
            .word("surface", decision.surface().name())
            .number("version", signed(self.row.version + 1))
            .flag("waits", waits);
        let (kind, subject) = (EventKind::MemoryEdited, Some(self.row.id.bytes()));
        let entry = journal::append(self.transaction, self.now, kind, subject, &facts)?;
        let review = Review {
            transaction: self.transaction,
            decision,
            sealer: None,
            home: [0; 16],
            now: self.now,
        };
        review.note(&Noted {
            memory: self.row,
            other: None,
            entry,
            notes,
        })
    }

    /// Points the row at the new text. Standing, last review and seal stay.
    fn point(&self, revision: i64, waits: bool) -> Result<(), Fault> {
        let sql = if waits {
            "UPDATE memories SET draft_revision = ?2, version = version + 1 WHERE seq = ?1"
        } else {
            "UPDATE memories SET revision = ?2, draft_revision = NULL, version = version + 1 WHERE seq = ?1"
        };
        self.transaction
            .prepare_cached(sql)?
            .execute(params![self.row.seq, revision])?;
        if !waits {
            let revision = u64::try_from(revision).unwrap_or_default();
            memories::rekey(self.transaction, self.row, revision)?;
        }
        Ok(())
    }
}
