//! The text files that a foreign agent reads and writes through us (FA-21), beneath one guarded root (CNF-01, CNF-02).
//!
//! Content passes byte for byte: nothing is masked, because an agent that writes back what it read must not change it.
//! Must not know the protocol, who asks, or whether a write was allowed: it is asked when that is decided.

use std::path::{Path, PathBuf};

use taffrail_confine::fs::{FsError, Identity, Rewritten, is_credential, is_managed};
use taffrail_domain::RepoPath;

use crate::project_files::{Barred, exact, part};

mod error;
mod place;
mod window;

use error::Call;
pub use error::{DoorError, Refusal};
use place::{Opens, Place, Spot, formed, lies_in, relative, spot};
use window::{Lines, NoText, lines};

/// Bytes of text in one call, read or written (FA-21).
pub const LARGEST_TEXT: u64 = 4 << 20;
/// Bytes of a file before the lines that are asked for.
const FURTHEST: u64 = 64 << 20;
/// Rights of a new file and of a new folder, less the umask, as any editor makes them.
const NEW_FILE: u32 = 0o666;
const NEW_FOLDER: u32 = 0o777;

/// What is open at a door beyond what is open at every door.
#[derive(Debug, Clone, Default)]
pub struct DoorOptions {
    /// Files and folders that the operator opened for reading (`--allow-read`), absolute or relative to the root. What lies
    /// outside of the root must be there. A credential is opened by naming it, or a folder that is one (`.aws`).
    pub allow_read: Vec<PathBuf>,
    /// Folders and files of Taffrail's own, wherever they are.
    pub managed: Vec<PathBuf>,
    /// Whether files may be written.
    pub may_write: bool,
}

/// What writing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file is new.
    New,
    /// A file that was there holds the new text, with the rights that it had.
    Old,
}

/// The text files of one run's working tree.
pub struct TextDoor {
    tree: Place,
    /// Outside of the tree.
    named: Vec<Place>,
    /// In the tree.
    opened: Vec<(RepoPath, Opens)>,
    managed: Vec<PathBuf>,
    may_write: bool,
}

impl TextDoor {
    /// The files beneath `root`, whose path is the operator's word: symlinks in it are followed, now.
    ///
    /// # Errors
    /// [`DoorError::Refused`] when the root lies in something managed and is not the checkout of a run;
    /// [`DoorError::Missing`], [`DoorError::Unfit`], [`DoorError::Io`] when it, or something outside of it that
    /// `allow_read` names, cannot be opened.
    pub fn open(root: &Path, options: DoorOptions) -> Result<Self, DoorError> {
        let at = |path| Call {
            path,
            doing: "opened",
        };
        let barred = Barred::of(&options.managed);
        let tree = Place::tree(root).map_err(|error| at(root).of_fs(error))?;
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        if barred.hold_root(&real) {
            return Err(at(root).refused(Refusal::Managed));
        }
        let mut door = Self {
            tree,
            named: Vec::new(),
            opened: Vec::new(),
            managed: options.managed,
            may_write: options.may_write,
        };
        for path in &options.allow_read {
            door.open_also(&root.join(path), &barred)
                .map_err(|error| at(path).of_fs(error))?;
        }
        Ok(door)
    }

    fn open_also(&mut self, path: &Path, barred: &Barred) -> Result<(), FsError> {
        match self.tree.rest(path) {
            // The whole tree is open anyway.
            Some(None) => {}
            Some(Some(rest)) => {
                let opens = Opens {
                    credentials: is_credential(&rest),
                    managed: barred.hold_root(path),
                };
                self.opened.push((rest, opens));
            }
            None => self.named.push(Place::named(path, barred)?),
        }
        Ok(())
    }

    /// The path beneath the root that an agent means: absolute in the words that it was given or without symlinks, or
    /// relative to the root. None for what lies elsewhere, for the root itself, and for what is no path of a file.
    pub fn beneath(&self, path: &Path) -> Option<RepoPath> {
        let path = formed(&Call {
            path,
            doing: "read",
        });
        self.in_tree(path.ok()?)?
    }

    /// The text of a file, or some of its lines, byte for byte; at most [`LARGEST_TEXT`].
    ///
    /// `line` counts from 1 (0 is taken for 1). Lines that the file does not have are no error: there are fewer, or none.
    ///
    /// # Errors
    /// Every kind.
    pub fn read(
        &self,
        path: &Path,
        line: Option<u64>,
        limit: Option<u64>,
    ) -> Result<String, DoorError> {
        let call = Call {
            path,
            doing: "read",
        };
        let path = formed(&call)?;
        let (place, rest) = self.find(path).ok_or(call.refused(Refusal::Outside))?;
        let rest = rest.ok_or_else(|| call.unfit("is a folder, and only files have text"))?;
        let opens = self.opens(place, &rest);
        if is_credential(&place.known_as(&rest)) && !opens.credentials {
            return Err(call.refused(Refusal::Credential));
        }
        let barred = if opens.managed { &[] } else { &*self.managed };
        let barred = Barred::of(barred);
        let at = spot(&place.root, &rest, &barred, &call, |_, _| Ok(()))?;
        let ask = Lines {
            before: line.unwrap_or(1).saturating_sub(1),
            most: limit.unwrap_or(u64::MAX),
        };
        text_at(&at, ask, &barred, &call)
    }

