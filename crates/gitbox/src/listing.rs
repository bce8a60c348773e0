//! Pure: what a tree holds, path by path. The capture compares a worktree with it; it is kept outside the checkout.

use std::collections::BTreeMap;

use taffrail_domain::{FileMode, Oid, RepoPath};

use crate::blob::ObjectFormat;
use crate::error::GitError;

/// The first line of a listing that is kept in a file.
const MARK: &str = "taffrail-listing 1";

/// Mode and blob of every file of a tree, and the paths that were carried into its checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub(crate) format: ObjectFormat,
    pub(crate) base: Oid,
    pub(crate) files: BTreeMap<RepoPath, (FileMode, Oid)>,
    pub(crate) carried: Vec<RepoPath>,
}

impl Listing {
    /// The commit whose tree this is.
    pub fn base(&self) -> &Oid {
        &self.base
    }

    /// Every path with its mode and blob, sorted by bytes.
    pub fn files(&self) -> impl Iterator<Item = (&RepoPath, FileMode, &Oid)> {
        self.files
            .iter()
            .map(|(path, (mode, oid))| (path, *mode, oid))
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree is empty.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The submodules: paths that name a commit.
    pub fn submodules(&self) -> impl Iterator<Item = &RepoPath> {
        self.files()
            .filter(|(_, mode, _)| *mode == FileMode::Gitlink)
            .map(|(path, _, _)| path)
    }

    /// The bytes for a file outside the checkout.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("{MARK} {} {}\n", self.format.name(), self.base).into_bytes();
        let mut line = |head: &str, path: &RepoPath| {
            out.extend_from_slice(head.as_bytes());
            out.push(b'\t');
            out.extend_from_slice(path.as_bytes());
            out.push(0);
        };
        self.carried.iter().for_each(|path| line("carried", path));
        for (path, mode, oid) in self.files() {
            line(&format!("{} {oid}", mode.octal()), path);
        }
        out
    }

    /// The listing that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`GitError::Listing`] when the bytes are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, GitError> {
        let bad = || GitError::Listing("it does not begin as one".to_owned());
        let end = memchr::memchr(b'\n', bytes).ok_or_else(bad)?;
        let (head, rest) = bytes.split_at(end);
        let head = std::str::from_utf8(head).map_err(|_| bad())?;
        let (format, base) = head
            .strip_prefix(MARK)
            .and_then(|tail| tail.trim_start().split_once(' '))
            .ok_or_else(bad)?;
        let mut listing = Self {
            format: ObjectFormat::named(format).ok_or_else(bad)?,
            base: base.parse().map_err(GitError::Listing)?,
            files: BTreeMap::new(),
            carried: Vec::new(),
        };
        for record in records(rest.get(1..).unwrap_or_default()) {
            let (head, path) = split_record(record)?;
            match head {
                "carried" => listing.carried.push(path),
                _ => {
                    let (mode, oid) = head.split_once(' ').ok_or_else(bad)?;
                    listing.files.insert(path, entry(mode, oid)?);
                }
            }
        }
        Ok(listing)
    }

    /// The listing of a tree from the output of `ls-tree -r -z --full-tree`.
    pub(crate) fn from_ls_tree(
        format: ObjectFormat,
        base: &Oid,
        bytes: &[u8],
    ) -> Result<Self, GitError> {
        let mut files = BTreeMap::new();
        for record in records(bytes) {
            let (head, path) = split_record(record)?;
            let mut words = head.split(' ');
            let (Some(mode), Some(_), Some(oid)) = (words.next(), words.next(), words.next())
            else {
                return Err(GitError::Listing(format!("`{head}` in the tree")));
            };
            files.insert(path, entry(mode, oid)?);
        }
        Ok(Self {
            format,
            base: base.clone(),
            files,
            carried: Vec::new(),
        })
    }
}

/// The entries of the output of `ls-files --stage -z`: stage 0 only, so a conflict is an error.
pub(crate) fn staged(bytes: &[u8]) -> Result<BTreeMap<RepoPath, (FileMode, Oid)>, GitError> {
    let mut files = BTreeMap::new();
    for record in records(bytes) {
        let (head, path) = split_record(record)?;
        let mut words = head.split(' ');
        let (Some(mode), Some(oid), Some("0")) = (words.next(), words.next(), words.next()) else {
            return Err(GitError::Listing(format!("`{head}` in the index")));
        };
        files.insert(path, entry(mode, oid)?);
    }
    Ok(files)
}

fn entry(mode: &str, oid: &str) -> Result<(FileMode, Oid), GitError> {
    Ok((
        mode.parse().map_err(GitError::Listing)?,
        oid.parse().map_err(GitError::Listing)?,
    ))
}

/// Records that end in NUL.
pub(crate) fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

/// What stands before the first tab, and the path behind it.
pub(crate) fn split_record(record: &[u8]) -> Result<(&str, RepoPath), GitError> {
    let text = || String::from_utf8_lossy(record).into_owned();
    let at = memchr::memchr(b'\t', record).ok_or_else(|| GitError::Listing(text()))?;
    let (head, tail) = record.split_at(at);
    let head = std::str::from_utf8(head).map_err(|_| GitError::Listing(text()))?;
    let path = RepoPath::new(tail.get(1..).unwrap_or_default())
        .map_err(|why| GitError::Listing(why.to_string()))?;
    Ok((head, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_10_a_listing_survives_a_file() {
        let oid = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let base: Oid = oid.parse().unwrap();
        let bytes = format!("100644 blob {oid}\ta\nb\0100755 blob {oid}\t\u{fe}\0");
        let mut listing =
            Listing::from_ls_tree(ObjectFormat::Sha1, &base, bytes.as_bytes()).unwrap();
        listing.carried.push(RepoPath::new("node_modules").unwrap());
        assert_eq!(Listing::from_bytes(&listing.to_bytes()).unwrap(), listing);
        assert_eq!(listing.len(), 2);
        for bad in ["", "x\n", "taffrail-listing 1 sha1 zz\n"] {
            assert!(Listing::from_bytes(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
