//! Ignored paths that are brought along into a checkout (FA-10): those that the plan names, and those of a
//! `.worktreeinclude` file. Credential files stay behind.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;
use taffrail_confine::fs::{EntryKind, FsError, Root, is_credential};
use taffrail_domain::RepoPath;

use crate::error::GitError;
use crate::ignored::{LARGEST_LIST, Rules, below, matched, patterns};
use crate::listing::Listing;
use crate::names;
use crate::project::Project;
use crate::walk::tracked_folders;

/// The file in a project's root that names ignored paths to bring along, in the syntax of `.gitignore`.
const INCLUDE: &str = ".worktreeinclude";
/// Paths that are looked at for [`INCLUDE`].
const MOST_LOOKED_AT: usize = 500_000;

/// One path that was brought along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Where, in the project and in the checkout.
    pub path: RepoPath,
    /// Files and symlinks in it.
    pub files: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Files that share their blocks with the operator's until one of the two is written.
    pub reflinked: u64,
    /// Credential files in it that were left behind.
    pub left_out: Vec<RepoPath>,
}

/// What to carry and from where.
pub(crate) struct Carry<'a> {
    pub project: &'a Project,
    pub listing: &'a Listing,
    /// Paths that a person named.
    pub named: &'a [String],
    /// Credential files that user config names.
    pub credentials: &'a [String],
}

impl Carry<'_> {
    /// Copies everything; `step` hears of bytes copied. With it come sentences about what stays behind.
    pub(crate) fn run(
        &self,
        dest: &Path,
        step: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Carried>, Vec<String>), GitError> {
        let from = Root::open(&self.project.root)?;
        let rules = operator_rules(self.project);
        let mut paths = Vec::new();
        for name in self.named {
            paths.push(self.checked(name, &from, &rules)?);
        }
        let (included, mut notes) = self.included(&from, &rules)?;
        paths.extend(included);
        paths.sort_unstable();
        paths.dedup();
        // What lies in another path of the list is carried with it.
        paths.dedup_by(|inner, outer| is_below(inner, outer));
        let to = Root::open(dest)?;
        let carried: Vec<Carried> = paths
            .into_iter()
            .map(|path| self.one(&from, &to, path, step))
            .collect::<Result<_, _>>()?;
        notes.extend(
            carried
                .iter()
                .flat_map(|one| one.left_out.iter().map(stays_behind)),
        );
        Ok((carried, notes))
    }

    fn one(
        &self,
        from: &Root,
        to: &Root,
        path: RepoPath,
        step: &mut dyn FnMut(u64),
    ) -> Result<Carried, GitError> {
        let copied = to.copy_from(from, &path, step)?;
        Ok(Carried {
            left_out: self.take_out_credentials(to, &path)?,
            path,
            files: copied.files,
            bytes: copied.bytes,
            reflinked: copied.reflinked,
        })
    }

    fn allows(&self, path: &RepoPath) -> bool {
        let named = |name: &String| name.as_bytes() == path.as_bytes();
        self.credentials.iter().any(named)
    }

    /// Removes credential files from what was copied. Nothing has run in the checkout yet.
    fn take_out_credentials(&self, to: &Root, path: &RepoPath) -> Result<Vec<RepoPath>, GitError> {
        let mut left_out = Vec::new();
        if !matches!(to.stat(path)?, (EntryKind::Dir, _)) {
            return Ok(left_out);
        }
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in to.entries(Some(&folder))? {
                let Some(path) = below(Some(&folder), &entry.name) else {
                    continue;
                };
                if is_credential(&path) && !self.allows(&path) {
                    to.remove_tree(&path)?;
                    left_out.push(path);
                } else if entry.kind == EntryKind::Dir {
                    folders.push(path);
                }
            }
        }
        Ok(left_out)
    }

    /// The path of a name, when it can be carried.
    fn checked(&self, name: &str, from: &Root, rules: &Rules) -> Result<RepoPath, GitError> {
        let refuse = |why| GitError::Carry {
            path: name.to_owned(),
            why,
        };
        let relative = Path::new(name)
            .strip_prefix(&self.project.root)
            .unwrap_or(Path::new(name));
        let bytes = relative.as_os_str().as_bytes();
        let bytes = bytes.strip_prefix(b"./").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
        let path = RepoPath::new(bytes).map_err(|_| refuse("it leaves the project"))?;
        if path.parts().any(names::is_git_folder) {
            return Err(refuse("it belongs to git"));
        }
        if is_credential(&path) && !self.allows(&path) {
            return Err(refuse(
                "it holds credentials, and only `checkout.carry` of your own configuration may name such a file",
            ));
        }
        match from.stat(&path) {
            Ok((EntryKind::Other, _)) => return Err(refuse("it is not a file or folder")),
            Ok(_) => {}
            Err(FsError::NotFound { .. }) => return Err(refuse("it is missing")),
            Err(FsError::Symlink { .. } | FsError::Outside { .. }) => {
                return Err(refuse("it leaves the project through a symlink"));
            }
            Err(error) => return Err(error.into()),
        }
        if self.is_tracked(&path) {
            return Err(refuse("it is tracked, so that it is there already"));
        }
        if !rules.ignore_deep(from, &path) {
            return Err(refuse(
                "it is not ignored by git, so that it would show as a change",
            ));
        }
        Ok(path)
    }

    fn is_tracked(&self, path: &RepoPath) -> bool {
        let files = &self.listing.files;
        files.contains_key(path) || tracked_folders(files).contains(path.as_bytes())
    }

    /// The ignored paths that the project's own list names.
    fn included(
        &self,
        from: &Root,
        rules: &Rules,
    ) -> Result<(Vec<RepoPath>, Vec<String>), GitError> {
        let file = RepoPath::new(INCLUDE).map_err(|why| GitError::Listing(why.to_string()))?;
        let list = match from.read(&file, LARGEST_LIST) {
            Ok(list) => patterns(&list),
            Err(FsError::NotFound { .. }) => return Ok((Vec::new(), Vec::new())),
            Err(error) => return Err(error.into()),
        };
        let mut search = Search {
            carry: self,
            from,
            list,
            found: Vec::new(),
            left_out: Vec::new(),
        };
        search.run(rules)?;
        Ok((search.found, search.left_out))
    }
}

