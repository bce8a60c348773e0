//! One id under its lock: read, made, written, retired, set aside. No other id's file is opened here (XSL-13).

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use rustix::fs::FileType;
use taffrail_domain::Millis;
use taffrail_slate::external::{ExternalId, OPEN_LIMIT, Slate};
use thiserror::Error;

use super::folder::{Entry, Folder};
use super::live::{self, Bytes, Live, SLATE_BYTES};
use super::{CLOSED, SlateFolder, stem_of};
use crate::StoreError;
use crate::backup::stamp;

/// Names that are tried for what must not overwrite.
const NAMES: u32 = 1_000;

/// An id under its lock. The lock is given back when this goes.
#[derive(Debug)]
pub struct Held<'a> {
    scope: &'a SlateFolder,
    dir: Folder,
    locks: Folder,
    id: ExternalId,
    stem: String,
    _lock: File,
}

/// Why no slate was made.
#[derive(Debug, Error)]
pub enum CreateError {
    /// As many slates are open as there may be.
    #[error("at most {OPEN_LIMIT} slates may be open")]
    TooManyOpen,
    /// The store could not; `IdTaken` where something lies there already.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl<'a> Held<'a> {
    pub(super) fn new(
        scope: &'a SlateFolder,
        dir: Folder,
        locks: Folder,
        id: ExternalId,
        lock: File,
    ) -> Self {
        Self {
            scope,
            dir,
            locks,
            stem: id.file_stem(),
            id,
            _lock: lock,
        }
    }

    /// The id.
    pub fn id(&self) -> &ExternalId {
        &self.id
    }

    /// What lies under it. At most 16 MiB are read; nothing is followed or waited for.
    ///
    /// # Errors
    /// `Io`. What cannot be read as this id's slate is `Malformed`, and no error.
    pub fn read(&self) -> Result<Live, StoreError> {
        live::load(&self.dir, &self.id).map(|(live, _)| live)
    }

    /// Makes the file of a new slate, and removes what killed writers of this id left. Counts the open ones by
    /// their names: none of their files is opened, so that one that is malformed counts too.
    ///
    /// # Errors
    /// `TooManyOpen` at 500; `IdTaken` where something lies there; `Busy`, `Io`, `DiskFull`.
    pub fn create(&self, slate: &Slate) -> Result<(), CreateError> {
        let bytes = self.encode(slate)?;
        let counted = self.scope.lock_create(&self.locks)?;
        let entries = self.dir.entries()?;
        let is_open = |entry: &&Entry| {
            let may_be = matches!(entry.is, FileType::RegularFile | FileType::Unknown);
            may_be && stem_of(&entry.name).is_some()
        };
        if entries.iter().filter(is_open).count() >= OPEN_LIMIT {
            return Err(CreateError::TooManyOpen);
        }
        self.remove_temporaries(&entries)?;
        let (temporary, name) = (self.written(&bytes)?, live::file_name(&self.stem));
        if !self.dir.move_to(&temporary, &self.dir, &name)? {
            self.dir.remove(&temporary)?;
            let id = self.id.to_string();
            return Err(StoreError::IdTaken { id }.into());
        }
        drop(counted);
        Ok(self.dir.sync()?)
    }

    /// Writes the record whole: a temporary, fsync, rename, fsync of the folder.
    ///
    /// # Errors
    /// `DiskFull`, `Io`; the old record is then still there. `Damaged` for a record of another id.
    pub fn put(&self, slate: &Slate) -> Result<(), StoreError> {
        let temporary = self.written(&self.encode(slate)?)?;
        let placed = self.dir.replace(&temporary, &live::file_name(&self.stem));
        if placed.is_err() {
            drop(self.dir.remove(&temporary));
        }
        placed.and_then(|()| self.dir.sync())
    }

    /// Moves the file of a closed slate to `closed/<stem>.<generation>.json`. Nothing is overwritten: the same bytes there
    /// mean that it is done; for other ones there it takes a free name beside them.
    ///
    /// # Errors
    /// `NotFound` where it is neither here nor there; `Io`, `DiskFull`.
    pub fn retire(&self, slate: &Slate) -> Result<(), StoreError> {
        let closed = self.dir.make_child(CLOSED)?;
        let name = live::file_name(&self.stem);
        let ours = match live::bytes(&self.dir, &name)? {
            Bytes::Some(bytes, _) => bytes,
            Bytes::None => return self.retired_before(&closed, slate),
            Bytes::Unfit(what) => return Err(self.damaged(what)),
        };
        self.give_place(&closed, &ours, slate.generation)?;
        closed.sync().and_then(|()| self.dir.sync())
    }

