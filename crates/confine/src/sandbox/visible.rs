//! What must be readable so that a command installed below the operator's home still runs, while the home stays hidden:
//! its directory on the PATH, the package it belongs to, its interpreter, the toolchains it may call.

mod script;
mod toolchains;

use std::path::{Path, PathBuf};

use super::roots::common_read;

/// Links from a name on the PATH to a program: npm and version managers use two or three, the kernel allows 40.
const MAX_LINKS: usize = 40;
/// Scripts whose interpreter is a script; the kernel allows four.
const MAX_SCRIPTS: usize = 4;

/// What to add to a policy and to the child's environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible {
    /// Readable and executable roots, beside the common ones. May hold symbolic links.
    pub read: Vec<PathBuf>,
    /// Variables that tell a toolchain where it lies, because the child's home is another one.
    pub env: Vec<(String, String)>,
    /// The directories of the PATH that the child can see, in their order.
    pub path: Vec<PathBuf>,
}

/// What `command`, an absolute path, needs from below `operator_home`, a real path, and from the PATH. Never the home
/// itself nor a directory that holds credentials; what does not exist is left out.
pub fn visible_for(command: &Path, path_dirs: &[PathBuf], operator_home: &Path) -> Visible {
    let mut search = Search {
        home: operator_home,
        path_dirs,
        common: common_read(),
        found: Visible::default(),
    };
    for root in toolchains::roots(operator_home) {
        search.show(&root);
    }
    search.path_dirs();
    search.program(command, MAX_SCRIPTS);
    search.path();
    search.found.env.extend(toolchains::env(operator_home));
    search.found
}

struct Search<'a> {
    home: &'a Path,
    path_dirs: &'a [PathBuf],
    common: Vec<PathBuf>,
    found: Visible,
}

impl Search<'_> {
    fn path_dirs(&mut self) {
        for directory in self.path_dirs {
            if !directory.is_absolute() || !directory.is_dir() {
                continue;
            }
            if !self.shown(directory) && directory.starts_with(self.home) {
                self.show(directory);
            }
        }
    }

    /// The directories of the PATH in which something can be seen by now. The program's own are among them: it finds its
    /// helpers there, and its interpreter is the one that was found here.
    fn path(&mut self) {
        for directory in self.path_dirs {
            let there = directory.is_absolute() && directory.is_dir();
            let seen = self.shown(directory) || self.shown_in_part(directory);
            if there && seen && !self.found.path.contains(directory) {
                self.found.path.push(directory.clone());
            }
        }
    }

    /// The links on the way, the package at the end, and the same for the interpreter of a script.
    fn program(&mut self, command: &Path, scripts: usize) {
        let Ok(program) = command.canonicalize() else {
            return;
        };
        self.links(command);
        self.package(&program);
        let Some(interpreter) = script::interpreter(&program, self.path_dirs) else {
            return;
        };
        if is_python(&interpreter) {
            self.python_user_base(&program);
        }
        if scripts > 0 {
            self.program(&interpreter, scripts - 1);
        }
    }

    fn links(&mut self, command: &Path) {
        let mut at = command.to_owned();
        for _ in 0..MAX_LINKS {
            let Ok(text) = std::fs::read_link(&at) else {
                return;
            };
            self.show(&at);
            let Some(parent) = at.parent().and_then(|parent| parent.canonicalize().ok()) else {
                return;
            };
            at = plain(&parent.join(text));
        }
    }

    /// The least that the program cannot do without: all of `node_modules`, a virtual environment, a prefix with `bin`
    /// and `lib`, or the file alone.
    fn package(&mut self, program: &Path) {
        if self.shown(program) && self.common.iter().any(|root| program.starts_with(root)) {
            return;
        }
        let modules = program
            .ancestors()
            .filter(|path| path.file_name().is_some_and(|name| name == "node_modules"))
            .last();
        if let Some(modules) = modules {
            return self.show(modules);
        }
        let prefix = program
            .parent()
            .filter(|parent| parent.file_name().is_some_and(|name| name == "bin"))
            .and_then(Path::parent);
        match prefix {
            Some(prefix) if prefix.join("pyvenv.cfg").is_file() => self.show(prefix),
            Some(prefix) if self.is_prefix(prefix) => {
                for part in ["bin", "lib", "lib64", "libexec", "share"] {
                    self.show(&prefix.join(part));
                }
            }
            Some(_) | None => self.show(program),
        }
    }

    /// A prefix of one product, as version managers make them; `~/.local` and its like hold everything.
    fn is_prefix(&self, prefix: &Path) -> bool {
        let depth = prefix
            .strip_prefix(self.home)
            .map_or(usize::MAX, |below| below.components().count());
        depth >= 2 && prefix.join("lib").is_dir()
    }

    /// Packages that `pip install --user` put beside the script.
    fn python_user_base(&mut self, program: &Path) {
        let base = self.home.join(".local");
        if program.starts_with(base.join("bin")) && base.join("lib").is_dir() {
            self.show(&base.join("lib"));
            let value = base.to_string_lossy().into_owned();
            self.found.env.push(("PYTHONUSERBASE".to_owned(), value));
        }
    }

    fn show(&mut self, path: &Path) {
        let Ok(target) = path.canonicalize() else {
            return;
        };
        let refused = |path: &Path| toolchains::holds_secrets(path, self.home);
        if !refused(path) && !refused(&target) && !self.shown(path) {
            self.found.read.push(path.to_owned());
        }
    }

    /// Whether a program of this directory is visible by itself.
    fn shown_in_part(&self, directory: &Path) -> bool {
        let mut read = self.found.read.iter();
        !toolchains::holds_secrets(directory, self.home)
            && read.any(|part| part.parent() == Some(directory))
    }

    fn shown(&self, path: &Path) -> bool {
        let mut roots = self.common.iter().chain(&self.found.read);
        roots.any(|root| path.starts_with(root) && !(root != path && root.is_symlink()))
            || self.common.iter().any(|root| path.starts_with(root))
    }
}

fn is_python(interpreter: &Path) -> bool {
    interpreter
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("python"))
}

/// The path without `.` and `..`; the part before `..` is real already.
fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}
