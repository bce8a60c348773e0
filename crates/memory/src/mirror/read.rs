//! A file to a memory, believing nothing.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use taffrail_domain::Millis;

use super::format::{FENCE, FORM, key};
use super::{Exported, FILE_LIMIT, Imported, Scope, time};

/// Lines that a front matter may have: ten keys and more sources than anybody reads.
const FRONT_LINES: usize = 300;
/// How a finished merge never looks: the marks at the start of a line.
const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Why a file is not a memory. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MirrorError {
    /// Larger than any memory.
    #[error("the file has {bytes} bytes; the limit is {FILE_LIMIT}")]
    TooLarge {
        /// Bytes that it has.
        bytes: usize,
    },
    /// A merge was not finished.
    #[error("line {line}: merge conflict marker `{marker}`: finish the merge first")]
    Conflict {
        /// Where.
        line: usize,
        /// The marker's seven characters.
        marker: &'static str,
    },
    /// Anything else that a file of the mirror does not have.
    #[error("line {line}: {problem}")]
    Line {
        /// Where.
        line: usize,
        /// What is wrong, and what is right.
        problem: String,
    },
}

/// The memory that a file holds.
///
/// # Errors
/// `TooLarge`; `Conflict` for marks of a merge, unless they are the very content that the file's hash names; `Line` for the rest.
pub fn from_file(text: &str) -> Result<Imported, MirrorError> {
    if text.len() > FILE_LIMIT {
        return Err(MirrorError::TooLarge { bytes: text.len() });
    }
    if let Some((before, _)) = text.split_once('\0') {
        return Err(problem(
            count_lines(before),
            "a NUL byte: this is not a text file",
        ));
    }
    let (front, body) = divided(text)?;
    let memory = front.memory(content(body))?;
    let hash = memory.text_hash();
    let edited = front.word(key::HASH, "64 hex digits", |word| {
        is_hash(word).then(|| word != hash.to_string())
    })?;
    match conflict(body).filter(|_| edited) {
        Some(line) => Err(MirrorError::Conflict {
            line: front.lines + line,
            marker: "<<<<<<<",
        }),
        None => Ok(Imported {
            memory,
            hash,
            edited,
        }),
    }
}

fn problem(line: usize, problem: impl Into<String>) -> MirrorError {
    MirrorError::Line {
        line,
        problem: problem.into(),
    }
}

fn count_lines(before: &str) -> usize {
    before.matches('\n').count() + 1
}

/// Behind the blank line that ends the front matter, without the line end that ends the file.
fn content(body: &str) -> &str {
    let body = body.strip_prefix('\n').unwrap_or(body);
    body.strip_suffix('\n').unwrap_or(body)
}

fn is_hash(word: &str) -> bool {
    word.len() == 64
        && word
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The line of the body, from 1, where a whole conflict begins.
fn conflict(body: &str) -> Option<usize> {
    let mut wanted = ["<<<<<<<", "=======", ">>>>>>>"].into_iter().peekable();
    let mut first = None;
    for (line, at) in body.split('\n').zip(1..) {
        if wanted.peek().is_some_and(|marker| line.starts_with(marker)) {
            wanted.next();
            first = first.or(Some(at));
        }
    }
    first.filter(|_| wanted.peek().is_none())
}

/// What a key holds: its line, what stands behind it, the items below it.
#[derive(Debug)]
struct Field<'a> {
    line: usize,
    value: &'a str,
    items: Vec<(usize, &'a str)>,
}

#[derive(Debug, Default)]
struct Front<'a> {
    fields: BTreeMap<&'static str, Field<'a>>,
    last: Option<&'static str>,
    /// Lines of the front matter, its two fences included.
    lines: usize,
}