    /// Gives what is no slate another name, `<stem>.corrupt-<time>`, and says where it is now.
    ///
    /// # Errors
    /// `Io`, also where nothing is.
    pub fn set_aside(&self, now: Millis) -> Result<PathBuf, StoreError> {
        let name = live::file_name(&self.stem);
        let first = format!("{}.corrupt-{}", self.stem, stamp(now));
        for target in numbered(first, "") {
            if self.dir.move_to(&name, &self.dir, &target)? {
                self.dir.sync()?;
                return Ok(self.dir.path().join(target));
            }
        }
        Err(self.no_name_left())
    }

    fn encode(&self, slate: &Slate) -> Result<Vec<u8>, StoreError> {
        if slate.id() != self.id.as_str() {
            return Err(self.damaged("the record is another id's".to_owned()));
        }
        let bytes = slate.bytes().map_err(|why| self.damaged(why))?;
        if bytes.len() as u64 > SLATE_BYTES {
            return Err(self.damaged(format!("the record is larger than {SLATE_BYTES} bytes")));
        }
        Ok(bytes)
    }

    /// Writes a temporary and syncs it; its name.
    fn written(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let (mut file, name) = self.dir.temporary(&self.stem)?;
        let path = self.dir.path().join(&name);
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(source) = written {
            // What matters is the first error; a temporary that stays is harmless.
            drop(self.dir.remove(&name));
            return Err(StoreError::io("cannot write", &path, source));
        }
        Ok(name)
    }

    /// Nobody else writes under this lock: what lies there is of somebody who was killed.
    pub(super) fn remove_temporaries(&self, entries: &[Entry]) -> Result<usize, StoreError> {
        let mut removed = 0;
        for entry in entries {
            let is_left = temporary_of(&entry.name) == Some(self.stem.as_str());
            if is_left && entry.is != FileType::Directory {
                removed += usize::from(self.dir.remove(&entry.name)?);
            }
        }
        Ok(removed)
    }

    fn give_place(&self, closed: &Folder, ours: &[u8], generation: u32) -> Result<(), StoreError> {
        let name = live::file_name(&self.stem);
        for target in retired_names(&self.stem, generation) {
            if self.dir.move_to(&name, closed, &target)? {
                return Ok(());
            }
            if matches!(live::bytes(closed, &target)?, Bytes::Some(there, _) if there == ours) {
                return self.dir.remove(&name).map(drop);
            }
        }
        Err(self.no_name_left())
    }

    fn retired_before(&self, closed: &Folder, slate: &Slate) -> Result<(), StoreError> {
        let first = retired_names(&self.stem, slate.generation).next();
        match live::bytes(closed, &first.unwrap_or_default())? {
            Bytes::Some(..) => Ok(()),
            Bytes::None | Bytes::Unfit(_) => Err(StoreError::NotFound {
                what: "slate",
                asked: self.id.to_string(),
            }),
        }
    }

    fn damaged(&self, what: String) -> StoreError {
        let path = self.dir.path().join(live::file_name(&self.stem));
        StoreError::Damaged { path, what }
    }

    fn no_name_left(&self) -> StoreError {
        let source = io::ErrorKind::AlreadyExists.into();
        StoreError::io("cannot find a free name in", self.dir.path(), source)
    }
}

/// The stem whose temporary this is: `<stem>.<16 hexadecimal digits>.tmp`.
pub(super) fn temporary_of(name: &str) -> Option<&str> {
    let (stem, mark) = name.strip_suffix(".tmp")?.rsplit_once('.')?;
    let is_mark = mark.len() == 16 && mark.bytes().all(|at| at.is_ascii_hexdigit());
    (is_mark && ExternalId::from_file_stem(stem).is_some()).then_some(stem)
}

fn retired_names(stem: &str, generation: u32) -> impl Iterator<Item = String> {
    numbered(format!("{stem}.{generation}"), ".json")
}

fn numbered(first: String, end: &'static str) -> impl Iterator<Item = String> {
    (1..=NAMES).map(move |at| match at {
        1 => format!("{first}{end}"),
        at => format!("{first}-{at}{end}"),
    })
}
