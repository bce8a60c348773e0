//! The rows that were put in last, before their terms go into the lists.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use taffrail_memory::rank::Packed;
use taffrail_memory::recall::{Partition, RowKey};

use crate::convert::Fault;

use super::search::blob;
use super::write::Changes;

/// Rows of one partition that a search reads one by one; more go into the lists. A row costs a search about 2 µs; going in
/// together, 16 cost about half of what each would alone.
pub(crate) const SHORT: i64 = 16;
/// The same while many rows come in one after the other: the fewer times, the fewer pages are written.
pub(crate) const LONG: i64 = 2_048;

/// Which rows of a tail have which of the terms asked for, by the terms' hashes.
pub(super) type Found = BTreeMap<u32, Vec<i64>>;

/// The first and the last key of a partition.
fn range(partition: Partition) -> (i64, i64) {
    (partition.key(0).0, partition.key((1 << 40) - 1).0)
}

/// Looks these terms up in the tail of a partition. How many rows it has comes along.
pub(super) fn look_up(
    conn: &Connection,
    partition: Partition,
    hashes: &[u32],
) -> Result<(Found, i64), Fault> {
    let mut found = Found::new();
    let mut rows_seen = 0;
    // CROSS JOIN keeps the tail outside: the planner would walk through the whole partition and look each row up in the
    // tail, 12 ms of it at 100,000 rows.
    let mut statement = conn.prepare_cached(
        "SELECT d.key, d.terms FROM recall_tail t CROSS JOIN recall_docs d ON d.key = t.key WHERE t.key BETWEEN ?1 AND ?2",
    )?;
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    let mut rows = statement.query(range(partition))?;
    while let Some(row) = rows.next()? {
        rows_seen += 1;
        let memory = RowKey(row.get(0)?).memory();
        let mut before = None;
        for (hash, _) in Packed(blob(row, 1)?).terms() {
            // Two terms of one row with the same hash are one.
            if before != Some(hash) && sorted.binary_search(&hash).is_ok() {
                found.entry(hash).or_default().push(memory);
            }
            before = Some(hash);
        }
    }
    Ok((found, rows_seen))
}

/// Puts a row at the end.
pub(super) fn add(conn: &Connection, key: RowKey) -> Result<(), Fault> {
    conn.prepare_cached("INSERT INTO recall_tail (key) VALUES (?1)")?
        .execute([key.0])?;
    Ok(())
}

/// Takes a row away; whether it was there, so that no list has its terms.
pub(super) fn take_away(conn: &Connection, key: RowKey) -> Result<bool, Fault> {
    let gone = conn
        .prepare_cached("DELETE FROM recall_tail WHERE key = ?1")?
        .execute([key.0])?;
    Ok(gone > 0)
}

/// Puts the tails that are longer than this into the lists.
pub(crate) fn settle(conn: &Connection, longest: i64) -> Result<(), Fault> {
    let mut from = 0;
    while let Some(partition) = next_tail(conn, from)? {
        from = range(partition).1.saturating_add(1);
        if length(conn, partition)? > longest {
            settle_one(conn, partition)?;
        }
    }
    Ok(())
}

/// The same for one partition.
pub(super) fn settle_if_long(
    conn: &Connection,
    partition: Partition,
    longest: i64,
) -> Result<(), Fault> {
    if length(conn, partition)? > longest {
        settle_one(conn, partition)?;
    }
    Ok(())
}

fn next_tail(conn: &Connection, from: i64) -> Result<Option<Partition>, Fault> {
    let key = conn
        .prepare_cached("SELECT key FROM recall_tail WHERE key >= ?1 ORDER BY key LIMIT 1")?
        .query_row([from], |row| row.get(0))
        .optional()?;
    Ok(key.map(|key| RowKey(key).partition()))
}

fn length(conn: &Connection, partition: Partition) -> Result<i64, Fault> {
    Ok(conn
        .prepare_cached("SELECT count(*) FROM recall_tail WHERE key BETWEEN ?1 AND ?2")?
        .query_row(range(partition), |row| row.get(0))?)
}

fn settle_one(conn: &Connection, partition: Partition) -> Result<(), Fault> {
    let mut changes = Changes::default();
    let mut statement = conn.prepare_cached(
        "SELECT d.key, d.terms FROM recall_tail t CROSS JOIN recall_docs d ON d.key = t.key WHERE t.key BETWEEN ?1 AND ?2
         ORDER BY t.key",
    )?;
    let mut rows = statement.query(range(partition))?;
    while let Some(row) = rows.next()? {
        let memory = RowKey(row.get(0)?).memory();
        for (hash, _) in Packed(blob(row, 1)?).terms() {
            changes.add(partition, hash, memory);
        }
    }
    drop(rows);
    changes.write(conn)?;
    conn.prepare_cached("DELETE FROM recall_tail WHERE key BETWEEN ?1 AND ?2")?
        .execute(range(partition))?;
    Ok(())
}
