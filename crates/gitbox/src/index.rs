//! What the operator's index knows of each file, and which files git converts on the way to the work tree.
//!
//! Asked of git with commands that run nothing of the repository: `ls-files` with the file-system monitor off, and
//! `check-attr`.

use std::collections::BTreeMap;

use taffrail_confine::fs::{Root, Stat};
use taffrail_domain::{FileMode, Oid, RepoPath};

use crate::error::GitError;
use crate::listing::{records, split_record};
use crate::project::Project;
use crate::runner::{Call, Git};

/// Bits of an entry's flags, as `ls-files --debug` prints them.
const ASSUME_UNCHANGED: u64 = 0x8000;
const SKIP_WORKTREE: u64 = 1 << 30;

/// One file in the index.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub mode: FileMode,
    pub oid: Oid,
    /// A person told git not to look: `skip-worktree` (sparse checkouts) or `assume-unchanged`.
    pub hidden: bool,
    facts: Option<Facts>,
}

/// The facts that tell a touched file from one that is as it was checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    seconds: i128,
    nanos: i128,
    /// git keeps 32 bits.
    size: u32,
    inode: u32,
}

impl Known {
    /// An entry that was read from the index itself. The facts: when it changed in nanoseconds since 1970, size and inode as
    /// far as 32 bits hold them; none where they do not tell.
    pub(crate) fn of_entry(
        mode: FileMode,
        oid: Oid,
        hidden: bool,
        facts: Option<(i128, u32, u32)>,
    ) -> Self {
        let facts = facts.map(|(mtime, size, inode)| Facts {
            seconds: mtime.div_euclid(1_000_000_000),
            nanos: mtime.rem_euclid(1_000_000_000),
            size,
            inode,
        });
        Self {
            mode,
            oid,
            hidden,
            facts,
        }
    }

    /// Whether the file is as it was when the index was written.
    pub(crate) fn is_unchanged(&self, stat: &Stat) -> bool {
        let Some(facts) = self.facts else {
            return false;
        };
        let (seconds, nanos) = (
            stat.mtime_ns.div_euclid(1_000_000_000),
            stat.mtime_ns.rem_euclid(1_000_000_000),
        );
        // Some gits keep no nanoseconds.
        let same_nanos = facts.nanos == 0 || facts.nanos == nanos;
        facts.seconds == seconds
            && same_nanos
            && u64::from(facts.size) == stat.len & 0xffff_ffff
            && u64::from(facts.inode) == stat.ino & 0xffff_ffff
    }
}

fn in_work_tree<'a>(call: Call<'a>, project: &Project) -> Call<'a> {
    call.repository(&project.git_dir)
        .env("GIT_WORK_TREE", &project.root)
}

/// Every path of the index. One in conflict has no facts.
pub(crate) fn read(git: &Git, project: &Project) -> Result<BTreeMap<RepoPath, Known>, GitError> {
    let call = git.call(["ls-files", "--stage", "--debug", "-z"], &project.root);
    let bytes = in_work_tree(call, project).long().bytes()?;
    let written = index_time(project);
    let mut index = BTreeMap::new();
    let mut rest = bytes.as_slice();
    while let Some(at) = memchr::memchr(0, rest) {
        let (head, tail) = rest.split_at(at);
        let (head, path) = split_record(head)?;
        let (debug, after) = debug_lines(tail.get(1..).unwrap_or_default());
        rest = after;
        let mut words = head.split(' ');
        let (Some(mode), Some(oid), Some(stage)) = (words.next(), words.next(), words.next())
        else {
            return Err(GitError::Listing(head.to_owned()));
        };
        let flags = field(debug, "flags: ").and_then(|text| u64::from_str_radix(text, 16).ok());
        let flags = flags.unwrap_or_default();
        // A file that changed in the moment in which the index was written has its old facts: it is hashed.
        let facts = facts(debug)
            .filter(|facts| stage == "0" && facts.seconds * 1_000_000_000 + facts.nanos < written);
        index.insert(
            path,
            Known {
                mode: mode.parse().map_err(GitError::Listing)?,
                oid: oid.parse().map_err(GitError::Listing)?,
                hidden: flags & (ASSUME_UNCHANGED | SKIP_WORKTREE) != 0,
                facts,
            },
        );
    }
    Ok(index)
}

