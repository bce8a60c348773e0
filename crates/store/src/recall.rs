//! The recall index in the database: lists of memories by term, packed terms beside them, counts kept by us (REC-04).
//!
//! Three ordinary tables. FTS5 was measured first: about 1 µs for each row of a list, so 1,000 candidates already cost what a
//! whole question may; its words stay in the file after a delete; and clients with an older SQLite cannot open a table that
//! can forget. Knows nothing of reviews or seals: whoever changes a memory says what is in the index, in the same
//! transaction.

#[cfg(feature = "bench")]
mod bench;
mod check;
mod near;
mod postings;
mod search;
mod tail;
mod write;

pub(crate) use check::{check, rebuild};
pub(crate) use near::near_candidates;
pub(crate) use search::TableIndex;
pub(crate) use write::{IndexRow, put, put_many, remove};

use taffrail_memory::recall::{Absence, Recalled, Request, explain_absence, recall};

use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// Answers a question over the rows that may be recalled. Seals are not looked at: the caller drops rows whose seal
    /// does not verify and goes on down `hits`, which holds up to four times the limit.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn recall(&self, request: &Request<'_>) -> Result<Recalled, StoreError> {
        let (recalled, tail) = self.read(|conn| {
            let index = TableIndex::new(conn);
            Ok((recall(&index, request)?, index.longest_tail()))
        })?;
        if tail > 4 * tail::SHORT {
            // An import that was cut off left it; the next search is quicker. A lock that somebody holds is no failure.
            drop(self.settle_recall());
        }
        Ok(recalled)
    }

    /// Puts what was written last into the lists of the index: at the end of an import, so that the next search does not
    /// read it row by row.
    ///
    /// # Errors
    /// As for every write.
    pub fn settle_recall(&self) -> Result<(), StoreError> {
        self.write(Durability::Normal, |transaction| {
            tail::settle(transaction, 0)
        })
    }

    /// The filter or rank that keeps a memory, by its number, out of the answer to a question.
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn explain_absence(
        &self,
        request: &Request<'_>,
        memory: i64,
    ) -> Result<Absence, StoreError> {
        self.read(|conn| explain_absence(&TableIndex::new(conn), request, memory))
    }

    /// Approved memories of the scope that share rare words with the text, best first (MEM-05).
    ///
    /// # Errors
    /// `Busy`, `Damaged`, `Io`.
    pub fn near_candidates(
        &self,
        project: Option<i64>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<i64>, StoreError> {
        self.read(|conn| near_candidates(conn, project, text, limit))
    }
}

#[cfg(test)]
mod quality_tests;
#[cfg(test)]
mod tests;
