//! That rows are gone and their bytes may still lie in the file, its log or its free pages: on record from the deletion to the
//! end of the rewriting, so that what a kill cuts off is finished later.

use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::convert::Fault;
use crate::{Home, Peek, Store, StoreError};

/// The setting that stands while there is something to finish. Not in the journal: it says nothing that the deletion's own
/// entry does not.
const SETTING: &str = "erasing";

/// Says that bytes of deleted rows are in the file from now on.
pub(crate) fn mark(transaction: &Transaction<'_>, now: i64) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO settings (name, value, changed_at) VALUES (?1, 'unfinished', ?2)
             ON CONFLICT (name) DO UPDATE SET changed_at = excluded.changed_at",
        )?
        .execute((SETTING, now))?;
    Ok(())
}

fn is_marked(conn: &Connection) -> rusqlite::Result<bool> {
    let found: Option<i64> = conn
        .query_row("SELECT 1 FROM settings WHERE name = ?1", [SETTING], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(found.is_some())
}

impl Store {
    /// Removes the files of erased sessions and slates and rewrites the database where bytes of deleted rows may be in it;
    /// false when another process keeps the log open, so that they may still be there.
    ///
    /// # Errors
    /// `Busy`, `DiskFull`: rewriting takes as much space again as the database.
    pub fn finish_erasing(&self, home: &Home) -> Result<bool, StoreError> {
        if !self.is_erasing_unfinished()? {
            return Ok(true);
        }
        let conn = self.eraser()?;
        super::remove_files(home, &conn, self)?;
        self.finish_rewriting(&conn)
    }

    pub(crate) fn is_erasing_unfinished(&self) -> Result<bool, StoreError> {
        self.read(|conn| Ok(is_marked(conn)?))
    }

    /// Rewrites the file and takes the mark away, if the log could be cut.
    pub(super) fn finish_rewriting(&self, conn: &Connection) -> Result<bool, StoreError> {
        let is_cut = self.rewrite(conn)?;
        if is_cut {
            let done = conn.execute("DELETE FROM settings WHERE name = ?1", [SETTING]);
            done.map_err(|source| StoreError::sql(self.path(), source))?;
        }
        Ok(is_cut)
    }
}

impl Peek {
    /// Whether bytes of deleted rows may still be in the file.
    ///
    /// # Errors
    /// As for every look.
    pub fn is_erasing_unfinished(&self) -> Result<bool, StoreError> {
        is_marked(self.conn()).map_err(|source| StoreError::sql(self.path(), source))
    }
}
