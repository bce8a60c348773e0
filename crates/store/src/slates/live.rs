//! What lies under an id, read without trust: bounded, not followed, not waited for.

use std::fs::File;
use std::io::Read;

use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;
use taffrail_slate::external::{ExternalId, Slate};

use super::folder::Folder;
use crate::StoreError;

/// Largest file of a slate, in bytes. 200 seeds of 4,000 characters, six bytes each where all are escaped, and the
/// anchors are below 7 MiB.
pub(super) const SLATE_BYTES: u64 = 16 << 20;

/// What lies under an id.
#[derive(Debug, Clone, PartialEq)]
pub enum Live {
    /// Nothing.
    None,
    /// An open slate.
    Open(Slate),
    /// One that was closed and not moved away yet: whoever finds it does that.
    Closed(Slate),
    /// Something that is no slate of this id.
    Malformed {
        /// What is wrong with it, in words of ours; may quote what was read.
        why: String,
    },
}

/// By what a file is known not to have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) inode: u64,
    size: i128,
    seconds: i128,
    nanoseconds: i128,
}

impl Mark {
    pub(super) fn of(found: &Stat) -> Self {
        Self {
            inode: found.st_ino,
            size: found.st_size.into(),
            seconds: found.st_mtime.into(),
            nanoseconds: found.st_mtime_nsec.into(),
        }
    }
}

/// What a name holds.
pub(super) enum Bytes {
    None,
    Some(Vec<u8>, Mark),
    Unfit(String),
}

/// The name of an open slate's file.
pub(super) fn file_name(stem: &str) -> String {
    format!("{stem}.json")
}

/// What lies under an id.
pub(super) fn load(folder: &Folder, id: &ExternalId) -> Result<(Live, Option<Mark>), StoreError> {
    let (bytes, mark) = match bytes(folder, &file_name(&id.file_stem()))? {
        Bytes::None => return Ok((Live::None, None)),
        Bytes::Unfit(why) => return Ok((Live::Malformed { why }, None)),
        Bytes::Some(bytes, mark) => (bytes, mark),
    };
    let live = match Slate::read(&bytes, id) {
        Err(why) => Live::Malformed { why },
        Ok(slate) if slate.closed_at.is_some() => Live::Closed(slate),
        Ok(slate) => Live::Open(slate),
    };
    Ok((live, Some(mark)))
}

/// The bytes of a regular file that is not too large; what else it is, where it is something else.
pub(super) fn bytes(folder: &Folder, name: &str) -> Result<Bytes, StoreError> {
    let failed = |source| StoreError::io("cannot read", &folder.path().join(name), source);
    let unfit = |why: &str| Ok(Bytes::Unfit(why.to_owned()));
    let file = match folder.open_file(name, OFlags::RDONLY) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(Bytes::None),
        Err(Errno::LOOP) => return unfit("it is a symbolic link"),
        Err(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP) => {
            return unfit("it is no regular file");
        }
        Err(Errno::ACCESS) => return unfit("it may not be read"),
        Err(source) => return Err(failed(source.into())),
    };
    let found = rustix::fs::fstat(&file).map_err(|source| failed(source.into()))?;
    if !rustix::fs::FileType::from_raw_mode(found.st_mode).is_file() {
        return unfit("it is no regular file");
    }
    let Some(bytes) = bounded(&file, &found).map_err(failed)? else {
        return Ok(Bytes::Unfit(format!(
            "it is larger than {SLATE_BYTES} bytes"
        )));
    };
    Ok(Bytes::Some(bytes, Mark::of(&found)))
}

fn bounded(file: &File, found: &Stat) -> std::io::Result<Option<Vec<u8>>> {
    let size = u64::try_from(found.st_size).unwrap_or(u64::MAX);
    if size > SLATE_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    file.take(SLATE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= SLATE_BYTES).then_some(bytes))
}
