//! Projects: a name and the places where it lies (NB-01).

mod holdings;
mod locate;
mod moved;
mod name;

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{Millis, ProjectId};
use taffrail_memory::journal::{EventKind, Facts};

use crate::convert::{Fault, millis, path, path_bytes};
use crate::journal;
use crate::writer::Durability;
use crate::{Store, StoreError};

pub use holdings::Holdings;
pub use name::{ProjectName, ProjectNameError};

/// Candidates shown when more than one project fits.
const SHOWN: i64 = 10;

/// Where a project lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRoot {
    /// Its real path.
    pub root: PathBuf,
    /// Real path of the repository's common directory; none outside git.
    pub common_dir: Option<PathBuf>,
}

/// A project on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    /// Order of creation, and its place in the recall index.
    pub seq: i64,
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its roots, in the order in which they were given.
    pub roots: Vec<ProjectRoot>,
    /// When it was put on record.
    pub created_at: Millis,
}

impl Store {
    /// Puts a project on record. Each root is a real path that no other project has.
    ///
    /// # Errors
    /// `ProjectTaken` for a name or root of another project; `IdTaken`; otherwise as for every write.
    pub fn add_project(
        &self,
        id: ProjectId,
        name: &ProjectName,
        roots: &[ProjectRoot],
    ) -> Result<ProjectRow, StoreError> {
        let (name, roots, now) = (name.as_str().to_owned(), roots.to_vec(), self.now());
        self.write(Durability::Full, move |transaction| {
            refuse_id(transaction, &id)?;
            refuse_name(transaction, &name)?;
            transaction
                .prepare_cached(
                    "INSERT INTO projects (id, short, name, created_at) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![id.bytes(), id.short(), name, now])?;
            let seq = transaction.last_insert_rowid();
            for root in &roots {
                insert_root(transaction, seq, root)?;
            }
            record(transaction, now, &id, "made")?;
            by_id(transaction, &id)
        })
    }

    /// Adds a place where a project lies too.
    ///
    /// # Errors
    /// `NotFound`; `ProjectTaken` when another project (or this one) has the root.
    pub fn add_project_root(&self, id: &ProjectId, root: &ProjectRoot) -> Result<(), StoreError> {
        let (id, root, now) = (*id, root.clone(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = project_seq(transaction, &id)?;
            insert_root(transaction, seq, &root)?;
            record(transaction, now, &id, "rooted")?;
            Ok(())
        })
    }

    /// Gives a project another name.
    ///
    /// # Errors
    /// `NotFound`; `ProjectTaken`.
    pub fn rename_project(&self, id: &ProjectId, name: &ProjectName) -> Result<(), StoreError> {
        let (id, name, now) = (*id, name.as_str().to_owned(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = project_seq(transaction, &id)?;
            let same: bool = transaction
                .prepare_cached("SELECT name = ?2 FROM projects WHERE seq = ?1")?
                .query_row(params![seq, name], |row| row.get(0))?;
            if same {
                return Ok(());
            }
            refuse_name(transaction, &name)?;
            transaction
                .prepare_cached("UPDATE projects SET name = ?2 WHERE seq = ?1")?
                .execute(params![seq, name])?;
            record(transaction, now, &id, "renamed")?;
            Ok(())
        })
    }

    /// Every project, by name.
    ///
    /// # Errors
    /// As for every read: `Busy`, `Damaged`, `Io`.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT * FROM projects ORDER BY name")?;
            let rows = statement.query_map([], project_row)?;
            let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
            rows.into_iter().map(|row| with_roots(conn, row)).collect()
        })
    }

    /// The project with this id.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn project(&self, id: &ProjectId) -> Result<ProjectRow, StoreError> {
        self.read(|conn| by_id(conn, id))
    }

    /// The project with this name, or whose id begins so: `prj_…` is always an id.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_project(&self, name_or_prefix: &str) -> Result<ProjectRow, StoreError> {
        let prefix = taffrail_domain::id_prefix(ProjectId::PREFIX, name_or_prefix).ok();
        self.read(|conn| match &prefix {
            Some(prefix) => by_prefix(conn, prefix),
            None => by_name(conn, name_or_prefix)?.ok_or_else(|| unknown(name_or_prefix)),
        })
    }

    /// The project with exactly this name.
    ///
    /// # Errors
    /// As for every read.
    pub fn project_by_name(&self, name: &str) -> Result<Option<ProjectRow>, StoreError> {
        self.read(|conn| by_name(conn, name))
    }
}

/// Puts on record what was done with a project.
fn record(
    transaction: &Transaction<'_>,
    now: i64,
    id: &ProjectId,
    done: &'static str,
) -> Result<(), Fault> {
    let facts = Facts::new().word("done", done);
    let subject = Some(id.bytes());
    journal::append(transaction, now, EventKind::ProjectChanged, subject, &facts)?;
    Ok(())
}

