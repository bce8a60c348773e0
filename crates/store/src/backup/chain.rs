//! The journal's chain as it lies in a database, read row by row.

use rusqlite::Connection;
use taffrail_domain::Millis;
use taffrail_memory::journal::{Row, Verifier};

/// How many entries the journal has, or where its chain breaks. Anchors are the keychain's and not asked for here.
pub(crate) fn verify(conn: &Connection) -> rusqlite::Result<Result<u64, String>> {
    let mut statement = conn.prepare(
        "SELECT seq, at, kind, subject, facts, previous, hash FROM journal ORDER BY seq",
    )?;
    let mut rows = statement.query([])?;
    let mut verifier = Verifier::new(&[]);
    while let Some(row) = rows.next()? {
        let (seq, kind, facts): (i64, String, String) = (row.get(0)?, row.get(2)?, row.get(4)?);
        verifier.push(&Row {
            seq: seq.unsigned_abs(),
            at: Millis(row.get(1)?),
            kind: &kind,
            subject: row.get(3)?,
            facts: &facts,
            previous: row.get(5)?,
            hash: row.get(6)?,
        });
    }
    let verdict = verifier.finish();
    Ok(verdict
        .map(|held| held.head.seq)
        .map_err(|broken| broken.to_string()))
}
