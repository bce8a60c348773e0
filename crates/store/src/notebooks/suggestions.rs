//! Entries that a tool, a workflow or a program wants in a notebook: they wait for a person (NB-03).

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{Channel, Millis, ProjectId, Source, SuggestionId, id_prefix};
use taffrail_memory::journal::{EventKind, Facts, KeyedHash};
use taffrail_redact::Clean;

use super::{MadeBy, Put, Saved, new_salt};
use crate::convert::{Fault, millis, parsed, senseless};
use crate::projects::project_seq;
use crate::writer::Durability;
use crate::{Store, StoreError, journal};

/// Suggestions of one project that may wait at once: more than a person reads is a flood.
pub const SUGGESTIONS_OPEN: u32 = 1_000;

/// Where a suggestion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionState {
    /// Nobody has decided.
    Open,
    /// It is in the notebook.
    Accepted,
    /// A person did not want it.
    Dismissed,
}

impl SuggestionState {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Dismissed => "dismissed",
        }
    }
}

impl std::str::FromStr for SuggestionState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Open, Self::Accepted, Self::Dismissed]
            .into_iter()
            .find(|word| word.name() == text)
            .ok_or_else(|| format!("`{text}` is no state of a suggestion"))
    }
}

/// A suggestion to be.
#[derive(Debug, Clone)]
pub struct NewSuggestion<'a> {
    /// Its id.
    pub id: SuggestionId,
    /// Whose notebook.
    pub project: ProjectId,
    /// The section it is for.
    pub section: &'a Clean,
    /// The entry, one line.
    pub entry: &'a Clean,
    /// By which door it came.
    pub channel: Channel,
    /// Who wrote it: a [`Source`] as redacted JSON.
    pub source: &'a Clean,
}

/// A suggestion on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionRow {
    /// Its id.
    pub id: SuggestionId,
    /// Whose notebook.
    pub project: ProjectId,
    /// The section it is for.
    pub section: String,
    /// The entry, one line.
    pub entry: String,
    /// By which door it came.
    pub channel: Channel,
    /// Who wrote it.
    pub source: Source,
    /// Where it stands.
    pub state: SuggestionState,
    /// When it arrived.
    pub at: Millis,
    /// When a person decided.
    pub decided_at: Option<Millis>,
}

/// What a person decides about a suggestion.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It goes into the notebook.
    Accept {
        /// The version of the notebook that the person saw.
        expected_version: u64,
        /// The whole document with the entry in it.
        content: Clean,
    },
    /// It does not.
    Dismiss,
}

/// What became of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// The entry is in the notebook, or was, or the document was changed meanwhile and nothing was done.
    Notebook(Saved),
    /// It was dismissed.
    Dismissed,
}

impl Store {
    /// Puts a suggestion beside a notebook. The same entry for the same section that already waits is not stored
    /// twice: its id comes back.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; `Limit` when [`SUGGESTIONS_OPEN`] wait; `IdTaken`.
    pub fn suggest(&self, suggestion: &NewSuggestion<'_>) -> Result<SuggestionId, StoreError> {
        let insert = Insert {
            id: suggestion.id,
            project: suggestion.project,
            section: suggestion.section.as_str().to_owned(),
            entry: suggestion.entry.as_str().to_owned(),
            channel: suggestion.channel,
            source: suggestion.source.as_str().to_owned(),
            salt: new_salt(self)?,
            now: self.now(),
        };
        self.write(Durability::Full, move |transaction| insert.run(transaction))
    }

