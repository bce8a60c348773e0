//! What a directory tree is, in one hash: to say that an operator's tree and its `.git` are as they were.
//!
//! Links are never followed. Sockets, pipes and devices are named, not opened.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Whether modification times of files belong to what a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// They count, to the nanosecond; of directories too.
    Counted,
    /// They do not.
    Ignored,
}

/// SHA-256 over everything below `path`: sorted relative names, types, modes, link targets and contents.
///
/// # Panics
/// When something below `path` cannot be read.
pub fn digest(path: &Path) -> String {
    digest_with(path, Times::Ignored)
}

/// Like [`digest`], with modification times counted or not.
///
/// # Panics
/// When something below `path` cannot be read.
pub fn digest_with(path: &Path, times: Times) -> String {
    let mut hash = Sha256::new();
    for line in manifest(path, times) {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

/// The lines that [`digest`] hashes, sorted by name: compare them where a test should say what changed.
///
/// # Panics
/// When something below `path` cannot be read.
pub fn manifest(path: &Path, times: Times) -> Vec<String> {
    let mut lines = Vec::new();
    describe(path, "", times, &mut lines);
    lines
}

fn describe(path: &Path, name: &str, times: Times, lines: &mut Vec<String>) {
    let meta = path
        .symlink_metadata()
        .unwrap_or_else(|error| fail(path, &error));
    let time = match times {
        Times::Counted => format!(" {}.{:09}", meta.mtime(), meta.mtime_nsec()),
        Times::Ignored => String::new(),
    };
    let shown = if name.is_empty() { "." } else { name };
    lines.push(format!(
        "{shown} {:o}{time} {}",
        meta.mode() & 0o7777,
        content(path, &meta)
    ));
    if meta.is_dir() {
        for child in children(path) {
            let child_name = escaped(child.as_bytes());
            let below = if name.is_empty() {
                child_name
            } else {
                format!("{name}/{child_name}")
            };
            describe(&path.join(child), &below, times, lines);
        }
    }
}

fn children(path: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| fail(path, &error));
    let mut names: Vec<OsString> = entries
        .map(|entry| entry.unwrap_or_else(|error| fail(path, &error)).file_name())
        .collect();
    names.sort();
    names
}

fn content(path: &Path, meta: &Metadata) -> String {
    let kind = meta.file_type();
    if kind.is_dir() {
        "directory".to_owned()
    } else if kind.is_symlink() {
        let target = std::fs::read_link(path).unwrap_or_else(|error| fail(path, &error));
        format!("link {}", escaped(target.as_os_str().as_bytes()))
    } else if kind.is_file() {
        format!("file {} {}", meta.len(), hash_of(path))
    } else if kind.is_fifo() {
        "pipe".to_owned()
    } else if kind.is_socket() {
        "socket".to_owned()
    } else {
        format!("device {:x}", meta.rdev())
    }
}

fn hash_of(path: &Path) -> String {
    let mut file = File::open(path).unwrap_or_else(|error| fail(path, &error));
    let mut hash = Sha256::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let count = file
            .read(&mut buffer)
            .unwrap_or_else(|error| fail(path, &error));
        if count == 0 {
            return hex(&hash.finalize());
        }
        hash.update(buffer.get(..count).unwrap_or_default());
    }
}

/// Bytes as one word that no other bytes give: everything but printable ASCII, space and `\` escaped.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'!'..=b'~' if *byte != b'\\' => out.push(char::from(*byte)),
            other => out.push_str(&format!("\\x{other:02x}")),
        }
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fail(path: &Path, error: &std::io::Error) -> ! {
    panic!("cannot read {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    use super::*;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("dir")).unwrap();
        fs::write(root.path().join("dir/file"), "content").unwrap();
        fs::write(root.path().join("other"), "other").unwrap();
        symlink("dir/file", root.path().join("link")).unwrap();
        root
    }

    #[test]
    fn equal_trees_have_equal_digests_and_looking_changes_nothing() {
        let (one, two) = (tree(), tree());
        assert_eq!(digest(one.path()), digest(two.path()));
        let before = digest_with(one.path(), Times::Counted);
        assert_eq!(digest_with(one.path(), Times::Counted), before);
        assert_eq!(before.len(), 64);
    }

    #[test]
    fn each_kind_of_change_changes_the_digest() {
        type Edit = fn(&Path);
        let edits: [(&str, Edit); 8] = [
            ("content", |root| {
                fs::write(root.join("dir/file"), "Content").unwrap();
            }),
            ("name", |root| {
                fs::rename(root.join("other"), root.join("othes")).unwrap();
            }),
            ("place", |root| {
                fs::rename(root.join("other"), root.join("dir/other")).unwrap();
            }),
            ("mode", |root| {
                fs::set_permissions(root.join("other"), Permissions::from_mode(0o711)).unwrap();
            }),
            ("empty directory", |root| {
                fs::create_dir(root.join("empty")).unwrap();
            }),
            ("removal", |root| {
                fs::remove_file(root.join("other")).unwrap();
            }),
            ("link target", |root| {
                fs::remove_file(root.join("link")).unwrap();
                symlink("other", root.join("link")).unwrap();
            }),
            ("link for file", |root| {
                fs::remove_file(root.join("other")).unwrap();
                symlink("dir/file", root.join("other")).unwrap();
            }),
        ];
        for (what, edit) in edits {
            let root = tree();
            let before = digest(root.path());
            edit(root.path());
            assert_ne!(digest(root.path()), before, "{what}");
        }
    }

    #[test]
    fn a_touch_counts_only_where_times_count() {
        let root = tree();
        let (ignored, counted) = (
            digest(root.path()),
            digest_with(root.path(), Times::Counted),
        );
        let file = File::options()
            .write(true)
            .open(root.path().join("other"))
            .unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(7))
            .unwrap();
        assert_eq!(digest(root.path()), ignored);
        assert_ne!(digest_with(root.path(), Times::Counted), counted);
    }

    #[test]
    fn pipes_and_strange_names_are_told_apart_and_never_opened() {
        let root = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"a\n\xff b");
        fs::write(root.path().join(name), "x").unwrap();
        let pipe = root.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let lines = manifest(root.path(), Times::Ignored);
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("a\\x0a\\xff\\x20b 644 file 1 ")),
            "{lines:?}"
        );
        assert!(
            lines.iter().any(|line| line == "pipe 400 pipe"),
            "{lines:?}"
        );
    }
}
