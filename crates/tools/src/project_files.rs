//! The guarded root: which paths the tools may read, decided on the handles that are then read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_confine::fs::{FsError, Identity, Root, is_credential, is_managed};
use taffrail_domain::RepoPath;
use taffrail_redact::{Options, Redactor};

use crate::ToolError;
use crate::list_files::{Files, ListFiles, list_files};
use crate::read_file::{FileText, ReadFile, read_file};
use crate::search_text::{SearchText, TextFound, search_text};

/// As many bytes of a path as the kernel takes in one call.
pub(crate) const LONGEST_PATH: usize = 4_095;

/// How a long call tells of itself, and learns that nobody waits for it any more.
pub trait Watch {
    /// Whether the caller took the call back.
    fn is_cancelled(&self) -> bool;
    /// So much of so much is done. Called for each file.
    fn progress(&self, done: u64, total: Option<u64>);
}

/// Which paths of the root somebody wants withheld: of files, and of folders that are asked for or come by. Asked for each
/// name of a walk.
pub type Withheld = Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>;

/// The files of one project, as far as tools may read them.
///
/// Refused by name: credentials ([`is_credential`]) and what git and Taffrail manage ([`is_managed`]). Refused by
/// identity: what is managed and may lie inside of the project under any name. No symlink is followed, nothing mounted
/// is entered. A regular file with more than one name is read: whoever can make such a name could read the file.
pub struct ProjectFiles {
    root: Root,
    managed: Vec<PathBuf>,
    withheld: Option<Withheld>,
    pub(crate) redactor: Redactor,
}

/// A folder of the project that was reached by its handle.
pub(crate) struct Folder {
    pub root: Root,
    /// None: the project's root.
    pub path: Option<RepoPath>,
}

/// What must not be read under any name.
pub(crate) struct Barred(Vec<Identity>);

impl Barred {
    /// What these paths lead to now.
    pub(crate) fn of(managed: &[PathBuf]) -> Self {
        let there = managed.iter().filter_map(|path| Identity::of_path(path));
        Self(there.collect())
    }

    pub(crate) fn holds(&self, identity: Identity) -> bool {
        self.0.contains(&identity)
    }

    /// Whether a path without symlinks is one of them or lies in one.
    pub(crate) fn hold_path(&self, real: &Path) -> bool {
        real.ancestors().any(|path| self.hold_itself(path))
    }

    /// As [`hold_path`](Self::hold_path), but the checkout of a run in them, and what is in it, is nobody's state.
    pub(crate) fn hold_root(&self, real: &Path) -> bool {
        let is_checkout = |path| checkout_home(path).is_some_and(|home| self.hold_itself(home));
        self.hold_path(real) && !real.ancestors().any(is_checkout)
    }

    fn hold_itself(&self, path: &Path) -> bool {
        Identity::of_path(path).is_some_and(|identity| self.holds(identity))
    }
}

impl ProjectFiles {
    /// The files beneath `root`. `managed`: folders and files of Taffrail's own, wherever they are; one that is not there
    /// yet counts as soon as it is.
    ///
    /// # Errors
    /// [`ToolError::Refused`] when the root is, or lies in, something managed and is not the checkout of a run;
    /// [`ToolError::Unfit`], [`ToolError::Io`] when it cannot be opened.
    pub fn open(root: &Path, managed: &[PathBuf]) -> Result<Self, ToolError> {
        let text = root.to_string_lossy();
        let opened = Root::open(root).map_err(|error| ToolError::from_fs(&text, error))?;
        let files = Self {
            root: opened,
            managed: managed.to_vec(),
            withheld: None,
            redactor: Redactor::new(Options::default()),
        };
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        if files.barred().hold_root(&real) {
            return Err(ToolError::refused(&text, MANAGED));
        }
        Ok(files)
    }

    /// The same files without those that are withheld: refused by name, and passed over by a list and a search.
    #[must_use]
    pub fn withholding(self, withheld: Withheld) -> Self {
        let withheld = Some(withheld);
        Self { withheld, ..self }
    }

    /// Lines of a text file.
    ///
    /// # Errors
    /// Every kind but [`ToolError::Interrupted`].
    pub fn read_file(&self, ask: &ReadFile) -> Result<FileText, ToolError> {
        read_file(self, ask)
    }

    /// Paths of files.
    ///
    /// # Errors
    /// Every kind.
    pub fn list_files(&self, ask: &ListFiles, watch: &dyn Watch) -> Result<Files, ToolError> {
        list_files(self, ask, watch)
    }

