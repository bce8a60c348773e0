//! Notebooks: every state of a document, and the entries that wait beside it (NB-02, NB-03).

mod suggestions;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use taffrail_domain::{Millis, ProjectId};
use taffrail_memory::journal::{EventKind, Facts, KeyedHash};
use taffrail_redact::Clean;

use crate::convert::{Fault, count, millis, parsed, signed};
use crate::projects::project_seq;
use crate::writer::Durability;
use crate::{Store, StoreError, journal, random};

pub use suggestions::{
    Accepted, NewSuggestion, SUGGESTIONS_OPEN, SuggestionRow, SuggestionState, Verdict,
};

/// What made a revision of a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeBy {
    /// A person changed the document.
    Edit,
    /// A person added an entry.
    Append,
    /// A person accepted a suggestion.
    Accept,
    /// Old entries were moved to the archive.
    Tidy,
    /// An earlier revision was brought back.
    Restore,
    /// The last change was taken back.
    Undo,
}

impl MadeBy {
    /// The stable word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Append => "append",
            Self::Accept => "accept",
            Self::Tidy => "tidy",
            Self::Restore => "restore",
            Self::Undo => "undo",
        }
    }
}

impl std::str::FromStr for MadeBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [
            Self::Edit,
            Self::Append,
            Self::Accept,
            Self::Tidy,
            Self::Restore,
            Self::Undo,
        ]
        .into_iter()
        .find(|word| word.name() == text)
        .ok_or_else(|| format!("`{text}` made no revision"))
    }
}

/// A notebook as it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookRow {
    /// Number of the revision; 0 while nobody has written in it.
    pub version: u64,
    /// The whole document.
    pub content: String,
    /// When this revision was made; none while there is none.
    pub at: Option<Millis>,
}

/// One state of a notebook, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number, from 1.
    pub version: u64,
    /// What made it.
    pub made_by: MadeBy,
    /// Bytes of the document.
    pub bytes: u64,
    /// When.
    pub at: Millis,
}

/// What became of a change to a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// It is in force under this version.
    As {
        /// The new version.
        version: u64,
    },
    /// Somebody changed the notebook meanwhile; nothing was stored.
    Stale {
        /// What is in force.
        found: NotebookRow,
    },
}

impl Store {
    /// The notebook in force; version 0 and empty where nobody has written.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn notebook(&self, project: &ProjectId) -> Result<NotebookRow, StoreError> {
        self.read(|conn| {
            let project = project_seq(conn, project)?;
            in_force(conn, project)
        })
    }

    /// One revision of a notebook.
    ///
    /// # Errors
    /// `NotFound` for an unknown project or version.
    pub fn notebook_at(
        &self,
        project: &ProjectId,
        version: u64,
    ) -> Result<NotebookRow, StoreError> {
        self.read(|conn| {
            let project = project_seq(conn, project)?;
            at_version(conn, project, version)?.ok_or_else(|| {
                let asked = version.to_string();
                let what = "notebook revision";
                StoreError::NotFound { what, asked }.into()
            })
        })
    }

    /// The newest revisions, newest first.
    ///
    /// # Errors
    /// `NotFound` for an unknown project.
    pub fn notebook_revisions(
        &self,
        project: &ProjectId,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        self.read(|conn| {
            let project = project_seq(conn, project)?;
            let mut statement = conn.prepare_cached(
                "SELECT version, made_by, length(CAST(content AS BLOB)) AS bytes, created_at
                 FROM notebook_revisions WHERE project = ?1 ORDER BY version DESC LIMIT ?2",
            )?;
            let rows = statement.query_map(params![project, limit], |row| {
                Ok(RevisionRow {
                    version: count(row, "version")?,
                    made_by: parsed(row, "made_by")?,
                    bytes: count(row, "bytes")?,
                    at: millis(row, "created_at")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Stores a new revision, if `expected_version` is still the one in force.
    ///
    /// # Errors
    /// `NotFound` for an unknown project; otherwise as for every write.
    pub fn put_notebook(
        &self,
        project: &ProjectId,
        expected_version: u64,
        content: &Clean,
        made_by: MadeBy,
    ) -> Result<Saved, StoreError> {
        let put = Put {
            project: *project,
            expected_version,
            content: content.as_str().to_owned(),
            made_by,
            salt: new_salt(self)?,
            now: self.now(),
        };
        self.write(Durability::Full, move |transaction| {
            let project = project_seq(transaction, &put.project)?;
            put.run(transaction, project)
        })
    }
}

/// A revision to be.
struct Put {
    project: ProjectId,
    expected_version: u64,
    content: String,
    made_by: MadeBy,
    salt: [u8; 32],
    now: i64,
}

impl Put {
    fn run(&self, transaction: &Transaction<'_>, project: i64) -> Result<Saved, Fault> {
        let found = in_force(transaction, project)?;
        if found.version != self.expected_version {
            return Ok(Saved::Stale { found });
        }
        if found.version > 0 && found.content == self.content {
            return Ok(Saved::As {
                version: found.version,
            });
        }
        let version = found.version + 1;
        transaction
            .prepare_cached(
                "INSERT INTO notebook_revisions (project, version, content, made_by, salt, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                project,
                signed(version),
                self.content,
                self.made_by.name(),
                self.salt,
                self.now,
            ])?;
        self.record(transaction, version)?;
        Ok(Saved::As { version })
    }

    fn record(&self, transaction: &Transaction<'_>, version: u64) -> Result<(), Fault> {
        let hash = KeyedHash::of(&self.salt, self.content.as_bytes());
        let facts = Facts::new()
            .keyed("hash", hash)
            .word("made_by", self.made_by.name())
            .number("version", signed(version));
        let subject = Some(self.project.bytes());
        journal::append(
            transaction,
            self.now,
            EventKind::NotebookChanged,
            subject,
            &facts,
        )?;
        Ok(())
    }
}

fn new_salt(store: &Store) -> Result<[u8; 32], StoreError> {
    random::bytes().map_err(|source| StoreError::io("cannot make a salt for", store.path(), source))
}

fn in_force(conn: &Connection, project: i64) -> Result<NotebookRow, Fault> {
    let found = conn
        .prepare_cached(
            "SELECT version, content, created_at FROM notebook_revisions
             WHERE project = ?1 ORDER BY version DESC LIMIT 1",
        )?
        .query_row([project], notebook_row)
        .optional()?;
    Ok(found.unwrap_or(NotebookRow {
        version: 0,
        content: String::new(),
        at: None,
    }))
}

fn at_version(conn: &Connection, project: i64, version: u64) -> Result<Option<NotebookRow>, Fault> {
    Ok(conn
        .prepare_cached(
            "SELECT version, content, created_at FROM notebook_revisions WHERE project = ?1 AND version = ?2",
        )?
        .query_row(params![project, signed(version)], notebook_row)
        .optional()?)
}

fn notebook_row(row: &Row<'_>) -> rusqlite::Result<NotebookRow> {
    Ok(NotebookRow {
        version: count(row, "version")?,
        content: row.get("content")?,
        at: millis(row, "created_at").map(Some)?,
    })
}
