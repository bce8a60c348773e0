//! One file of another program: what it holds, and how that stands to what is on record of it.

use std::path::{Path, PathBuf};

use taffrail_confine::fs::{Content, Outside, Swapped, make_folders};
use taffrail_store::ConnectionRow;

use super::document::Format;
use super::node::Node;
use super::record::{Record, hash, mark};
use super::splice::{Splice, take_out};
use super::unfit::{ConnectFault, Unfit};
use crate::{App, AppError};

/// Bytes of a configuration; some keep the history of every project in it.
pub(super) const LIMIT: u64 = 64 << 20;

/// What is there.
pub(super) struct Seen {
    pub path: PathBuf,
    file: Option<Outside>,
    pub content: Option<Content>,
    /// The same as text.
    pub text: Option<String>,
}

/// How what is there stands to what is on record.
#[derive(Debug)]
pub(super) enum State<'a> {
    /// Nothing is on record.
    Fresh,
    /// It is as we left it, by these steps.
    Ours(&'a [Splice]),
    /// It is as it was before we came: what is on record was not written, or was taken back by hand.
    Before,
    /// It was changed since.
    Changed,
}

impl Seen {
    pub(super) fn at(path: &Path) -> Result<Self, AppError> {
        let file = Outside::find(path)?;
        let content = match &file {
            Some(file) => file.read(LIMIT)?,
            None => None,
        };
        let text = content
            .as_ref()
            .map(|content| std::str::from_utf8(&content.bytes).map(str::to_owned))
            .transpose()
            .map_err(|_| fault(path, Unfit::whole("is not UTF-8 text")))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            content,
            text,
        })
    }

    pub(super) fn hash(&self) -> Option<[u8; 32]> {
        self.content.as_ref().map(|content| hash(&content.bytes))
    }

    pub(super) fn state<'a>(&self, on_record: Option<(&ConnectionRow, &'a Record)>) -> State<'a> {
        let Some((row, record)) = on_record else {
            return State::Fresh;
        };
        let now = self.hash();
        let earlier = record.earlier.as_ref();
        let is_earlier = |now: [u8; 32]| earlier.filter(|earlier| earlier.after == mark(&now));
        if now == Some(row.after_hash) {
            State::Ours(&record.steps)
        } else if now == row.before_hash {
            State::Before
        } else if let Some(earlier) = now.and_then(is_earlier) {
            State::Ours(&earlier.steps)
        } else {
            State::Changed
        }
    }

    /// The text without these steps, if it is to the byte what is on record as before.
    pub(super) fn as_it_was(
        &self,
        row: &ConnectionRow,
        steps: &[Splice],
    ) -> Option<Option<String>> {
        let was = take_out(self.text.as_deref()?, steps)?;
        match row.before_hash {
            Some(before) => (hash(was.as_bytes()) == before).then_some(Some(was)),
            None => was.is_empty().then_some(None),
        }
    }

    pub(super) fn node(&self, format: Format) -> Result<Node, AppError> {
        let text = self.text.as_deref().unwrap_or("");
        format.read(text).map_err(|unfit| fault(&self.path, unfit))
    }

    /// Puts this text in its place, the folders before it made; nothing where it changed since it was seen.
    pub(super) fn write(&self, text: &str, folders: &[PathBuf]) -> Result<Swapped, AppError> {
        make_folders(folders)?;
        let made;
        let file = match &self.file {
            Some(file) => file,
            None => {
                made = Outside::find(&self.path)?;
                match &made {
                    Some(file) => file,
                    None => return Ok(Swapped::Changed),
                }
            }
        };
        Ok(file.replace(self.content.as_ref(), text.as_bytes(), LIMIT)?)
    }

    /// Takes the file away; nothing where it changed since it was seen.
    pub(super) fn remove(&self) -> Result<Swapped, AppError> {
        match (&self.file, &self.content) {
            (Some(file), Some(content)) => Ok(file.remove(content, LIMIT)?),
            _ => Ok(Swapped::Changed),
        }
    }

    /// Takes away what a killed process left beside the file: what is on record, or a file that nothing was written into yet.
    pub(super) fn sweep(&self, row: &ConnectionRow) {
        let known = [row.before_hash, Some(row.after_hash)];
        if let Some(file) = &self.file {
            let is_left = |bytes: &[u8]| bytes.is_empty() || known.contains(&Some(hash(bytes)));
            file.sweep(LIMIT, &is_left);
        }
    }
}

/// What is on record of a file, read.
pub(super) fn record_of(row: &ConnectionRow) -> Result<Record, AppError> {
    let unfit = || Unfit::whole("is on record in a form that this version does not read");
    Record::read(&row.edit).ok_or_else(|| fault(&row.path, unfit()))
}

/// The rows of a program.
pub(super) fn rows_of(app: &App, program: &str) -> Result<Vec<ConnectionRow>, AppError> {
    let rows = app.store.connections()?.into_iter();
    Ok(rows.filter(|row| row.program == program).collect())
}

pub(super) fn fault(path: &Path, unfit: Unfit) -> AppError {
    ConnectFault::Unfit {
        path: path.to_owned(),
        line: unfit.line,
        why: unfit.why,
        shown: unfit.shown,
    }
    .into()
}
