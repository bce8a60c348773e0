//! The batch door of search (CLI-06): one JSON line in, one out, in order.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for the `ms` of each answer.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use taffrail_domain::{Grade, MemoryId, Millis};
use taffrail_store::{NewTrace, ProjectRow, TraceSurface};

use super::search::{Answer, Found, Question, Searcher, new_trace, record};
use crate::redaction::{LINE_LIMIT, Refusal};
use crate::{App, AppError};

/// Recalls that wait to be put on record, at most.
const MOST_WAITING: usize = 256;

/// What holds for every line.
#[derive(Debug, Clone)]
pub struct Terms {
    /// What may be offered.
    pub grades: Vec<Grade>,
    /// Memories per answer.
    pub limit: usize,
    /// The time that ages are taken from.
    pub now: Millis,
    /// The project of lines that name none.
    pub project: Option<ProjectRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: serde_json::Value,
    query: String,
    project: Option<String>,
}

/// The answer to one line.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// What was found.
    Hits {
        /// The id of the line, as it came.
        id: serde_json::Value,
        /// The best, in order.
        hits: Vec<HitLine>,
        /// Milliseconds to read the question, rank and fetch.
        ms: f64,
    },
    /// The line was not understood, or its project is unknown.
    Refused {
        /// The id of the line where it has one.
        id: serde_json::Value,
        /// Why.
        error: Refusal,
    },
}

/// One memory of an answer.
#[derive(Debug, Serialize)]
pub struct HitLine {
    /// Its id.
    pub memory: String,
    /// The ids that it has elsewhere.
    pub source_ids: Vec<String>,
    /// Relevance times the factor of its age, 0 to 1.
    pub score: f64,
    /// What a person decided.
    pub status: &'static str,
    /// `quarantine`, where it stands apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shelf: Option<&'static str>,
    /// Whether it is so weak that nothing is known.
    pub below_floor: bool,
}

impl Answered {
    /// Whether the line was refused.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// A batch on its way.
pub struct Batch<'a> {
    app: &'a App,
    searcher: Searcher<'a>,
    terms: Terms,
    projects: BTreeMap<String, ProjectRow>,
    /// Traces of answers that were sent.
    waiting: Vec<NewTrace>,
}

impl<'a> Batch<'a> {
    /// A batch under these terms.
    pub fn new(app: &'a App, terms: Terms) -> Self {
        Self {
            app,
            searcher: Searcher::new(app),
            terms,
            projects: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Answers one line. The recall is put on record later, by [`Batch::settle`] or when many wait: a write of another
    /// connection takes the pages away that the next question would find in memory.
    ///
    /// # Errors
    /// What the store and `send` can give: a line that is not understood is an answer.
    pub fn answer(
        &mut self,
        line: &[u8],
        send: &mut dyn FnMut(&Answered) -> Result<(), AppError>,
    ) -> Result<bool, AppError> {
        let line = match parse(line) {
            Ok(line) => line,
            Err(refused) => return send(&refused).map(|()| true),
        };
        let project = match self.project(line.project.as_deref()) {
            Ok(project) => project,
            Err(error @ AppError::Store(_)) => {
                let code = error.code().row().name;
                let message = error.to_string();
                let refused = refuse(line.id, code, message);
                return send(&refused).map(|()| true);
            }
            Err(error) => return Err(error),
        };
        let begun = Instant::now();
        let question = Question {
            query: &line.query,
            project: project.as_ref(),
            grades: &self.terms.grades,
            limit: self.terms.limit,
            now: self.terms.now,
        };
        let answer = self.searcher.search(&question)?;
        let microseconds = u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX);
        let ms = f64::from(microseconds) / 1_000.0;
        send(&Answered::Hits {
            id: line.id,
            hits: hits(&answer),
            ms,
        })?;
        let new = new_trace(self.app, TraceSurface::Search, &question, &answer, None)?;
        self.waiting.push(new);
        if self.waiting.len() >= MOST_WAITING {
            self.settle()?;
        }
        Ok(false)
    }

    /// Puts every recall on record that was answered: when no line is waiting for its answer, and at the end.
    ///
    /// # Errors
    /// What the store can give.
    pub fn settle(&mut self) -> Result<(), AppError> {
        std::mem::take(&mut self.waiting)
            .iter()
            .try_for_each(|new| record(self.app, new))
    }

    fn project(&mut self, name: Option<&str>) -> Result<Option<ProjectRow>, AppError> {
        let Some(name) = name else {
            return Ok(self.terms.project.clone());
        };
        if let Some(known) = self.projects.get(name) {
            return Ok(Some(known.clone()));
        }
        let row = self.app.required_project(Some(name))?;
        self.projects.insert(name.to_owned(), row.clone());
        Ok(Some(row))
    }
}

/// What was found, as lines of an answer.
pub fn hits(answer: &Answer) -> Vec<HitLine> {
    answer.found.iter().map(hit).collect()
}

fn hit(found: &Found) -> HitLine {
    let shelf = found.row.shelf;
    HitLine {
        memory: MemoryId::short(&found.row.id),
        source_ids: found.row.foreign_ids.clone(),
        score: found.hit.score,
        status: found.row.status.name(),
        shelf: (shelf == taffrail_domain::Shelf::Quarantine).then(|| shelf.name()),
        below_floor: found.hit.below_floor,
    }
}

fn parse(line: &[u8]) -> Result<Line, Answered> {
    if line.len() > LINE_LIMIT {
        let message = format!(
            "the line has {} bytes, the limit is {LINE_LIMIT}",
            line.len()
        );
        return Err(refuse(serde_json::Value::Null, "usage", message));
    }
    serde_json::from_slice::<Line>(line).map_err(|error| {
        let id = serde_json::from_slice::<serde_json::Value>(line)
            .ok()
            .and_then(|value| value.get("id").cloned());
        let message = format!("the line is not {{\"id\",\"query\",\"project\"?}}: {error}");
        refuse(id.unwrap_or_default(), "usage", message)
    })
}

fn refuse(id: serde_json::Value, code: &'static str, message: String) -> Answered {
    Answered::Refused {
        id,
        error: Refusal { code, message },
    }
}
