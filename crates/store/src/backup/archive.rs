//! The archive itself: plain ustar entries in one gzip member, the manifest first. Reading trusts nothing: no name of
//! an archive is used but those of the manifest, in its order, as regular files of the length it says.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
pub(crate) use taffrail_domain::hex;

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, EntryType, Header};

use super::ArchiveError;
use super::manifest::{self, FileEntry, Manifest};
use crate::{StoreError, files};

/// A manifest of a million files is about 150 MB; ours are some kilobytes.
const MANIFEST_LIMIT: u64 = 256 << 20;
/// What an archive may unpack to, as a multiple of its own length: databases reach 20, gzip itself 1,032.
const MOST_RATIO: u64 = 200;
/// Below this length no ratio is asked for: an empty database shrinks well.
const SMALL: u64 = 64 << 20;
/// A buffer for copies.
const CHUNK: usize = 64 << 10;

/// A file that goes into an archive: where it lies, and its entry.
pub(crate) struct Packed {
    pub(crate) source: PathBuf,
    pub(crate) entry: FileEntry,
}

/// Reads a file once for its length and hash; none when it is not there.
pub(crate) fn measure(source: &Path, path: &str) -> Result<Option<Packed>, StoreError> {
    let Some(file) = files::open_private(source)? else {
        return Ok(None);
    };
    let (bytes, sha256) = copy_hashed(file, &mut io::sink())
        .map_err(|error| StoreError::io("cannot read", source, error))?;
    let (source, path) = (source.to_owned(), path.to_owned());
    let entry = FileEntry {
        path,
        bytes,
        sha256,
    };
    Ok(Some(Packed { source, entry }))
}

/// Writes the archive to a new file and syncs it.
pub(crate) fn write(
    target: &Path,
    manifest: &Manifest,
    packed: &[Packed],
) -> Result<(), StoreError> {
    let failed = |source| StoreError::io("cannot write", target, source);
    let file = files::create_private_writer(target)?;
    let packer = GzEncoder::new(BufWriter::new(file), Compression::new(3));
    let mut builder = Builder::new(packer);
    let head = manifest.to_bytes();
    append(&mut builder, manifest::NAME, head.len() as u64, &*head).map_err(failed)?;
    for one in packed {
        let source = files::open_private(&one.source)?
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        // A file that grew since it was measured is cut here and found by the check afterwards.
        let source = BufReader::new(source).take(one.entry.bytes);
        let name = entry_name(&one.entry.path);
        append(&mut builder, &name, one.entry.bytes, source).map_err(failed)?;
    }
    let packer = builder.into_inner().map_err(failed)?;
    let mut buffer = packer.finish().map_err(failed)?;
    buffer.flush().map_err(failed)?;
    files::finish_writer(buffer.get_ref(), target)
}

fn append(
    builder: &mut Builder<impl Write>,
    path: &str,
    bytes: u64,
    source: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_entry_type(EntryType::Regular);
    header.set_cksum();
    builder.append(&header, source)
}

/// What an entry is called: its place, or, where a name in it is longer than the 100 bytes that ustar has for one, the hash
/// of its place. The manifest says which it is.
fn entry_name(path: &str) -> String {
    /// What ustar has for the last part of a path.
    const NAME_BYTES: usize = 100;
    if path
        .rsplit('/')
        .next()
        .is_none_or(|name| name.len() <= NAME_BYTES)
    {
        return path.to_owned();
    }
    format!("long-names/{}", hex(&Sha256::digest(path.as_bytes())))
}

/// Reads the whole archive. `place` says where a file's bytes go: into a new private file, or none to only check them.
pub(crate) fn read(
    path: &Path,
    place: &mut dyn FnMut(&FileEntry) -> Result<Option<PathBuf>, ArchiveError>,
) -> Result<Manifest, ArchiveError> {
    let missing = || StoreError::io("cannot read", path, io::ErrorKind::NotFound.into());
    let file = files::open_private(path)?.ok_or_else(missing)?;
    let length = file.metadata().map(|found| found.len()).unwrap_or_default();
    let unpacked = length.saturating_mul(MOST_RATIO).max(SMALL);
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)).take(unpacked));
    let manifest = entries(path, &mut archive, unpacked, place)?;
    at_end(path, archive.into_inner())?;
    Ok(manifest)
}

