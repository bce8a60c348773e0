//! Approvals whose seal does not verify, for `doctor`: looked at without a key from anywhere else.

use rusqlite::Connection;
use taffrail_domain::MemoryId;

use crate::convert::Fault;
use crate::reviews::{SealRow, seal_row};
use crate::{Peek, StoreError};

impl Peek {
    /// Approvals that do not verify with the public key that lies beside them, in order of arrival; none where nothing
    /// claims to be approved. This finds rows that were edited; a check that somebody with the database cannot pass
    /// takes the key from the keychain. Only for a schema of this program's version.
    ///
    /// # Errors
    /// `Damaged`, `Busy`; `Sql` for another schema.
    pub fn unsealed(&self) -> Result<Option<Vec<MemoryId>>, StoreError> {
        let home = self.setting("home_id")?.and_then(|text| bytes::<16>(&text));
        let key = self
            .setting("seal_key")?
            .and_then(|text| bytes::<32>(&text));
        let rows = approved(self.conn()).map_err(|fault| fault.at(self.path()))?;
        if rows.is_empty() {
            return Ok(None);
        }
        let fits = |row: &SealRow| {
            let (Some(key), Some(home)) = (key, home) else {
                return false;
            };
            row.verifies(home, &key)
        };
        let faults = rows.iter().filter(|row| !fits(row));
        Ok(Some(faults.map(|row| row.memory).collect()))
    }
}

fn approved(conn: &Connection) -> Result<Vec<SealRow>, Fault> {
    let mut statement = conn.prepare(
        "SELECT seq FROM memories WHERE can_use_as_instruction = 1 OR status = 'confirmed' ORDER BY seq",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let rows: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    rows.into_iter().map(|seq| seal_row(conn, seq)).collect()
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |at: usize| u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..N).map(digit).collect();
    (text.len() == N * 2).then_some(bytes?)?.try_into().ok()
}
