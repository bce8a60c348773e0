//! The first line of a script.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The kernel reads no more of a first line (BINPRM_BUF_SIZE).
const FIRST_LINE: usize = 256;

/// The interpreter that a script's first line names, through `env` too; `None` for anything else.
pub(super) fn interpreter(program: &Path, path_dirs: &[PathBuf]) -> Option<PathBuf> {
    let mut start = Vec::new();
    let file = std::fs::File::open(program).ok()?;
    file.take(FIRST_LINE as u64).read_to_end(&mut start).ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let mut words = line
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .map(OsStr::from_bytes);
    let first = Path::new(words.next()?);
    if first.file_name()? != "env" {
        return first.is_absolute().then(|| first.to_owned());
    }
    // `env -S node --flag`, `env -i NAME=value node`
    let name = words
        .find(|word| !word.as_bytes().starts_with(b"-") && !word.as_bytes().contains(&b'='))?;
    path_dirs
        .iter()
        .map(|directory| directory.join(name))
        .find(|path| path.is_absolute() && path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_41_the_interpreter_is_read_from_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let node = folder.path().join("node");
        std::fs::write(&node, "").unwrap();
        let path = [PathBuf::from("relative"), folder.path().to_owned()];
        for (text, expect) in [
            ("#!/bin/sh\n", Some(PathBuf::from("/bin/sh"))),
            ("#! /bin/bash -e\nx", Some("/bin/bash".into())),
            ("#!/usr/bin/env node\n", Some(node.clone())),
            ("#!/usr/bin/env -S node --flag\n", Some(node.clone())),
            ("#!/usr/bin/env A=b node\n", Some(node)),
            ("#!/usr/bin/env missing\n", None),
            ("#!sh\n", None),
            ("#!\n", None),
            ("\u{7f}ELF", None),
            ("", None),
        ] {
            let script = folder.path().join("script");
            std::fs::write(&script, text).unwrap();
            assert_eq!(interpreter(&script, &path), expect, "{text:?}");
        }
    }
}