/// When the index was written; the beginning of time where that is not known, so that every file is hashed.
fn index_time(project: &Project) -> i128 {
    let time = || {
        let root = Root::open(&project.git_dir).ok()?;
        let (_, stat) = root.stat(&RepoPath::new("index").ok()?).ok()?;
        Some(stat.mtime_ns)
    };
    time().unwrap_or(i128::MIN)
}

/// The indented lines at the front, and what comes behind them.
fn debug_lines(bytes: &[u8]) -> (&str, &[u8]) {
    let mut end = 0;
    while bytes.get(end..).is_some_and(|rest| rest.starts_with(b"  ")) {
        let rest = bytes.get(end..).unwrap_or_default();
        end += memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    }
    let (lines, rest) = bytes.split_at(end);
    (std::str::from_utf8(lines).unwrap_or_default(), rest)
}

/// The word behind a name.
fn field<'a>(lines: &'a str, name: &str) -> Option<&'a str> {
    let (_, behind) = lines.split_once(name)?;
    behind.split_ascii_whitespace().next()
}

fn facts(lines: &str) -> Option<Facts> {
    let (seconds, nanos) = field(lines, "mtime: ")?.split_once(':')?;
    Some(Facts {
        seconds: seconds.parse().ok()?,
        nanos: nanos.parse().ok()?,
        size: field(lines, "size: ")?.parse().ok()?,
        inode: field(lines, "ino: ")?.parse().ok()?,
    })
}

/// How git converts a file between repository and work tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// A filter, an encoding or keywords stand in between.
    pub converted: bool,
    /// Line ends are converted.
    pub line_ends: bool,
}

/// The attributes of these paths.
pub(crate) fn attributes(
    git: &Git,
    project: &Project,
    paths: &[&RepoPath],
) -> Result<BTreeMap<RepoPath, Attributes>, GitError> {
    let mut known: BTreeMap<RepoPath, Attributes> = BTreeMap::new();
    if paths.is_empty() {
        return Ok(known);
    }
    let mut stdin = Vec::new();
    for path in paths {
        stdin.extend_from_slice(path.as_bytes());
        stdin.push(0);
    }
    let names = [
        "filter",
        "text",
        "eol",
        "crlf",
        "ident",
        "working-tree-encoding",
    ];
    let call = git.call(["check-attr", "-z", "--stdin"], &project.root);
    let call = names.iter().fold(call, |call, name| call.arg(name));
    let bytes = in_work_tree(call, project).stdin(stdin).long().bytes()?;
    let words: Vec<&[u8]> = records(&bytes).collect();
    for triple in words.chunks_exact(3) {
        let [path, name, value] = triple else {
            continue;
        };
        let path = RepoPath::new(*path).map_err(|why| GitError::Listing(why.to_string()))?;
        let entry = known.entry(path).or_default();
        let is_set = !matches!(*value, b"unspecified" | b"unset");
        match *name {
            b"text" | b"eol" | b"crlf" => entry.line_ends |= is_set,
            _ => entry.converted |= is_set,
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_10_debug_lines_are_read() {
        let text = b"  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 0\tgid: 0\n  size: 7\tflags: 40000000\n100644 x";
        let (lines, rest) = debug_lines(text);
        assert_eq!(rest, b"100644 x");
        let facts = facts(lines).unwrap();
        assert_eq!(
            (facts.seconds, facts.nanos, facts.size, facts.inode),
            (3, 4, 7, 6)
        );
        assert_eq!(field(lines, "flags: "), Some("40000000"));
    }
}
