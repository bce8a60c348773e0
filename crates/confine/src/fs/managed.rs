//! Which paths of a project are managed: git's own folder and Taffrail's (CNF-02). A table over names, pure.

use taffrail_domain::RepoPath;

use super::credential::fold;

/// Folders whose content is state of a program and not text of the project. The short forms are what FAT and NTFS make
/// of them.
const FOLDERS: &[&str] = &[".git", "git~1", ".taffrail", "taffra~1"];

/// Whether a path is, or lies in, git's or Taffrail's own folder, wherever in a tree that is. Names are compared as by
/// [`is_credential`](super::is_credential).
pub fn is_managed(path: &RepoPath) -> bool {
    path.parts()
        .any(|part| FOLDERS.contains(&fold(part).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_02_managed_folders_in_every_spelling() {
        let held = [
            ".git",
            ".git/config",
            ".GIT/HEAD",
            "sub/.git/hooks/pre-commit",
            ".g\u{200c}it/config",
            ".git./config",
            ".git ",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".taffrail/config.toml",
            ".Taffrail",
            ".ta\u{fb00}rail/config.toml",
            "TAFFRA~1/config.toml",
        ];
        for path in held {
            assert!(is_managed(&RepoPath::new(path).unwrap()), "{path:?}");
        }
        let open = [
            ".gitignore",
            ".github/workflows/ci.yml",
            ".gitattributes",
            "git/config",
            "taffrail/lib.rs",
            ".git2",
            "x.git",
        ];
        for path in open {
            assert!(!is_managed(&RepoPath::new(path).unwrap()), "{path:?}");
        }
    }
}
