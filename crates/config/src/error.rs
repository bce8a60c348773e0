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
#[error("{place}: {problem}")]
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
            Problem::UnknownKey { help, .. } => help.clone(),
            Problem::NotInProject { .. } => {
                Some("put it in your own config.toml: taffrail config path".to_owned())
            }
            Problem::Syntax { .. }
            | Problem::WrongType { .. }
            | Problem::BadValue { .. }
            | Problem::Missing { .. }
            | Problem::NotYet { .. } => None,
        }
    }
}

/// What is wrong, by what a person can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The text is not TOML, or larger than the limit.
    #[error("not valid TOML: {message}")]
    Syntax {
        /// The parser's words, on one line.
        message: String,
    },
    /// There is no such key or section.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key with its section.
        key: String,
        /// `did you mean …`, or where the key belongs.
        help: Option<String>,
    },
    /// The value is of another type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// The key with its section.
        key: String,
        /// What it must be.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The type is right, the value is not.
    #[error("`{key}`: {why}")]
    BadValue {
        /// The key with its section.
        key: String,
        /// What is wrong with the value.
        why: String,
    },
    /// A key that must be there is not.
    #[error("`{section}` has no `{key}`{help}")]
    Missing {
        /// The section.
        section: String,
        /// The key.
        key: &'static str,
        /// What may have been meant, with a comma before it; else empty.
        help: String,
    },
    /// Planned, and refused rather than ignored until it does something.
    #[error("`{what}` is not supported in this version")]
    NotYet {
        /// The section, or the key with its value.
        what: String,
    },
    /// Known, but a file that comes with a project never decides it (CNF-07).
    #[error("`{key}` is refused: a project's file never holds {what}")]
    NotInProject {
        /// The key with its section.
        key: String,
        /// The kind of thing: `a credential`, `an endpoint`, …
        what: &'static str,
    },
}
