//! The files of a commit, from its trees.

use taffrail_domain::{FileMode, Oid, RepoPath};

use super::raw_index::{Cursor, RawIndex, oid};
use super::raw_objects::{Kind, Objects};
use super::{Deadline, Head};
use crate::index::Known;

/// Bytes of one commit or tree.
const LARGEST: usize = 16 << 20;

/// Every file of a commit. Where the index still is what a tree is, the tree is not read.
pub(super) fn files(
    objects: &Objects,
    commit: &Oid,
    hash: usize,
    index: &RawIndex,
    deadline: &Deadline,
) -> Option<Head> {
    let (Kind::Commit, bytes) = objects.read(commit, LARGEST)? else {
        return None;
    };
    let first = Cursor(&bytes).until(b'\n')?;
    let tree = std::str::from_utf8(first).ok()?.strip_prefix("tree ")?;
    let mut head = Head::new();
    let mut todo = vec![(Vec::new(), tree.parse::<Oid>().ok()?)];
    while let Some((folder, tree)) = todo.pop() {
        if deadline.is_over() {
            return None;
        }
        if index.trees.get(&folder) == Some(&tree) {
            as_indexed(index, &folder, &mut head);
            continue;
        }
        let (Kind::Tree, bytes) = objects.read(&tree, LARGEST)? else {
            return None;
        };
        let mut at = Cursor(&bytes);
        while !at.0.is_empty() {
            let mode = at.until(b' ')?;
            let name = at.until_nul()?;
            let id = oid(at.take(hash)?)?;
            let path = match folder.as_slice() {
                b"" => name.to_vec(),
                folder => [folder, name].join(&b'/'),
            };
            if mode == b"40000" {
                todo.push((path, id));
            } else {
                let mode: FileMode = std::str::from_utf8(mode).ok()?.parse().ok()?;
                head.insert(RepoPath::new(path).ok()?, (mode, id));
            }
        }
    }
    Some(head)
}

/// The index is in the order of its paths' bytes, so that a folder is one stretch of it.
fn as_indexed(index: &RawIndex, folder: &[u8], head: &mut Head) {
    let bound = |end: u8| [folder, &[end]].concat();
    let (from, to) = if folder.is_empty() {
        (0, index.entries.len())
    } else {
        let (from, to) = (bound(b'/'), bound(b'/' + 1));
        let place = |bound: &[u8]| {
            let before = |entry: &(RepoPath, Option<Known>)| entry.0.as_bytes() < bound;
            index.entries.partition_point(before)
        };
        (place(&from), place(&to))
    };
    for (path, known) in index.entries.get(from..to).unwrap_or_default() {
        if let Some(known) = known {
            head.insert(path.clone(), (known.mode, known.oid.clone()));
        }
    }
}
