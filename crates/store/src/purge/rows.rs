//! The rows of a purge. What is to go is collected first; then every table that holds a part of it is gone through.

use rusqlite::{OptionalExtension, Transaction};
use taffrail_domain::{MemoryId, Millis, ProjectId};
use taffrail_memory::journal::{EventKind, Facts};

use super::{PurgeCounts, PurgeScope};
use crate::convert::Fault;
use crate::{StoreError, journal, memories, recall, workspaces};

/// Deletions by collected session.
const OF_SESSIONS: [&str; 12] = [
    "DELETE FROM action_decisions WHERE session IN going_sessions",
    "DELETE FROM questions WHERE session IN going_sessions",
    "DELETE FROM agent_requests WHERE session IN going_sessions",
    "DELETE FROM tool_calls WHERE session IN going_sessions",
    "DELETE FROM messages WHERE session IN going_sessions",
    "DELETE FROM agent_runs WHERE session IN going_sessions",
    "DELETE FROM events WHERE session IN going_sessions",
    "DELETE FROM decisions WHERE session IN going_sessions",
    "DELETE FROM changed_paths WHERE session IN going_sessions",
    "DELETE FROM changes WHERE session IN going_sessions",
    "DELETE FROM checkouts WHERE session IN going_sessions",
    "DELETE FROM sessions WHERE seq IN going_sessions",
];

/// Erases the rows, writes the journal's entry, and says how many there were.
pub(super) fn erase(
    transaction: &Transaction<'_>,
    scope: PurgeScope,
    now: i64,
) -> Result<PurgeCounts, Fault> {
    transaction.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS going_memories (seq INTEGER PRIMARY KEY);
         CREATE TEMP TABLE IF NOT EXISTS going_sessions (seq INTEGER PRIMARY KEY);
         DELETE FROM going_memories; DELETE FROM going_sessions;",
    )?;
    let subject = collect(transaction, scope)?;
    refuse_unfinished(transaction, scope)?;
    let mut counts = counts(transaction)?;
    counts.traces = traces(transaction, scope)?;
    let going = going(transaction)?;
    for memory in &going {
        recall::remove(transaction, *memory)?;
        memories::erase(transaction, *memory)?;
    }
    for sql in OF_SESSIONS {
        transaction.execute(sql, [])?;
    }
    match scope {
        PurgeScope::Project(id) => project(transaction, &id, &mut counts)?,
        PurgeScope::Before(time) => {
            notebooks(transaction, time, &mut counts)?;
            counts.add(workspaces::erase_before(transaction, time)?);
        }
        PurgeScope::Session(id) => {
            let sql = "DELETE FROM notebook_suggestions
                       WHERE json_valid(source) AND json_extract(source, '$.session') = ?1";
            counts.suggestions = transaction.execute(sql, [id.short()])? as u64;
        }
        PurgeScope::Memory(_) => {}
    }
    // A second run that only finishes what an earlier one was kept from needs no second tombstone.
    if !counts.is_empty() {
        tombstone(transaction, scope, subject, &counts, now)?;
    }
    Ok(counts)
}