/// The row number of a project.
pub(crate) fn project_seq(conn: &Connection, id: &ProjectId) -> Result<i64, Fault> {
    conn.prepare_cached("SELECT seq FROM projects WHERE id = ?1")?
        .query_row([id.bytes()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| unknown(&id.short()))
}

/// The project with this row number.
pub(crate) fn by_seq(conn: &Connection, seq: i64) -> Result<ProjectRow, Fault> {
    let row = conn
        .prepare_cached("SELECT * FROM projects WHERE seq = ?1")?
        .query_row([seq], project_row)?;
    with_roots(conn, row)
}

fn by_id(conn: &Connection, id: &ProjectId) -> Result<ProjectRow, Fault> {
    let seq = project_seq(conn, id)?;
    by_seq(conn, seq)
}

fn by_name(conn: &Connection, name: &str) -> Result<Option<ProjectRow>, Fault> {
    let row = conn
        .prepare_cached("SELECT * FROM projects WHERE name = ?1")?
        .query_row([name], project_row)
        .optional()?;
    row.map(|row| with_roots(conn, row)).transpose()
}

fn by_prefix(conn: &Connection, prefix: &str) -> Result<ProjectRow, Fault> {
    // The alphabet of ids has no character with a meaning in GLOB.
    let mut statement = conn.prepare_cached(
        "SELECT * FROM projects WHERE short GLOB ?1 || '*' ORDER BY seq LIMIT ?2",
    )?;
    let rows = statement.query_map((prefix, SHOWN), project_row)?;
    let mut rows: Vec<ProjectRow> = rows.collect::<rusqlite::Result<_>>()?;
    if rows.len() > 1 {
        let asked = prefix.to_owned();
        let candidates = rows.iter().map(|row| row.id.short()).collect();
        return Err(StoreError::Ambiguous { asked, candidates }.into());
    }
    let row = rows.pop().ok_or_else(|| unknown(prefix))?;
    with_roots(conn, row)
}

fn unknown(asked: &str) -> Fault {
    let (what, asked) = ("project", asked.to_owned());
    StoreError::NotFound { what, asked }.into()
}

fn project_row(row: &Row<'_>) -> rusqlite::Result<ProjectRow> {
    Ok(ProjectRow {
        seq: row.get("seq")?,
        id: row.get("id").map(ProjectId::from_bytes)?,
        name: row.get("name")?,
        roots: Vec::new(),
        created_at: millis(row, "created_at")?,
    })
}

fn with_roots(conn: &Connection, mut project: ProjectRow) -> Result<ProjectRow, Fault> {
    let mut statement =
        conn.prepare_cached("SELECT * FROM project_roots WHERE project = ?1 ORDER BY rowid")?;
    let roots = statement.query_map([project.seq], |row| {
        let inside_git = row.get_ref("common_dir")? != rusqlite::types::ValueRef::Null;
        Ok(ProjectRoot {
            root: path(row, "root")?,
            common_dir: inside_git.then(|| path(row, "common_dir")).transpose()?,
        })
    })?;
    project.roots = roots.collect::<rusqlite::Result<_>>()?;
    Ok(project)
}

fn insert_root(
    transaction: &Transaction<'_>,
    project: i64,
    root: &ProjectRoot,
) -> Result<(), Fault> {
    let bytes = path_bytes(&root.root);
    let taken: bool = transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM project_roots WHERE root = ?1)")?
        .query_row([&bytes], |row| row.get(0))?;
    if taken {
        let taken = root.root.display().to_string();
        return Err(StoreError::ProjectTaken { taken }.into());
    }
    transaction
        .prepare_cached(
            "INSERT INTO project_roots (project, root, common_dir) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![
            project,
            bytes,
            root.common_dir.as_deref().map(path_bytes)
        ])?;
    Ok(())
}

fn refuse_id(transaction: &Transaction<'_>, id: &ProjectId) -> Result<(), Fault> {
    let taken: bool = transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM projects WHERE id = ?1 OR short = ?2)")?
        .query_row(params![id.bytes(), id.short()], |row| row.get(0))?;
    if taken {
        return Err(StoreError::IdTaken { id: id.short() }.into());
    }
    Ok(())
}

fn refuse_name(transaction: &Transaction<'_>, name: &str) -> Result<(), Fault> {
    let taken: bool = transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM projects WHERE name = ?1)")?
        .query_row([name], |row| row.get(0))?;
    if taken {
        let taken = name.to_owned();
        return Err(StoreError::ProjectTaken { taken }.into());
    }
    Ok(())
}
