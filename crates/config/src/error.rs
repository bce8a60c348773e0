//! What is wrong in a configuration: the place, the key, the problem, and what helps.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Where the thing stands that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A file. Line and column count from 1; a column counts characters.
    File {
        /// The file, as it was handed in.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The character in that line.
        column: usize,
    },
    /// An environment variable.
    Environment(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line, column } => {
                write!(out, "{}:{line}:{column}", path.display())
            }
            Self::Environment(name) => write!(out, "environment variable {name}"),
        }
    }
}

/// A configuration that is not understood. Nothing of it is in force then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {}", problem.about(key))]
pub struct ConfigError {
    /// Where.
    pub place: Place,
    /// The key with its section, `sandbox.net`; empty where the file does not parse.
    pub key: String,
    /// What.
    pub problem: Problem,
}

impl ConfigError {
    /// What helps, as one line for `hint:`; `None` where the message says all.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            Problem::UnknownKey { help } => Some(help.clone()),
            Problem::Missing { help, .. } => help.clone(),
            Problem::NotInProject { .. } => {
                Some("put it in your own config.toml: taffrail config path".to_owned())
            }
            Problem::Syntax { .. }
            | Problem::WrongType { .. }
            | Problem::BadValue { .. }
            | Problem::NotYet { .. } => None,
        }
    }
}

/// What is wrong with a key, by what a person can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text is not TOML, or larger than the limit.
    Syntax {
        /// The parser's words, on one line.
        message: String,
    },
    /// There is no such key or section.
    UnknownKey {
        /// `did you mean …`, where the key belongs, or what is known there.
        help: String,
    },
    /// The value is of another type.
    WrongType {
        /// What it must be.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The type is right, the value is not.
    BadValue {
        /// What is wrong with the value.
        why: String,
    },
    /// A key that must be there is not.
    Missing {
        /// What may have been meant.
        help: Option<String>,
    },
    /// Planned, and refused rather than ignored until it does something.
    NotYet {
        /// The value that is planned; empty for a section.
        value: String,
    },
    /// Known, but a file that comes with a project never decides it (CNF-07).
    NotInProject {
        /// The kind of thing: `a credential`, `an endpoint`, …
        what: &'static str,
    },
}

impl Problem {
    /// The message about this key. What came from a file keeps its letters but loses its control characters.
    fn about(&self, key: &str) -> String {
        let message = self.plainly_about(key);
        let mut out = String::with_capacity(message.len());
        for at in message.chars() {
            if at.is_control() {
                out.extend(at.escape_default());
            } else {
                out.push(at);
            }
        }
        out
    }

    fn plainly_about(&self, key: &str) -> String {
        match self {
            Self::Syntax { message } => format!("not valid TOML: {message}"),
            Self::UnknownKey { .. } => format!("unknown key `{key}`"),
            Self::WrongType { expected, found } => {
                format!("`{key}` must be {expected}, not {found}")
            }
            Self::BadValue { why } => format!("`{key}`: {why}"),
            Self::Missing { .. } => format!("`{key}` is missing"),
            Self::NotYet { value } if value.is_empty() => {
                format!("`[{key}]` is not supported in this version")
            }
            Self::NotYet { value } => {
                format!("`{key} = {value}` is not supported in this version")
            }
            Self::NotInProject { what } => {
                format!("`{key}` is refused: a project's file never holds {what}")
            }
        }
    }
}