    /// Puts this text in a file, whole or not at all, and makes the folders on the way that are missing.
    ///
    /// # Errors
    /// Every kind. Folders that were made stay.
    pub fn write(&self, path: &Path, text: &str) -> Result<Written, DoorError> {
        let call = Call {
            path,
            doing: "written",
        };
        if !self.may_write {
            return Err(call.refused(Refusal::ReadOnly));
        }
        if text.len() as u64 > LARGEST_TEXT {
            let hint = "write it in another way";
            return Err(call.too_large("the text has", LARGEST_TEXT, hint));
        }
        let rest = self.in_tree(formed(&call)?);
        let rest = rest.ok_or(call.refused(Refusal::Outside))?;
        let rest = rest.ok_or_else(|| call.unfit("is a folder, and only files have text"))?;
        if is_credential(&rest) {
            return Err(call.refused(Refusal::Credential));
        }
        if is_managed(&rest) {
            return Err(call.refused(Refusal::Managed));
        }
        let barred = Barred::of(&self.managed);
        let at = spot(&self.tree.root, &rest, &barred, &call, |folder, name| {
            folder.create_dirs(&part(folder, name)?, NEW_FOLDER)
        })?;
        put(&at, text, &barred, &call)
    }

    fn in_tree(&self, path: &Path) -> Option<Option<RepoPath>> {
        if path.is_absolute() {
            self.tree.rest(path)
        } else {
            Some(relative(path))
        }
    }

    fn find(&self, path: &Path) -> Option<(&Place, Option<RepoPath>)> {
        if let Some(rest) = self.in_tree(path) {
            return Some((&self.tree, rest));
        }
        let here = |place| Some((place, Place::rest(place, path)?));
        self.named.iter().find_map(here)
    }

    fn opens(&self, place: &Place, rest: &RepoPath) -> Opens {
        if !std::ptr::eq(place, &raw const self.tree) {
            return place.opens();
        }
        let named = self.opened.iter().filter(|(path, _)| lies_in(rest, path));
        named.fold(Opens::default(), |sum, (_, opens)| Opens {
            credentials: sum.credentials || opens.credentials,
            managed: sum.managed || opens.managed,
        })
    }
}

fn text_at(at: &Spot, ask: Lines, barred: &Barred, call: &Call<'_>) -> Result<String, DoorError> {
    let file = at.folder.open_file(&at.name);
    let file = file.map_err(|error| call.of_fs(error))?;
    let identity = Identity::of_file(&file).map_err(|error| call.io(error))?;
    if barred.holds(identity) {
        return Err(call.refused(Refusal::Managed));
    }
    exact(&at.folder, &at.name).map_err(|error| call.of_fs(error))?;
    lines(file, ask, LARGEST_TEXT, FURTHEST).map_err(|error| match error {
        NoText::TooLarge => {
            let hint = "ask for some of its lines with `line` and `limit`";
            call.too_large("what was asked for has", LARGEST_TEXT, hint)
        }
        NoText::TooFar => {
            let hint = "ask for earlier ones";
            call.too_large("before these lines there are", FURTHEST, hint)
        }
        NoText::NotText(why) => call.unfit(why),
        NoText::Io(source) => call.io(source),
    })
}

fn put(at: &Spot, text: &str, barred: &Barred, call: &Call<'_>) -> Result<Written, DoorError> {
    let fail = |error| call.of_fs(error);
    match at.folder.stat(&at.name) {
        Ok((_, stat)) => {
            let (dev, ino) = (stat.dev, stat.ino);
            if barred.holds(Identity { dev, ino }) {
                return Err(call.refused(Refusal::Managed));
            }
            exact(&at.folder, &at.name).map_err(fail)?;
        }
        Err(FsError::NotFound { .. }) => {}
        Err(error) => return Err(fail(error)),
    }
    let written = at.folder.rewrite(&at.name, text.as_bytes(), NEW_FILE);
    match written.map_err(fail)? {
        Rewritten::New => Ok(Written::New),
        Rewritten::Old => Ok(Written::Old),
        Rewritten::Linked { .. } => Err(call.refused(Refusal::HardLinked)),
    }
}
