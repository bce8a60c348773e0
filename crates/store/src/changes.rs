//! Captured diffs: one per run, its changed paths as rows, its bytes in a file (FA-30).

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{
    Change, ChangeHash, ChangeKind, ChangeState, FileMode, Flag, Oid, Refusal, RepoPath, RunId,
};

use crate::convert::signed;
use crate::convert::{Fault, count, millis, parsed, parsed_or_none, senseless, session};
use crate::decisions;
use crate::model::{Captured, NewChange};
use crate::writer::Durability;
use crate::{Store, StoreError};

const KINDS: [(ChangeKind, &str); 5] = [
    (ChangeKind::Added, "added"),
    (ChangeKind::Modified, "modified"),
    (ChangeKind::Deleted, "deleted"),
    (ChangeKind::ModeChanged, "mode_changed"),
    (ChangeKind::TypeChanged, "type_changed"),
];

const REFUSALS: [Refusal; 6] = [
    Refusal::SymlinkLeaves,
    Refusal::GitFolder,
    Refusal::Gitlink,
    Refusal::SpecialFile,
    Refusal::HardLink,
    Refusal::TooLarge,
];

/// A captured diff to be, owned, for the writer's thread.
struct Insert {
    hash: [u8; 32],
    state: ChangeState,
    patch_bytes: i64,
    ignored_count: i64,
    changes: Vec<Change>,
    now: i64,
}

impl Store {
    /// Puts a captured diff on record with its paths, in place of an earlier one that nobody decided on.
    ///
    /// # Errors
    /// `NotFound`; `NotPending` when it was decided on, or `state` is a decided one; `Deciding`.
    pub fn record_change(&self, run: &RunId, change: &NewChange<'_>) -> Result<(), StoreError> {
        if matches!(change.state, ChangeState::Landed | ChangeState::Discarded) {
            let state = change.state;
            return Err(StoreError::NotPending { state });
        }
        let run = *run;
        let insert = Insert {
            hash: *change.hash.bytes(),
            state: change.state,
            patch_bytes: signed(change.patch_bytes),
            ignored_count: signed(change.ignored_count),
            changes: change.changes.to_vec(),
            now: self.now(),
        };
        self.write(Durability::Full, move |transaction| {
            let seq = session(transaction, &run)?;
            decisions::refuse_decided(transaction, seq)?;
            insert.run(transaction, seq)
        })
    }

    /// Bytes of all captured diffs that are on record, but for one run's.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn captured_bytes_beside(&self, run: &RunId) -> Result<u64, StoreError> {
        self.read(|conn| {
            let bytes: i64 = conn
                .prepare_cached(
                    "SELECT coalesce(sum(g.patch_bytes), 0) FROM changes g JOIN sessions s ON s.seq = g.session
                     WHERE s.id <> ?1",
                )?
                .query_row([run.bytes()], |row| row.get(0))?;
            Ok(bytes.unsigned_abs())
        })
    }

    /// The captured diff of a run with its paths and decisions; none before the capture.
    ///
    /// # Errors
    /// `NotFound` when there is no such run; `Busy`, `Damaged`, `Io`.
    pub fn captured(&self, run: &RunId) -> Result<Option<Captured>, StoreError> {
        self.read(|conn| {
            let seq = session(conn, run)?;
            let found = conn
                .prepare_cached("SELECT * FROM changes WHERE session = ?1")?
                .query_row([seq], head)
                .optional()?;
            let Some(mut found) = found else {
                return Ok(None);
            };
            found.changes = paths(conn, seq)?;
            found.decisions = decisions::of(conn, seq)?;
            Ok(Some(found))
        })
    }
}

