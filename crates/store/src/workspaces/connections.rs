//! What was written into other programs' configurations, so that it can be taken back to the byte.

use std::path::Path;

use rusqlite::{OptionalExtension, Row, params};

use super::model::{ConnectionRow, NewConnection};
use crate::convert::{millis, path, path_bytes};
use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// Everything that is written into other programs' files, by program and path.
    ///
    /// # Errors
    /// As for every read.
    pub fn connections(&self) -> Result<Vec<ConnectionRow>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT * FROM connections ORDER BY program, path")?;
            let rows = statement.query_map([], connection_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Puts on record what is written into a file, in place of what was on record for it.
    ///
    /// # Errors
    /// As for every write.
    pub fn put_connection(&self, new: NewConnection) -> Result<(), StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO connections (program, path, edit, before_hash, after_hash, written_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                     ON CONFLICT (program, path) DO UPDATE SET edit = excluded.edit,
                         before_hash = excluded.before_hash, after_hash = excluded.after_hash,
                         written_at = excluded.written_at",
                )?
                .execute(params![
                    new.program,
                    path_bytes(&new.path),
                    new.edit.as_str(),
                    new.before_hash,
                    new.after_hash,
                    now,
                ])?;
            Ok(())
        })
    }

    /// Forgets what was written into a file, and answers what it was; none where nothing is on record.
    ///
    /// # Errors
    /// As for every write.
    pub fn take_connection(
        &self,
        program: &str,
        path: &Path,
    ) -> Result<Option<ConnectionRow>, StoreError> {
        let (program, path) = (program.to_owned(), path_bytes(path));
        self.write(Durability::Full, move |transaction| {
            Ok(transaction
                .prepare_cached(
                    "DELETE FROM connections WHERE program = ?1 AND path = ?2
                     RETURNING program, path, edit, before_hash, after_hash, written_at",
                )?
                .query_row(params![program, path], connection_row)
                .optional()?)
        })
    }
}

fn connection_row(row: &Row<'_>) -> rusqlite::Result<ConnectionRow> {
    Ok(ConnectionRow {
        program: row.get("program")?,
        path: path(row, "path")?,
        edit: row.get("edit")?,
        before_hash: row.get("before_hash")?,
        after_hash: row.get("after_hash")?,
        written_at: millis(row, "written_at")?,
    })
}
