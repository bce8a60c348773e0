//! What stands in the folder of a slate when it is closed, as evidence of what was learnt (MEM-07). Never fails, and is
//! never a condition.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use taffrail_gitbox::{Changed, WorkLimits};
use taffrail_redact::Redactor;

use crate::App;

/// Changed files that are listed; the others are counted.
const LISTED: usize = 100;

/// Branch, base commit and changed files of the work tree that a folder lies in; none outside of git. Where something is not
/// said, `change.left_out` or `not_looked_at` says why.
pub(super) fn of_folder(app: &App, folder: &Path) -> Option<Value> {
    let found = taffrail_gitbox::work_changes(app.git(), folder, &WorkLimits::default())?;
    let clean = |text: String| app.redactor.clean(&text).into_string();
    let (change, why) = match &found.changed {
        Ok(changed) => (Some(change(&app.redactor, changed)), None),
        Err(why) => (None, Some(*why)),
    };
    Some(json!({
        "branch": found.branch.map(clean),
        "base": found.base.map(|oid| oid.to_string()),
        "change": change,
        "not_looked_at": why,
    }))
}

fn change(redactor: &Redactor, changed: &Changed) -> Value {
    let listed = changed.files.iter().take(LISTED).map(|file| {
        json!({
            "path": redactor.clean(&file.path.to_text()).as_str(),
            "status": file.status.name(),
            "added": file.lines.map(|(added, _)| added),
            "removed": file.lines.map(|(_, removed)| removed),
        })
    });
    let listed: Vec<Value> = listed.collect();
    json!({
        "diff": diff_hash(redactor, &changed.patch),
        "count": changed.files.len(),
        "files": listed,
        "left_out": changed.left_out,
    })
}

/// The SHA-256 of the diff without what looked secret; none where nothing differs.
fn diff_hash(redactor: &Redactor, patch: &[u8]) -> Option<String> {
    if patch.is_empty() {
        return None;
    }
    let clean = redactor.clean_bytes(patch);
    let digest = Sha256::digest(clean.as_str().as_bytes());
    Some(taffrail_domain::hex(&digest))
}

#[cfg(test)]
mod tests {
    use taffrail_domain::RepoPath;
    use taffrail_gitbox::{ChangedFile, WorkStatus};
    use taffrail_redact::{Options, Redactor};

    use super::*;

    fn token(end: &str) -> String {
        ["ghp_", "x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua", end].concat()
    }

    fn changed(count: usize, patch: &str) -> Changed {
        let file = |at: usize| ChangedFile {
            path: RepoPath::new(format!("f{at}-{}", token("4E"))).unwrap(),
            status: WorkStatus::Modified,
            lines: (at > 0).then_some((1, 2)),
        };
        Changed {
            files: (0..count).map(file).collect(),
            patch: patch.as_bytes().to_vec(),
            left_out: vec!["the diff was cut"],
        }
    }

    #[test]
    fn mem_07_files_are_counted_and_a_hundred_listed() {
        let redactor = Redactor::new(Options::default());
        let said = change(&redactor, &changed(150, "+x\n"));
        assert_eq!(said["count"], 150);
        assert_eq!(said["files"].as_array().unwrap().len(), 100);
        assert_eq!(said["files"][0]["added"], Value::Null);
        assert_eq!(said["files"][1]["removed"], 2);
        assert_eq!(said["files"][1]["status"], "modified");
        assert_eq!(said["left_out"][0], "the diff was cut");
        assert!(!said.to_string().contains(&token("4E")));
        assert_eq!(change(&redactor, &changed(0, ""))["diff"], Value::Null);
    }

    #[test]
    fn mem_07_the_hash_is_of_the_diff_without_its_secrets() {
        let redactor = Redactor::new(Options::default());
        let hash = |patch: &str| diff_hash(&redactor, patch.as_bytes()).unwrap();
        let line = |end: &str| format!("+token = \"{}\"\n", token(end));
        assert_eq!(hash(&line("4E")), hash(&line("9Z")));
        // The twin: of the bytes it would tell them apart.
        assert_ne!(line("4E"), line("9Z"));
        assert_ne!(hash("+a\n"), hash("+b\n"));
        assert_eq!(hash("+a\n").len(), 64);
    }
}
