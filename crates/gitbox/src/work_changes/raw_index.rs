//! Pure: git's index as the bytes of its file (versions 2 to 4), because nothing of git may list it in a project that is
//! not trusted (CNF-06).

use std::collections::HashMap;

use taffrail_domain::{FileMode, Oid, RepoPath, hex};

use crate::index::Known;

/// Bytes of an entry before its object id: ten numbers.
const NUMBERS: usize = 40;
const SPLIT: &str = "the index is split in two files";
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const SKIP_WORKTREE: u16 = 0x4000;
/// Folders in folders of the extension that names trees.
const DEEPEST: usize = 256;

/// What the index holds.
#[derive(Debug, Default)]
pub(super) struct RawIndex {
    /// Every path. None: it is in conflict.
    pub entries: Vec<(RepoPath, Option<Known>)>,
    /// Folders of which the index still is what this tree is, by path; the top is empty.
    pub trees: HashMap<Vec<u8>, Oid>,
}

/// Reads it. `written`: when the file was written, in nanoseconds since 1970. The error says what is not understood.
pub(super) fn parse(
    bytes: &[u8],
    hash: usize,
    written: i128,
    most: usize,
) -> Result<RawIndex, &'static str> {
    let broken = "the index is not understood";
    let end = bytes.len().checked_sub(hash).ok_or(broken)?;
    let mut at = Cursor(bytes.get(..end).unwrap_or_default());
    if at.take(4) != Some(b"DIRC") {
        return Err(broken);
    }
    let version = at.number().ok_or(broken)?;
    let count = at.number().ok_or(broken)? as usize;
    if !(2..=4).contains(&version) {
        return Err("the index is of a newer version");
    }
    if count > most {
        return Err("there are more files than are looked at");
    }
    let mut index = RawIndex::default();
    let mut last: Vec<u8> = Vec::new();
    for _ in 0..count {
        let known = entry(&mut at, version, hash, written, &mut last).ok_or(broken)?;
        if last.is_empty() {
            // So are entries written whose names are in the other file.
            return Err(SPLIT);
        }
        let path = RepoPath::new(last.clone()).map_err(|_| broken)?;
        if known.is_some() || index.entries.last().is_none_or(|entry| entry.0 != path) {
            index.entries.push((path, known));
        }
    }
    extensions(&mut at, hash, &mut index.trees)?;
    Ok(index)
}

/// One entry: its path into `path`, which holds the one before; none where it is in conflict.
fn entry(
    at: &mut Cursor<'_>,
    version: u32,
    hash: usize,
    written: i128,
    path: &mut Vec<u8>,
) -> Option<Option<Known>> {
    let before = at.0.len();
    let mut numbers = Cursor(at.take(NUMBERS)?);
    numbers.take(8)?;
    let (seconds, nanos) = (numbers.number()?, numbers.number()?);
    numbers.take(4)?;
    let (inode, mode) = (numbers.number()?, numbers.number()?);
    numbers.take(8)?;
    let size = numbers.number()?;
    let oid = oid(at.take(hash)?)?;
    let flags = at.short()?;
    let more = if flags & EXTENDED == 0 {
        0
    } else {
        at.short()?
    };
    if version == 4 {
        let drop = usize::try_from(at.offset()?).ok()?;
        path.truncate(path.len().checked_sub(drop)?);
        path.extend_from_slice(at.until_nul()?);
    } else {
        *path = at.until_nul()?.to_vec();
        // Entries end at a multiple of eight, with one NUL at least, which is taken already.
        let taken = before - at.0.len();
        at.take(taken.next_multiple_of(8) - taken)?;
    }
    let mode: FileMode = format!("{mode:o}").parse().ok()?;
    let hidden = flags & ASSUME_UNCHANGED != 0 || more & SKIP_WORKTREE != 0;
    Some((flags & STAGE == 0).then(|| {
        let mtime = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Known::of_entry(
            mode,
            oid,
            hidden,
            (mtime < written).then_some((mtime, size, inode)),
        )
    }))
}

/// An extension whose name begins with a small letter changes what the entries mean.
fn extensions(
    at: &mut Cursor<'_>,
    hash: usize,
    trees: &mut HashMap<Vec<u8>, Oid>,
) -> Result<(), &'static str> {
    while let Some(name) = at.take(4) {
        let length = at.number().map(|length| length as usize);
        let content = length.and_then(|length| at.take(length));
        let content = content.ok_or("the index is not understood")?;
        match name {
            b"link" => return Err(SPLIT),
            b"sdir" => return Err("the index is sparse"),
            // Without it every tree is read, which is slower and the same.
            b"TREE" => drop(tree(&mut Cursor(content), hash, b"", trees, 0)),
            _ if name.first().is_some_and(u8::is_ascii_lowercase) => {
                return Err("the index is of a kind that is not known");
            }
            _ => {}
        }
    }
    Ok(())
}

fn tree(
    at: &mut Cursor<'_>,
    hash: usize,
    above: &[u8],
    trees: &mut HashMap<Vec<u8>, Oid>,
    depth: usize,
) -> Option<()> {
    let name = at.until_nul()?;
    let path = if above.is_empty() {
        name.to_vec()
    } else {
        [above, name].join(&b'/')
    };
    let entries: i64 = text(at.until(b' ')?)?;
    let below: u32 = text(at.until(b'\n')?)?;
    if entries >= 0 {
        trees.insert(path.clone(), oid(at.take(hash)?)?);
    }
    if depth > DEEPEST {
        return None;
    }
    for _ in 0..below {
        tree(at, hash, &path, trees, depth + 1)?;
    }
    Some(())
}

fn text<T: std::str::FromStr>(bytes: &[u8]) -> Option<T> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// An object's id from its bytes.
pub(super) fn oid(bytes: &[u8]) -> Option<Oid> {
    hex(bytes).parse().ok()
}

/// Bytes that are taken from the front.
pub(super) struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn short(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    /// What comes before a byte, which is taken too.
    pub fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let front = self.take(memchr::memchr(end, self.0)?)?;
        self.take(1)?;
        Some(front)
    }

    pub fn until_nul(&mut self) -> Option<&'a [u8]> {
        self.until(0)
    }

    /// A number of seven bits a byte, as distances in packs are written: every byte but the first adds one.
    pub fn offset(&mut self) -> Option<u64> {
        let mut byte = self.byte()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            value = value.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
        }
        Some(value)
    }

    /// A number of seven bits a byte, the lowest first.
    pub fn size(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }
}
