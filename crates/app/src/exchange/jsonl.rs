//! `taffrail memory import --jsonl`: lines in, one answer each, in order (CLI-06).

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use taffrail_domain::{Channel, ErrorCode, ProjectId, Provenance, Source};
use taffrail_memory::draft::{Blocked, Context, Draft, Scope};
use taffrail_store::{Outcome, ProjectName, StoreError, Written};

use super::line::{self, Line, Misread};
use crate::memory::write::write_all;
use crate::redaction::Refusal;
use crate::{App, AppError};

/// Lines that are written in one transaction.
pub const BATCH: usize = 500;

/// The answer to one line.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// It was taken, or the guardrails refused it.
    Taken {
        /// The id of the line, as it came.
        id: Value,
        /// The memory that holds what it says; none where it was blocked.
        memory: Option<String>,
        /// `new`, `repeat` or `blocked`.
        status: &'static str,
        /// Why it was blocked.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The line was not understood, or could not be written.
    Refused {
        /// The id of the line where it has one.
        id: Value,
        /// Why.
        error: Refusal,
    },
}

impl Answer {
    /// Whether the line erred. A line that the guardrails blocked was answered, and did not.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// An import of lines.
pub struct Import<'a> {
    app: &'a App,
    /// Makes the projects that lines name and that are not there.
    create_projects: bool,
    /// The name of the import: the same text from two imports is two witnesses.
    run: Option<String>,
    projects: HashMap<String, ProjectId>,
}

impl<'a> Import<'a> {
    /// An import that nothing came in by yet.
    pub fn new(app: &'a App, create_projects: bool, run: Option<&str>) -> Self {
        Self {
            app,
            create_projects,
            run: run.map(str::to_owned),
            projects: HashMap::new(),
        }
    }

    /// The answers to these lines, in order. What is answered is on record.
    pub fn answer(&mut self, lines: &[Vec<u8>]) -> Vec<Answer> {
        let mut slots: Vec<Slot> = lines.iter().map(|line| self.slot(line)).collect();
        let drafts = slots.iter_mut().filter_map(|slot| slot.draft.take());
        let drafts: Vec<Draft> = drafts.collect();
        let mut written = self.write(drafts).into_iter();
        let answer = |slot: Slot| match slot.refusal {
            Some(error) => Answer::Refused { id: slot.id, error },
            None => match written.next() {
                Some(done) => taken(slot.id, done),
                None => refused(
                    slot.id,
                    ErrorCode::Internal,
                    "the line was not written".to_owned(),
                ),
            },
        };
        slots.into_iter().map(answer).collect()
    }

    /// No more lines come: what was written goes into the lists of the recall index.
    ///
    /// # Errors
    /// What the store can give; everything that was answered is on record whatever it says.
    pub fn finish(self) -> Result<(), AppError> {
        Ok(self.app.store.settle_recall()?)
    }

    fn slot(&mut self, bytes: &[u8]) -> Slot {
        let bytes_limit = crate::redaction::LINE_LIMIT;
        if bytes.len() > bytes_limit {
            let message = format!("the line has more than {bytes_limit} bytes");
            return Slot::refused(Value::Null, ErrorCode::Usage, message);
        }
        let line = match line::read(bytes) {
            Ok(line) => line,
            Err(Misread { id, message }) => return Slot::refused(id, ErrorCode::Usage, message),
        };
        match self.scope(line.project.as_deref()) {
            Ok(scope) => Slot {
                id: line.id.clone(),
                refusal: None,
                draft: Some(self.draft(line, scope)),
            },
            Err(error) => Slot::refused(line.id, error.code(), error.to_string()),
        }
    }

    fn scope(&mut self, project: Option<&str>) -> Result<Scope, AppError> {
        let Some(name) = project else {
            return Ok(Scope::Personal);
        };
        if let Some(id) = self.projects.get(name) {
            return Ok(Scope::Project(*id));
        }
        let id = match self.app.store.project_by_name(name)? {
            Some(row) => row.id,
            None if self.create_projects => {
                let name = ProjectName::new(&self.app.redactor.clean(name))?;
                let id = crate::projects::new_id(self.app)?;
                self.app.store.add_project(id, &name, &[])?.id
            }
            None => {
                let (what, asked) = ("project", name.to_owned());
                return Err(StoreError::NotFound { what, asked }.into());
            }
        };
        self.projects.insert(name.to_owned(), id);
        Ok(Scope::Project(id))
    }

    fn draft(&self, line: Line, scope: Scope) -> Draft {
        let mut draft = Draft::new(scope, line.kind, line.content, Channel::Import);
        draft.provenance = Provenance::Imported;
        draft.summary = Some(line.summary);
        draft.context = Context {
            before: line.before,
            after: line.after,
        };
        draft.source_refs = line.source_refs;
        draft.created = line.created;
        draft.foreign_ids = vec![line.foreign_id];
        draft.source = Source {
            runtime: "import".to_owned(),
            task: self.run.clone(),
            ..Source::default()
        };
        draft
    }

    /// Together in one transaction; where that fails, each by itself, so that one line does not take others with it.
    fn write(&self, drafts: Vec<Draft>) -> Vec<Result<Result<Written, Blocked>, AppError>> {
        if drafts.is_empty() {
            return Vec::new();
        }
        match write_all(self.app, drafts.clone()) {
            Ok(written) => written.into_iter().map(Ok).collect(),
            Err(_) => drafts
                .into_iter()
                .map(|draft| self.write_one(draft))
                .collect(),
        }
    }

    fn write_one(&self, draft: Draft) -> Result<Result<Written, Blocked>, AppError> {
        let mut written = write_all(self.app, vec![draft])?;
        written.pop().ok_or_else(|| {
            let (what, asked) = ("memory", "the line".to_owned());
            StoreError::NotFound { what, asked }.into()
        })
    }
}

/// A line on its way: understood and with a draft, or refused.
struct Slot {
    id: Value,
    refusal: Option<Refusal>,
    draft: Option<Draft>,
}

impl Slot {
    fn refused(id: Value, code: ErrorCode, message: String) -> Self {
        let code = code.row().name;
        Self {
            id,
            refusal: Some(Refusal { code, message }),
            draft: None,
        }
    }
}

fn refused(id: Value, code: ErrorCode, message: String) -> Answer {
    let code = code.row().name;
    let error = Refusal { code, message };
    Answer::Refused { id, error }
}

fn taken(id: Value, done: Result<Result<Written, Blocked>, AppError>) -> Answer {
    let (memory, status, reason) = match done {
        Err(error) => return refused(id, error.code(), error.to_string()),
        Ok(Err(blocked)) => (None, "blocked", Some(blocked.to_string())),
        Ok(Ok(written)) => (Some(written.memory.short()), status(written.outcome), None),
    };
    Answer::Taken {
        id,
        memory,
        status,
        reason,
    }
}

/// The word for what became of a draft that was let through.
pub(super) const fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::New => "new",
        Outcome::Repeat { .. } => "repeat",
    }
}
