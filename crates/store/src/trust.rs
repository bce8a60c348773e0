//! What a person agreed to let a project run, pinned by content (CNF-07).

use std::path::Path;

use rusqlite::params;
use taffrail_redact::Clean;

use crate::convert::{millis, path_bytes};
use crate::model::PinRow;
use crate::writer::Durability;
use crate::{Store, StoreError};

const REVOKE: &str = "
    UPDATE trust_pins SET revoked_at = ?3
    WHERE project_root = ?1 AND (?2 IS NULL OR item = ?2) AND revoked_at IS NULL";

impl Store {
    /// What holds for the project with this real root path, in the order of agreement.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn pins(&self, project_root: &Path) -> Result<Vec<PinRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT * FROM trust_pins WHERE project_root = ?1 AND revoked_at IS NULL ORDER BY seq",
            )?;
            let rows = statement.query_map([path_bytes(project_root)], |row| {
                Ok(PinRow {
                    item: row.get("item")?,
                    hash: row.get("hash")?,
                    text: row.get("text")?,
                    at: millis(row, "pinned_at")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A person agreed to this content (`hash` is its SHA-256, `text` the content for reading). Replaces what was
    /// agreed to for the same item.
    ///
    /// # Errors
    /// As for every write.
    pub fn pin(
        &self,
        project_root: &Path,
        item: &'static str,
        hash: &[u8; 32],
        text: &Clean,
    ) -> Result<(), StoreError> {
        let (root, hash, now) = (path_bytes(project_root), *hash, self.now());
        let text = text.as_str().to_owned();
        self.write(Durability::Full, move |transaction| {
            transaction
                .prepare_cached(REVOKE)?
                .execute(params![root, item, now])?;
            transaction
                .prepare_cached(
                    "INSERT INTO trust_pins (project_root, item, hash, text, pinned_at)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![root, item, hash, text, now])?;
            Ok(())
        })
    }

    /// Takes back one agreement, or all of the project; how many held.
    ///
    /// # Errors
    /// As for every write.
    pub fn revoke(&self, project_root: &Path, item: Option<&str>) -> Result<usize, StoreError> {
        let (root, now) = (path_bytes(project_root), self.now());
        let item = item.map(str::to_owned);
        self.write(Durability::Full, move |transaction| {
            let revoked = transaction
                .prepare_cached(REVOKE)?
                .execute(params![root, item, now])?;
            Ok(revoked)
        })
    }
}
