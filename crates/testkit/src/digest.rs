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
mod tests;