impl Insert {
    fn run(&self, transaction: &Transaction<'_>, session: i64) -> Result<(), Fault> {
        transaction
            .prepare_cached("DELETE FROM changed_paths WHERE session = ?1")?
            .execute([session])?;
        transaction
            .prepare_cached(
                "INSERT INTO changes (session, hash, state, patch_bytes, ignored_count, captured_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (session) DO UPDATE
                 SET hash = ?2, state = ?3, patch_bytes = ?4, ignored_count = ?5, captured_at = ?6",
            )?
            .execute(params![
                session,
                self.hash,
                self.state.name(),
                self.patch_bytes,
                self.ignored_count,
                self.now,
            ])?;
        (0_i64..)
            .zip(&self.changes)
            .try_for_each(|(position, change)| insert_path(transaction, session, position, change))
    }
}

fn insert_path(
    transaction: &Transaction<'_>,
    session: i64,
    position: i64,
    change: &Change,
) -> Result<(), Fault> {
    let flags: Vec<_> = change.flags.iter().map(|flag| flag.name()).collect();
    let mode = |side: &Option<(FileMode, Oid)>| side.as_ref().map(|(mode, _)| mode.octal());
    let oid = |side: &Option<(FileMode, Oid)>| side.as_ref().map(|(_, oid)| oid.to_string());
    transaction
        .prepare_cached(
            "INSERT INTO changed_paths (session, position, path, kind, old_mode, old_oid, new_mode, new_oid, added,
                                        removed, flags, refused)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            session,
            position,
            change.path.as_bytes(),
            kind_name(change.kind),
            mode(&change.old),
            oid(&change.old),
            mode(&change.new),
            oid(&change.new),
            change.added,
            change.removed,
            flags.join(" "),
            change.refused.map(Refusal::name),
        ])?;
    Ok(())
}

fn head(row: &Row<'_>) -> rusqlite::Result<Captured> {
    Ok(Captured {
        hash: row.get("hash").map(ChangeHash::new)?,
        state: parsed(row, "state")?,
        patch_bytes: count(row, "patch_bytes")?,
        changes: Vec::new(),
        ignored_count: count(row, "ignored_count")?,
        at: millis(row, "captured_at")?,
        decisions: Vec::new(),
    })
}

fn paths(conn: &Connection, session: i64) -> Result<Vec<Change>, Fault> {
    let mut statement =
        conn.prepare_cached("SELECT * FROM changed_paths WHERE session = ?1 ORDER BY position")?;
    let rows = statement.query_map([session], change)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn change(row: &Row<'_>) -> rusqlite::Result<Change> {
    let path: Vec<u8> = row.get("path")?;
    let flags: String = row.get("flags")?;
    let refused: Option<String> = row.get("refused")?;
    let flags: Result<Vec<Flag>, String> = flags.split_whitespace().map(str::parse).collect();
    Ok(Change {
        path: RepoPath::new(path).map_err(|error| senseless(&error))?,
        kind: kind_from(&row.get::<_, String>("kind")?)?,
        old: side(row, "old_mode", "old_oid")?,
        new: side(row, "new_mode", "new_oid")?,
        added: row.get("added")?,
        removed: row.get("removed")?,
        flags: flags.map_err(|error| senseless(&error))?,
        refused: refused.map(|name| refusal_from(&name)).transpose()?,
    })
}

fn side(row: &Row<'_>, mode: &str, oid: &str) -> rusqlite::Result<Option<(FileMode, Oid)>> {
    let mode: Option<FileMode> = parsed_or_none(row, mode)?;
    Ok(mode.zip(parsed_or_none(row, oid)?))
}

fn kind_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::ModeChanged => "mode_changed",
        ChangeKind::TypeChanged => "type_changed",
    }
}

fn kind_from(text: &str) -> rusqlite::Result<ChangeKind> {
    KINDS
        .into_iter()
        .find_map(|(kind, name)| (name == text).then_some(kind))
        .ok_or_else(|| senseless(&format!("`{text}` is not the kind of a change")))
}

fn refusal_from(text: &str) -> rusqlite::Result<Refusal> {
    REFUSALS
        .into_iter()
        .find(|refusal| refusal.name() == text)
        .ok_or_else(|| senseless(&format!("`{text}` is not a refusal")))
}
