//! The other names that a path has through symlinks of its own tree. Pure: knows names and targets, opens nothing.
//!
//! Who changes `docs/rules.md` where `CLAUDE.md` is a link to it changes `CLAUDE.md`.

use std::collections::HashMap;

use taffrail_domain::RepoPath;

/// Links behind each other; the kernel follows 40, people lay one or two.
const MOST_LINKS: usize = 8;
/// Names of one path. Links into each other can have more without end.
const MOST_NAMES: usize = 4_096;

/// The symlinks of a tree that stay in it, by what they lead to.
#[derive(Debug, Default)]
pub(crate) struct Aliases(HashMap<RepoPath, Vec<RepoPath>>);

impl Aliases {
    /// Takes a symlink and where it says that it leads.
    pub(crate) fn add(&mut self, link: &RepoPath, target: &[u8]) {
        if let Some(target) = resolved(link, target) {
            self.0.entry(target).or_default().push(link.clone());
        }
    }

    /// The names that lead to `path` besides its own.
    pub(crate) fn of(&self, path: &RepoPath) -> Vec<RepoPath> {
        let mut names = Vec::new();
        let mut last = vec![path.clone()];
        for _ in 0..MOST_LINKS {
            let found = last.iter().flat_map(|name| self.one(name));
            let mut fresh: Vec<RepoPath> = found.take(MOST_NAMES - names.len()).collect();
            fresh.retain(|name| name != path && !names.contains(name));
            if fresh.is_empty() {
                break;
            }
            names.extend_from_slice(&fresh);
            last = fresh;
        }
        names
    }

    /// The names through one more link, to the path or to a folder above it.
    fn one(&self, path: &RepoPath) -> Vec<RepoPath> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let bytes = path.as_bytes();
        let ends = memchr::memchr_iter(b'/', bytes).chain([bytes.len()]);
        let mut names = Vec::new();
        for (target, rest) in ends.map(|end| bytes.split_at(end)) {
            let links = RepoPath::new(target).ok();
            let links = links.and_then(|target| self.0.get(&target));
            for link in links.into_iter().flatten() {
                names.extend(RepoPath::new([link.as_bytes(), rest].concat()));
            }
        }
        names
    }
}

/// The path that a link names, as text: none where it leaves the tree or is the tree itself.
fn resolved(link: &RepoPath, target: &[u8]) -> Option<RepoPath> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = link.parts().collect();
    parts.pop();
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    RepoPath::new(parts.join(&b'/')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_30_a_path_has_the_names_of_the_links_to_it() {
        let mut aliases = Aliases::default();
        let path = |text: &str| RepoPath::new(text).unwrap();
        for (link, target) in [
            ("CLAUDE.md", "docs/rules.md"),
            (".claude", "./tools//claude/"),
            (".husky/pre-commit", "../scripts/check"),
            ("scripts", "tools/scripts"),
            ("out", "../../etc"),
            ("top", "."),
            ("root", "/etc"),
            ("one", "two"),
            ("two", "one"),
        ] {
            aliases.add(&path(link), target.as_bytes());
        }
        let names = |text: &str| -> Vec<String> {
            let names = aliases.of(&path(text));
            names.iter().map(|name| name.to_text()).collect()
        };
        assert_eq!(names("docs/rules.md"), ["CLAUDE.md"]);
        assert_eq!(names("tools/claude/a.json"), [".claude/a.json"]);
        assert_eq!(
            names("tools/scripts/check"),
            ["scripts/check", ".husky/pre-commit"]
        );
        assert_eq!(names("two/x"), ["one/x"]);
        assert_eq!(names("docs/rules.md.bak"), [""; 0]);
        assert_eq!(names("etc"), [""; 0]);
    }
}
