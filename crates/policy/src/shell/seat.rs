//! Where a command of a line is judged: the context, and the folders that a `cd` before it may have led to.

use super::judge::Part;
use crate::context::Context;
use crate::paths;

/// Folders that a line may be in at once; a line with more is not followed.
const MOST_FOLDERS: usize = 16;

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

/// Where a line may be after these commands, if they change that. False: in too many folders to follow.
pub fn follow_cd(seat: &mut Seat<'_>, parts: &[Part]) -> bool {
    for part in parts {
        let Some((name, arguments)) = part.argv.split_first() else {
            continue;
        };
        let folder = arguments.iter().rev().find(|word| !word.starts_with(b"-"));
        let Some(folder) = folder.filter(|_| matches!(name.as_slice(), b"cd" | b"pushd")) else {
            continue;
        };
        let led: Vec<Vec<u8>> = seat
            .cwds
            .iter()
            .map(|cwd| paths::joined(cwd, folder))
            .collect();
        seat.cwds.extend(led);
        seat.cwds.sort_unstable();
        seat.cwds.dedup();
        if seat.cwds.len() > MOST_FOLDERS {
            return false;
        }
    }
    true
}