/// The front matter and what stands behind it.
fn divided(text: &str) -> Result<(Front<'_>, &str), MirrorError> {
    let mut front = Front::default();
    let mut rest = text;
    for line in 1..=FRONT_LINES {
        let (current, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        check_line(line, current)?;
        match (line, current) {
            (1, FENCE) => {}
            (1, _) => {
                return Err(problem(
                    1,
                    "no front matter: the first line of a memory is `---`",
                ));
            }
            (_, FENCE) => {
                front.lines = line;
                return Ok((front, behind));
            }
            _ => front.take(line, current)?,
        }
        if behind.is_empty() {
            return Err(problem(line, "the front matter has no end: a line `---`"));
        }
        rest = behind;
    }
    Err(problem(
        FRONT_LINES,
        format!("the front matter has more than {FRONT_LINES} lines"),
    ))
}

fn check_line(line: usize, text: &str) -> Result<(), MirrorError> {
    if let Some(marker) = MARKERS.into_iter().find(|marker| text.starts_with(marker)) {
        return Err(MirrorError::Conflict { line, marker });
    }
    if text.starts_with('\u{feff}') {
        return Err(problem(
            line,
            "a byte order mark: save the file as UTF-8 without one",
        ));
    }
    if text.ends_with('\r') {
        return Err(problem(
            line,
            "the line ends with CR LF: save the file with LF (in git: `*.md text eol=lf`)",
        ));
    }
    Ok(())
}

impl<'a> Front<'a> {
    fn take(&mut self, line: usize, text: &'a str) -> Result<(), MirrorError> {
        if let Some(item) = text.strip_prefix("  - ") {
            let list = self
                .last
                .filter(|key| matches!(*key, key::SOURCES | key::ARTIFACTS));
            let field = list.and_then(|key| self.fields.get_mut(key));
            let field = field.ok_or_else(|| problem(line, "an item that belongs to no list"))?;
            field.items.push((line, item));
            return Ok(());
        }
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| problem(line, "not `key: value`"))?;
        let Some(key) = key::ALL.into_iter().find(|key| *key == name) else {
            let known = key::ALL.join(", ");
            let name: String = name.chars().take(40).collect();
            return Err(problem(
                line,
                format!("unknown key `{name}`: the keys are {known}"),
            ));
        };
        let field = Field {
            line,
            value: value.strip_prefix(' ').unwrap_or(value),
            items: Vec::new(),
        };
        self.last = Some(key);
        match self.fields.insert(key, field) {
            None => Ok(()),
            Some(first) => Err(problem(
                line,
                format!(
                    "`{key}` a second time: it is on line {} already",
                    first.line
                ),
            )),
        }
    }

    fn memory(&self, content: &str) -> Result<Exported, MirrorError> {
        let form = format!("`{FORM}`; a newer taffrail may have written it");
        self.word(key::FORM, &form, |word| (word == FORM).then_some(()))?;
        let confirmed = self.fields.contains_key(key::CONFIRMED);
        if content.trim().is_empty() {
            return Err(problem(
                self.lines + 1,
                "there is no content behind the front matter",
            ));
        }
        Ok(Exported {
            id: self.word(key::ID, "an id like mem_4k7x9q2m1d", |word| {
                word.parse().ok()
            })?,
            kind: self.word(key::TYPE, "a memory type", |word| word.parse().ok())?,
            summary: self.word(key::SUMMARY, "text in double quotes, as in JSON", |word| {
                serde_json::from_str(word).ok()
            })?,
            content: content.to_owned(),
            scope: self.word(key::SCOPE, "`personal` or `project NAME`", scope)?,
            created: self.time(key::CREATED)?,
            confirmed: confirmed.then(|| self.time(key::CONFIRMED)).transpose()?,
            sources: self.list(key::SOURCES)?,
            artifacts: self.list(key::ARTIFACTS)?,
        })
    }

    fn time(&self, key: &'static str) -> Result<Millis, MirrorError> {
        self.word(key, "a time like 2026-01-31T12:00:00Z", time::read)
    }

    fn word<T>(
        &self,
        key: &'static str,
        right: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, MirrorError> {
        let missing = || problem(self.lines, format!("`{key}` is missing: it is {right}"));
        let field = self.fields.get(key).ok_or_else(missing)?;
        read(field.value).ok_or_else(|| problem(field.line, format!("`{key}` is not {right}")))
    }

    fn list<T: DeserializeOwned>(&self, key: &'static str) -> Result<Vec<T>, MirrorError> {
        let Some(field) = self.fields.get(key) else {
            return Ok(Vec::new());
        };
        if !field.value.is_empty() {
            return Err(problem(
                field.line,
                format!("`{key}` is a list: one `  - {{…}}` a line below it"),
            ));
        }
        let read = |(line, item): &(usize, &str)| {
            serde_json::from_str(item)
                .map_err(|error| problem(*line, format!("not an item of `{key}`: {error}")))
        };
        field.items.iter().map(read).collect()
    }
}

fn scope(word: &str) -> Option<Scope> {
    if word == "personal" {
        return Some(Scope::Personal);
    }
    let name = word.strip_prefix("project ")?;
    let first =
        name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (first && name.len() <= 64 && name.bytes().all(plain)).then(|| Scope::Project(name.to_owned()))
}
