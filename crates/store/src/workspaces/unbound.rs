//! Seeds of closed slates that belong to no workspace: they wait for a person, and expire never (XSL-09).

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{
    Millis, ProjectId, UnboundId, UnboundState, WorkspaceId, WorkspaceStatus, id_prefix,
};
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_redact::Clean;

use super::model::{Closure, NewProposal, NewUnbound, UnboundRow};
use super::{SHOWN, meant, only, project_id, proposals, read, refuse_id, unknown};
use crate::convert::{Fault, count, millis, parsed, senseless};
use crate::memories::Whose;
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

const WHAT: &str = "unbound candidate";

const SELECT: &str = "
    SELECT u.*, p.id AS project_id, w.id AS workspace_id, c.external_id, c.generation, c.trigger, c.anchors, c.evidence,
           c.seeds AS count
    FROM unbound_candidates u
    JOIN slate_closures c ON c.seq = u.closure
    LEFT JOIN projects p ON p.seq = c.project
    LEFT JOIN workspaces w ON w.seq = u.workspace";

impl Store {
    /// Unbound candidates in that state, oldest first; of every state with none.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn unbound(
        &self,
        whose: &Whose,
        state: Option<UnboundState>,
    ) -> Result<Vec<UnboundRow>, StoreError> {
        self.read(|conn| {
            let (any, owner) = meant(conn, whose)?;
            let wanted = match state {
                Some(UnboundState::Waiting) => "u.state = 'waiting' AND ?3 IS NOT NULL",
                Some(UnboundState::Bound | UnboundState::Dismissed) | None => {
                    "(?3 IS NULL OR u.state = ?3)"
                }
            };
            let sql = format!("{SELECT} WHERE (?1 OR c.project = ?2) AND {wanted} ORDER BY u.seq");
            let mut statement = conn.prepare_cached(&sql)?;
            let owner = owner.unwrap_or_default();
            let wanted = params![any, owner, state.map(UnboundState::name)];
            let rows = statement.query_map(wanted, unbound_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The unbound candidate whose id begins so.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_unbound(&self, typed: &str) -> Result<UnboundRow, StoreError> {
        let prefix = id_prefix(UnboundId::PREFIX, typed).map_err(|_| typed);
        self.read(|conn| {
            let prefix = prefix.as_ref().map_err(|typed| unknown(WHAT, typed))?;
            let sql = format!("{SELECT} WHERE u.short GLOB ?1 || '*' ORDER BY u.seq LIMIT ?2");
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params![prefix, SHOWN], unbound_row)?;
            let rows: Vec<UnboundRow> = rows.collect::<rusqlite::Result<_>>()?;
            only(rows, WHAT, typed, |row| row.id.short())
        })
    }

    /// A person binds the seeds to a workspace: they are proposals there, as if the slate had been bound at its close.
    ///
    /// # Errors
    /// `NotFound`; `UnboundDecided` for one that does not wait; `WorkspaceArchived`; `WorkspaceElsewhere` for a workspace of
    /// another project; `IdTaken`.
    pub fn bind_unbound(
        &self,
        id: &UnboundId,
        workspace: &WorkspaceId,
        proposals: Vec<NewProposal>,
    ) -> Result<Closure, StoreError> {
        let (id, workspace, now) = (*id, *workspace, self.now());
        self.write(Durability::Full, move |transaction| {
            let bind = Bind {
                transaction,
                id: &id,
                workspace: &workspace,
                now,
            };
            bind.run(&proposals)
        })
    }

    /// As [`Store::bind_unbound`], in a workspace that is made for it: there is none where nothing is bound.
    ///
    /// # Errors
    /// As for [`Store::bind_unbound`] and [`Store::create_workspace`].
    pub fn bind_unbound_to_new(
        &self,
        id: &UnboundId,
        workspace: &WorkspaceId,
        title: &Clean,
        proposals: Vec<NewProposal>,
    ) -> Result<Closure, StoreError> {
        let title = super::fit(title)?;
        let (id, workspace, now) = (*id, *workspace, self.now());
        self.write(Durability::Full, move |transaction| {
            let project = by_id(transaction, &id)?.project;
            let owner = super::owner(transaction, project.as_ref())?;
            let title = super::Title::OfPerson(&title);
            super::make(transaction, &workspace, owner, title, now)?;
            let bind = Bind {
                transaction,
                id: &id,
                workspace: &workspace,
                now,
            };
            bind.run(&proposals)
        })
    }

    /// A person does not want the seeds. They are kept.
    ///
    /// # Errors
    /// `NotFound`; `UnboundDecided` for one that does not wait.
    pub fn dismiss_unbound(&self, id: &UnboundId) -> Result<UnboundRow, StoreError> {
        self.decide(id, UnboundState::Waiting, UnboundState::Dismissed)
    }

    /// Takes a dismissal back: the seeds wait again.
    ///
    /// # Errors
    /// `NotFound`; `UnboundDecided` for one that is not dismissed.
    pub fn recall_dismissed(&self, id: &UnboundId) -> Result<UnboundRow, StoreError> {
        self.decide(id, UnboundState::Dismissed, UnboundState::Waiting)
    }

    fn decide(
        &self,
        id: &UnboundId,
        from: UnboundState,
        to: UnboundState,
    ) -> Result<UnboundRow, StoreError> {
        let (id, now) = (*id, self.now());
        self.write(Durability::Full, move |transaction| {
            expect(&by_id(transaction, &id)?, from)?;
            let decided = (to == UnboundState::Dismissed).then_some(now);
            transaction
                .prepare_cached(
                    "UPDATE unbound_candidates SET state = ?2, decided_at = ?3 WHERE id = ?1",
                )?
                .execute(params![id.bytes(), to.name(), decided])?;
            record(transaction, now, &id, to, None)?;
            by_id(transaction, &id)
        })
    }
}

/// Puts seeds on record that belong to no workspace.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    closure: i64,
    new: &NewUnbound,
    now: i64,
) -> Result<(), Fault> {
    let (bytes, short) = (new.id.bytes(), new.id.short());
    let taken = "SELECT EXISTS (SELECT 1 FROM unbound_candidates WHERE id = ?1 OR short = ?2)";
    refuse_id(transaction, taken, bytes, short.clone())?;
    transaction
        .prepare_cached(
            "INSERT INTO unbound_candidates (id, short, closure, seeds, state, created_at)
             VALUES (?1, ?2, ?3, ?4, 'waiting', ?5)",
        )?
        .execute(params![bytes, short, closure, new.seeds.as_str(), now])?;
    Ok(())
}

struct Bind<'a> {
    transaction: &'a Transaction<'a>,
    id: &'a UnboundId,
    workspace: &'a WorkspaceId,
    now: i64,
}

