//! Objects of a repository from its files, loose or packed: the old side of a change, where git may not be asked (CNF-06).
//!
//! Nothing that is read is believed beyond its size: a broken object is none.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::bufread::ZlibDecoder;
use taffrail_confine::fs::Root;
use taffrail_domain::{Oid, RepoPath};

use super::raw_index::{Cursor, oid};
use crate::blob::ObjectFormat;

/// Differences on top of each other. git makes 50 by default.
const DEEPEST: usize = 4_096;
/// Packs that are opened.
const MOST_PACKS: usize = 64;
/// Bytes of the longest header of an object.
const HEADER: usize = 64;
/// Bytes before the ids in a pack's index: its mark, its version, 256 counts.
const IDS_AT: u64 = 8 + 256 * 4;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// The objects of one repository.
pub(super) struct Objects {
    root: Root,
    hash: usize,
    packs: OnceCell<Vec<Pack>>,
}

struct Pack {
    index: File,
    data: File,
    /// How many ids begin with at most this byte.
    counts: Vec<u32>,
}

impl Objects {
    pub(super) fn open(common_dir: &Path, format: ObjectFormat) -> Option<Self> {
        Some(Self {
            root: Root::open(&common_dir.join("objects")).ok()?,
            hash: match format {
                ObjectFormat::Sha1 => 20,
                ObjectFormat::Sha256 => 32,
            },
            packs: OnceCell::new(),
        })
    }

    /// An object of at most `largest` bytes; none where it is larger, not there, or not understood.
    pub(super) fn read(&self, oid: &Oid, largest: usize) -> Option<(Kind, Vec<u8>)> {
        self.loose(oid, largest)
            .or_else(|| self.packed(oid, largest, 0))
    }

    fn loose(&self, oid: &Oid, largest: usize) -> Option<(Kind, Vec<u8>)> {
        let (folder, name) = oid.as_str().split_at_checked(2)?;
        let path = RepoPath::new(format!("{folder}/{name}")).ok()?;
        let file = BufReader::new(self.root.open_file(&path).ok()?);
        let bytes = inflate(file, largest + HEADER)?;
        let mut at = Cursor(&bytes);
        let header = std::str::from_utf8(at.until_nul()?).ok()?;
        let (kind, size) = header.split_once(' ')?;
        let kind = match kind {
            "commit" => Kind::Commit,
            "tree" => Kind::Tree,
            "blob" => Kind::Blob,
            "tag" => Kind::Tag,
            _ => return None,
        };
        let fits = size.parse() == Ok(at.0.len()) && at.0.len() <= largest;
        fits.then(|| (kind, at.0.to_vec()))
    }

    fn packed(&self, oid: &Oid, largest: usize, depth: usize) -> Option<(Kind, Vec<u8>)> {
        let packs = self.packs.get_or_init(|| self.open_packs());
        let (pack, offset) = packs
            .iter()
            .find_map(|pack| Some((pack, pack.find(oid, self.hash)?)))?;
        self.at(pack, offset, largest, depth)
    }

    fn at(
        &self,
        pack: &Pack,
        mut offset: u64,
        largest: usize,
        depth: usize,
    ) -> Option<(Kind, Vec<u8>)> {
        let mut deltas: Vec<Vec<u8>> = Vec::new();
        let (kind, mut bytes) = loop {
            if depth + deltas.len() > DEEPEST {
                return None;
            }
            let mut reader = BufReader::new(At(&pack.data, offset));
            let head = reader.fill_buf().ok()?;
            let mut cursor = Cursor(head);
            let length = head.len();
            let first = cursor.byte()?;
            if first & 0x80 != 0 {
                cursor.size()?;
            }
            let kind = match first >> 4 & 7 {
                1 => Kind::Commit,
                2 => Kind::Tree,
                3 => Kind::Blob,
                4 => Kind::Tag,
                6 => {
                    let back = cursor.offset()?;
                    let used = length - cursor.0.len();
                    reader.consume(used);
                    deltas.push(inflate(reader, largest)?);
                    offset = offset.checked_sub(back).filter(|_| back > 0)?;
                    continue;
                }
                7 => {
                    let base = oid(cursor.take(self.hash)?)?;
                    let used = length - cursor.0.len();
                    reader.consume(used);
                    deltas.push(inflate(reader, largest)?);
                    let depth = depth + deltas.len();
                    break self
                        .loose(&base, largest)
                        .or_else(|| self.packed(&base, largest, depth))?;
                }
                _ => return None,
            };
            let used = length - cursor.0.len();
            reader.consume(used);
            break (kind, inflate(reader, largest)?);
        };
        for delta in deltas.iter().rev() {
            bytes = patched(&bytes, delta, largest)?;
        }
        Some((kind, bytes))
    }

