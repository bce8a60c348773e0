//! Why a configuration of another program was not changed.

use std::path::PathBuf;

use taffrail_confine::fs::{FsError, OutsideError};
use taffrail_domain::ErrorCode;
use thiserror::Error;

use crate::AppError;

/// Characters of an entry that are shown.
const SHOWN: usize = 300;

/// What is wrong with a text, and in which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unfit {
    /// From 1; none where no one line is to blame.
    pub line: Option<usize>,
    /// As the end of a sentence.
    pub why: String,
    /// The entry that is in the way, as it is written.
    pub shown: Option<String>,
}

impl Unfit {
    /// Something in the line of this place.
    pub(super) fn at(text: &str, place: usize, why: &str) -> Self {
        let head = text.get(..place.min(text.len())).unwrap_or(text);
        Self {
            line: Some(head.matches('\n').count() + 1),
            why: why.to_owned(),
            shown: None,
        }
    }

    pub(super) fn whole(why: impl Into<String>) -> Self {
        Self {
            line: None,
            why: why.into(),
            shown: None,
        }
    }

    /// An entry of our name that we did not write.
    pub(super) fn taken(text: &str, key: &str, start: usize, end: usize) -> Self {
        let shown: String = text
            .get(start..end)
            .unwrap_or("")
            .chars()
            .take(SHOWN)
            .collect();
        let why = format!("has an entry `{key}` that taffrail did not write");
        Self {
            shown: Some(shown),
            ..Self::at(text, start, &why)
        }
    }
}

/// Why a program was not connected, or not disconnected. Nothing was written then.
#[derive(Debug, Error)]
pub enum ConnectFault {
    /// A file of its is not one that can be changed safely.
    #[error("{}{} {why}", path.display(), in_line(*line))]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// As the end of a sentence.
        why: String,
        /// The entry that is in the way, secrets masked.
        shown: Option<String>,
    },
    /// Nothing of ours is on record.
    #[error("{program} is not connected")]
    NotConnected {
        /// The program.
        program: &'static str,
    },
    /// The program has no hooks that taffrail knows.
    #[error("{program} has no hooks that taffrail can add to; claude and gemini have")]
    NoHooks {
        /// The program.
        program: &'static str,
    },
    /// The path of this executable cannot be written into a configuration.
    #[error("the path of this executable, {}, {why}", path.display())]
    Executable {
        /// The path.
        path: PathBuf,
        /// As the end of a sentence.
        why: &'static str,
    },
}

impl ConnectFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unfit { .. } | Self::Executable { .. } => ErrorCode::ConnectUnfit,
            Self::NotConnected { .. } => ErrorCode::NotConnected,
            Self::NoHooks { .. } => ErrorCode::Usage,
        }
    }
}

impl From<OutsideError> for AppError {
    fn from(error: OutsideError) -> Self {
        let unfit = |path, why| ConnectFault::Unfit {
            path,
            line: None,
            why,
            shown: None,
        };
        match error {
            OutsideError::Unfit { path, why } => unfit(path, why).into(),
            OutsideError::Files(FsError::TooLarge { path, limit }) => {
                let why = format!("is larger than {limit} bytes");
                unfit(path, why).into()
            }
            OutsideError::Files(error) => error.into(),
        }
    }
}

fn in_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line},"))
}