    /// Lines that hold something.
    ///
    /// # Errors
    /// Every kind.
    pub fn search_text(&self, ask: &SearchText, watch: &dyn Watch) -> Result<TextFound, ToolError> {
        search_text(self, ask, watch)
    }

    /// The path that a tool is given, none for the root, if it may be read.
    pub(crate) fn asked(&self, text: &str) -> Result<Option<RepoPath>, ToolError> {
        let path = path_of(text)?;
        match &path {
            Some(path) if self.withholds(path) => Err(ToolError::refused(text, WITHHELD)),
            Some(_) | None => Ok(path),
        }
    }

    /// Whether what is at this path is withheld.
    pub(crate) fn withholds(&self, path: &RepoPath) -> bool {
        self.withheld
            .as_ref()
            .is_some_and(|withheld| withheld(path))
    }

    /// What is managed, as it is now.
    pub(crate) fn barred(&self) -> Barred {
        Barred::of(&self.managed)
    }

    /// The folder at a path, entered part by part.
    pub(crate) fn folder(
        &self,
        path: Option<&RepoPath>,
        barred: &Barred,
    ) -> Result<Folder, ToolError> {
        let text = path.map_or_else(|| ".".to_owned(), RepoPath::to_text);
        let fail = |error| ToolError::from_fs(&text, error);
        let mut here = self.root.again().map_err(fail)?;
        for part in path.into_iter().flat_map(RepoPath::parts) {
            here = step(&here, part).map_err(fail)?;
            if barred.holds(here.identity().map_err(fail)?) {
                return Err(ToolError::refused(&text, MANAGED));
            }
        }
        Ok(Folder {
            root: here,
            path: path.cloned(),
        })
    }

    /// The folder that a path is in.
    pub(crate) fn folder_of(&self, path: &RepoPath, barred: &Barred) -> Result<Folder, ToolError> {
        let parts: Vec<&[u8]> = path.parts().collect();
        let above = parts.split_last().map(|(_, above)| above.join(&b'/'));
        let above = above.and_then(|above| RepoPath::new(above).ok());
        self.folder(above.as_ref(), barred)
    }
}

/// The home of the run whose checkout this is: `<home>/checkouts/<run>/box`.
fn checkout_home(path: &Path) -> Option<&Path> {
    let run = path.ends_with("box").then(|| path.parent())??;
    let all = run.parent()?;
    all.ends_with("checkouts").then(|| all.parent())?
}

pub(crate) const MANAGED: &str = "it is state that taffrail or git manages";
const WITHHELD: &str = "a rule of the user's policy withholds it";

/// One folder further down, by the name that it has letter for letter.
pub(crate) fn step(here: &Root, name: &[u8]) -> Result<Root, FsError> {
    let name = part(here, name)?;
    let inner = here.enter(&name)?;
    exact(here, &name)?;
    Ok(inner)
}

/// That the folder holds the name letter for letter: what a table says of one spelling says nothing of another by which a
/// file system finds the same file.
pub(crate) fn exact(here: &Root, name: &RepoPath) -> Result<(), FsError> {
    if here.holds(name.as_bytes())? {
        Ok(())
    } else {
        Err(FsError::NotFound {
            path: here.path().to_owned(),
        })
    }
}

pub(crate) fn part(here: &Root, name: &[u8]) -> Result<RepoPath, FsError> {
    RepoPath::new(name).map_err(|_| FsError::NotFound {
        path: here.path().to_owned(),
    })
}

/// A path as a tool is given it, none for the root. `./` at the front and `/` at the end say nothing and are taken off.
fn path_of(text: &str) -> Result<Option<RepoPath>, ToolError> {
    if text.len() > LONGEST_PATH {
        let why = format!("at most {LONGEST_PATH} bytes, not {}", text.len());
        return Err(ToolError::Argument { name: "path", why });
    }
    let plain = text.strip_prefix("./").unwrap_or(text);
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    if plain == "." || plain.is_empty() && text == "./" {
        return Ok(None);
    }
    let path = RepoPath::new(plain).map_err(|_| {
        let why = "a path is relative to the project's root, without `..`, empty parts and NUL";
        ToolError::refused(text, why)
    })?;
    if is_credential(&path) {
        return Err(ToolError::refused(text, "its name is that of a credential"));
    }
    if is_managed(&path) {
        return Err(ToolError::refused(text, MANAGED));
    }
    Ok(Some(path))
}

/// A number within its limits.
pub(crate) fn number(name: &'static str, given: u64, most: u64) -> Result<u64, ToolError> {
    if (1..=most).contains(&given) {
        return Ok(given);
    }
    Err(ToolError::Argument {
        name,
        why: format!("1 to {most}, not {given}"),
    })
}
