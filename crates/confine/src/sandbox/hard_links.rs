//! Hard links in a checkout: a write through one reaches its other names past every layer of the sandbox.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::SandboxError;

/// Refuses a tree that holds a regular file with more than one link. Symbolic links are not followed.
///
/// # Errors
/// [`SandboxError::HardLink`] for the first one found, [`SandboxError::Io`] for what cannot be looked at.
pub fn refuse_hard_links(root: &Path) -> Result<(), SandboxError> {
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        let io = |source| SandboxError::Io {
            path: directory.clone(),
            source,
        };
        for entry in std::fs::read_dir(&directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            let facts = entry.metadata().map_err(io)?;
            if facts.is_dir() {
                waiting.push(entry.path());
            } else if facts.is_file() && facts.nlink() > 1 {
                return Err(SandboxError::HardLink {
                    path: entry.path(),
                    links: facts.nlink(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_03_a_second_name_is_refused_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        std::fs::write(tree.join("a/b/file"), "x").unwrap();
        std::os::unix::fs::symlink("/", tree.join("link")).unwrap();
        refuse_hard_links(&tree).unwrap();
        std::fs::hard_link(tree.join("a/b/file"), folder.path().join("outside")).unwrap();
        let error = refuse_hard_links(&tree).unwrap_err();
        assert!(
            matches!(&error, SandboxError::HardLink { links: 2, path } if path.ends_with("a/b/file"))
        );
    }
}
