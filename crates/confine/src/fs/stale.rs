//! Folders for a moment that a process which was killed has left.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::private::OTHERS;
use super::remove_tree;

/// Removes what lies in `folder` under a name that begins with `prefix`, is a closed folder of this user's and has not
/// changed for at least `age`. Somebody may be faster, and what cannot be removed stays: nobody needs to know.
pub fn remove_stale(folder: &Path, prefix: &str, age: Duration) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |name: &std::ffi::OsStr| name.as_bytes().starts_with(prefix.as_bytes());
    for entry in entries.filter(|entry| named(&entry.file_name())) {
        let path = entry.path();
        if is_stale(&path, age) {
            drop(remove_tree(&path));
        }
    }
}

fn is_stale(path: &Path, age: Duration) -> bool {
    let us = rustix::process::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|found| {
        let is_ours = found.is_dir() && found.uid() == us && found.mode() & OTHERS == 0;
        // One that changes in the future is of no age.
        let since = found.modified().ok();
        let since = since.and_then(|at| SystemTime::now().duration_since(at).ok());
        is_ours && since.is_some_and(|since| since >= age)
    })
}
