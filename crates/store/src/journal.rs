//! The journal's rows: appended inside the transaction of what they record, read in order (REV-05).

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{MemoryId, Millis};
use taffrail_memory::journal::{Anchor, Entry, EventKind, Facts, Row as Seen, hash};

use crate::convert::{Fault, count, millis, signed};
use crate::{Store, StoreError};

/// Entries of one page at most.
const PAGE_LIMIT: u32 = 10_000;

/// An entry as it was found, believed in nothing: its kind may be any word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    /// Number.
    pub seq: u64,
    /// When.
    pub at: Millis,
    /// What, as written.
    pub kind: String,
    /// To what.
    pub subject: Option<[u8; 16]>,
    /// Facts, as written.
    pub facts: String,
    /// The hash of the entry before, as written.
    pub previous: [u8; 32],
    /// The hash, as written.
    pub hash: [u8; 32],
}

impl JournalRow {
    /// The entry as a verifier takes it.
    pub fn seen(&self) -> Seen<'_> {
        Seen {
            seq: self.seq,
            at: self.at,
            kind: &self.kind,
            subject: self.subject,
            facts: &self.facts,
            previous: self.previous,
            hash: self.hash,
        }
    }
}

impl Store {
    /// The last entry; [`Anchor::START`] for an empty journal.
    ///
    /// # Errors
    /// As for every read.
    pub fn journal_head(&self) -> Result<Anchor, StoreError> {
        self.read(head)
    }

    /// The entries from number `from` on, in the order in which they are kept; at most `limit` and 10,000. Read on
    /// with the number after the last, until nothing comes.
    ///
    /// # Errors
    /// As for every read.
    pub fn journal_entries(&self, from: u64, limit: u32) -> Result<Vec<JournalRow>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT * FROM journal WHERE seq >= ?1 ORDER BY seq LIMIT ?2")?;
            let rows =
                statement.query_map(params![signed(from), limit.min(PAGE_LIMIT)], journal_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The entries about one thing, oldest first: the sixteen bytes of the id of a memory, project or suggestion.
    ///
    /// # Errors
    /// As for every read.
    pub fn entries_of(&self, subject: &[u8; 16]) -> Result<Vec<JournalRow>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT * FROM journal WHERE subject = ?1 ORDER BY seq")?;
            let rows = statement.query_map([subject], journal_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The last review of a memory by the journal, whatever the memory's row says.
    ///
    /// # Errors
    /// As for every read.
    pub fn last_review_entry(&self, memory: &MemoryId) -> Result<Option<Anchor>, StoreError> {
        self.read(|conn| last_review(conn, memory))
    }

    /// The last review of each subject among the entries `from` to `to`, every one of which is hashed anew and
    /// names the one before it; none where one does not, where one is missing, or where `anchor`, which lies among them,
    /// is another. The cost grows with the entries.
    ///
    /// # Errors
    /// As for every read.
    pub fn reviews_in_chain(
        &self,
        from: u64,
        to: u64,
        anchor: &Anchor,
    ) -> Result<Option<BTreeMap<[u8; 16], Anchor>>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT seq, at, kind, subject, facts, previous, hash FROM journal
                 WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq",
            )?;
            let mut rows = statement.query(params![signed(from), signed(to)])?;
            let mut walk = Walk::new(from.max(1), anchor);
            while let Some(row) = rows.next()? {
                if !walk.step(row)? {
                    return Ok(None);
                }
            }
            let is_whole = walk.next == to.saturating_add(1) && walk.met;
            Ok(is_whole.then_some(walk.reviews))
        })
    }

    /// Puts an event on record that no other call of the store does: an import that ran, a key that was made.
    ///
    /// # Errors
    /// As for every write.
    pub fn record_event(
        &self,
        kind: EventKind,
        subject: Option<[u8; 16]>,
        facts: Facts,
    ) -> Result<Anchor, StoreError> {
        let now = self.now();
        self.write(crate::writer::Durability::Full, move |transaction| {
            append(transaction, now, kind, subject, &facts)
        })
    }
}

/// Appends an entry to the chain and answers with the new head.
pub(crate) fn append(
    transaction: &Transaction<'_>,
    now: i64,
    kind: EventKind,
    subject: Option<[u8; 16]>,
    facts: &Facts,
) -> Result<Anchor, Fault> {
    let entry = Entry::after(&head(transaction)?, Millis(now), kind, subject, facts);
    transaction
        .prepare_cached(
            "INSERT INTO journal (seq, at, kind, subject, facts, previous, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            signed(entry.seq),
            entry.at.0,
            entry.kind.name(),
            entry.subject,
            entry.facts,
            entry.previous,
            entry.hash,
        ])?;
    Ok(entry.anchor())
}

/// The last entry of the chain.
pub(crate) fn head(conn: &Connection) -> Result<Anchor, Fault> {
    let found = conn
        .prepare_cached("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")?
        .query_row([], anchor)
        .optional()?;
    Ok(found.unwrap_or(Anchor::START))
}

/// The last review of a memory.
pub(crate) fn last_review(conn: &Connection, memory: &MemoryId) -> Result<Option<Anchor>, Fault> {
    Ok(conn
        .prepare_cached(
            "SELECT seq, hash FROM journal WHERE subject = ?1 AND kind = ?2 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row(
            params![memory.bytes(), EventKind::MemoryReviewed.name()],
            anchor,
        )
        .optional()?)
}

/// A walk along the chain.
struct Walk<'a> {
    next: u64,
    previous: Option<[u8; 32]>,
    anchor: &'a Anchor,
    met: bool,
    reviews: BTreeMap<[u8; 16], Anchor>,
}

impl<'a> Walk<'a> {
    fn new(from: u64, anchor: &'a Anchor) -> Self {
        Self {
            next: from,
            previous: None,
            anchor,
            // Before the first entry there is nothing to meet.
            met: *anchor == Anchor::START,
            reviews: BTreeMap::new(),
        }
    }

    /// Whether the entry is the next one of the chain.
    fn step(&mut self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let seq = count(row, "seq")?;
        let (kind, facts) = (
            row.get_ref("kind")?.as_str()?,
            row.get_ref("facts")?.as_str()?,
        );
        let subject: Option<[u8; 16]> = row.get("subject")?;
        let (previous, found): ([u8; 32], [u8; 32]) = (row.get("previous")?, row.get("hash")?);
        let made = hash(&previous, seq, millis(row, "at")?, kind, subject, facts);
        let follows = self.previous.is_none_or(|before| before == previous);
        if seq != self.next || made != found || !follows {
            return Ok(false);
        }
        if seq == self.anchor.seq {
            self.met = made == self.anchor.head;
        }
        if let Some(subject) = subject
            && kind == EventKind::MemoryReviewed.name()
        {
            self.reviews.insert(subject, Anchor { seq, head: made });
        }
        (self.next, self.previous) = (seq.saturating_add(1), Some(made));
        Ok(true)
    }
}

fn anchor(row: &Row<'_>) -> rusqlite::Result<Anchor> {
    Ok(Anchor {
        seq: count(row, "seq")?,
        head: row.get("hash")?,
    })
}

fn journal_row(row: &Row<'_>) -> rusqlite::Result<JournalRow> {
    Ok(JournalRow {
        seq: count(row, "seq")?,
        at: millis(row, "at")?,
        kind: row.get("kind")?,
        subject: row.get("subject")?,
        facts: row.get("facts")?,
        previous: row.get("previous")?,
        hash: row.get("hash")?,
    })
}
