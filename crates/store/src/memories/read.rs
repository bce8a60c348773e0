//! Memories as they are on record.

use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_domain::{
    ContentHash, MemoryId, MemoryType, Millis, PolicyBits, ProjectId, Source, id_prefix,
};
use taffrail_memory::draft::{HashedText, Scope, content_hash, text_key_of};

use super::model::{MemoryRow, TextRow};
use crate::convert::{Fault, count, millis, parsed, senseless, signed};
use crate::{Store, StoreError};

/// Candidates shown when more than one memory fits.
const SHOWN: i64 = 10;

/// Everything of a row but its texts.
pub(crate) const SELECT: &str = "
    SELECT m.*, p.id AS project_id, o.id AS retired_by_id, e.facts AS evidence,
           (SELECT count(*) FROM memory_witnesses w WHERE w.memory = m.seq) AS witnesses
    FROM memories m
    LEFT JOIN projects p ON p.seq = m.project
    LEFT JOIN memories o ON o.seq = m.retired_by
    LEFT JOIN memory_evidence e ON e.memory = m.seq";

impl Store {
    /// The memory with this id.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn memory(&self, id: &MemoryId) -> Result<MemoryRow, StoreError> {
        self.read(|conn| by_id(conn, id))
    }

    /// One revision of a memory's text.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory; `Damaged` where it has no such revision.
    pub fn memory_text(&self, id: &MemoryId, revision: u64) -> Result<TextRow, StoreError> {
        self.read(|conn| text(conn, &by_id(conn, id)?, revision))
    }

    /// The memory whose id begins so, as a person types it.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_memory(&self, prefix: &str) -> Result<MemoryRow, StoreError> {
        let checked = id_prefix(MemoryId::PREFIX, prefix).ok();
        self.read(|conn| match &checked {
            Some(prefix) => by_prefix(conn, prefix),
            None => Err(unknown(prefix)),
        })
    }

    /// The memory that has this id elsewhere: of an import's line, or in another program's database.
    ///
    /// # Errors
    /// As for every read.
    pub fn memory_of_foreign_id(&self, foreign_id: &str) -> Result<Option<MemoryId>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached(
                    "SELECT m.id FROM memory_foreign_ids f JOIN memories m ON m.seq = f.memory
                     WHERE f.foreign_id = ?1 ORDER BY m.seq LIMIT 1",
                )?
                .query_row([foreign_id], |row| row.get(0).map(MemoryId::from_bytes))
                .optional()?)
        })
    }

    /// Every revision of a memory's text, oldest first.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn memory_texts(&self, id: &MemoryId) -> Result<Vec<TextRow>, StoreError> {
        self.read(|conn| {
            let row = by_id(conn, id)?;
            let mut statement = conn
                .prepare_cached("SELECT * FROM memory_texts WHERE memory = ?1 ORDER BY revision")?;
            let rows =
                statement.query_map([row.seq], |text| text_row(text, scope(&row), row.kind))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// The row number of a memory.
pub(crate) fn memory_seq(conn: &Connection, id: &MemoryId) -> Result<i64, Fault> {
    conn.prepare_cached("SELECT seq FROM memories WHERE id = ?1")?
        .query_row([id.bytes()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| unknown(&id.short()))
}

/// The memory with this id.
pub(crate) fn by_id(conn: &Connection, id: &MemoryId) -> Result<MemoryRow, Fault> {
    let row = conn
        .prepare_cached(&format!("{SELECT} WHERE m.id = ?1"))?
        .query_row([id.bytes()], Partial::read)
        .optional()?
        .ok_or_else(|| unknown(&id.short()))?;
    row.with_texts(conn)
}

/// The memory with this row number.
pub(crate) fn by_seq(conn: &Connection, seq: i64) -> Result<MemoryRow, Fault> {
    let row = conn
        .prepare_cached(&format!("{SELECT} WHERE m.seq = ?1"))?
        .query_row([seq], Partial::read)?;
    row.with_texts(conn)
}

fn by_prefix(conn: &Connection, prefix: &str) -> Result<MemoryRow, Fault> {
    // The alphabet of ids has no character with a meaning in GLOB, and the column is compared byte by byte, so that
    // the unique index serves it.
    let mut statement = conn.prepare_cached(
        "SELECT id FROM memories WHERE short GLOB ?1 || '*' ORDER BY seq LIMIT ?2",
    )?;
    let ids = statement.query_map((prefix, SHOWN), |row| row.get(0).map(MemoryId::from_bytes))?;
    let ids: Vec<MemoryId> = ids.collect::<rusqlite::Result<_>>()?;
    match ids.as_slice() {
        [] => Err(unknown(prefix)),
        [one] => by_id(conn, one),
        several => {
            let asked = prefix.to_owned();
            let candidates = several.iter().map(MemoryId::short).collect();
            Err(StoreError::Ambiguous { asked, candidates }.into())
        }
    }
}

pub(super) fn unknown(asked: &str) -> Fault {
    let (what, asked) = ("memory", asked.to_owned());
    StoreError::NotFound { what, asked }.into()
}

/// A row that still lacks its texts.
pub(crate) struct Partial {
    row: MemoryRow,
    revision: u64,
    draft: Option<u64>,
}

impl Partial {
    /// Reads a row of [`SELECT`].
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let draft: Option<i64> = row.get("draft_revision")?;
        let draft = draft
            .map(u64::try_from)
            .transpose()
            .map_err(|error| senseless(&error))?;
        Ok(Self {
            row: memory_row(row)?,
            revision: count(row, "revision")?,
            draft,
        })
    }

    /// The whole row.
    pub(crate) fn with_texts(mut self, conn: &Connection) -> Result<MemoryRow, Fault> {
        self.row.text = text(conn, &self.row, self.revision)?;
        self.row.draft = self
            .draft
            .map(|revision| text(conn, &self.row, revision))
            .transpose()?;
        Ok(self.row)
    }
}

/// Whose a row is, as its hashes say it.
fn scope(row: &MemoryRow) -> Scope {
    row.project.map_or(Scope::Personal, Scope::Project)
}

/// One revision of a memory's text.
fn text(conn: &Connection, row: &MemoryRow, revision: u64) -> Result<TextRow, Fault> {
    Ok(conn
        .prepare_cached("SELECT * FROM memory_texts WHERE memory = ?1 AND revision = ?2")?
        .query_row(params![row.seq, signed(revision)], |text| {
            text_row(text, scope(row), row.kind)
        })
        .optional()?
        .ok_or_else(|| senseless(&"a memory has no text"))?)
}

/// The hash of one revision, made from its text and not read from a column.
pub(crate) fn hash_of(
    conn: &Connection,
    row: &MemoryRow,
    revision: u64,
) -> Result<ContentHash, Fault> {
    Ok(text(conn, row, revision)?.hash)
}

/// The key by which the same text from somebody else is told, after another revision came into force.
pub(crate) fn rekey(conn: &Connection, row: &MemoryRow, revision: u64) -> Result<(), Fault> {
    let key = text_key_of(scope(row), row.kind, &text(conn, row, revision)?.content);
    conn.prepare_cached("UPDATE memories SET text_key = ?2 WHERE seq = ?1")?
        .execute(params![row.seq, key])?;
    Ok(())
}

/// The row number of a memory's project.
pub(crate) fn project_of(conn: &Connection, memory: i64) -> Result<Option<i64>, Fault> {
    Ok(conn
        .prepare_cached("SELECT project FROM memories WHERE seq = ?1")?
        .query_row([memory], |row| row.get(0))?)
}

fn memory_row(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    let source: String = row.get("source")?;
    Ok(MemoryRow {
        seq: row.get("seq")?,
        id: row.get("id").map(MemoryId::from_bytes)?,
        project: row
            .get::<_, Option<[u8; 16]>>("project_id")?
            .map(ProjectId::from_bytes),
        kind: parsed(row, "type")?,
        first_provenance: parsed(row, "first_provenance")?,
        provenance: parsed(row, "provenance")?,
        channel: parsed(row, "channel")?,
        bits: bits(row)?,
        status: parsed(row, "status")?,
        lifecycle: parsed(row, "lifecycle")?,
        shelf: parsed(row, "shelf")?,
        confidence: row.get("confidence")?,
        slate_kind: row.get("slate_kind")?,
        is_open: row.get("is_open")?,
        stale_after: row.get::<_, Option<i64>>("stale_after")?.map(Millis),
        source: source_of(&source),
        text: no_text(),
        draft: None,
        retired_by: row
            .get::<_, Option<[u8; 16]>>("retired_by_id")?
            .map(MemoryId::from_bytes),
        version: count(row, "version")?,
        review_entry: row
            .get::<_, Option<i64>>("review_entry")?
            .map(u64::try_from)
            .transpose()
            .map_err(|error| senseless(&error))?,
        seal: row.get("seal")?,
        witnesses: count(row, "witnesses")?,
        evidence: row.get("evidence")?,
        created_at: millis(row, "created_at")?,
        inserted_at: millis(row, "inserted_at")?,
        confirmed_at: row.get::<_, Option<i64>>("confirmed_at")?.map(Millis),
    })
}

/// Who wrote it; a text that redaction or a hand changed beyond reading names nobody.
fn source_of(text: &str) -> Source {
    serde_json::from_str(text).unwrap_or_default()
}

pub(crate) fn bits(row: &Row<'_>) -> rusqlite::Result<PolicyBits> {
    Ok(PolicyBits {
        can_use_as_instruction: row.get("can_use_as_instruction")?,
        can_use_as_evidence: row.get("can_use_as_evidence")?,
        requires_user_confirmation: row.get("requires_user_confirmation")?,
        do_not_inject_automatically: row.get("do_not_inject_automatically")?,
    })
}

fn text_row(row: &Row<'_>, scope: Scope, kind: MemoryType) -> rusqlite::Result<TextRow> {
    let (summary, content): (String, String) = (row.get("summary")?, row.get("content")?);
    let (source_refs, artifacts): (String, String) =
        (row.get("source_refs")?, row.get("artifacts")?);
    let salt = row.get("salt")?;
    let hashed = HashedText {
        scope,
        kind,
        summary: &summary,
        content: &content,
        source_refs: &source_refs,
        artifacts: &artifacts,
    };
    Ok(TextRow {
        revision: count(row, "revision")?,
        hash: content_hash(&salt, &hashed),
        summary,
        content,
        context_before: json(row, "context_before")?,
        context_after: json(row, "context_after")?,
        source_refs: json(row, "source_refs")?,
        artifacts: json(row, "artifacts")?,
        salt,
        at: millis(row, "created_at")?,
    })
}

fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| senseless(&error))
}

/// What stands in a row until its text is read.
fn no_text() -> TextRow {
    TextRow {
        revision: 0,
        summary: String::new(),
        content: String::new(),
        context_before: Vec::new(),
        context_after: Vec::new(),
        source_refs: Vec::new(),
        artifacts: Vec::new(),
        salt: [0; 16],
        hash: ContentHash([0; 32]),
        at: Millis(0),
    }
}
