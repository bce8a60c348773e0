//! Plan, gather, score, cut.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;

use crate::rank::{Columns, Scorer, Sought, hash, idf};
use crate::token::{self, QUERY_TERMS};

use super::{
    Considered, Entry, Exclusion, FLOOR, Hit, Index, OVERFETCH, Partition, QueryTerm, Recalled,
    Request, RowKey, Statistics,
};

/// Rows kept with the reason why they are not offered.
const CONSIDERED: usize = 50;
/// The heaviest terms of a question that a full match is measured by: a long message is not about all its words.
const WEIGHED_TERMS: usize = 12;

/// Answers a question: the rows of the partitions asked for, ranked, cut to the limit.
///
/// # Errors
/// What the index returns.
pub fn recall<I: Index>(index: &I, request: &Request<'_>) -> Result<Recalled, I::Error> {
    let plan = Plan::of(index, request)?;
    let gathered = plan.gather(index, request)?;
    Ok(plan.answer(gathered, request))
}

/// What the question looks for, and where.
pub(super) struct Plan {
    partitions: Vec<Partition>,
    rows: u64,
    terms: Vec<QueryTerm>,
    /// For each term, its rows in each partition.
    spread: Vec<Vec<u64>>,
    unknown: Vec<String>,
    scorer: Scorer,
    /// What a full match weighs.
    whole: f64,
}

/// What was looked at.
#[derive(Default)]
struct Gathered {
    scored: Vec<Hit>,
    stale: Vec<Hit>,
}

impl Plan {
    pub(super) fn of<I: Index>(index: &I, request: &Request<'_>) -> Result<Self, I::Error> {
        let mut partitions = Vec::new();
        let mut total = Statistics::default();
        for partition in request.partitions() {
            let found = index.statistics(partition)?;
            if found.rows > 0 {
                partitions.push(partition);
                total.rows += found.rows;
                total.lengths = total.lengths.zip(found.lengths, |sum, more| sum + more);
            }
        }
        let query = if partitions.is_empty() {
            Vec::new()
        } else {
            token::query_terms(request.query)
        };
        let mut counts: Vec<Vec<u64>> = vec![Vec::with_capacity(partitions.len()); query.len()];
        for partition in &partitions {
            let found = index.frequencies(*partition, &query)?;
            for (spread, rows) in counts.iter_mut().zip(found) {
                spread.push(rows);
            }
        }
        Ok(Self::with_counts(request, partitions, total, query, counts))
    }

    fn with_counts(
        request: &Request<'_>,
        partitions: Vec<Partition>,
        total: Statistics,
        query: Vec<String>,
        counts: Vec<Vec<u64>>,
    ) -> Self {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for (term, spread) in query.into_iter().zip(counts) {
            let rows: u64 = spread.iter().sum();
            if rows == 0 {
                unknown.push(term);
            } else {
                let idf = idf(total.rows, rows);
                known.push((QueryTerm { term, rows, idf }, spread));
            }
        }
        // Stable: words of equal rarity keep the order of the question.
        known.sort_by_key(|(term, _)| term.rows);
        known.truncate(QUERY_TERMS);
        let (terms, spread): (Vec<_>, Vec<_>) = known.into_iter().unzip();
        let per_row = |sum: u64| sum as f32 / total.rows.max(1) as f32;
        let average = total
            .lengths
            .zip(Columns::<()>::default(), |sum, ()| per_row(sum));
        let sought = terms.iter().map(|term: &QueryTerm| Sought {
            hash: hash(&term.term),
            idf: term.idf as f32,
        });
        Self {
            scorer: Scorer::new(&request.ranking, sought.collect(), average),
            whole: whole_weight(&terms, unknown.len()),
            partitions,
            rows: total.rows,
            terms,
            spread,
            unknown,
        }
    }

    /// Whether nothing can be looked for.
    pub(super) fn is_without_terms(&self) -> bool {
        self.terms.is_empty()
    }

    /// Scores one row.
    pub(super) fn hit(&self, entry: &Entry<'_>, request: &Request<'_>) -> Hit {
        let partition = entry.key.partition();
        let weight = self.scorer.relevance(entry.packed);
        let relevance = if self.whole > 0.0 {
            (weight / self.whole).min(1.0)
        } else {
            0.0
        };
        let factor = request.ranking.factor(entry.kind, entry.dated, request.now);
        Hit {
            memory: entry.key.memory(),
            grade: partition.grade(),
            personal: partition.project().is_none(),
            relevance,
            factor,
            score: relevance * factor,
            rank: 0,
            below_floor: relevance < FLOOR,
        }
    }