    /// The suggestions of a project in that state, oldest first; of every state with none.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn suggestions(
        &self,
        project: &ProjectId,
        state: Option<SuggestionState>,
    ) -> Result<Vec<SuggestionRow>, StoreError> {
        self.read(|conn| {
            let seq = project_seq(conn, project)?;
            let mut statement = conn.prepare_cached(
                "SELECT s.*, p.id AS project_id FROM notebook_suggestions s JOIN projects p ON p.seq = s.project
                 WHERE s.project = ?1 AND (?2 IS NULL OR s.state = ?2) ORDER BY s.seq",
            )?;
            let rows = statement.query_map(
                params![seq, state.map(SuggestionState::name)],
                suggestion_row,
            )?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The suggestion whose id begins so.
    ///
    /// # Errors
    /// `NotFound`; `Ambiguous` with the ids that fit.
    pub fn find_suggestion(&self, prefix: &str) -> Result<SuggestionRow, StoreError> {
        let checked = id_prefix(SuggestionId::PREFIX, prefix).ok();
        self.read(|conn| match &checked {
            Some(prefix) => by_prefix(conn, prefix),
            None => Err(unknown(prefix)),
        })
    }

    /// Carries out a person's decision, and the change of the notebook that it brings, in one transaction.
    ///
    /// # Errors
    /// `NotFound`; `Decided` for a suggestion that is no longer open.
    pub fn decide_suggestion(
        &self,
        id: &SuggestionId,
        verdict: &Verdict,
    ) -> Result<Accepted, StoreError> {
        let (id, verdict, now) = (*id, verdict.clone(), self.now());
        let salt = new_salt(self)?;
        self.write(Durability::Full, move |transaction| {
            decide(transaction, &id, &verdict, salt, now)
        })
    }
}

struct Insert {
    id: SuggestionId,
    project: ProjectId,
    section: String,
    entry: String,
    channel: Channel,
    source: String,
    salt: [u8; 32],
    now: i64,
}

impl Insert {
    fn run(&self, transaction: &Transaction<'_>) -> Result<SuggestionId, Fault> {
        let project = project_seq(transaction, &self.project)?;
        if let Some(waiting) = self.same(transaction, project)? {
            return Ok(waiting);
        }
        self.refuse(transaction, project)?;
        transaction
            .prepare_cached(
                "INSERT INTO notebook_suggestions (id, short, project, section, entry, channel, source, state, salt,
                                                   created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8, ?9)",
            )?
            .execute(params![
                self.id.bytes(),
                self.id.short(),
                project,
                self.section,
                self.entry,
                self.channel.name(),
                self.source,
                self.salt,
                self.now,
            ])?;
        self.record(transaction)?;
        Ok(self.id)
    }

    fn record(&self, transaction: &Transaction<'_>) -> Result<(), Fault> {
        let hash = KeyedHash::of(&self.salt, self.entry.as_bytes());
        let facts = Facts::new()
            .word("channel", self.channel.name())
            .keyed("hash", hash)
            .id("project", self.project.bytes());
        journal::append(
            transaction,
            self.now,
            EventKind::SuggestionWritten,
            Some(self.id.bytes()),
            &facts,
        )?;
        Ok(())
    }

    fn same(
        &self,
        transaction: &Transaction<'_>,
        project: i64,
    ) -> Result<Option<SuggestionId>, Fault> {
        Ok(transaction
            .prepare_cached(
                "SELECT id FROM notebook_suggestions
                 WHERE project = ?1 AND state = 'open' AND section = ?2 AND entry = ?3",
            )?
            .query_row(params![project, self.section, self.entry], |row| {
                row.get(0).map(SuggestionId::from_bytes)
            })
            .optional()?)
    }

    fn refuse(&self, transaction: &Transaction<'_>, project: i64) -> Result<(), Fault> {
        serde_json::from_str::<Source>(&self.source).map_err(|error| senseless(&error))?;
        let open: u32 = transaction
            .prepare_cached(
                "SELECT count(*) FROM notebook_suggestions WHERE project = ?1 AND state = 'open'",
            )?
            .query_row([project], |row| row.get(0))?;
        if open >= SUGGESTIONS_OPEN {
            return Err(StoreError::Limit {
                what: "suggestions that wait in one project",
                limit: u64::from(SUGGESTIONS_OPEN),
            }
            .into());
        }
        let taken: bool = transaction
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM notebook_suggestions WHERE id = ?1 OR short = ?2)",
            )?
            .query_row(params![self.id.bytes(), self.id.short()], |row| row.get(0))?;
        if taken {
            let id = self.id.short();
            return Err(StoreError::IdTaken { id }.into());
        }
        Ok(())
    }
}

