//! The lines of what differs, as a diff that people read: it is hashed, not applied.

use std::collections::BTreeMap;

use taffrail_confine::fs::{Root, is_credential};
use taffrail_domain::{FileMode, Oid, RepoPath};

use super::look::Draft;
use super::raw_objects::{Kind, Objects};
use super::{ChangedFile, Deadline, WorkStatus};
use crate::patch;

/// Bytes of one side that is compared line by line.
const LARGEST_TEXT: u64 = 1 << 20;

const TIME: &str = "there was no time for all of the diff";
const LONG: &str = "the diff was cut";
const NOT_COUNTED: &str = "lines of some files were not counted";

/// What is needed to show the content of a change.
pub(super) struct Shown<'a> {
    pub root: &'a Root,
    pub objects: Option<&'a Objects>,
    pub deadline: &'a Deadline,
    /// Bytes of the diff.
    pub most: usize,
}

impl Shown<'_> {
    /// The files with their counts, and the diff.
    pub(super) fn of(
        &self,
        drafts: &BTreeMap<RepoPath, Draft>,
        left_out: &mut Vec<&'static str>,
    ) -> (Vec<ChangedFile>, Vec<u8>) {
        let (mut files, mut out) = (Vec::new(), Vec::new());
        let mut leave_out = |why| {
            if !left_out.contains(&why) {
                left_out.push(why);
            }
        };
        let mut stopped = false;
        for (path, draft) in drafts {
            if !stopped && self.deadline.is_over() {
                leave_out(TIME);
                stopped = true;
            }
            if !stopped && out.len() > self.most {
                leave_out(LONG);
                stopped = true;
            }
            let lines = if stopped {
                None
            } else {
                let counted = self.one(path, draft, &mut out);
                if counted.is_none() {
                    leave_out(NOT_COUNTED);
                }
                counted
            };
            files.push(ChangedFile {
                path: path.clone(),
                status: draft.status,
                lines,
            });
        }
        if out.len() > self.most {
            leave_out(LONG);
            out.truncate(self.most);
        }
        (files, out)
    }

    /// Writes one file's part; the lines that came and went, where both sides are text.
    fn one(&self, path: &RepoPath, draft: &Draft, out: &mut Vec<u8>) -> Option<(u32, u32)> {
        fn side(side: &Option<(FileMode, Oid)>) -> patch::Side<'_> {
            side.as_ref().map(|(mode, oid)| (*mode, oid))
        }
        // Writing to memory does not fail.
        patch::header(out, path, side(&draft.old), side(&draft.new)).ok()?;
        let is_gone = draft.status == WorkStatus::Deleted;
        if draft.new.is_none() && !is_gone || is_credential(path) {
            return None;
        }
        let old = match &draft.old {
            Some((mode, oid)) => Some(self.before(*mode, oid)?),
            None => None,
        };
        let new = match &draft.new {
            Some((mode, _)) => Some(self.now(path, *mode)?),
            None => None,
        };
        let sides = [&old, &new].into_iter().flatten();
        if sides.into_iter().any(|side| patch::is_binary(side)) {
            return None;
        }
        let counts = patch::text(out, path, old.as_deref(), new.as_deref(), &mut Vec::new());
        counts.ok().map(|counts| (counts.added, counts.removed))
    }

    fn before(&self, mode: FileMode, oid: &Oid) -> Option<Vec<u8>> {
        if mode == FileMode::Gitlink {
            return None;
        }
        let read = self.objects?.read(oid, LARGEST_TEXT as usize);
        read.filter(|(kind, _)| *kind == Kind::Blob)
            .map(|(_, bytes)| bytes)
    }

    fn now(&self, path: &RepoPath, mode: FileMode) -> Option<Vec<u8>> {
        match mode {
            FileMode::File | FileMode::Executable => self.root.read(path, LARGEST_TEXT).ok(),
            FileMode::Symlink => self.root.read_link(path).ok(),
            FileMode::Gitlink => None,
        }
    }
}
