//! A file to a memory, believing nothing.

use super::{FILE_LIMIT, Imported};

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
/// Any of `MirrorError`, with the line.
pub fn from_file(text: &str) -> Result<Imported, MirrorError> {
    Err(MirrorError::TooLarge { bytes: text.len() })
}
