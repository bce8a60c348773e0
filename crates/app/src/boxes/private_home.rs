//! The HOME of a run: its own folder, with the credential files that the agent's entry names copied in, and a
//! refreshed credential taken back after the run when it is still of its kind (FA-41).
//!
//! Settings, hooks and shell start files of the operator are copies here at most: nothing of them is written back.

use std::mem::discriminant;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use taffrail_config::AgentEntry;
use taffrail_confine::fs::{EntryKind, FsError, Root};
use taffrail_domain::RepoPath;

/// The largest file that is lent or taken back. Credentials are below 100 KiB; Claude Code's state file, which holds
/// the sign-in too, grows to several MiB with its history.
const CREDENTIAL_LIMIT: u64 = 16 << 20;
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_DIR: u32 = 0o700;

/// A file that was copied in, with the bytes it had.
pub struct Lent {
    path: RepoPath,
    bytes: Vec<u8>,
    write_back: bool,
}

/// A file of the operator's home by its real place: people keep their dotfiles elsewhere and link to them.
struct Owned {
    folder: Root,
    name: RepoPath,
}

/// What became of a credential that the agent may refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// The operator's file now holds the new token.
    WrittenBack(RepoPath),
    /// Left as it was, for this reason.
    Kept(RepoPath, &'static str),
}

/// Makes the run's HOME below `home` and lends it the files that the entry names and the operator has.
pub fn furnish(
    operator: &Path,
    home: &Path,
    entry: Option<&AgentEntry>,
) -> Result<Vec<Lent>, FsError> {
    let Some(entry) = entry else {
        return Ok(Vec::new());
    };
    let to = Root::open(home)?;
    for dir in &entry.state_dirs {
        if let Ok(dir) = RepoPath::new(dir.as_bytes()) {
            to.create_dirs(&dir, PRIVATE_DIR)?;
        }
    }
    let mut lent = Vec::new();
    for name in &entry.credential_files {
        let Ok(path) = RepoPath::new(name.as_bytes()) else {
            continue;
        };
        if let Some(bytes) = present(operator, name)? {
            place(&to, &path, &bytes)?;
            lent.push(Lent {
                write_back: entry.write_back.contains(name),
                path,
                bytes,
            });
        }
    }
    Ok(lent)
}

/// Takes refreshed credentials back: each must be a plain file with one link, of the same kind as before, and the
/// operator's own must not have changed meanwhile.
pub fn take_back(operator: &Path, home: &Path, lent: &[Lent]) -> Result<Vec<Refreshed>, FsError> {
    let candidates: Vec<_> = lent.iter().filter(|lent| lent.write_back).collect();
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let from = Root::open_itself(home)?;
    let mut results = Vec::new();
    for lent in candidates {
        match refreshed(&from, operator, lent) {
            Ok(None) => {}
            Ok(Some((yours, bytes))) => {
                yours.folder.replace(&yours.name, &bytes, PRIVATE_FILE)?;
                results.push(Refreshed::WrittenBack(lent.path.clone()));
            }
            Err(reason) => results.push(Refreshed::Kept(lent.path.clone(), reason)),
        }
    }
    Ok(results)
}

/// The new bytes when the run changed the file in a way that may be taken back; none when it did not change.
fn refreshed(
    from: &Root,
    operator: &Path,
    lent: &Lent,
) -> Result<Option<(Owned, Vec<u8>)>, &'static str> {
    let (kind, stat) = from.stat(&lent.path).map_err(|_| "the run removed it")?;
    if kind != EntryKind::File || stat.links != 1 {
        return Err("it is no longer a plain file with one link");
    }
    let bytes = from
        .read(&lent.path, CREDENTIAL_LIMIT)
        .map_err(|_| "it grew past 16 MiB or cannot be read")?;
    if bytes == lent.bytes {
        return Ok(None);
    }
    same_kind(&lent.path, &lent.bytes, &bytes)?;
    let yours = owned(operator, &lent.path.to_text()).ok_or("yours is gone")?;
    let current = yours
        .folder
        .read(&yours.name, CREDENTIAL_LIMIT)
        .map_err(|_| "yours cannot be read")?;
    if current == lent.bytes {
        Ok(Some((yours, bytes)))
    } else {
        Err("yours was changed by another program meanwhile")
    }
}

/// A refreshed JSON credential keeps the shape of the old one: an object with no top-level key that was not there, and
/// under each key the type that was there (`null` stands for any).
fn same_kind(path: &RepoPath, old: &[u8], new: &[u8]) -> Result<(), &'static str> {
    if !path.name().ends_with(b".json") {
        return std::str::from_utf8(new)
            .map(|_| ())
            .map_err(|_| "it is no longer text");
    }
    let keys = |bytes| serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes);
    let (old, new) = (
        keys(old).map_err(|_| "yours is not a JSON object")?,
        keys(new).map_err(|_| "it is no longer a JSON object")?,
    );
    for (key, value) in &new {
        let was = old
            .get(key)
            .ok_or("it has a key that yours does not have")?;
        let free = was.is_null() || value.is_null();
        if !free && discriminant(was) != discriminant(value) {
            return Err("a value in it is of another type than yours");
        }
    }
    Ok(())
}

fn present(operator: &Path, name: &str) -> Result<Option<Vec<u8>>, FsError> {
    match owned(operator, name) {
        Some(file) => file.folder.read(&file.name, CREDENTIAL_LIMIT).map(Some),
        None => Ok(None),
    }
}

fn owned(operator: &Path, name: &str) -> Option<Owned> {
    let real = std::fs::canonicalize(operator.join(name)).ok()?;
    let name = RepoPath::new(real.file_name()?.as_bytes()).ok()?;
    Some(Owned {
        folder: Root::open(real.parent()?).ok()?,
        name,
    })
}

fn place(to: &Root, path: &RepoPath, bytes: &[u8]) -> Result<(), FsError> {
    if let Some(parent) = parent(path) {
        to.create_dirs(&parent, PRIVATE_DIR)?;
    }
    to.write_new(path, bytes, PRIVATE_FILE)
}

fn parent(path: &RepoPath) -> Option<RepoPath> {
    let end = path.as_bytes().iter().rposition(|byte| *byte == b'/')?;
    RepoPath::new(path.as_bytes().get(..end)?).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a helper's panic is the test's failure
mod tests {
    use super::*;

    #[test]
    fn fa_41_a_refreshed_credential_keeps_the_shape_of_the_old_one() {
        let path = RepoPath::new(".codex/auth.json").unwrap();
        let old = br#"{"key":null,"tokens":{"access":"a"},"expires":1}"#;
        let check = |new: &str| same_kind(&path, old, new.as_bytes());
        for new in [
            r#"{"key":null,"tokens":{"access":"b","id":"c"},"expires":2}"#,
            r#"{"key":"set","tokens":{},"expires":null}"#,
        ] {
            assert_eq!(check(new), Ok(()), "{new}");
        }
        for new in [
            r#"{"tokens":["sh","-c"]}"#,
            r#"{"tokens":"b"}"#,
            r#"{"expires":{"hooks":[]}}"#,
            r#"{"hooks":{}}"#,
            "[]",
            "#!/bin/sh",
        ] {
            assert!(check(new).is_err(), "{new}");
        }
    }
}
