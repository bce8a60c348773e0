//! A person's decisions carried out: consent checked, sealed, journaled, anchored (REV-02 to REV-05).

use std::cell::RefCell;

use taffrail_domain::{ContentHash, MemoryId, Millis};
use taffrail_memory::draft::{Draft, Scope, screen};
use taffrail_memory::review::{Decision, Key};
use taffrail_store::{
    MemoryRow, ReviewOutcome, Reviewed, Sealer, StoreError, TextRow, UndoPlan, UndoRow,
};

use super::edit::Changed;
use super::queue::{self, Candidate};
use super::{gate, seals, write};
use crate::{App, AppError};

/// One sitting of a person: holds the open seal key, at most for `review.unlock`.
pub struct Reviewer<'a> {
    app: &'a App,
    opened: RefCell<Option<(seals::Opened, Millis)>>,
}

/// The text that a decision is about: the one that waits, else the one in force.
pub fn text_to_review(row: &MemoryRow) -> &TextRow {
    row.reviewed_text()
}

impl<'a> Reviewer<'a> {
    /// A sitting.
    ///
    /// # Errors
    /// `agent_present` where an agent started this.
    pub fn open(app: &'a App) -> Result<Self, AppError> {
        gate::person_only(app)?;
        Ok(Self {
            app,
            opened: RefCell::new(None),
        })
    }

    /// Carries out one decision on what was shown: all of it or nothing.
    ///
    /// # Errors
    /// `conflict` where a memory changed after it was shown; `transition_refused`; `code_wrong`; what the place of secrets
    /// can give for a confirmation.
    pub fn decide(
        &self,
        shown: &[Candidate],
        decision: Decision,
        notes: Option<&str>,
    ) -> Result<ReviewOutcome, AppError> {
        let batch: Vec<Reviewed> = shown
            .iter()
            .map(|candidate| {
                self.reviewed(&candidate.row, text_to_review(&candidate.row).hash, notes)
            })
            .collect();
        self.review(decision, &batch)
    }

    /// What taking the last decision back would do.
    pub fn undo_plan(&self, memory: &MemoryId) -> Result<UndoPlan, AppError> {
        Ok(self.app.store.undo_plan(memory)?)
    }

    /// A memory as it will stand after an undo, to be shown: the text that comes back into force, and no other.
    ///
    /// # Errors
    /// `conflict` where that text is not the one of the plan any more.
    pub fn restored(&self, row: &UndoRow) -> Result<Candidate, AppError> {
        let mut candidate = queue::find(self.app, &row.memory.short())?;
        let text = self.app.store.memory_text(&row.memory, row.revision)?;
        if text.hash != row.content {
            let (subject, found) = (row.memory.short(), candidate.row.version);
            return Err(StoreError::Conflict { subject, found }.into());
        }
        (candidate.row.text, candidate.row.draft) = (text, None);
        Ok(candidate)
    }

    /// Takes the last decision on a memory back, as its plan says.
    ///
    /// # Errors
    /// As for [`Reviewer::decide`].
    pub fn undo(
        &self,
        candidate: &Candidate,
        plan: &UndoPlan,
        decision: Decision,
        notes: Option<&str>,
    ) -> Result<ReviewOutcome, AppError> {
        let row = &candidate.row;
        let restored = plan.rows.iter().find(|restored| restored.memory == row.id);
        let hash = restored.map_or(row.text.hash, |restored| restored.content);
        self.review(decision, &[self.reviewed(row, hash, notes)])
    }

    /// Gives a memory another text, which waits for a confirmation of its own.
    ///
    /// # Errors
    /// `memory_blocked`, `conflict`, `transition_refused`.
    pub fn edit(&self, candidate: &Candidate, changed: &Changed, key: Key) -> Result<(), AppError> {
        let row = &candidate.row;
        let text = screen(draft_of(row, changed), &self.app.redactor).map_err(AppError::Blocked)?;
        self.app.store.edit_memory(
            &self.reviewed(row, row.reviewed_text().hash, None),
            text,
            write::salt()?,
            key,
        )?;
        seals::put_anchor(self.app, self.app.store.journal_head()?, None)
    }

    fn reviewed(&self, row: &MemoryRow, hash: ContentHash, notes: Option<&str>) -> Reviewed {
        Reviewed {
            memory: row.id,
            expected_version: row.version,
            expected_hash: hash,
            notes: notes.map(|notes| self.app.redactor.clean(notes.trim())),
        }
    }

    fn review(&self, decision: Decision, batch: &[Reviewed]) -> Result<ReviewOutcome, AppError> {
        let opened = match decision {
            Decision::Confirm(_) | Decision::Replace { .. } | Decision::UndoToConfirmed(_) => {
                Some(self.unlocked()?)
            }
            Decision::Evidence(_)
            | Decision::Restrict(_)
            | Decision::Reject(_)
            | Decision::Stale(_)
            | Decision::Merge { .. }
            | Decision::Edit(_)
            | Decision::Undo(_) => None,
        };
        let sealer = opened.as_ref().map(|opened| -> Sealer {
            let key = opened.key();
            Box::new(move |facts| key.sign(facts))
        });
        let outcome = self.app.store.review(decision, batch, sealer)?;
        let key = opened.map(|opened| opened.key());
        seals::put_anchor(self.app, outcome.head, key.as_deref())?;
        Ok(outcome)
    }

    /// The seal key: as it is still open, or opened anew.
    fn unlocked(&self) -> Result<seals::Opened, AppError> {
        let now = self.app.inputs.clock.now();
        let kept = self.opened.borrow().clone();
        if let Some((opened, until)) = kept
            && now < until
        {
            return Ok(opened);
        }
        let opened = seals::open(self.app)?;
        let unlock = self.app.config.review.unlock.value.get().as_millis();
        let until = now
            .0
            .saturating_add(i64::try_from(unlock).unwrap_or(i64::MAX));
        self.opened.replace(Some((opened.clone(), Millis(until))));
        Ok(opened)
    }
}

/// The memory with another text, through the same door as every draft. Whose it is, its type and its channel stay.
fn draft_of(row: &MemoryRow, changed: &Changed) -> Draft {
    let scope = row.project.map_or(Scope::Personal, Scope::Project);
    let mut draft = Draft::new(scope, row.kind, changed.content.clone(), row.channel);
    draft.summary = Some(changed.summary.clone());
    draft
        .source_refs
        .clone_from(&text_to_review(row).source_refs);
    draft.artifacts.clone_from(&text_to_review(row).artifacts);
    draft
        .context
        .before
        .clone_from(&text_to_review(row).context_before);
    draft
        .context
        .after
        .clone_from(&text_to_review(row).context_after);
    draft.provenance = row.first_provenance;
    draft.source = row.source.clone();
    draft
}
