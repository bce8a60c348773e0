//! Workspaces, what came of closed slates, and what waits for a person (XSL-06, XSL-09, XSL-15); what was written into other
//! programs' configurations. Knows nothing of a slate's file: seeds come in as rows and drafts.

mod close;
mod connections;
mod erase;
mod model;
mod proposals;
mod read;
mod unbound;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params};
use taffrail_domain::{Millis, ProjectId, WorkspaceId, WorkspaceStatus, id_prefix};
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_redact::Clean;

use crate::convert::{Fault, count, millis, parsed};
use crate::memories::Whose;
use crate::projects::project_seq;
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

pub use model::{
    CandidateOutcome, CandidateRow, Closure, ClosureProposal, ConnectionRow, FoundWorkspace,
    NewCandidate, NewClosure, NewConnection, NewOutcome, NewProposal, NewUnbound, ProposalFilter,
    ProposalRow, ResolvedWorkspace, SeedOriginRow, TITLE_LIMIT, UnboundRow, WorkspaceRow,
};

pub(crate) use erase::{Gone, erase_before, erase_project};

/// Candidates shown when more than one thing fits.
const SHOWN: i64 = 10;

/// Everything of a workspace. Memories are counted once, however often they were proposed. `CROSS` keeps SQLite from asking
/// every proposal for every memory that waits: with 7,000 of them in 600 proposals that takes two seconds.
const SELECT: &str = "
    SELECT w.*, p.id AS project_id,
           (SELECT count(*) FROM proposals o WHERE o.workspace = w.seq) AS proposals,
           (SELECT count(DISTINCT c.memory) FROM proposals o
                CROSS JOIN proposal_candidates c ON c.proposal = o.seq
                CROSS JOIN memories m ON m.seq = c.memory
            WHERE o.workspace = w.seq AND m.status = 'pending') AS waiting
    FROM workspaces w LEFT JOIN projects p ON p.seq = w.project";

impl Store {
    /// Makes a workspace.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; `TitleUnfit` for a title that is blank or longer than 200 characters; `IdTaken`.
    pub fn create_workspace(
        &self,
        id: WorkspaceId,
        project: Option<&ProjectId>,
        title: &Clean,
    ) -> Result<WorkspaceRow, StoreError> {
        let title = fit(title)?;
        let (project, now) = (project.copied(), self.now());
        self.write(Durability::Full, move |transaction| {
            let owner = owner(transaction, project.as_ref())?;
            make(transaction, &id, owner, Title::OfPerson(&title), now)?;
            by_id(transaction, &id)
        })
    }

    /// The workspace for a slate that names none (XSL-06): the one that is active; `new`, called `title`, where none is;
    /// neither where several are. In one transaction: of many that ask at once only one makes it. A title is made one
    /// line of at most 200 characters.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; `IdTaken`; `TitleUnfit` for a blank title that is needed.
    pub fn resolve_workspace(
        &self,
        project: Option<&ProjectId>,
        new: WorkspaceId,
        title: &Clean,
    ) -> Result<ResolvedWorkspace, StoreError> {
        let (project, now) = (project.copied(), self.now());
        let title = one_line(title.as_str());
        // Mostly it is there already, and reading holds nobody up.
        let found = self.read(|conn| active(conn, owner(conn, project.as_ref())?))?;
        if let Some(found) = found {
            return Ok(found);
        }
        self.write(Durability::Full, move |transaction| {
            let owner = owner(transaction, project.as_ref())?;
            if let Some(found) = active(transaction, owner)? {
                return Ok(found);
            }
            if title.is_empty() {
                return Err(StoreError::TitleUnfit { characters: 0 }.into());
            }
            make(transaction, &new, owner, Title::OfSlate(&title), now)?;
            let made = bare(transaction, "w.id = ?1", params![new.bytes()])?;
            let made = made.into_iter().next();
            made.map(ResolvedWorkspace::Made)
                .ok_or_else(|| unknown("workspace", &new.short()))
        })
    }

