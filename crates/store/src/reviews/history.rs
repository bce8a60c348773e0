//! What happened to a memory, and what a check of its seal takes (REV-04, REV-05).

use rusqlite::{Connection, OptionalExtension, Row};
use taffrail_domain::{
    ContentHash, Lifecycle, MemoryId, MemoryStatus, Millis, PolicyBits, ProjectId,
};
use taffrail_memory::journal::Anchor;
use taffrail_memory::seal::{SealedFacts, verify};

use crate::convert::{Fault, count, millis, parsed};
use crate::memories::{self, MemoryCursor, ReviewRow};
use crate::{JournalRow, Store, StoreError, journal};

/// Rows of one look at the seals.
const SEALS_PAGE: u32 = 1_000;

/// What happened to a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Decisions of people, oldest first.
    pub reviews: Vec<ReviewRow>,
    /// Its journal entries, oldest first.
    pub entries: Vec<JournalRow>,
}

/// What a check of one memory's seal takes. Nothing in it is believed: the hash is made from the text, the entry is read
/// from the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealRow {
    /// The memory.
    pub memory: MemoryId,
    /// Order of arrival.
    pub seq: i64,
    /// The hash of the text in force, made from the text.
    pub content: ContentHash,
    /// Whether the row's own hash column says the same.
    pub column_agrees: bool,
    /// Whose it is, as the hash takes it; none for a personal memory.
    pub project: Option<ProjectId>,
    /// What the row says it may be used for.
    pub bits: PolicyBits,
    /// What the row says a person decided.
    pub status: MemoryStatus,
    /// Whether the row says that it is in force.
    pub lifecycle: Lifecycle,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// The signature, where there is one.
    pub seal: Option<[u8; 64]>,
    /// The last review entry of the memory in the journal; none where nobody decided.
    pub review: Option<Anchor>,
}

impl SealRow {
    /// Its place in a list, to go on after it.
    pub fn place(&self) -> MemoryCursor {
        MemoryCursor(self.seq)
    }

    /// Whether the row says that a person approved it: by its bits or by its status.
    pub fn claims_approval(&self) -> bool {
        self.bits.can_use_as_instruction || self.status == MemoryStatus::Confirmed
    }

    /// Whether it is an approval in force whose seal was made by the private half of `public`, in this home, for its last
    /// review. What the seal does not cover follows from it: a sealed row is confirmed and active, or was edited by hand.
    pub fn verifies(&self, home: [u8; 16], public: &[u8; 32]) -> bool {
        let (Some(seal), Some(entry)) = (self.seal, self.review) else {
            return false;
        };
        let in_force = self.bits.can_use_as_instruction
            && self.status == MemoryStatus::Confirmed
            && self.lifecycle == Lifecycle::Active;
        let facts = SealedFacts {
            home,
            memory: self.memory,
            content: self.content,
            bits: self.bits,
            stale_after: self.stale_after,
            entry_seq: entry.seq,
            entry_hash: entry.head,
        };
        in_force && verify(public, &facts, &seal)
    }
}

impl Store {
    /// Decisions and journal entries of a memory.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn memory_history(&self, id: &MemoryId) -> Result<History, StoreError> {
        let reviews = self.read(|conn| reviews_of(conn, id))?;
        let entries = self.entries_of(&id.bytes())?;
        Ok(History { reviews, entries })
    }

    /// What a check of these memories' seals takes, in the order asked for; those that are not there are left out.
    ///
    /// # Errors
    /// As for every read.
    pub fn seal_facts(&self, ids: &[MemoryId]) -> Result<Vec<SealRow>, StoreError> {
        self.read(|conn| {
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                let seq: Option<i64> = conn
                    .prepare_cached("SELECT seq FROM memories WHERE id = ?1")?
                    .query_row([id.bytes()], |row| row.get(0))
                    .optional()?;
                if let Some(seq) = seq {
                    found.push(seal_row(conn, seq)?);
                }
            }
            Ok(found)
        })
    }

    /// The same for every memory whose row says that it may instruct, or that has a seal, by rising number; at most 1,000
    /// at a time.
    ///
    /// # Errors
    /// As for every read.
    pub fn all_seal_facts(&self, after: Option<MemoryCursor>) -> Result<Vec<SealRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT seq FROM memories
                 WHERE seq > ?1 AND (can_use_as_instruction = 1 OR status = 'confirmed' OR seal IS NOT NULL)
                 ORDER BY seq LIMIT ?2",
            )?;
            let from = after.map_or(0, |MemoryCursor(seq)| seq);
            let rows = statement.query_map((from, SEALS_PAGE), |row| row.get(0))?;
            let rows: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
            rows.into_iter().map(|seq| seal_row(conn, seq)).collect()
        })
    }
}

pub(crate) fn seal_row(conn: &Connection, seq: i64) -> Result<SealRow, Fault> {
    let row = memories::by_seq(conn, seq)?;
    let column: [u8; 32] = conn
        .prepare_cached("SELECT hash FROM memory_texts WHERE memory = ?1 AND revision = ?2")?
        .query_row((seq, crate::convert::signed(row.text.revision)), |row| {
            row.get(0)
        })?;
    Ok(SealRow {
        memory: row.id,
        seq,
        content: row.text.hash,
        column_agrees: column == row.text.hash.0,
        project: row.project,
        bits: row.bits,
        status: row.status,
        lifecycle: row.lifecycle,
        stale_after: row.stale_after,
        seal: row.seal,
        review: journal::last_review(conn, &row.id)?,
    })
}

fn reviews_of(conn: &Connection, id: &MemoryId) -> Result<Vec<ReviewRow>, Fault> {
    let seq = memories::memory_seq(conn, id)?;
    let mut statement = conn.prepare_cached(
        "SELECT r.*, r.memory <> ?1 AS went, CASE WHEN r.memory = ?1 THEN o.id ELSE m.id END AS other_id
         FROM memory_reviews r JOIN memories m ON m.seq = r.memory LEFT JOIN memories o ON o.seq = r.other
         WHERE r.memory = ?1 OR (r.other = ?1 AND r.other_before IS NOT NULL) ORDER BY r.seq",
    )?;
    let rows = statement.query_map([seq], review_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn review_row(row: &Row<'_>) -> rusqlite::Result<ReviewRow> {
    Ok(ReviewRow {
        seq: row.get("seq")?,
        action: parsed(row, "action")?,
        surface: row.get("surface")?,
        other: row
            .get::<_, Option<[u8; 16]>>("other_id")?
            .map(MemoryId::from_bytes),
        went: row.get("went")?,
        notes: row.get("notes")?,
        entry: count(row, "entry")?,
        undone: row.get("undone")?,
        at: millis(row, "created_at")?,
    })
}
