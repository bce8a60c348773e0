//! Pure: what a person must look at before a change lands, and what never lands (FA-30).
//!
//! Knows names, modes and what kind of content it is; opens nothing.

use taffrail_domain::{FileMode, Flag, Refusal, RepoPath};

use crate::flag_table::{FOLDERS, NAMES, PATHS, STEMS};
use crate::names;

/// What is known of one changed path.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Where.
    pub path: &'a RepoPath,
    /// Its other names, through symlinks of the tree.
    pub aliases: &'a [RepoPath],
    /// The mode in the base; none when added.
    pub old: Option<FileMode>,
    /// The mode in the checkout; none when deleted.
    pub new: Option<FileMode>,
    /// The new content is not text.
    pub binary: bool,
    /// Something secret-shaped is among what is added.
    pub secret: bool,
    /// Another name in the same folder folds to the same.
    pub collides: bool,
}

/// The reasons to look twice, sorted, none twice.
pub fn flags(facts: &Facts<'_>) -> Vec<Flag> {
    let names = facts.aliases.iter().chain([facts.path]);
    let mut found: Vec<Flag> = names.flat_map(path_flags).collect();
    let executable = Some(FileMode::Executable);
    let mut add = |when: bool, flag| {
        if when {
            found.push(flag);
        }
    };
    add(
        facts.new == executable && facts.old != executable,
        Flag::Executable,
    );
    add(facts.new == Some(FileMode::Symlink), Flag::Symlink);
    add(facts.binary, Flag::Binary);
    add(facts.secret, Flag::Secret);
    add(names::is_odd(facts.path.as_bytes()), Flag::OddName);
    add(facts.collides, Flag::CaseCollision);
    found.sort_unstable();
    found.dedup();
    found
}

/// The flags that the path alone gives, whatever its case and however deep it lies.
fn path_flags(path: &RepoPath) -> Vec<Flag> {
    let parts: Vec<Vec<u8>> = path.parts().map(names::opened_as).collect();
    let whole = parts.join(&b'/');
    let mut found = Vec::new();
    let folders = parts.split_last().map_or(&[][..], |(_, folders)| folders);
    // A file in place of such a folder (a symlink to one, above all) counts as the folder.
    let in_folder = |name: &str| parts.iter().any(|part| part == name.as_bytes());
    found.extend(
        FOLDERS
            .iter()
            .filter(|(name, _)| in_folder(name))
            .map(|(_, flag)| *flag),
    );
    let last = parts.last().map_or(&[][..], Vec::as_slice);
    found.extend(
        NAMES
            .iter()
            .filter(|(name, _)| last == name.as_bytes())
            .map(|(_, flag)| *flag),
    );
    found.extend(
        STEMS
            .iter()
            .filter(|(stem, _)| last.starts_with(stem.as_bytes()))
            .map(|(_, flag)| *flag),
    );
    found.extend(
        PATHS
            .iter()
            .filter(|(part, _)| contains_path(&whole, part.as_bytes()))
            .map(|(_, flag)| *flag),
    );
    if folders.iter().any(|part| part == b"hooks") && is_git_hook(last) {
        found.push(Flag::Hook);
    }
    found
}

/// Whether `part` is in `whole` from one slash, or the start, to another, or the end.
fn contains_path(whole: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find_iter(whole, part).any(|at| {
        let (before, rest) = whole.split_at(at);
        let after = rest.get(part.len());
        matches!(before.last(), None | Some(b'/')) && matches!(after, None | Some(b'/'))
    })
}

/// The hooks of git itself, which a tracked `hooks` folder is pointed at with `core.hooksPath`.
fn is_git_hook(name: &[u8]) -> bool {
    [
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "pre-push",
        "pre-rebase",
        "post-checkout",
        "post-merge",
        "post-rewrite",
        "pre-merge-commit",
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "reference-transaction",
        "fsmonitor-watchman",
        "applypatch-msg",
        "pre-applypatch",
        "post-applypatch",
        "sendemail-validate",
    ]
    .iter()
    .any(|hook| name == hook.as_bytes())
}

/// Why a path can never land, by its name alone.
pub fn refusal_of_path(path: &RepoPath) -> Option<Refusal> {
    path.parts()
        .any(names::is_git_folder)
        .then_some(Refusal::GitFolder)
}

/// Why a symlink can never land, by its path and its target.
///
/// Only leading `..` are looked at as such: after another part a `..` may leave through a symlink, so it refuses.
pub fn refusal_of_link(path: &RepoPath, target: &[u8]) -> Option<Refusal> {
    let file = names::folded(path.name());
    if file == b".gitmodules" || target.split(|byte| *byte == b'/').any(names::is_git_folder) {
        return Some(Refusal::GitFolder);
    }
    let drive = matches!(target, [letter, b':', ..] if letter.is_ascii_alphabetic());
    let absolute = drive || matches!(target.first(), None | Some(b'/' | b'\\'));
    (absolute || climbs_out(path, target)).then_some(Refusal::SymlinkLeaves)
}

fn climbs_out(path: &RepoPath, target: &[u8]) -> bool {
    let mut depth = path.parts().count() - 1;
    let mut descended = false;
    for part in target.split(|byte| matches!(byte, b'/' | b'\\')) {
        match part {
            b"" | b"." => {}
            b".." if descended || depth == 0 => return true,
            b".." => depth -= 1,
            _ => descended = true,
        }
    }
    false
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;
