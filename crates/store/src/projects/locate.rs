//! Whose a folder is: the longest root that contains it, the run whose checkout it is, or the repository (NB-01).

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::convert::{Fault, path, path_bytes};
use crate::projects::by_seq;
use crate::{ProjectRow, Store, StoreError};

impl Store {
    /// The project that a folder belongs to: the one with the longest root that contains `path` by its components; a
    /// checkout of a run belongs where the run does; else the project of the same repository (`common_dir`), so that
    /// linked worktrees belong too. Both paths are real paths.
    ///
    /// # Errors
    /// As for every read.
    pub fn project_of(
        &self,
        path: &Path,
        common_dir: Option<&Path>,
    ) -> Result<Option<ProjectRow>, StoreError> {
        self.read(|conn| {
            let found = seq_of(conn, path, common_dir)?;
            found.map(|seq| by_seq(conn, seq)).transpose()
        })
    }
}

/// The row number of the project that a folder belongs to.
pub(super) fn seq_of(
    conn: &Connection,
    path: &Path,
    common_dir: Option<&Path>,
) -> Result<Option<i64>, Fault> {
    for place in path.ancestors() {
        if let Some(project) = with_root(conn, place)? {
            return Ok(Some(project));
        }
        if let Some((root, common)) = session_of_checkout(conn, place)? {
            return of_session(conn, &root, &common);
        }
    }
    common_dir.map_or(Ok(None), |common| of_repository(conn, common))
}

/// The project of a session's own folder; a checkout of a checkout is not looked through.
pub(super) fn of_session(
    conn: &Connection,
    root: &Path,
    common_dir: &Path,
) -> Result<Option<i64>, Fault> {
    for place in root.ancestors() {
        if let Some(project) = with_root(conn, place)? {
            return Ok(Some(project));
        }
    }
    of_repository(conn, common_dir)
}

fn with_root(conn: &Connection, root: &Path) -> Result<Option<i64>, Fault> {
    Ok(conn
        .prepare_cached("SELECT project FROM project_roots WHERE root = ?1")?
        .query_row([path_bytes(root)], |row| row.get(0))
        .optional()?)
}

fn session_of_checkout(
    conn: &Connection,
    place: &Path,
) -> Result<Option<(std::path::PathBuf, std::path::PathBuf)>, Fault> {
    Ok(conn
        .prepare_cached(
            "SELECT s.project_root, s.common_dir FROM checkouts k JOIN sessions s ON s.seq = k.session
             WHERE k.path = ?1",
        )?
        .query_row([path_bytes(place)], |row| {
            Ok((path(row, "project_root")?, path(row, "common_dir")?))
        })
        .optional()?)
}

/// Of several projects in one repository the one whose root is nearest to the top.
fn of_repository(conn: &Connection, common_dir: &Path) -> Result<Option<i64>, Fault> {
    Ok(conn
        .prepare_cached(
            "SELECT project FROM project_roots WHERE common_dir = ?1 ORDER BY length(root), project LIMIT 1",
        )?
        .query_row(params![path_bytes(common_dir)], |row| row.get(0))
        .optional()?)
}