fn entries(
    path: &Path,
    archive: &mut Archive<impl Read>,
    unpacked: u64,
    place: &mut dyn FnMut(&FileEntry) -> Result<Option<PathBuf>, ArchiveError>,
) -> Result<Manifest, ArchiveError> {
    let torn = |_: io::Error| ArchiveError::invalid(path, "it is cut off or damaged");
    let mut entries = archive.entries().map_err(torn)?.raw(true);
    let first = entries
        .next()
        .ok_or_else(|| ArchiveError::invalid(path, "it is empty"))?
        .map_err(torn)?;
    refuse_other_kinds(path, first.header(), manifest::NAME)?;
    let mut bytes = Vec::new();
    first
        .take(MANIFEST_LIMIT)
        .read_to_end(&mut bytes)
        .map_err(torn)?;
    let manifest = Manifest::parse(&bytes, path)?;
    if manifest.bytes() > unpacked {
        let why = format!("it would unpack to {} bytes", manifest.bytes());
        return Err(ArchiveError::invalid(path, why));
    }
    for wanted in &manifest.files {
        let name = entry_name(&wanted.path);
        let found = entries
            .next()
            .ok_or_else(|| ArchiveError::invalid(path, format!("`{}` is missing", wanted.path)))?
            .map_err(torn)?;
        refuse_other_kinds(path, found.header(), &name)?;
        take(path, found, wanted, place)?;
    }
    match entries.next() {
        None => Ok(manifest),
        Some(_) => Err(ArchiveError::invalid(
            path,
            "it holds more than its manifest names",
        )),
    }
}

/// Links, devices, long names and every other kind of entry are refused by name.
fn refuse_other_kinds(archive: &Path, header: &Header, wanted: &str) -> Result<(), ArchiveError> {
    let name = header.path_bytes();
    if header.entry_type() != EntryType::Regular || &*name != wanted.as_bytes() {
        let name = String::from_utf8_lossy(&name).into_owned();
        let why = format!("`{name}` stands where the file `{wanted}` has to be");
        return Err(ArchiveError::invalid(archive, why));
    }
    Ok(())
}

fn take(
    archive: &Path,
    source: impl Read,
    wanted: &FileEntry,
    place: &mut dyn FnMut(&FileEntry) -> Result<Option<PathBuf>, ArchiveError>,
) -> Result<(), ArchiveError> {
    // One byte more than it may have shows a file that is longer.
    let source = source.take(wanted.bytes.saturating_add(1));
    let (bytes, sha256) = match place(wanted)? {
        None => copy_hashed(source, &mut io::sink())
            .map_err(|_| ArchiveError::invalid(archive, "it is cut off or damaged"))?,
        Some(target) => {
            let mut file = files::create_private_writer(&target)?;
            let copied =
                copy_hashed(source, &mut file).map_err(|error| unpack(archive, &target, error))?;
            files::finish_writer(&file, &target)?;
            copied
        }
    };
    if bytes != wanted.bytes || sha256 != wanted.sha256.to_ascii_lowercase() {
        let why = format!("`{}` is not what its manifest says", wanted.path);
        return Err(ArchiveError::invalid(archive, why));
    }
    Ok(())
}

/// A failure of the copy: of the archive, or of the place where it goes.
fn unpack(archive: &Path, target: &Path, error: io::Error) -> ArchiveError {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::InvalidData | Kind::InvalidInput | Kind::UnexpectedEof | Kind::Other => {
            ArchiveError::invalid(archive, "it is cut off or damaged")
        }
        _ => StoreError::io("cannot write", target, error).into(),
    }
}

/// After the last entry: only padding, the checksum of the member, and the end of the file.
fn at_end(path: &Path, rest: io::Take<GzDecoder<BufReader<File>>>) -> Result<(), ArchiveError> {
    /// A tar is padded to blocks of 10,240 bytes at most by programs that we know.
    const PADDING: u64 = 20_480;
    let torn = |_: io::Error| ArchiveError::invalid(path, "it is cut off or damaged");
    let mut padding = Vec::new();
    let mut rest = rest;
    rest.by_ref()
        .take(PADDING)
        .read_to_end(&mut padding)
        .map_err(torn)?;
    let ended = rest.read(&mut [0]).map_err(torn)? == 0 && rest.limit() > 0;
    let mut after = rest.into_inner().into_inner();
    let garbage = after.read(&mut [0]).map_err(torn)? != 0;
    if !ended || garbage || padding.iter().any(|byte| *byte != 0) {
        return Err(ArchiveError::invalid(path, "something follows its end"));
    }
    Ok(())
}

/// Copies and hashes; the length and the hash in hex.
fn copy_hashed(mut source: impl Read, target: &mut dyn Write) -> io::Result<(u64, String)> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; CHUNK];
    let mut length = 0;
    loop {
        let count = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = buffer.get(..count).unwrap_or_default();
        hash.update(read);
        target.write_all(read)?;
        length += count as u64;
    }
    Ok((length, hex(&hash.finalize())))
}
