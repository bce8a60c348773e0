//! Which open slates nobody has written to for long: one listing, one look at each file, and a read of what changed.

use std::collections::HashMap;

use rustix::fs::{AtFlags, FileType};
use taffrail_domain::Millis;
use taffrail_slate::external::{ExternalId, Slate};

use super::folder::Folder;
use super::live::{self, Live, Mark};
use super::{SlateFolder, stem_of};
use crate::StoreError;

/// What a process remembers of the files of one [`SlateFolder`], by name, so that what did not change is not read again.
#[derive(Debug, Clone, Default)]
pub struct SlateCache(HashMap<String, Known>);

#[derive(Debug, Clone, Copy)]
struct Known {
    mark: Mark,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Open(Millis),
    Closed,
    Malformed,
}

impl State {
    fn is_due(self, now: Millis, idle_millis: i64) -> bool {
        match self {
            Self::Open(last_write) => Slate::idle_since(last_write, now, idle_millis),
            Self::Closed => true,
            Self::Malformed => false,
        }
    }

    /// Whether it is open and was written to lately: nothing about it can matter yet.
    fn waits(self, now: Millis, idle_millis: i64) -> bool {
        matches!(self, Self::Open(_)) && !self.is_due(now, idle_millis)
    }
}

impl SlateFolder {
    /// Stems of the slates that are idle at `now`, or closed and not moved away yet; never that of `except`. What cannot be
    /// read as a slate is passed over. Taken without a lock: look again under the lock before anything is done with one.
    ///
    /// One listing; one look at each file that is new, was replaced, or is due as far as is known.
    ///
    /// # Errors
    /// `Io` for the folder; `Home` when it is not this user's alone.
    pub fn idle(
        &self,
        cache: &mut SlateCache,
        now: Millis,
        idle_millis: i64,
        except: &ExternalId,
    ) -> Result<Vec<String>, StoreError> {
        let mut before = std::mem::take(&mut cache.0);
        let Some(folder) = self.open()? else {
            return Ok(Vec::new());
        };
        let except = live::file_name(&except.file_stem());
        let mut due = Vec::new();
        for entry in folder.entries()? {
            if !entry.name.ends_with(".json") {
                continue;
            }
            let known = before.remove(&entry.name);
            if entry.name == except {
                cache.0.extend(known.map(|known| (entry.name, known)));
                continue;
            }
            // A file that was replaced has another inode. Should it have got an old one again, then what is known of it is
            // too old: it is due too early, and looked at.
            let waits = known.filter(|known| {
                let is_same = known.mark.inode == entry.inode;
                is_same && known.state.waits(now, idle_millis)
            });
            let Some(known) = waits.or_else(|| look(&folder, &entry.name, known)) else {
                continue;
            };
            if known.state.is_due(now, idle_millis) {
                due.extend(stem_of(&entry.name).map(|(stem, _)| stem.to_owned()));
            }
            cache.0.insert(entry.name, known);
        }
        due.sort_unstable();
        Ok(due)
    }
}

/// What is known of a file, read again only where it changed. An error of a neighbour's file is nobody else's: it is as if
/// it were not there.
fn look(folder: &Folder, name: &str, before: Option<Known>) -> Option<Known> {
    let (_, id) = stem_of(name)?;
    let found = rustix::fs::statat(folder.handle(), name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if !FileType::from_raw_mode(found.st_mode).is_file() {
        return None;
    }
    let mark = Mark::of(&found);
    if let Some(before) = before.filter(|before| before.mark == mark) {
        return Some(before);
    }
    let (live, read) = live::load(folder, &id).ok()?;
    let state = match live {
        Live::None => return None,
        Live::Open(slate) => State::Open(slate.last_write_at),
        Live::Closed(_) => State::Closed,
        Live::Malformed { .. } => State::Malformed,
    };
    let mark = read.unwrap_or(mark);
    Some(Known { mark, state })
}
