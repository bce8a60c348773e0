//! Why an answer did not count.

use taffrail_domain::{ErrorCode, QuestionState};
use thiserror::Error;

/// Why an answer did not count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuestionFault {
    /// Somebody was first, or the run does not wait any more.
    #[error("the question {question} does not wait any more: it is {}", state.name())]
    Closed {
        /// Its id.
        question: String,
        /// How it stands.
        state: QuestionState,
    },
    /// A yes to something that was not shown whole.
    #[error(
        "part of this action is masked here, because it looks like a secret: only the terminal of the run `{run}` shows it \
         whole, and only there it can be allowed"
    )]
    Masked {
        /// The name of the run.
        run: String,
    },
    /// A yes to all edits where none was offered.
    #[error("the question {question} does not offer a yes to all edits")]
    NotOffered {
        /// Its id.
        question: String,
    },
}

impl QuestionFault {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Closed { .. } => ErrorCode::QuestionClosed,
            Self::Masked { .. } => ErrorCode::NeedsTerminal,
            Self::NotOffered { .. } => ErrorCode::Usage,
        }
    }
}