impl Bind<'_> {
    fn run(&self, proposals: &[NewProposal]) -> Result<Closure, Fault> {
        let found = by_id(self.transaction, self.id)?;
        expect(&found, UnboundState::Waiting)?;
        let workspace = self.taking(&found.project)?;
        let closure: i64 = self
            .transaction
            .prepare_cached("SELECT closure FROM unbound_candidates WHERE id = ?1")?
            .query_row([self.id.bytes()], |row| row.get(0))?;
        let into = proposals::Into {
            transaction: self.transaction,
            closure,
            workspace,
            project: found.project,
            now: self.now,
        };
        into.put(proposals)?;
        self.mark(closure, workspace, &left(&found.seeds, proposals)?)?;
        let to = UnboundState::Bound;
        record(
            self.transaction,
            self.now,
            self.id,
            to,
            Some(self.workspace),
        )?;
        let owner = super::owner(self.transaction, found.project.as_ref())?;
        read::closure(
            self.transaction,
            owner,
            &found.external_id,
            found.generation,
        )?
        .ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    /// The row number of a workspace that takes what comes from this project.
    fn taking(&self, project: &Option<ProjectId>) -> Result<i64, Fault> {
        let found = super::by_id(self.transaction, self.workspace)?;
        let id = self.workspace.short();
        if found.project != *project {
            return Err(StoreError::WorkspaceElsewhere { id }.into());
        }
        match found.status {
            WorkspaceStatus::Active => proposals::number(self.transaction, self.workspace),
            WorkspaceStatus::Archived => Err(StoreError::WorkspaceArchived { id }.into()),
        }
    }

    fn mark(&self, closure: i64, workspace: i64, left: &str) -> Result<(), Fault> {
        self.transaction
            .prepare_cached(
                "UPDATE unbound_candidates SET state = 'bound', workspace = ?2, decided_at = ?3, seeds = ?4
                 WHERE closure = ?1",
            )?
            .execute(params![closure, workspace, self.now, left])?;
        self.transaction
            .prepare_cached("UPDATE slate_closures SET workspace = ?2 WHERE seq = ?1")?
            .execute([closure, workspace])?;
        Ok(())
    }
}

