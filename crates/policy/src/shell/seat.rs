//! Where a command of a line is judged: the context, and the folders that a `cd` before it may have led to.

use crate::context::Context;

/// Folders that a line may be in at once; a line with more is not followed.
pub const MOST_FOLDERS: usize = 16;

/// Where a command stands.
#[derive(Clone)]
pub struct Seat<'a> {
    /// Who acts where.
    pub context: &'a Context<'a>,
    /// Every folder that it may be run in, absolute.
    pub cwds: Vec<Vec<u8>>,
    /// Through how many `bash -c` and wrappers it was reached.
    pub depth: usize,
}
