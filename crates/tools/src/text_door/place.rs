//! Where an agent's path leads: beneath which opened folder, and what the operator's word opens there.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use taffrail_confine::fs::{FsError, Root, is_credential};
use taffrail_domain::RepoPath;

use super::error::{Call, DoorError, Refusal};
use crate::project_files::{Barred, LONGEST_PATH, step};

/// An opened folder and the ways in which its path is written.
pub(super) struct Place {
    pub root: Root,
    /// As it was given, and without symlinks. Paths are compared part by part.
    spelled: Vec<PathBuf>,
    /// The one file that it stands for.
    only: Option<RepoPath>,
    /// The whole path, without symlinks and without the first `/`; none for `/` itself.
    real: Option<RepoPath>,
    /// The operator named credentials, or Taffrail's state: what is in them is open.
    opens: Opens,
}

/// What an operator's word opens beyond what is open to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Opens {
    pub credentials: bool,
    pub managed: bool,
}

/// A file in an opened folder that is not looked at yet.
pub(super) struct Spot {
    pub folder: Root,
    pub name: RepoPath,
}

impl Place {
    /// The working tree.
    pub(super) fn tree(path: &Path) -> Result<Self, FsError> {
        let root = Root::open(path)?;
        Ok(Self {
            root,
            spelled: spellings(path),
            only: None,
            real: None,
            opens: Opens::default(),
        })
    }

    /// A folder or a file outside of the working tree that the operator named: symlinks in its path are followed, now.
    pub(super) fn named(path: &Path, barred: &Barred) -> Result<Self, FsError> {
        let missing = |_| FsError::NotFound {
            path: path.to_owned(),
        };
        let real = path.canonicalize().map_err(missing)?;
        let whole = relative(&real);
        let opens = Opens {
            credentials: whole.as_ref().is_some_and(is_credential),
            managed: barred.hold_path(&real),
        };
        let (root, only) = match Root::open(&real) {
            Err(FsError::NotDirectory { .. }) => {
                let above = real.parent().unwrap_or(Path::new("/"));
                (Root::open(above)?, whole.as_ref().and_then(last))
            }
            opened => (opened?, None),
        };
        Ok(Self {
            root,
            spelled: spellings(path),
            only,
            real: whole,
            opens,
        })
    }

    /// The rest of an absolute path that lies here. `Some(None)`: the folder itself.
    pub(super) fn rest(&self, path: &Path) -> Option<Option<RepoPath>> {
        let mut rests = self
            .spelled
            .iter()
            .filter_map(|spelled| path.strip_prefix(spelled).ok());
        let rest = relative(rests.next()?);
        match &self.only {
            Some(only) => rest.is_none().then(|| Some(only.clone())),
            None => Some(rest),
        }
    }

    /// What is open here of what is closed elsewhere.
    pub(super) fn opens(&self) -> Opens {
        self.opens
    }

    /// The path by which the tables know what is at `rest`.
    pub(super) fn known_as(&self, rest: &RepoPath) -> RepoPath {
        match (&self.only, &self.real) {
            (Some(_), Some(real)) => real.clone(),
            (None, Some(real)) => joined(real, rest),
            (_, None) => rest.clone(),
        }
    }
}

/// What is done about a folder that is not there, before it is looked for once more.
pub(super) type OnMissing = fn(&Root, &[u8]) -> Result<(), FsError>;

/// An agent's path, if it can be one of a file.
pub(super) fn formed<'a>(call: &Call<'a>) -> Result<&'a Path, DoorError> {
    let bytes = call.path.as_os_str().as_bytes();
    let has_parent = call
        .path
        .components()
        .any(|part| part == Component::ParentDir);
    if bytes.is_empty() || bytes.len() > LONGEST_PATH || bytes.contains(&0) || has_parent {
        return Err(call.refused(Refusal::Form));
    }
    if bytes.ends_with(b"/") || bytes.ends_with(b"/.") || bytes == b"." {
        return Err(call.unfit("names a folder, and only files have text"));
    }
    Ok(call.path)
}

/// The parts of a path without `..`; none if there are none.
pub(super) fn relative(path: &Path) -> Option<RepoPath> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.as_bytes()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    RepoPath::new(parts.collect::<Vec<_>>().join(&b'/')).ok()
}

/// Whether a path is another, or lies in it.
pub(super) fn lies_in(path: &RepoPath, folder: &RepoPath) -> bool {
    let as_path = |path: &RepoPath| PathBuf::from(OsStr::from_bytes(path.as_bytes()));
    as_path(path).starts_with(as_path(folder))
}

/// The folder that a file is in, entered part by part. `missing` makes a folder that is not there.
pub(super) fn spot(
    root: &Root,
    path: &RepoPath,
    barred: &Barred,
    call: &Call<'_>,
    missing: OnMissing,
) -> Result<Spot, DoorError> {
    let fail = |error| call.of_fs(error);
    let mut folder = root.again().map_err(fail)?;
    let mut parts: Vec<&[u8]> = path.parts().collect();
    let name = parts.pop().unwrap_or_default();
    for part in parts {
        folder = match step(&folder, part) {
            Err(FsError::NotFound { .. }) => {
                missing(&folder, part).map_err(fail)?;
                step(&folder, part)
            }
            other => other,
        }
        .map_err(fail)?;
        if barred.holds(folder.identity().map_err(fail)?) {
            return Err(call.refused(Refusal::Managed));
        }
    }
    let name = RepoPath::new(name).map_err(|_| call.missing())?;
    Ok(Spot { folder, name })
}

fn spellings(path: &Path) -> Vec<PathBuf> {
    let given = std::iter::once(path.to_owned());
    given.chain(path.canonicalize()).collect()
}

fn last(path: &RepoPath) -> Option<RepoPath> {
    RepoPath::new(path.name()).ok()
}

fn joined(folder: &RepoPath, rest: &RepoPath) -> RepoPath {
    let bytes = [folder.as_bytes(), rest.as_bytes()].join(&b'/');
    // Two paths make a path.
    RepoPath::new(bytes).unwrap_or_else(|_| rest.clone())
}
