//! The score: relevance times a bounded factor of age (REC-02).
//!
//! Relevance is BM25 over weighted columns (BM25F) with the always positive idf of Lucene, so that it is sound for one,
//! two or three rows. Knows nothing of where documents come from.

mod document;
mod kinds;

pub use document::{Columns, Document, Packed, hash, pack};
pub use kinds::Kinds;

use taffrail_domain::{MemoryType, Millis};

/// A day in milliseconds.
const DAY: f64 = 86_400_000.0;

/// What the score is made of. The default is what the project's own retrieval set and dated dialogues chose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranking {
    /// Weight of a term by column.
    pub weights: Columns<f32>,
    /// How much a column's length counts against it, 0 to 1.
    pub length: Columns<f32>,
    /// How soon repeating a term stops adding; larger is later.
    pub saturation: f32,
    /// Days after which the fading part of a factor has halved.
    pub half_life_days: f64,
    /// What is left of relevance however old a row is, for types that fade a little.
    pub floor: f64,
    /// Types from which age takes nothing.
    pub ageless: Kinds,
    /// Types from which age takes everything in the end.
    pub fading: Kinds,
    /// Most rows that are scored for one question: those that match most of its weight (REC-04).
    pub candidates: usize,
    /// Most postings that are read to find them, rarest term first; the rarest term is read in any case.
    pub postings: usize,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            weights: Columns {
                summary: 0.5,
                content: 1.0,
                near: 0.5,
                far: 0.25,
            },
            length: Columns {
                summary: 0.5,
                content: 0.7,
                near: 0.5,
                far: 0.5,
            },
            saturation: 1.2,
            half_life_days: 30.0,
            floor: 0.7,
            ageless: Kinds::of(&[MemoryType::Constraint, MemoryType::Decision]),
            fading: Kinds::of(&[MemoryType::WorkLog, MemoryType::OpenQuestion]),
            candidates: 400,
            postings: 10_000,
        }
    }
}

impl Ranking {
    /// What age leaves of relevance: nothing is taken from an ageless type, everything in the end from a fading one, and
    /// at most `1 - floor` from the others. A type that is both is ageless.
    pub fn factor(&self, kind: MemoryType, dated: Millis, now: Millis) -> f64 {
        if self.ageless.holds(kind) {
            return 1.0;
        }
        let days = now.0.saturating_sub(dated.0).max(0) as f64 / DAY;
        let faded = 0.5_f64.powf(days / self.half_life_days.max(f64::MIN_POSITIVE));
        if self.fading.holds(kind) {
            faded
        } else {
            self.floor + (1.0 - self.floor) * faded
        }
    }
}

/// How much a term tells: Lucene's form, positive for every count.
pub fn idf(rows: u64, with_term: u64) -> f64 {
    let (rows, with_term) = (rows as f64, with_term.min(rows) as f64);
    (1.0 + (rows - with_term + 0.5) / (with_term + 0.5)).ln()
}

/// A term that is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sought {
    /// Its [`hash`].
    pub hash: u32,
    /// Its [`idf`] over all that is searched.
    pub idf: f32,
}

/// Scores documents against one question.
#[derive(Debug, Clone)]
pub struct Scorer {
    sought: Vec<Sought>,
    weights: Columns<f32>,
    /// Per column: what stays of the norm for an empty column, and what each term of length adds.
    norms: Columns<(f32, f32)>,
    saturation: f32,
}

impl Scorer {
    /// A scorer for these terms over documents with these average lengths.
    pub fn new(ranking: &Ranking, mut sought: Vec<Sought>, average: Columns<f32>) -> Self {
        sought.sort_unstable_by_key(|term| term.hash);
        let norm = |length: f32, average: f32| (1.0 - length, length / average.max(1.0));
        Self {
            sought,
            weights: ranking.weights,
            norms: ranking.length.zip(average, norm),
            saturation: ranking.saturation,
        }
    }

    /// The sum over the terms of idf times a saturating count: at most the sum of the idfs.
    pub fn relevance(&self, document: Packed<'_>) -> f64 {
        let lengths = document.lengths();
        let gain = self.norms.zip(lengths, |(base, per_term), length| {
            1.0 / per_term.mul_add(f32::from(length), base).max(0.05)
        });
        let gain = gain.zip(self.weights, |gain, weight| gain * weight);
        let mut terms = document.terms();
        let mut current = terms.next();
        let mut sum = 0.0_f32;
        for term in &self.sought {
            while current.is_some_and(|(hash, _)| hash < term.hash) {
                current = terms.next();
            }
            if let Some((hash, counts)) = current
                && hash == term.hash
            {
                let counted = counts.zip(gain, |count, gain| f32::from(count) * gain);
                let weighted = counted.summary + counted.content + counted.near + counted.far;
                sum += term.idf * weighted / (weighted + self.saturation);
            }
        }
        f64::from(sum)
    }
}

#[cfg(test)]
mod tests;
