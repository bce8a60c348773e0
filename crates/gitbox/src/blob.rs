//! Pure: ids of blobs, hashed by our own code, as git hashes them.

use std::io::{self, Read};
pub(crate) use taffrail_domain::hex;

use sha1::Sha1;
use sha2::{Digest, Sha256};
use taffrail_domain::Oid;

/// Bytes read at a time while hashing.
const STEP: usize = 128 * 1024;

/// The hash that a repository names its objects by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 40 hex digits.
    Sha1,
    /// 64 hex digits.
    Sha256,
}

impl ObjectFormat {
    /// The name that git gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// The format with git's name for it.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Sha1, Self::Sha256]
            .into_iter()
            .find(|format| format.name() == name)
    }

    /// The id of a blob with this content.
    pub fn blob(self, content: &[u8]) -> Oid {
        match self {
            Self::Sha1 => of_bytes::<Sha1>(content),
            Self::Sha256 => of_bytes::<Sha256>(content),
        }
    }

    /// The id of a blob of exactly `size` bytes. An error when the reader holds fewer or more: it changed meanwhile.
    pub fn blob_of(self, size: u64, content: &mut dyn Read) -> io::Result<Oid> {
        match self {
            Self::Sha1 => of_reader::<Sha1>(size, content),
            Self::Sha256 => of_reader::<Sha256>(size, content),
        }
    }
}

fn start<D: Digest>(size: u64) -> D {
    D::new().chain_update(format!("blob {size}\0"))
}

fn of_bytes<D: Digest>(content: &[u8]) -> Oid {
    finish(start::<D>(content.len() as u64).chain_update(content))
}

fn of_reader<D: Digest>(size: u64, content: &mut dyn Read) -> io::Result<Oid> {
    let mut digest = start::<D>(size);
    let wanted = usize::try_from(size).unwrap_or(STEP).min(STEP);
    // One byte more than the file has: the last read then sees its end.
    let mut buffer = vec![0; wanted + 1];
    let mut seen = 0;
    loop {
        let count = content.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        seen += count as u64;
        digest.update(buffer.get(..count).unwrap_or_default());
    }
    if seen == size {
        Ok(finish(digest))
    } else {
        Err(io::Error::other("the file changed while it was read"))
    }
}

fn finish<D: Digest>(digest: D) -> Oid {
    let hex = hex(&digest.finalize());
    // 20 or 32 bytes give 40 or 64 lower-case digits; the fallback cannot be reached.
    hex.parse()
        .unwrap_or_else(|_| unreachable!("a digest is an object id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_30_ids_are_git_s() {
        let empty = ObjectFormat::Sha1.blob(b"");
        assert_eq!(empty.as_str(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let hello = ObjectFormat::Sha1.blob(b"hello\n");
        assert_eq!(hello.as_str(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let wide = ObjectFormat::Sha256.blob(b"");
        assert_eq!(
            wide.as_str(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
    }

    #[test]
    fn fa_30_a_file_that_changes_is_seen() {
        let format = ObjectFormat::Sha1;
        let content = vec![7; STEP * 2 + 5];
        let read = format.blob_of(content.len() as u64, &mut content.as_slice());
        assert_eq!(read.unwrap(), format.blob(&content));
        assert!(format.blob_of(3, &mut &b"abcd"[..]).is_err());
        assert!(format.blob_of(5, &mut &b"abcd"[..]).is_err());
    }
}
