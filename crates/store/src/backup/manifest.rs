//! The list of what an archive holds, which is its first entry: nothing that it does not name is taken out.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use taffrail_domain::Millis;

use super::ArchiveError;
use crate::slate_files::{ALL, CLOSED, closed_slate, is_live};

/// The entry's name.
pub(crate) const NAME: &str = "manifest.json";
/// The database's name in an archive.
pub(crate) const DATABASE: &str = "taffrail.db";
/// The configuration's name in an archive.
pub(crate) const CONFIG: &str = "config.toml";
/// The wrapped seal key's name in an archive.
pub(crate) const SEAL_KEY: &str = "seal-key.wrapped";
/// Form of the manifest that this program writes and reads.
const FORMAT: u64 = 1;
/// Files that an archive may hold.
const MOST_FILES: usize = 1_000_000;

/// What an archive says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The program that made it.
    pub program: String,
    /// Schema version of its database.
    pub schema: i64,
    /// When it was made.
    pub made_at: Millis,
    /// Number of the last entry of its journal; 0 for none.
    pub journal_entries: u64,
    /// Its files, in the order in which they follow.
    pub files: Vec<FileEntry>,
}

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its place below the home.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
}

impl Manifest {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files
            .iter()
            .fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// Whether the seal key is in it, wrapped.
    pub fn has_seal_key(&self) -> bool {
        self.files.iter().any(|file| file.path == SEAL_KEY)
    }

    /// Its bytes in the archive.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|file| json!({"path": file.path, "bytes": file.bytes, "sha256": file.sha256}))
            .collect();
        let value = json!({
            "format": FORMAT,
            "program": self.program,
            "schema": self.schema,
            "made_at": self.made_at.0,
            "journal_entries": self.journal_entries,
            "files": files,
        });
        value.to_string().into_bytes()
    }

    /// Reads one and refuses whatever could not have been written by [`Self::to_bytes`].
    pub(crate) fn parse(bytes: &[u8], archive: &Path) -> Result<Self, ArchiveError> {
        let bad = |why: &str| ArchiveError::invalid(archive, format!("its manifest {why}"));
        let value: Value = serde_json::from_slice(bytes).map_err(|_| bad("is not JSON"))?;
        if value.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return Err(bad("has a form that this program does not know"));
        }
        let number = |name: &str| value.get(name).and_then(Value::as_i64);
        let listed = value.get("files").and_then(Value::as_array);
        let listed = listed.ok_or_else(|| bad("lists no files"))?;
        if listed.len() > MOST_FILES {
            return Err(bad("lists more than 1,000,000 files"));
        }
        let files: Option<Vec<FileEntry>> = listed.iter().map(file).collect();
        let manifest = Self {
            program: text(&value, "program").ok_or_else(|| bad("names no program"))?,
            schema: number("schema").ok_or_else(|| bad("names no schema"))?,
            made_at: Millis(number("made_at").ok_or_else(|| bad("has no time"))?),
            journal_entries: value
                .get("journal_entries")
                .and_then(Value::as_u64)
                .ok_or_else(|| bad("counts no journal"))?,
            files: files.ok_or_else(|| bad("names a file that no backup has"))?,
        };
        let mut names: Vec<&str> = manifest.files.iter().map(|file| &*file.path).collect();
        if !names.contains(&DATABASE) {
            return Err(bad("names no database"));
        }
        names.sort_unstable();
        if names.windows(2).any(|two| two.first() == two.last()) {
            return Err(bad("names a file twice"));
        }
        Ok(manifest)
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn file(value: &Value) -> Option<FileEntry> {
    let entry = FileEntry {
        path: text(value, "path")?,
        bytes: value.get("bytes")?.as_u64()?,
        sha256: text(value, "sha256")?,
    };
    let hex = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hex(&entry.sha256) && relative(&entry.path).is_some()).then_some(entry)
}

/// Where a file of an archive belongs below a home: one of the few shapes that a backup writes, and no other.
pub(crate) fn relative(path: &str) -> Option<PathBuf> {
    let plain = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        (1..=64).contains(&part.len()) && !part.starts_with('.') && part.bytes().all(fits)
    };
    // An id of 128 characters, which of them are capitals, and a generation.
    let slate = |name: &str| name.len() <= 255 && (is_live(name) || closed_slate(name).is_some());
    let parts: Vec<&str> = path.split('/').collect();
    let known = match parts.as_slice() {
        [single] => matches!(*single, DATABASE | CONFIG | SEAL_KEY),
        ["sessions", session, name] => plain(session) && plain(name),
        ["blobs", first, second, name] => plain(first) && plain(second) && plain(name),
        [ALL, scope, name] => plain(scope) && slate(name) && is_live(name),
        [ALL, scope, CLOSED, name] => plain(scope) && slate(name) && !is_live(name),
        _ => false,
    };
    known.then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sto_09_only_the_places_of_a_backup_are_places() {
        for good in [
            "taffrail.db",
            "config.toml",
            "sessions/run_0123456789/change.patch",
            "external-slates/prj_0123456789/abc.json",
            "external-slates/personal/x.abc.1.corrupt-20260801-143005",
            "external-slates/personal/closed/abc.3.json",
            "external-slates/personal/closed/abc.3-2.json",
        ] {
            assert!(relative(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../taffrail.db",
            "sessions/../x",
            "sessions/run/..",
            "sessions//x",
            "sessions/.git/x",
            "backups/x",
            "sessions/a/b/c",
            "taffrail.db-wal",
            "sessions/run/a\0b",
            "external-slates/personal/locks/00",
            "external-slates/personal/../x.json",
            "external-slates/../x.json",
            "external-slates/personal/closed/abc.json",
            "external-slates/personal/abc.3.json",
            "external-slates/personal/abc.0123456789abcdef.tmp",
            "external-slates/personal/.json",
            "external-slates/x.json",
        ] {
            assert!(relative(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn sto_09_a_manifest_reads_back_and_odd_ones_are_refused() {
        let path = Path::new("x.tar.gz");
        let file = |path: &str| FileEntry {
            path: path.to_owned(),
            bytes: 3,
            sha256: "a".repeat(64),
        };
        let manifest = Manifest {
            program: "0.1.0".to_owned(),
            schema: 4,
            made_at: Millis(7),
            journal_entries: 2,
            files: vec![file(DATABASE), file(CONFIG)],
        };
        assert_eq!(
            Manifest::parse(&manifest.to_bytes(), path).unwrap(),
            manifest
        );
        for files in [
            vec![],
            vec![file(CONFIG)],
            vec![file(DATABASE), file(DATABASE)],
            vec![file(DATABASE), file("../x")],
        ] {
            let odd = Manifest {
                files,
                ..manifest.clone()
            };
            assert!(Manifest::parse(&odd.to_bytes(), path).is_err());
        }
        assert!(Manifest::parse(b"{}", path).is_err());
        assert!(Manifest::parse(b"\xff", path).is_err());
    }
}