fn decide(
    transaction: &Transaction<'_>,
    id: &SuggestionId,
    verdict: &Verdict,
    salt: [u8; 32],
    now: i64,
) -> Result<Accepted, Fault> {
    let found = by_id(transaction, id)?;
    if found.state != SuggestionState::Open {
        let state = found.state.name();
        return Err(StoreError::Decided { state }.into());
    }
    let (outcome, state) = match verdict {
        Verdict::Dismiss => (Accepted::Dismissed, SuggestionState::Dismissed),
        Verdict::Accept {
            expected_version,
            content,
        } => {
            let project = project_seq(transaction, &found.project)?;
            let put = Put {
                project: found.project,
                expected_version: *expected_version,
                content: content.as_str().to_owned(),
                made_by: MadeBy::Accept,
                salt,
                now,
            };
            let saved = put.run(transaction, project)?;
            if let Saved::Stale { .. } = saved {
                return Ok(Accepted::Notebook(saved));
            }
            (Accepted::Notebook(saved), SuggestionState::Accepted)
        }
    };
    settle(transaction, id, state, now)?;
    Ok(outcome)
}

fn settle(
    transaction: &Transaction<'_>,
    id: &SuggestionId,
    state: SuggestionState,
    now: i64,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "UPDATE notebook_suggestions SET state = ?2, decided_at = ?3 WHERE id = ?1",
        )?
        .execute(params![id.bytes(), state.name(), now])?;
    journal::append(
        transaction,
        now,
        EventKind::SuggestionDecided,
        Some(id.bytes()),
        &Facts::new().word("state", state.name()),
    )?;
    Ok(())
}

const SELECT: &str = "SELECT s.*, p.id AS project_id FROM notebook_suggestions s
                      JOIN projects p ON p.seq = s.project";

fn by_id(conn: &Connection, id: &SuggestionId) -> Result<SuggestionRow, Fault> {
    conn.prepare_cached(&format!("{SELECT} WHERE s.id = ?1"))?
        .query_row([id.bytes()], suggestion_row)
        .optional()?
        .ok_or_else(|| unknown(&id.short()))
}

fn by_prefix(conn: &Connection, prefix: &str) -> Result<SuggestionRow, Fault> {
    let sql = format!("{SELECT} WHERE s.short GLOB ?1 || '*' ORDER BY s.seq LIMIT 10");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([prefix], suggestion_row)?;
    let mut rows: Vec<SuggestionRow> = rows.collect::<rusqlite::Result<_>>()?;
    if rows.len() > 1 {
        let asked = prefix.to_owned();
        let candidates = rows.iter().map(|row| row.id.short()).collect();
        return Err(StoreError::Ambiguous { asked, candidates }.into());
    }
    rows.pop().ok_or_else(|| unknown(prefix))
}

fn unknown(asked: &str) -> Fault {
    let (what, asked) = ("suggestion", asked.to_owned());
    StoreError::NotFound { what, asked }.into()
}

fn suggestion_row(row: &Row<'_>) -> rusqlite::Result<SuggestionRow> {
    let source: String = row.get("source")?;
    Ok(SuggestionRow {
        id: row.get("id").map(SuggestionId::from_bytes)?,
        project: row.get("project_id").map(ProjectId::from_bytes)?,
        section: row.get("section")?,
        entry: row.get("entry")?,
        channel: parsed(row, "channel")?,
        source: serde_json::from_str(&source).map_err(|error| senseless(&error))?,
        state: parsed(row, "state")?,
        at: millis(row, "created_at")?,
        decided_at: row.get::<_, Option<i64>>("decided_at")?.map(Millis),
    })
}