fn stays_behind(path: &RepoPath) -> String {
    let path = path.to_text();
    format!(
        "`{path}` stays behind: it holds credentials; `checkout.carry` of your own configuration may name it"
    )
}

/// Whether `inner` is `outer` or lies in it.
fn is_below(inner: &RepoPath, outer: &RepoPath) -> bool {
    let rest = inner.as_bytes().strip_prefix(outer.as_bytes());
    matches!(rest, Some([] | [b'/', ..]))
}

/// The operator's own rules: those in the git folder and those of the operator's config.
pub(crate) fn operator_rules(project: &Project) -> Rules {
    let mut rules = Rules::none();
    let own = project.excludes_file.as_deref();
    let exclude = project.common_dir.join("info/exclude");
    for file in own.into_iter().chain([exclude.as_path()]) {
        if let Some(list) = read_outside(file) {
            rules = rules.with(None, &list);
        }
    }
    rules
}

/// A file that is not beneath the project's root.
fn read_outside(file: &Path) -> Option<Vec<u8>> {
    let root = Root::open(file.parent()?).ok()?;
    let name = RepoPath::new(file.file_name()?.as_bytes()).ok()?;
    root.read(&name, LARGEST_LIST).ok()
}

struct Search<'a> {
    carry: &'a Carry<'a>,
    from: &'a Root,
    list: Gitignore,
    found: Vec<RepoPath>,
    /// Sentences about what the list names and does not get.
    left_out: Vec<String>,
}

impl Search<'_> {
    fn run(&mut self, rules: &Rules) -> Result<(), GitError> {
        let tracked = tracked_folders(&self.carry.listing.files);
        let mut seen = 0;
        let mut todo = vec![(None::<RepoPath>, rules.clone(), false)];
        while let Some((folder, rules, ignored)) = todo.pop() {
            let rules = rules.in_folder(self.from, folder.as_ref());
            for entry in self.from.entries(folder.as_ref())? {
                seen += 1;
                if seen > MOST_LOOKED_AT {
                    return Err(GitError::TooMuch {
                        what: "paths looked at for `.worktreeinclude`",
                        limit: format!("{MOST_LOOKED_AT} paths"),
                    });
                }
                let Some(path) = below(folder.as_ref(), &entry.name) else {
                    continue;
                };
                if names::is_git_folder(&entry.name) || entry.kind == EntryKind::Other {
                    continue;
                }
                let is_folder = entry.kind == EntryKind::Dir;
                let ignored = ignored || rules.ignore(&path, is_folder);
                let known = self.carry.listing.files.contains_key(&path)
                    || tracked.contains(path.as_bytes());
                if ignored && !known && self.wants(&path, is_folder) {
                    self.found.push(path);
                } else if is_folder {
                    todo.push((Some(path), rules.clone(), ignored));
                }
            }
        }
        Ok(())
    }

    /// Credential files are left behind: a project's list is no wish of the operator.
    fn wants(&mut self, path: &RepoPath, is_folder: bool) -> bool {
        let listed = matches!(
            matched(&self.list, path.as_bytes(), is_folder),
            Match::Ignore(())
        );
        let allowed = !is_credential(path) || self.carry.allows(path);
        if listed && !allowed {
            self.left_out.push(stays_behind(path));
        }
        listed && allowed
    }
}
