//! Recall over an index: filter first, then rank, then limit (REC-01, REC-04, REC-08).
//!
//! What is asked of an index stands in [`Index`]; the store has one over its tables, and [`MemoryIndex`] is one in memory.
//! Knows nothing of texts, seals or reviews: it ranks keys.

mod absence;
mod in_memory;
mod key;
mod search;

pub use absence::{Absence, explain_absence};
pub use in_memory::{IndexedRow, MemoryIndex};
pub use key::{Partition, RowKey};
pub use search::recall;

use std::ops::ControlFlow;

use taffrail_domain::{Grade, MemoryType, Millis};

use crate::rank::{Columns, Packed, Ranking};

/// Relevance below which nothing is known (REC-08): 95 % of the questions of the project's own retrieval set that no
/// row answers have no row above it. Printed by `cargo bench -p taffrail-store --bench recall`.
pub const FLOOR: f64 = 0.26;
/// Ranked rows are kept up to this many times the limit, for a caller who drops some afterwards (a seal that does not
/// verify).
pub const OVERFETCH: usize = 4;

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The project's number; none means personal rows only. Personal rows are always searched too.
    pub project: Option<i64>,
    /// Which grades may be offered.
    pub grades: &'a [Grade],
    /// The words, any text.
    pub query: &'a str,
    /// Rows wanted.
    pub limit: usize,
    /// The time that ages are counted to.
    pub now: Millis,
    /// How rows are scored.
    pub ranking: Ranking,
}

impl Request<'_> {
    /// The partitions that are searched: every grade of the project and of the personal rows.
    pub fn partitions(&self) -> Vec<Partition> {
        let mut found: Vec<Partition> = Vec::with_capacity(6);
        for grade in self.grades {
            found.push(Partition::new(*grade, None));
            if self.project.is_some() {
                found.push(Partition::new(*grade, self.project));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What a partition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Rows.
    pub rows: u64,
    /// Terms in each column of all rows.
    pub lengths: Columns<u64>,
}

/// A row as an index hands it out.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Grade, project and memory.
    pub key: RowKey,
    /// Its type.
    pub kind: MemoryType,
    /// When it was said or last confirmed, whichever is later.
    pub dated: Millis,
    /// After this it is not recalled.
    pub stale_after: Option<Millis>,
    /// Its terms.
    pub packed: Packed<'a>,
}

impl Entry<'_> {
    /// Whether its time is over.
    pub fn is_stale(&self, now: Millis) -> bool {
        self.stale_after.is_some_and(|end| end <= now)
    }
}

/// What recall asks. Rows of other partitions than the one named never appear.
pub trait Index {
    /// What can go wrong below.
    type Error;

    /// What the partition holds; zeros for an unknown one.
    ///
    /// # Errors
    /// Whatever lies below.
    fn statistics(&self, partition: Partition) -> Result<Statistics, Self::Error>;

    /// In how many rows of the partition each term stands, in the order of the terms.
    ///
    /// # Errors
    /// Whatever lies below.
    fn frequencies(&self, partition: Partition, terms: &[String]) -> Result<Vec<u64>, Self::Error>;

    /// Hands out the memories of the partition that have the term, in any order, until `take` breaks. The term was counted
    /// by `frequencies` before.
    ///
    /// # Errors
    /// Whatever lies below.
    fn postings(
        &self,
        partition: Partition,
        term: &str,
        take: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// Hands out the rows with these keys that there are, in the order of the keys.
    ///
    /// # Errors
    /// Whatever lies below.
    fn rows(&self, keys: &[RowKey], take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Self::Error>;

    /// Hands out the one row of a memory, if it is in the index, whatever its partition.
    ///
    /// # Errors
    /// Whatever lies below.
    fn row(&self, memory: i64, take: &mut dyn FnMut(Entry<'_>)) -> Result<(), Self::Error>;
}

/// A row that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The memory's number.
    pub memory: i64,
    /// The grade it was found under.
    pub grade: Grade,
    /// Whether it is a personal row.
    pub personal: bool,
    /// Share of the question's weight that the row matches, 0 to 1.
    pub relevance: f64,
    /// What age leaves of it, 0 to 1.
    pub factor: f64,
    /// Relevance times factor: the order.
    pub score: f64,
    /// Its place, from 1.
    pub rank: usize,
    /// Whether its relevance is below [`FLOOR`].
    pub below_floor: bool,
}

/// Why a row that was looked at is not among the first `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// Its `stale_after` had passed.
    Stale,
    /// Others scored higher.
    PastLimit,
}

impl Exclusion {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::PastLimit => "past_limit",
        }
    }
}

/// A row that was looked at and is not offered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Considered {
    /// The row and its scores; its rank is among all that was scored, 0 for a row that was not.
    pub hit: Hit,
    /// Why not.
    pub excluded: Exclusion,
}

/// A term of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term.
    pub term: String,
    /// Rows with it, in all that was searched.
    pub rows: u64,
    /// What it tells.
    pub idf: f64,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// The best rows, by score, then by memory; up to `limit` times [`OVERFETCH`]. A caller who drops none shows the first
    /// `limit`; one who drops some after ranking goes on down the list.
    pub hits: Vec<Hit>,
    /// Rows that were looked at and did not make `limit`: stale ones, and the best of the rest; at most 50.
    pub considered: Vec<Considered>,
    /// The terms that were looked for, rarest first.
    pub terms: Vec<QueryTerm>,
    /// Terms of the question that no row has.
    pub unknown: Vec<String>,
    /// Rows in all that was searched.
    pub rows: u64,
    /// Rows that were scored.
    pub scored: usize,
    /// Whether nothing scored reaches the floor: nothing is known (REC-08).
    pub nothing_known: bool,
}

#[cfg(test)]
mod tests;
