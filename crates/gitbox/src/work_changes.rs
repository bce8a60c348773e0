//! What stands in a work tree now, as evidence (MEM-07): branch, base commit, changed files. Never a condition for anything.
//!
//! git is asked for nothing but `rev-parse` and `branch --show-current` (CNF-06).

use std::path::Path;
use std::time::Duration;

use taffrail_domain::{Ended, Oid};

use crate::runner::Git;

/// Each question to git. Measured: 2–5 ms.
const ASK: Duration = Duration::from_secs(2);

/// What stands in a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkChanges {
    /// The branch; none on a detached head.
    pub branch: Option<String>,
    /// The commit that is checked out; none before the first one.
    pub base: Option<Oid>,
}

/// What stands in the work tree that a folder lies in; none outside of git.
pub fn work_changes(git: &Git, folder: &Path) -> Option<WorkChanges> {
    let ask = |args: &[&str]| {
        let call = args
            .iter()
            .fold(git.call([], folder), |call, arg| call.arg(arg));
        let output = call.within(ASK).output().ok()?;
        (output.ended == Ended::Exited(0)).then_some(output.stdout)
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    ask(&["rev-parse", "--show-toplevel"])?;
    let base = ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    let branch = ask(&["branch", "--show-current"]).map(text);
    Some(WorkChanges {
        branch: branch.filter(|name| !name.is_empty()),
        base: base.and_then(|oid| text(oid).parse().ok()),
    })
}
