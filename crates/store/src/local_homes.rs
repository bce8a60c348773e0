//! Local state: a `.taffrail` inside a tree is a home only if a person listed it (STO-01).
//!
//! A tree can be cloned from anywhere, so what lies in it proves nothing. The list is a file in the user's own
//! home: one line per directory with device, inode, a random token and the real path. The token is kept in the
//! directory too: file systems give an inode of something deleted to the next thing made.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::home::{FOLDER, check_private, real_path};
use crate::{Home, HomeError, StoreError, files, random};

/// The list's name in the user's home.
const LIST: &str = "local-homes";
/// The token's name in a local home.
const TOKEN: &str = "local-home";
/// Limit of the list: thousands of entries.
const LIST_LIMIT: u64 = 1 << 20;
/// Bytes of the token in hex digits.
const TOKEN_LIMIT: u64 = 32;

/// What the tree around the working directory holds.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// The nearest listed one.
    pub(crate) listed: Option<PathBuf>,
    /// Those that would be a home if they were listed.
    pub(crate) ignored: Vec<PathBuf>,
}

struct Entry {
    device: u64,
    inode: u64,
    token: Vec<u8>,
    path: PathBuf,
}

/// Makes `dir/.taffrail` the home of everything below `dir`, and lists it in `~/.taffrail/local-homes`.
///
/// The caller checks before that git does not track it. One that is there already is taken only if it is listed
/// or empty, so that nothing that came with the tree is taken over.
///
/// # Errors
/// `NotLocal` for what cannot be listed; `Unsafe` and `Io` as for [`Home::create`].
pub fn init_local_state(dir: &Path, user_home: &Path) -> Result<Home, StoreError> {
    let dir =
        fs::canonicalize(dir).map_err(|source| HomeError::io("cannot resolve", dir, source))?;
    let root = dir.join(FOLDER);
    let list_home = Home::at(&user_home.join(FOLDER))?;
    refuse_unlistable(&root, &list_home)?;
    list_home.create()?;
    let _locked = lock(list_home.root())?;
    let mut entries = read_list(list_home.root())?;
    if !entries.iter().any(|entry| entry.fits(&root)) {
        make_empty(&root)?;
        let entry = Entry::of(&root)?;
        files::write_private(&root.join(TOKEN), &entry.token)?;
        entries.retain(|old| old.path != root);
        entries.push(entry);
        let lines: Vec<u8> = entries.iter().flat_map(Entry::line).collect();
        files::write_private(&list_home.root().join(LIST), &lines)?;
    }
    let home = Home::at(&root)?;
    home.create()?;
    Ok(home)
}

/// Looks for `.taffrail` at and above the working directory. The user's own is not part of a tree.
pub(crate) fn search(cwd: &Path, user: Option<&Path>) -> Result<Search, HomeError> {
    let user = user.map(real_path);
    let entries = match &user {
        Some(user) => read_list(user)?,
        None => Vec::new(),
    };
    let mut search = Search::default();
    for candidate in real_path(cwd).ancestors().map(|at| at.join(FOLDER)) {
        if user.as_ref() == Some(&candidate) {
            continue;
        }
        if entries.iter().any(|entry| entry.fits(&candidate)) {
            search.listed.get_or_insert(candidate);
        } else if ["taffrail.db", "config.toml"]
            .iter()
            .any(|file| fs::symlink_metadata(candidate.join(file)).is_ok())
        {
            search.ignored.push(candidate);
        }
    }
    Ok(search)
}

fn refuse_unlistable(root: &Path, list_home: &Home) -> Result<(), HomeError> {
    let refuse = |problem| {
        Err(HomeError::NotLocal {
            path: root.to_owned(),
            problem,
        })
    };
    if root == list_home.root() {
        return refuse("it is the home of this user already");
    }
    if root.as_os_str().as_bytes().contains(&b'\n') {
        return refuse("its path has a line break");
    }
    Ok(())
}

/// Holds the user's home against another registration until the file is dropped.
fn lock(user: &Path) -> Result<File, HomeError> {
    let failed = |source| HomeError::io("cannot lock", user, source);
    let folder = File::open(user).map_err(failed)?;
    rustix::fs::flock(&folder, FlockOperation::LockExclusive)
        .map_err(|source| failed(source.into()))?;
    Ok(folder)
}

/// Makes the directory, or takes one that is empty.
fn make_empty(root: &Path) -> Result<(), HomeError> {
    files::make_dir(root)
        .map_err(|source| HomeError::io("cannot make the directory", root, source))?;
    check_private(root, true)?;
    let mut content =
        fs::read_dir(root).map_err(|source| HomeError::io("cannot list", root, source))?;
    if content.next().is_some() {
        return Err(HomeError::NotLocal {
            path: root.to_owned(),
            problem: "it is there already and not empty; move it away first",
        });
    }
    Ok(())
}

/// Reads the list of a user's home; empty when there is none.
fn read_list(user: &Path) -> Result<Vec<Entry>, HomeError> {
    let path = user.join(LIST);
    if !check_private(&path, false)? {
        return Ok(Vec::new());
    }
    check_private(user, true)?;
    let bytes = files::read_bounded(&path, LIST_LIMIT)
        .map_err(|error| HomeError::io("cannot read", &path, std::io::Error::other(error)))?
        .unwrap_or_default();
    // A line that is not understood lists nothing.
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter_map(Entry::parse)
        .collect())
}

impl Entry {
    fn of(root: &Path) -> Result<Self, HomeError> {
        let found = fs::symlink_metadata(root)
            .map_err(|source| HomeError::io("cannot look at", root, source))?;
        let token = random::bytes()
            .map_err(|source| HomeError::io("cannot make a token for", root, source))?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
            token: format!("{:032x}", u128::from_le_bytes(token)).into_bytes(),
            path: root.to_owned(),
        })
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn(4, |byte| *byte == b' ');
        let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse().ok();
        let device = number(words.next()?)?;
        let inode = number(words.next()?)?;
        let token = words.next().filter(|token| token.len() == 32)?.to_vec();
        let path = PathBuf::from(OsStr::from_bytes(words.next()?));
        path.is_absolute().then_some(Self {
            device,
            inode,
            token,
            path,
        })
    }

    fn line(&self) -> Vec<u8> {
        let mut line = format!("{} {} ", self.device, self.inode).into_bytes();
        line.extend_from_slice(&self.token);
        line.push(b' ');
        line.extend_from_slice(self.path.as_os_str().as_bytes());
        line.push(b'\n');
        line
    }

    /// Whether this directory is the listed one: same path, device, inode, token; this user's alone; no symlink.
    fn fits(&self, candidate: &Path) -> bool {
        let same = |found: Metadata| found.dev() == self.device && found.ino() == self.inode;
        self.path == candidate
            && matches!(check_private(candidate, true), Ok(true))
            && fs::symlink_metadata(candidate).is_ok_and(same)
            && files::read_bounded(&candidate.join(TOKEN), TOKEN_LIMIT)
                .is_ok_and(|token| token.as_ref() == Some(&self.token))
    }
}
