//! Which paths git ignores: the `.gitignore` files of a tree, read beneath its root and never through a symlink.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use taffrail_confine::fs::{EntryKind, Root};
use taffrail_domain::RepoPath;

/// Bytes of a list of patterns and of those of the folders above it; what is more is not read: what it would hide is then
/// listed as changed, which hides nothing. The worst patterns of that size take some 180 MB.
pub(crate) const LARGEST_LIST: u64 = 256 * 1024;

/// The patterns of one folder and of those above it.
#[derive(Debug, Clone)]
pub(crate) struct Rules(Option<Rc<Node>>);

#[derive(Debug)]
struct Node {
    patterns: Gitignore,
    /// Bytes of this list and of those above.
    bytes: u64,
    /// Bytes of a path before the part that the patterns are about.
    skip: usize,
    above: Rules,
}

impl Rules {
    /// Nothing is ignored.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// These rules, and more specific ones, about paths in `folder`.
    pub(crate) fn with(&self, folder: Option<&RepoPath>, list: &[u8]) -> Self {
        let patterns = patterns(list);
        if patterns.is_empty() {
            return self.clone();
        }
        Self(Some(Rc::new(Node {
            patterns,
            bytes: self.bytes() + list.len() as u64,
            skip: folder.map_or(0, |folder| folder.as_bytes().len() + 1),
            above: self.clone(),
        })))
    }

    /// These rules and those of the folder's own `.gitignore`.
    pub(crate) fn in_folder(&self, root: &Root, folder: Option<&RepoPath>) -> Self {
        let Some(file) = below(folder, b".gitignore") else {
            return self.clone();
        };
        match root.read(&file, LARGEST_LIST.saturating_sub(self.bytes())) {
            Ok(list) => self.with(folder, &list),
            Err(_) => self.clone(),
        }
    }

    fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.bytes)
    }

    /// Whether the rules ignore the path, those of folders above it that are ignored themselves apart.
    pub(crate) fn ignore(&self, path: &RepoPath, is_folder: bool) -> bool {
        let mut next = self;
        while let Some(node) = &next.0 {
            let rest = path.as_bytes().get(node.skip..).unwrap_or_default();
            match matched(&node.patterns, rest, is_folder) {
                Match::Ignore(()) => return true,
                Match::Whitelist(()) => return false,
                Match::None => next = &node.above,
            }
        }
        false
    }

    /// Whether the path is ignored, by its own name or with a folder above it.
    pub(crate) fn ignore_deep(&self, root: &Root, path: &RepoPath) -> bool {
        let mut rules = self.in_folder(root, None);
        let bytes = path.as_bytes();
        let slashes = memchr::memchr_iter(b'/', bytes);
        for at in slashes {
            let Ok(folder) = RepoPath::new(bytes.get(..at).unwrap_or_default()) else {
                return false;
            };
            if rules.ignore(&folder, true) {
                return true;
            }
            rules = rules.in_folder(root, Some(&folder));
        }
        let is_folder = matches!(root.stat(path), Ok((EntryKind::Dir, _)));
        rules.ignore(path, is_folder)
    }
}

/// The patterns of a list in the syntax of `.gitignore`; lines that are not understood or not UTF-8 are left out.
pub(crate) fn patterns(list: &[u8]) -> Gitignore {
    // The root is `.`, so that nothing is taken from the front of a path: it is relative already.
    let mut builder = GitignoreBuilder::new(".");
    for line in list.split(|byte| *byte == b'\n') {
        if let Ok(line) = std::str::from_utf8(line) {
            // A line that is not understood ignores nothing.
            drop(builder.add_line(None, line.trim_end_matches('\r')));
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// What the patterns say about a path relative to their folder.
pub(crate) fn matched(patterns: &Gitignore, path: &[u8], is_folder: bool) -> Match<()> {
    let path = Path::new(OsStr::from_bytes(path));
    patterns.matched(path, is_folder).map(|_| ())
}

/// The path of a name in a folder.
pub(crate) fn below(folder: Option<&RepoPath>, name: &[u8]) -> Option<RepoPath> {
    let path = match folder {
        Some(folder) => [folder.as_bytes(), name].join(&b'/'),
        None => name.to_vec(),
    };
    RepoPath::new(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods)] // The files of a test.
    fn fa_10_lists_in_lists_take_no_more_than_one() {
        let place = tempfile::tempdir().unwrap();
        let half = format!("{}\nhidden\n", "#".repeat(LARGEST_LIST as usize / 2));
        std::fs::create_dir(place.path().join("sub")).unwrap();
        for list in [".gitignore", "sub/.gitignore"] {
            std::fs::write(place.path().join(list), &half).unwrap();
        }
        let root = Root::open(place.path()).unwrap();
        let sub = RepoPath::new("sub").unwrap();
        let hidden = RepoPath::new("sub/hidden").unwrap();
        // Either is read alone, and the second one is more than there is room for.
        assert!(
            Rules::none()
                .in_folder(&root, Some(&sub))
                .ignore(&hidden, false)
        );
        let one = Rules::none().in_folder(&root, None);
        let two = one.in_folder(&root, Some(&sub));
        assert!(one.ignore(&hidden, false));
        assert_eq!(two.bytes(), one.bytes());
    }

    #[test]
    fn fa_10_the_nearest_rule_counts() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        let top = Rules::none().with(None, b"*.log\n/build\nkeep/\n\xff\n");
        let sub = path("sub");
        let rules = top.with(Some(&sub), b"!good.log\n/only-here\r\n");
        assert!(rules.ignore(&path("sub/a.log"), false));
        assert!(!rules.ignore(&path("sub/good.log"), false));
        assert!(rules.ignore(&path("sub/only-here"), false));
        assert!(!rules.ignore(&path("sub/x/only-here"), false));
        assert!(top.ignore(&path("build"), true));
        assert!(!top.ignore(&path("sub/build"), true));
        assert!(top.ignore(&path("a/keep"), true));
        assert!(!top.ignore(&path("a/keep"), false));
    }
}