    fn open_packs(&self) -> Vec<Pack> {
        let Ok(folder) = RepoPath::new("pack") else {
            return Vec::new();
        };
        let entries = self.root.entries(Some(&folder)).unwrap_or_default();
        let stems = entries
            .iter()
            .filter_map(|entry| entry.name.strip_suffix(b".idx"));
        let opened = stems.take(MOST_PACKS).filter_map(|stem| {
            let open = |end: &[u8]| {
                let path = RepoPath::new([b"pack/", stem, end].concat()).ok()?;
                self.root.open_file(&path).ok()
            };
            Pack::open(open(b".idx")?, open(b".pack")?)
        });
        opened.collect()
    }
}

impl Pack {
    fn open(index: File, data: File) -> Option<Self> {
        let mut head = [0; IDS_AT as usize];
        index.read_exact_at(&mut head, 0).ok()?;
        let mut at = Cursor(&head);
        let is_known = at.take(4)? == b"\xfftOc" && at.number()? == 2;
        let counts: Option<Vec<u32>> = (0..256).map(|_| at.number()).collect();
        let counts = counts.filter(|counts| is_known && counts.is_sorted())?;
        Some(Self {
            index,
            data,
            counts,
        })
    }

    /// Where an object is in the pack.
    fn find(&self, wanted: &Oid, hash: usize) -> Option<u64> {
        let total = u64::from(*self.counts.last()?);
        let first = usize::from(u8::from_str_radix(wanted.as_str().get(..2)?, 16).ok()?);
        let below = first.checked_sub(1).and_then(|at| self.counts.get(at));
        let (mut low, mut high) = (
            u64::from(below.copied().unwrap_or_default()),
            u64::from(*self.counts.get(first)?),
        );
        let mut found = vec![0; hash];
        while low < high {
            let middle = low.midpoint(high);
            let at = IDS_AT + middle * hash as u64;
            self.index.read_exact_at(&mut found, at).ok()?;
            match taffrail_domain::hex(&found).as_str().cmp(wanted.as_str()) {
                std::cmp::Ordering::Equal => return self.offset(middle, total, hash as u64),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn offset(&self, place: u64, total: u64, hash: u64) -> Option<u64> {
        let offsets = IDS_AT + total * (hash + 4);
        let mut short = [0; 4];
        self.index
            .read_exact_at(&mut short, offsets + place * 4)
            .ok()?;
        let short = u32::from_be_bytes(short);
        if short & 0x8000_0000 == 0 {
            return Some(short.into());
        }
        let mut long = [0; 8];
        let at = offsets + total * 4 + u64::from(short & 0x7fff_ffff) * 8;
        self.index.read_exact_at(&mut long, at).ok()?;
        Some(u64::from_be_bytes(long))
    }
}

/// A file from a place on.
struct At<'a>(&'a File, u64);

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read_at(buffer, self.1)?;
        self.1 += count as u64;
        Ok(count)
    }
}

/// At most so many bytes of what was compressed; none where there are more.
fn inflate(reader: impl BufRead, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = most as u64 + 1;
    ZlibDecoder::new(reader)
        .take(limit)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// What a difference makes of its base.
pub(super) fn patched(base: &[u8], delta: &[u8], largest: usize) -> Option<Vec<u8>> {
    let mut at = Cursor(delta);
    let from = at.size()?;
    let to = usize::try_from(at.size()?).ok()?;
    if from != base.len() as u64 || to > largest {
        return None;
    }
    let mut out = Vec::with_capacity(to);
    while let Some(op) = at.byte() {
        if op & 0x80 == 0 {
            out.extend_from_slice(at.take(usize::from(op)).filter(|_| op != 0)?);
        } else {
            let start = sparse(&mut at, op, 4)?;
            let length = match sparse(&mut at, op >> 4, 3)? {
                0 => 0x1_0000,
                length => length,
            };
            out.extend_from_slice(base.get(start..start.checked_add(length)?)?);
        }
        if out.len() > to {
            return None;
        }
    }
    (out.len() == to).then_some(out)
}

/// A number of which only the bytes that are not zero are written; `bits` says which those are.
fn sparse(at: &mut Cursor<'_>, bits: u8, bytes: u32) -> Option<usize> {
    let mut value = 0;
    for place in 0..bytes {
        if bits >> place & 1 == 1 {
            value |= usize::from(at.byte()?) << (8 * place);
        }
    }
    Some(value)
}
