//! Finding the program that a command names, before anything is confined.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A command that names no program.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// No directory of the PATH holds it.
    #[error("`{}` is in no directory of the PATH", name.display())]
    NotFound {
        /// As it was typed.
        name: OsString,
    },
    /// The path names nothing, or not a file.
    #[error("there is no program `{}`", path.display())]
    Missing {
        /// The path, absolute.
        path: PathBuf,
    },
    /// The file is there and may not be run.
    #[error("`{}` is not executable", path.display())]
    NotExecutable {
        /// The path, absolute.
        path: PathBuf,
    },
}

/// The absolute path of the program that `name` stands for: a name with a slash is taken from `cwd`, another one is
/// looked up in `path`. Relative and empty entries of `path` are passed over. Links are not resolved.
///
/// # Errors
/// Every [`CommandError`].
pub fn resolve_command(name: &OsStr, path: &OsStr, cwd: &Path) -> Result<PathBuf, CommandError> {
    if name.as_bytes().contains(&b'/') {
        return runnable(cwd.join(name));
    }
    let not_found = || CommandError::NotFound {
        name: name.to_owned(),
    };
    if name.is_empty() || name == "." || name == ".." {
        return Err(not_found());
    }
    let mut refused = None;
    for directory in std::env::split_paths(path).filter(|path| path.is_absolute()) {
        match runnable(directory.join(name)) {
            Ok(found) => return Ok(found),
            Err(error @ CommandError::NotExecutable { .. }) => refused = refused.or(Some(error)),
            Err(CommandError::Missing { .. } | CommandError::NotFound { .. }) => {}
        }
    }
    Err(refused.unwrap_or_else(not_found))
}

/// Where a path leads, every link followed; the path itself where it leads nowhere.
pub fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn runnable(path: PathBuf) -> Result<PathBuf, CommandError> {
    match path.metadata() {
        Ok(facts) if facts.is_file() && facts.permissions().mode() & 0o111 != 0 => Ok(path),
        Ok(facts) if facts.is_file() => Err(CommandError::NotExecutable { path }),
        Ok(_) | Err(_) => Err(CommandError::Missing { path }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_06_a_command_is_found_as_a_shell_would() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for (name, mode) in [
            ("one/tool", 0o644),
            ("two/tool", 0o755),
            ("one/data", 0o644),
        ] {
            let file = at.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path =
            std::env::join_paths([Path::new("two"), &at.join("one"), &at.join("two")]).unwrap();
        let find = |name: &str| resolve_command(OsStr::new(name), &path, at);
        assert_eq!(find("tool").unwrap(), at.join("two/tool"));
        assert_eq!(find("two/tool").unwrap(), at.join("two/tool"));
        assert_eq!(find("/bin/sh").unwrap(), Path::new("/bin/sh"));
        assert!(matches!(
            find("data"),
            Err(CommandError::NotExecutable { .. })
        ));
        assert!(matches!(find("one"), Err(CommandError::NotFound { .. })));
        assert!(matches!(find(""), Err(CommandError::NotFound { .. })));
        assert!(matches!(find(".."), Err(CommandError::NotFound { .. })));
        assert!(matches!(find("./gone"), Err(CommandError::Missing { .. })));
        assert!(matches!(
            find("one/tool"),
            Err(CommandError::NotExecutable { .. })
        ));
    }
}
