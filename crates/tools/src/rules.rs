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

/// Larger lists are not read: what they would hide is then shown, which hides nothing.
const LARGEST_LIST: u64 = 256 << 10;
/// Characters of a glob.
const LONGEST_GLOB: usize = 1_000;

/// The patterns of one folder and of those above it; the nearest that says something counts.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Rc<Node>>);

struct Node {
    patterns: Gitignore,
    /// Bytes of a path before the part that the patterns are about.
    skip: usize,
    above: Rules,
}

impl Rules {
    /// These rules and those of a list in `folder`, which is at `path`.
    pub(crate) fn with(&self, folder: &Root, list: &str, path: Option<&RepoPath>) -> Self {
        let read = RepoPath::new(list)
            .ok()
            .and_then(|list| folder.read(&list, LARGEST_LIST).ok());
        let patterns = read.map_or_else(Gitignore::empty, |list| patterns(&list));
        if patterns.is_empty() {
            return self.clone();
        }
        Self(Some(Rc::new(Node {
            patterns,
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
