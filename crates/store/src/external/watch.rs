//! Whether anything changed in the file, asked so cheaply that it can be asked every few milliseconds (POL-07).

use rusqlite::Connection;

use crate::{Store, StoreError, connection};

/// A connection that does nothing but ask: SQLite's counter means something on one and the same connection only.
pub(crate) type Watched = Option<Connection>;

impl Store {
    /// A number that is another one after every transaction that was committed since it was asked for last, by any process and by
    /// this one. Reads one page at most; what it says means nothing beside an earlier answer of the same store.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn changed_elsewhere(&self) -> Result<i64, StoreError> {
        let sql = |source| StoreError::sql(self.path(), source);
        let mut watched = self.lock_watched();
        let conn = match watched.take() {
            Some(conn) => conn,
            None => connection::open_reader(self.path())?,
        };
        let number = conn
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(sql);
        *watched = Some(conn);
        number
    }
}