    /// Workspaces, oldest first: the active ones, and with `archived` all.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn workspaces(
        &self,
        whose: &Whose,
        archived: bool,
    ) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.read(|conn| {
            let (any, owner) = meant(conn, whose)?;
            let sql = format!(
                "{SELECT} WHERE (?1 OR w.project IS ?2) AND (?3 OR w.status = 'active') ORDER BY w.seq"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params![any, owner, archived], workspace_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The workspace with this id.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn workspace(&self, id: &WorkspaceId) -> Result<WorkspaceRow, StoreError> {
        self.read(|conn| by_id(conn, id))
    }

    /// The workspace whose id begins so, or that has exactly this title, with what it holds: `wsp_…` is always an id.
    ///
    /// # Errors
    /// `NotFound`, also for an unknown project; `Ambiguous` with the ids that fit.
    pub fn find_workspace(&self, whose: &Whose, typed: &str) -> Result<WorkspaceRow, StoreError> {
        let found = self.workspace_named(whose, typed)?;
        self.workspace(&found.id)
    }

    /// The same without what it holds: for calls whose cost may not grow with it.
    ///
    /// # Errors
    /// As for [`Self::find_workspace`].
    pub fn workspace_named(
        &self,
        whose: &Whose,
        typed: &str,
    ) -> Result<FoundWorkspace, StoreError> {
        let prefix = id_prefix(WorkspaceId::PREFIX, typed).ok();
        self.read(|conn| {
            let (any, owner) = meant(conn, whose)?;
            // The alphabet of ids has no character with a meaning in GLOB.
            let (wanted, asked) = match &prefix {
                Some(prefix) => ("w.short GLOB ?3 || '*'", prefix.as_str()),
                None => ("w.title = ?3", typed.trim()),
            };
            let which = format!("(?1 OR w.project IS ?2) AND {wanted}");
            let rows = bare(conn, &which, params![any, owner, asked])?;
            only(rows, "workspace", typed, |row| row.id.short())
        })
    }

    /// Archives a workspace, or takes it back. What it is already is no error.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn set_workspace_status(
        &self,
        id: &WorkspaceId,
        status: WorkspaceStatus,
    ) -> Result<WorkspaceRow, StoreError> {
        let (id, now) = (*id, self.now());
        self.write(Durability::Full, move |transaction| {
            if by_id(transaction, &id)?.status != status {
                transaction
                    .prepare_cached(
                        "UPDATE workspaces SET status = ?2,
                             archived_at = CASE ?2 WHEN 'archived' THEN ?3 ELSE archived_at END
                         WHERE id = ?1",
                    )?
                    .execute(params![id.bytes(), status.name(), now])?;
                let done = match status {
                    WorkspaceStatus::Active => "reopened",
                    WorkspaceStatus::Archived => "archived",
                };
                record(transaction, now, &id, done)?;
            }
            by_id(transaction, &id)
        })
    }
}

/// The row number of a slate's or workspace's project; none for a personal one.
fn owner(conn: &Connection, project: Option<&ProjectId>) -> Result<Option<i64>, Fault> {
    project.map(|id| project_seq(conn, id)).transpose()
}

/// Whether everybody's are meant, else whose.
fn meant(conn: &Connection, whose: &Whose) -> Result<(bool, Option<i64>), Fault> {
    Ok(match whose {
        Whose::All => (true, None),
        Whose::Personal => (false, None),
        Whose::Project(id) => (false, Some(project_seq(conn, id)?)),
    })
}

/// What is active in a project; none where nothing is.
fn active(conn: &Connection, owner: Option<i64>) -> Result<Option<ResolvedWorkspace>, Fault> {
    let several: i64 = conn
        .prepare_cached(
            "SELECT count(*) FROM workspaces WHERE project IS ?1 AND status = 'active'",
        )?
        .query_row([owner], |row| row.get(0))?;
    if several > 1 {
        let several = u64::try_from(several).unwrap_or_default();
        return Ok(Some(ResolvedWorkspace::Several(several)));
    }
    let which = "w.project IS ?1 AND w.status = 'active'";
    let one = bare(conn, which, params![owner])?;
    Ok(one.into_iter().next().map(ResolvedWorkspace::One))
}

/// Workspaces without what they hold, oldest first, ten at most.
fn bare(
    conn: &Connection,
    which: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<FoundWorkspace>, Fault> {
    let mut statement = conn.prepare_cached(&bare_sql(which))?;
    let rows = statement.query_map(values, |row| {
        Ok(FoundWorkspace {
            id: row.get("id").map(WorkspaceId::from_bytes)?,
            project: project_id(row)?,
            title: row.get("title")?,
            status: parsed(row, "status")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn bare_sql(which: &str) -> String {
    format!(
        "SELECT w.id, w.title, w.status, p.id AS project_id
         FROM workspaces w LEFT JOIN projects p ON p.seq = w.project WHERE {which} ORDER BY w.seq LIMIT {SHOWN}"
    )
}

/// A title as a person typed it, if it can be one.
fn fit(title: &Clean) -> Result<String, StoreError> {
    let title = title.as_str().trim().to_owned();
    match title.chars().count() {
        1..=TITLE_LIMIT => Ok(title),
        characters => Err(StoreError::TitleUnfit { characters }),
    }
}

/// A title, by who wrote it.
#[derive(Clone, Copy)]
enum Title<'a> {
    OfPerson(&'a str),
    OfSlate(&'a str),
}

fn make(
    transaction: &Transaction<'_>,
    id: &WorkspaceId,
    owner: Option<i64>,
    title: Title<'_>,
    now: i64,
) -> Result<(), Fault> {
    let (title, by_person) = match title {
        Title::OfPerson(title) => (title, true),
        Title::OfSlate(title) => (title, false),
    };
    let taken = "SELECT EXISTS (SELECT 1 FROM workspaces WHERE id = ?1 OR short = ?2)";
    refuse_id(transaction, taken, id.bytes(), id.short())?;
    transaction
        .prepare_cached(
            "INSERT INTO workspaces (id, short, project, title, by_person, status, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6)",
        )?
        .execute(params![
            id.bytes(),
            id.short(),
            owner,
            title,
            by_person,
            now
        ])?;
    record(transaction, now, id, "made")
}

/// Refuses an id that is there already; `taken` asks so for its bytes and its shown form.
fn refuse_id(conn: &Connection, taken: &str, bytes: [u8; 16], id: String) -> Result<(), Fault> {
    let taken: bool = conn
        .prepare_cached(taken)?
        .query_row(params![bytes, id], |row| row.get(0))?;
    if taken {
        return Err(StoreError::IdTaken { id }.into());
    }
    Ok(())
}

fn record(
    transaction: &Transaction<'_>,
    now: i64,
    id: &WorkspaceId,
    done: &'static str,
) -> Result<(), Fault> {
    let facts = Facts::new().word("done", done);
    let subject = Some(id.bytes());
    journal::append(
        transaction,
        now,
        EventKind::WorkspaceChanged,
        subject,
        &facts,
    )?;
    Ok(())
}

fn by_id(conn: &Connection, id: &WorkspaceId) -> Result<WorkspaceRow, Fault> {
    conn.prepare_cached(&format!("{SELECT} WHERE w.id = ?1"))?
        .query_row([id.bytes()], workspace_row)
        .optional()?
        .ok_or_else(|| unknown("workspace", &id.short()))
}

fn workspace_row(row: &Row<'_>) -> rusqlite::Result<WorkspaceRow> {
    Ok(WorkspaceRow {
        id: row.get("id").map(WorkspaceId::from_bytes)?,
        project: project_id(row)?,
        title: row.get("title")?,
        by_person: row.get("by_person")?,
        status: parsed(row, "status")?,
        created_at: millis(row, "created_at")?,
        archived_at: row.get::<_, Option<i64>>("archived_at")?.map(Millis),
        proposals: count(row, "proposals")?,
        waiting: count(row, "waiting")?,
    })
}

/// The id in the column `project_id` of a join.
fn project_id(row: &Row<'_>) -> rusqlite::Result<Option<ProjectId>> {
    let bytes: Option<[u8; 16]> = row.get("project_id")?;
    Ok(bytes.map(ProjectId::from_bytes))
}

/// The one row of those that fit.
fn only<T>(
    mut rows: Vec<T>,
    what: &'static str,
    typed: &str,
    id: impl Fn(&T) -> String,
) -> Result<T, Fault> {
    let asked = typed.to_owned();
    if rows.len() > 1 {
        let candidates = rows.iter().map(id).collect();
        return Err(StoreError::Ambiguous { asked, candidates }.into());
    }
    rows.pop().ok_or_else(|| unknown(what, typed))
}

fn unknown(what: &'static str, asked: &str) -> Fault {
    let asked = asked.chars().take(64).collect();
    StoreError::NotFound { what, asked }.into()
}

/// A text of somebody else as a title: one line of at most 200 characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.chars()
        .take(TITLE_LIMIT)
        .collect::<String>()
        .trim_end()
        .to_owned()
}