/// The seeds that became no memory. The text of the others lies in one place, from where it can be erased.
fn left(seeds: &str, proposals: &[NewProposal]) -> Result<String, Fault> {
    let id = |seed: &serde_json::Value| Some(seed.get("id")?.as_str()?.to_owned());
    let refused: Vec<String> = proposals
        .iter()
        .flat_map(|one| &one.candidates)
        .filter(|candidate| candidate.memory.is_err())
        .filter_map(|candidate| id(&serde_json::from_str(candidate.seed.as_str()).ok()?))
        .collect();
    let mut seeds: Vec<serde_json::Value> =
        serde_json::from_str(seeds).map_err(|error| senseless(&error))?;
    seeds.retain(|seed| id(seed).is_some_and(|id| refused.contains(&id)));
    Ok(serde_json::Value::from(seeds).to_string())
}

fn expect(found: &UnboundRow, state: UnboundState) -> Result<(), Fault> {
    if found.state == state {
        return Ok(());
    }
    let (id, state) = (found.id.short(), found.state);
    Err(StoreError::UnboundDecided { id, state }.into())
}

fn record(
    transaction: &Transaction<'_>,
    now: i64,
    id: &UnboundId,
    to: UnboundState,
    workspace: Option<&WorkspaceId>,
) -> Result<(), Fault> {
    let facts = Facts::new().word("state", to.name());
    let facts = match workspace {
        Some(workspace) => facts.id("workspace", workspace.bytes()),
        None => facts,
    };
    let subject = Some(id.bytes());
    journal::append(transaction, now, EventKind::UnboundDecided, subject, &facts)?;
    Ok(())
}

fn by_id(conn: &Connection, id: &UnboundId) -> Result<UnboundRow, Fault> {
    conn.prepare_cached(&format!("{SELECT} WHERE u.id = ?1"))?
        .query_row([id.bytes()], unbound_row)
        .optional()?
        .ok_or_else(|| unknown(WHAT, &id.short()))
}

fn unbound_row(row: &Row<'_>) -> rusqlite::Result<UnboundRow> {
    let workspace: Option<[u8; 16]> = row.get("workspace_id")?;
    Ok(UnboundRow {
        id: row.get("id").map(UnboundId::from_bytes)?,
        project: project_id(row)?,
        external_id: row.get("external_id")?,
        generation: row.get("generation")?,
        trigger: parsed(row, "trigger")?,
        anchors: row.get("anchors")?,
        evidence: row.get("evidence")?,
        seeds: row.get("seeds")?,
        count: count(row, "count")?,
        state: parsed(row, "state")?,
        workspace: workspace.map(WorkspaceId::from_bytes),
        created_at: millis(row, "created_at")?,
        decided_at: row.get::<_, Option<i64>>("decided_at")?.map(Millis),
    })
}