    /// Reads postings rarest term first, then scores the rows that match the most weight so far.
    fn gather<I: Index>(&self, index: &I, request: &Request<'_>) -> Result<Gathered, I::Error> {
        let weights = self.weigh(index, request)?;
        let keys = heaviest(weights, request.ranking.candidates);
        let mut gathered = Gathered::default();
        index.rows(&keys, &mut |entry| {
            let hit = self.hit(&entry, request);
            if entry.is_stale(request.now) {
                gathered.stale.push(hit);
            } else {
                gathered.scored.push(hit);
            }
        })?;
        Ok(gathered)
    }

    /// For each row that was met, the sum of the idfs of the terms that it has.
    fn weigh<I: Index>(&self, index: &I, request: &Request<'_>) -> Result<Weights, I::Error> {
        let mut weights = Weights::default();
        let mut room = request.ranking.postings as u64;
        for (at, (term, spread)) in self.terms.iter().zip(&self.spread).enumerate() {
            if at > 0 && term.rows > room {
                break;
            }
            room = room.saturating_sub(term.rows);
            let mut left = request.ranking.postings;
            let places = self.partitions.iter().zip(spread);
            for (partition, _) in places.filter(|(_, rows)| **rows > 0) {
                index.postings(*partition, &term.term, &mut |memory| {
                    *weights.entry(partition.key(memory)).or_default() += term.idf as f32;
                    left = left.saturating_sub(1);
                    if left > 0 {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })?;
            }
        }
        Ok(weights)
    }

    fn answer(self, gathered: Gathered, request: &Request<'_>) -> Recalled {
        let Gathered { mut scored, stale } = gathered;
        let count = scored.len();
        let kept = request
            .limit
            .saturating_mul(OVERFETCH)
            .max(request.limit.saturating_add(CONSIDERED));
        if kept < count {
            scored.select_nth_unstable_by(kept, order);
            scored.truncate(kept);
        }
        scored.sort_unstable_by(order);
        for (rank, hit) in (1..).zip(&mut scored) {
            hit.rank = rank;
        }
        let with = |excluded| {
            move |hit: &Hit| Considered {
                hit: *hit,
                excluded,
            }
        };
        let considered = stale.iter().map(with(Exclusion::Stale)).chain(
            scored
                .iter()
                .skip(request.limit)
                .map(with(Exclusion::PastLimit)),
        );
        let considered = considered.take(CONSIDERED).collect();
        let nothing_known = scored.iter().all(|hit| hit.below_floor);
        scored.truncate(request.limit.saturating_mul(OVERFETCH));
        Recalled {
            hits: scored,
            considered,
            terms: self.terms,
            unknown: self.unknown,
            rows: self.rows,
            scored: count,
            nothing_known,
        }
    }
}

/// Sums by row. Keys are our own numbers, so the hash only has to spread them.
type Weights = HashMap<RowKey, f32, BuildHasherDefault<Spread>>;

/// One multiplication, with the upper half folded down: the table uses both ends of a hash.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The keys of the rows with most weight, newer ones first among equals, in the order of the keys.
fn heaviest(weights: Weights, count: usize) -> Vec<RowKey> {
    let mut found: Vec<(RowKey, f32)> = weights.into_iter().collect();
    if count < found.len() {
        let heavier = |one: &(RowKey, f32), other: &(RowKey, f32)| {
            other.1.total_cmp(&one.1).then(other.0.cmp(&one.0))
        };
        found.select_nth_unstable_by(count, heavier);
        found.truncate(count);
    }
    let mut keys: Vec<RowKey> = found.into_iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys
}

/// The weight of a row that matches the heaviest terms fully. A word that no row has weighs like the rarest that one has.
fn whole_weight(terms: &[QueryTerm], unknown: usize) -> f64 {
    let heaviest = terms.first().map_or(0.0, |term| term.idf);
    let unknown = unknown.min(WEIGHED_TERMS);
    let known = terms
        .iter()
        .take(WEIGHED_TERMS - unknown)
        .map(|term| term.idf);
    known.sum::<f64>() + heaviest * unknown as f64
}

/// By score, ties by memory.
pub(super) fn order(one: &Hit, other: &Hit) -> std::cmp::Ordering {
    other
        .score
        .total_cmp(&one.score)
        .then(one.memory.cmp(&other.memory))
}