/// Puts what is to go into the two lists; the id that the journal names.
fn collect(transaction: &Transaction<'_>, scope: PurgeScope) -> Result<Option<[u8; 16]>, Fault> {
    let run = |sql: &str, value: &dyn rusqlite::ToSql| transaction.execute(sql, [value]);
    match scope {
        PurgeScope::Memory(id) => {
            let sql = "INSERT INTO going_memories SELECT seq FROM memories WHERE id = ?1";
            found(run(sql, &id.bytes())?, "memory", id.short())?;
            Ok(Some(id.bytes()))
        }
        PurgeScope::Session(id) => {
            let sql = "INSERT INTO going_sessions SELECT seq FROM sessions WHERE id = ?1";
            found(run(sql, &id.bytes())?, "run", id.short())?;
            let sql = "INSERT INTO going_memories SELECT seq FROM memories
                       WHERE json_valid(source) AND json_extract(source, '$.session') = ?1";
            run(sql, &id.short())?;
            Ok(Some(id.bytes()))
        }
        PurgeScope::Project(id) => {
            let project = project_seq(transaction, &id)?;
            let sql = "INSERT INTO going_memories SELECT seq FROM memories WHERE project = ?1";
            run(sql, &project)?;
            let sql = "INSERT INTO going_sessions SELECT seq FROM sessions s WHERE EXISTS
                       (SELECT 1 FROM project_roots r WHERE r.project = ?1
                        AND (r.root = s.project_root OR r.common_dir = s.common_dir))";
            run(sql, &project)?;
            Ok(Some(id.bytes()))
        }
        PurgeScope::Before(time) => {
            let sql = "INSERT INTO going_memories SELECT seq FROM memories WHERE inserted_at < ?1";
            run(sql, &time.0)?;
            let sql = "INSERT INTO going_sessions SELECT seq FROM sessions s WHERE created_at < ?1
                       AND status NOT IN ('preparing', 'running')
                       AND NOT EXISTS (SELECT 1 FROM checkouts c
                                       WHERE c.session = s.seq AND c.state <> 'removed')
                       AND NOT EXISTS (SELECT 1 FROM changes c
                                       WHERE c.session = s.seq AND c.state = 'pending')";
            run(sql, &time.0)?;
            Ok(None)
        }
    }
}

fn found(rows: usize, what: &'static str, asked: String) -> Result<(), Fault> {
    if rows == 0 {
        return Err(StoreError::NotFound { what, asked }.into());
    }
    Ok(())
}

fn project_seq(transaction: &Transaction<'_>, id: &ProjectId) -> Result<i64, Fault> {
    let (what, asked) = ("project", id.short());
    transaction
        .query_row(
            "SELECT seq FROM projects WHERE id = ?1",
            [id.bytes()],
            |row| row.get(0),
        )
        .optional()?
        .ok_or_else(|| StoreError::NotFound { what, asked }.into())
}

