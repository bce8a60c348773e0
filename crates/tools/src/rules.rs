//! Which files git ignores, by the `.gitignore` of each folder, and the glob of a caller.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use taffrail_confine::fs::Root;
use taffrail_domain::RepoPath;

use crate::ToolError;

/// Bytes of a list and of those of the folders above it; what is more is not read. What it would hide is then shown, which
/// hides nothing. Measured: the worst patterns of that size take some 180 MB.
const LARGEST_LIST: u64 = 256 << 10;
/// Characters of a glob.
const LONGEST_GLOB: usize = 1_000;

/// The patterns of one folder and of those above it; the nearest that says something counts.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Rc<Node>>);

struct Node {
    patterns: Gitignore,
    /// Bytes of these lists and of those above.
    bytes: u64,
    /// Bytes of a path before the part that the patterns are about.
    skip: usize,
    above: Rules,
}

impl Rules {
    /// These rules and those of a list in `folder`, which is at `path`.
    pub(crate) fn with(&self, folder: &Root, list: &str, path: Option<&RepoPath>) -> Self {
        let above = self.0.as_ref().map_or(0, |node| node.bytes);
        let room = LARGEST_LIST.saturating_sub(above);
        let read = RepoPath::new(list)
            .ok()
            .and_then(|list| folder.read(&list, room).ok());
        let bytes = above + read.as_ref().map_or(0, |list| list.len() as u64);
        let patterns = read.map_or_else(Gitignore::empty, |list| patterns(&list));
        if patterns.is_empty() {
            return self.clone();
        }
        Self(Some(Rc::new(Node {
            patterns,
            bytes,
            skip: path.map_or(0, |path| path.as_bytes().len() + 1),
            above: self.clone(),
        })))
    }

    /// Whether a path is ignored by its own name; folders above it are asked on the way down.
    pub(crate) fn ignore(&self, path: &RepoPath, is_folder: bool) -> bool {
        let mut next = self;
        while let Some(node) = &next.0 {
            let rest = path.as_bytes().get(node.skip..).unwrap_or_default();
            match node.patterns.matched(as_path(rest), is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => next = &node.above,
            }
        }
        false
    }
}

/// Lines that are not understood, or are not UTF-8, ignore nothing.
fn patterns(list: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(".");
    for line in list.split(|byte| *byte == b'\n') {
        if let Ok(line) = std::str::from_utf8(line) {
            drop(builder.add_line(None, line.trim_end_matches('\r')));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// A glob as `.gitignore` has them: with a slash it is about the whole path, without one about any part of it.
pub(crate) struct Glob(Option<Gitignore>);

impl Glob {
    pub(crate) fn new(glob: Option<&str>) -> Result<Self, ToolError> {
        let Some(text) = glob else {
            return Ok(Self(None));
        };
        let bad = |why: String| ToolError::Argument { name: "glob", why };
        let count = text.chars().count();
        if text.trim().is_empty() || count > LONGEST_GLOB || text.contains(['\n', '\0']) {
            return Err(bad(format!(
                "1 to {LONGEST_GLOB} characters on one line, not {count}"
            )));
        }
        // What turns a line of a list into something else is a plain character here.
        let special = text.starts_with(['!', '#']);
        let line = format!("{}{text}", if special { "\\" } else { "" });
        let mut builder = GitignoreBuilder::new(".");
        builder
            .add_line(None, &line)
            .map_err(|error| bad(error.to_string()))?;
        let built = builder.build().map_err(|error| bad(error.to_string()))?;
        Ok(Self(Some(built)))
    }

    /// Whether the path of a file fits.
    pub(crate) fn fits(&self, path: &RepoPath) -> bool {
        self.0.as_ref().is_none_or(|glob| {
            let path = as_path(path.as_bytes());
            glob.matched_path_or_any_parents(path, false).is_ignore()
        })
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // The files of a test.
mod tests {
    use super::*;

    #[test]
    fn mcp_01_lists_in_lists_take_no_more_than_one() {
        let place = tempfile::tempdir().unwrap();
        let half = format!("{}\nhidden\n", "#".repeat(LARGEST_LIST as usize / 2));
        std::fs::write(place.path().join("list"), half).unwrap();
        let root = Root::open(place.path()).unwrap();
        let one = Rules::default().with(&root, "list", None);
        let hidden = RepoPath::new("hidden").unwrap();
        assert!(one.ignore(&hidden, false));
        // The second one is more than there is room for; alone it is read.
        let two = one.with(&root, "list", None);
        let node = two.0.as_ref().unwrap();
        assert!(node.above.0.is_none() && node.bytes <= LARGEST_LIST);
    }
}
