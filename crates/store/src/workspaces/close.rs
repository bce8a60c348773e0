//! Closing a generation of a slate: one transaction, whoever comes second gets what the first one made of it (XSL-09, XSL-12).

use rusqlite::{OptionalExtension, Transaction, params};
use taffrail_domain::{ProjectId, WorkspaceId};
use taffrail_memory::journal::{EventKind, Facts};

use super::model::{Closure, NewClosure, NewOutcome};
use super::{owner, proposals, read, unbound};
use crate::convert::{Fault, signed};
use crate::traces::imported;
use crate::writer::Durability;
use crate::{ImportedItem, Store, StoreError, journal};

impl Store {
    /// Puts on record what comes of one generation of a slate: proposals with their memories, or an unbound candidate. A
    /// generation that is on record already answers what came of it then, and nothing is written.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; `IdTaken` for a proposal, memory or unbound candidate; otherwise as for every write.
    pub fn close_slate(&self, new: NewClosure) -> Result<Closure, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |transaction| {
            close(transaction, &new, now)
        })
    }

    /// As [`Store::close_slate`], and puts on record with it what the place of the import held, as
    /// [`Store::set_imported`] does: an import that is cut off has brought both or neither.
    ///
    /// # Errors
    /// As for [`Store::close_slate`].
    pub fn close_imported(
        &self,
        new: NewClosure,
        place: &str,
        items: Vec<ImportedItem>,
    ) -> Result<Closure, StoreError> {
        let (now, place) = (self.now(), place.to_owned());
        self.write(Durability::Full, move |transaction| {
            let made = close(transaction, &new, now)?;
            let owner = owner(transaction, new.project.as_ref())?;
            imported::put(transaction, owner, &place, &items)?;
            Ok(made)
        })
    }
}

fn close(transaction: &Transaction<'_>, new: &NewClosure, now: i64) -> Result<Closure, Fault> {
    Close {
        transaction,
        new,
        now,
    }
    .run()
}

struct Close<'a> {
    transaction: &'a Transaction<'a>,
    new: &'a NewClosure,
    now: i64,
}

impl Close<'_> {
    fn run(&self) -> Result<Closure, Fault> {
        let new = self.new;
        let owner = owner(self.transaction, new.project.as_ref())?;
        let id = new.external_id.as_str();
        if let Some(found) = read::closure(self.transaction, owner, id, new.generation)? {
            return Ok(found);
        }
        let workspace = self.workspace(owner)?;
        let closure = self.insert(owner, workspace)?;
        match (&new.outcome, workspace) {
            (NewOutcome::Proposals { proposals, .. }, Some(workspace)) => {
                let into = proposals::Into {
                    transaction: self.transaction,
                    closure,
                    workspace,
                    project: new.project,
                    now: self.now,
                };
                into.put(proposals)?;
            }
            (
                NewOutcome::Proposals {
                    otherwise: seeds, ..
                },
                None,
            )
            | (NewOutcome::Unbound(seeds), _) => {
                unbound::insert(self.transaction, closure, seeds, self.now)?;
            }
            (NewOutcome::Nothing, _) => {}
        }
        let made = read::closure(self.transaction, owner, id, new.generation)?
            .ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        self.record(&made)?;
        Ok(made)
    }

    /// The workspace that takes the proposals: the slate's own, as long as it is there and active.
    fn workspace(&self, owner: Option<i64>) -> Result<Option<i64>, Fault> {
        let Some(id) = self.new.workspace else {
            return Ok(None);
        };
        match self.new.outcome {
            NewOutcome::Unbound(_) => Ok(None),
            NewOutcome::Proposals { .. } | NewOutcome::Nothing => Ok(self
                .transaction
                .prepare_cached(
                    "SELECT seq FROM workspaces WHERE id = ?1 AND project IS ?2 AND status = 'active'",
                )?
                .query_row(params![id.bytes(), owner], |row| row.get(0))
                .optional()?),
        }
    }

    fn insert(&self, owner: Option<i64>, workspace: Option<i64>) -> Result<i64, Fault> {
        let new = self.new;
        self.transaction
            .prepare_cached(
                "INSERT INTO slate_closures (project, external_id, generation, trigger, workspace, anchors, evidence, seeds,
                                             closed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                owner.unwrap_or_default(),
                new.external_id.as_str(),
                new.generation,
                new.trigger.name(),
                workspace,
                new.anchors.as_str(),
                new.evidence.as_ref().map(|facts| facts.as_str()),
                signed(new.seeds),
                self.now,
            ])?;
        Ok(self.transaction.last_insert_rowid())
    }

    /// The external id is a stranger's word, so the journal does not hold it.
    fn record(&self, made: &Closure) -> Result<(), Fault> {
        let facts = Facts::new()
            .number("generation", i64::from(made.generation))
            .ids("proposals", made.proposals.iter().map(|one| one.id.bytes()))
            .number("seeds", signed(made.seeds))
            .word("trigger", made.trigger.name());
        let facts = with(
            facts,
            "project",
            made.project.as_ref().map(ProjectId::bytes),
        );
        let workspace = made.workspace.as_ref().map(WorkspaceId::bytes);
        let facts = with(facts, "workspace", workspace);
        let facts = with(facts, "unbound", made.unbound.map(|id| id.bytes()));
        journal::append(
            self.transaction,
            self.now,
            EventKind::SlateClosed,
            None,
            &facts,
        )?;
        Ok(())
    }
}

fn with(facts: Facts, name: &'static str, id: Option<[u8; 16]>) -> Facts {
    match id {
        Some(id) => facts.id(name, id),
        None => facts,
    }
}
