//! Why a memory was not offered (REC-07).

use taffrail_domain::{Grade, Millis};

use super::search::Plan;
use super::{Index, Request, recall};

/// The filter or rank that kept a memory out, in the order in which they apply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Absence {
    /// It is not in the index: its status, lifecycle or bits take it out, or it does not exist.
    NotIndexed,
    /// It belongs to another project.
    OtherScope {
        /// The project it belongs to; none for a personal one.
        project: Option<i64>,
    },
    /// Rows of its grade were not asked for.
    GradeNotAsked {
        /// Its grade.
        grade: Grade,
    },
    /// Its time was over.
    Stale {
        /// Since when.
        since: Millis,
    },
    /// The question has no word that is looked for.
    NoTerms,
    /// It has no word of the question.
    NothingShared,
    /// It shares only common words, and enough rows with rarer ones came before.
    NotACandidate {
        /// What it would have scored.
        score: f64,
        /// Rows that were scored.
        scored: usize,
    },
    /// It was ranked past the limit.
    PastLimit {
        /// Its place, from 1.
        rank: usize,
        /// Its score.
        score: f64,
        /// The score of the last row within the limit.
        needed: f64,
    },
    /// It is among the rows offered; whoever asked for them dropped it afterwards (a seal, a budget).
    Offered {
        /// Its place, from 1.
        rank: usize,
        /// Its score.
        score: f64,
    },
}

/// Says what kept a memory out of the answer to a question.
///
/// # Errors
/// What the index returns.
pub fn explain_absence<I: Index>(
    index: &I,
    request: &Request<'_>,
    memory: i64,
) -> Result<Absence, I::Error> {
    let plan = Plan::of(index, request)?;
    let mut found = None;
    index.row(memory, &mut |entry| {
        let stale = entry.stale_after.filter(|_| entry.is_stale(request.now));
        found = Some((entry.key, stale, plan.hit(&entry, request)));
    })?;
    let Some((key, stale, hit)) = found else {
        return Ok(Absence::NotIndexed);
    };
    let (grade, project) = (key.partition().grade(), key.partition().project());
    if project.is_some() && project != request.project {
        return Ok(Absence::OtherScope { project });
    }
    if !request.grades.contains(&grade) {
        return Ok(Absence::GradeNotAsked { grade });
    }
    if let Some(since) = stale {
        return Ok(Absence::Stale { since });
    }
    if plan.is_without_terms() {
        return Ok(Absence::NoTerms);
    }
    if hit.relevance <= 0.0 {
        return Ok(Absence::NothingShared);
    }
    ranked(index, request, memory, hit.score)
}

/// Where it stands among all that is scored.
fn ranked<I: Index>(
    index: &I,
    request: &Request<'_>,
    memory: i64,
    score: f64,
) -> Result<Absence, I::Error> {
    let all = Request {
        limit: request.ranking.candidates,
        ..*request
    };
    let recalled = recall(index, &all)?;
    let needed = recalled
        .hits
        .get(request.limit.saturating_sub(1))
        .map_or(0.0, |last| last.score);
    let scored = recalled.scored;
    Ok(
        match recalled.hits.iter().find(|hit| hit.memory == memory) {
            None => Absence::NotACandidate { score, scored },
            Some(hit) if hit.rank > request.limit => Absence::PastLimit {
                rank: hit.rank,
                score,
                needed,
            },
            Some(hit) => Absence::Offered {
                rank: hit.rank,
                score,
            },
        },
    )
}
