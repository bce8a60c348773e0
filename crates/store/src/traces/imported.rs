//! What the last import from a place held.

use rusqlite::{Transaction, params};
use taffrail_domain::ProjectId;

use super::model::ImportedItem;
use super::write::project_seq;
use crate::convert::Fault;
use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// What the last import from a place held, by item. None for a place that nothing came from yet is an empty list.
    ///
    /// # Errors
    /// `NotFound` for a project that is not there; `Busy`, `Damaged`, `Io`.
    pub fn imported(
        &self,
        project: Option<ProjectId>,
        place: &str,
    ) -> Result<Vec<ImportedItem>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT item, hash FROM imported_items WHERE place = ?1 AND project IS ?2 ORDER BY item",
            )?;
            let rows = statement.query_map(params![place, project_seq(conn, project)?], |row| {
                Ok(ImportedItem {
                    item: row.get("item")?,
                    hash: row.get("hash")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Puts on record what an import held, in place of what the one before held.
    ///
    /// # Errors
    /// As for every write; `NotFound` for a project that is not there.
    pub fn set_imported(
        &self,
        project: Option<ProjectId>,
        place: &str,
        items: &[ImportedItem],
    ) -> Result<(), StoreError> {
        let (place, items) = (place.to_owned(), items.to_vec());
        self.write(Durability::Full, move |transaction| {
            let project = project_seq(transaction, project)?;
            put(transaction, project, &place, &items)
        })
    }
}

/// As [`Store::set_imported`], within a write of somebody else.
pub(crate) fn put(
    transaction: &Transaction<'_>,
    project: Option<i64>,
    place: &str,
    items: &[ImportedItem],
) -> Result<(), Fault> {
    transaction
        .prepare_cached("DELETE FROM imported_items WHERE place = ?1 AND project IS ?2")?
        .execute(params![place, project])?;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO imported_items (project, place, item, hash) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for item in items {
        statement.execute(params![project, place, item.item, item.hash])?;
    }
    Ok(())
}