/// A session that goes on, or whose checkout is on disk, is not erased beneath its feet.
fn refuse_unfinished(transaction: &Transaction<'_>, scope: PurgeScope) -> Result<(), Fault> {
    if matches!(scope, PurgeScope::Before(_) | PurgeScope::Memory(_)) {
        return Ok(());
    }
    let unfinished: Option<(String, bool, Option<i32>)> = transaction
        .query_row(
            "SELECT s.short, s.status IN ('preparing', 'running'), c.pid
             FROM sessions s LEFT JOIN checkouts c ON c.session = s.seq
             WHERE s.seq IN going_sessions
               AND (s.status IN ('preparing', 'running') OR coalesce(c.state, 'removed') <> 'removed')
             ORDER BY s.seq LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()?;
    match unfinished {
        None => Ok(()),
        Some((_, true, pid)) => Err(StoreError::CheckoutLive {
            pid: pid.unwrap_or(0),
        }
        .into()),
        Some((run, false, _)) => Err(StoreError::CheckoutLeft { run }.into()),
    }
}

fn counts(transaction: &Transaction<'_>) -> Result<PurgeCounts, Fault> {
    let count = |sql: &str| -> Result<u64, Fault> {
        let number: i64 = transaction.query_row(sql, [], |row| row.get(0))?;
        Ok(number.unsigned_abs())
    };
    let mut derived = transaction.prepare(
        "SELECT DISTINCT m.id FROM memory_derivations d JOIN memories m ON m.seq = d.memory
         WHERE d.derived_from IN going_memories AND d.memory NOT IN going_memories ORDER BY m.seq",
    )?;
    let derived = derived.query_map([], |row| row.get(0).map(MemoryId::from_bytes))?;
    Ok(PurgeCounts {
        memories: count("SELECT count(*) FROM going_memories")?,
        approved: count(
            "SELECT count(*) FROM memories WHERE seq IN going_memories AND status = 'confirmed'",
        )?,
        sessions: count("SELECT count(*) FROM going_sessions")?,
        undecided: count(
            "SELECT count(*) FROM changes WHERE session IN going_sessions AND state = 'pending'",
        )?,
        derived: derived.collect::<rusqlite::Result<_>>()?,
        ..PurgeCounts::default()
    })
}

/// Traces that considered an erased memory, and those of the scope itself.
fn traces(transaction: &Transaction<'_>, scope: PurgeScope) -> Result<u64, Fault> {
    let mut gone = transaction.execute(
        "DELETE FROM recall_traces WHERE seq IN
           (SELECT i.trace FROM recall_trace_items i JOIN memories m ON m.id = i.memory
            WHERE m.seq IN going_memories)",
        [],
    )?;
    match scope {
        PurgeScope::Memory(_) => {}
        PurgeScope::Session(id) => {
            let sql = "DELETE FROM recall_traces WHERE session = ?1";
            gone += transaction.execute(sql, [id.short()])?;
        }
        PurgeScope::Project(id) => {
            let project = project_seq(transaction, &id)?;
            for sql in [
                "DELETE FROM recall_traces WHERE project = ?1",
                "DELETE FROM recall_misses WHERE project = ?1",
            ] {
                gone += transaction.execute(sql, [project])?;
            }
        }
        PurgeScope::Before(time) => {
            for sql in [
                "DELETE FROM recall_traces WHERE at < ?1",
                "DELETE FROM recall_misses WHERE at < ?1",
            ] {
                gone += transaction.execute(sql, [time.0])?;
            }
        }
    }
    // A trace of a session that goes is of that session, whatever was asked for.
    gone += transaction.execute(
        "DELETE FROM recall_traces WHERE session IN
           (SELECT short FROM sessions WHERE seq IN going_sessions)",
        [],
    )?;
    Ok(gone as u64)
}

/// The memories that go, in order.
fn going(transaction: &Transaction<'_>) -> Result<Vec<i64>, Fault> {
    let mut going = transaction.prepare("SELECT seq FROM going_memories ORDER BY seq")?;
    let going = going.query_map([], |row| row.get(0))?;
    Ok(going.collect::<rusqlite::Result<_>>()?)
}

/// The project itself, its notebook and what a person agreed to in it.
fn project(
    transaction: &Transaction<'_>,
    id: &ProjectId,
    counts: &mut PurgeCounts,
) -> Result<(), Fault> {
    let project = project_seq(transaction, id)?;
    let run = |sql: &str| transaction.execute(sql, [project]).map(|rows| rows as u64);
    run(
        "DELETE FROM trust_pins WHERE project_root IN (SELECT root FROM project_roots WHERE project = ?1)",
    )?;
    counts.add(workspaces::erase_project(transaction, project)?);
    counts.suggestions = run("DELETE FROM notebook_suggestions WHERE project = ?1")?;
    counts.notebook_revisions = run("DELETE FROM notebook_revisions WHERE project = ?1")?;
    run("DELETE FROM project_roots WHERE project = ?1")?;
    counts.projects = run("DELETE FROM projects WHERE seq = ?1")?;
    Ok(())
}

/// Old revisions, never the one in force; old suggestions.
fn notebooks(
    transaction: &Transaction<'_>,
    time: Millis,
    counts: &mut PurgeCounts,
) -> Result<(), Fault> {
    let run = |sql: &str| transaction.execute(sql, [time.0]).map(|rows| rows as u64);
    counts.suggestions = run("DELETE FROM notebook_suggestions WHERE created_at < ?1")?;
    counts.notebook_revisions = run("DELETE FROM notebook_revisions WHERE created_at < ?1 AND version <
           (SELECT max(version) FROM notebook_revisions n WHERE n.project = notebook_revisions.project)")?;
    Ok(())
}

/// What stays: that something was erased, when, by which scope, and how much.
fn tombstone(
    transaction: &Transaction<'_>,
    scope: PurgeScope,
    subject: Option<[u8; 16]>,
    counts: &PurgeCounts,
    now: i64,
) -> Result<(), Fault> {
    let scope = match scope {
        PurgeScope::Project(_) => "project",
        PurgeScope::Session(_) => "session",
        PurgeScope::Memory(_) => "memory",
        PurgeScope::Before(_) => "before",
    };
    let facts = Facts::new()
        .word("scope", scope)
        .number("memories", number(counts.memories))
        .number("sessions", number(counts.sessions))
        .number("slates", number(counts.slates))
        .number("traces", number(counts.traces));
    journal::append(transaction, now, EventKind::Purged, subject, &facts)?;
    Ok(())
}

fn number(count: u64) -> i64 {
    crate::convert::signed(count)
}
