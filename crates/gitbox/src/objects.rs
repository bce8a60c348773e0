//! The objects of a fresh clone: copied as files, sharing blocks where the file system can, or packed by git where the
//! operator's repository does not keep them all in one plain folder.
//!
//! Nothing of git runs in the operator's repository for the copy; packing reads objects and runs nothing.

use std::path::Path;

use taffrail_confine::fs::{Entry, EntryKind, FsError, Root};
use taffrail_domain::RepoPath;

use crate::error::GitError;
use crate::ignored::below;
use crate::project::Project;
use crate::runner::Git;

/// How often the copy begins again because git packed the repository meanwhile.
const ATTEMPTS: usize = 3;
/// What a pack consists of. Bitmaps and indexes over several packs speed things up and can be left.
const PACK_PARTS: [&[u8]; 4] = [b".pack", b".idx", b".rev", b".promisor"];

/// Brings the project's objects into the empty clone whose git folder is `git_dir`. `step` hears of bytes copied.
pub(crate) fn bring(
    git: &Git,
    project: &Project,
    git_dir: &Path,
    step: &mut dyn FnMut(u64),
) -> Result<(), GitError> {
    let from = Root::open(&project.common_dir)?;
    let to = Root::open(git_dir)?;
    match plan(&from)? {
        Some(_) => copy(&from, &to, step)?,
        None => pack(git, project, git_dir)?,
    }
    if project.shallow {
        to.copy_from(&from, &path("shallow")?, step)?;
    }
    Ok(())
}

fn path(text: &str) -> Result<RepoPath, GitError> {
    RepoPath::new(text).map_err(|why| GitError::Listing(why.to_string()))
}

/// What to copy; none when objects lie elsewhere too, or something is not a plain file or folder.
fn plan(from: &Root) -> Result<Option<Vec<RepoPath>>, GitError> {
    let objects = path("objects")?;
    if !matches!(from.stat(&objects), Ok((EntryKind::Dir, _))) {
        return Ok(None);
    }
    if from.stat(&path("objects/info/alternates")?).is_ok() {
        return Ok(None);
    }
    let mut loose = Vec::new();
    let mut packs = Vec::new();
    for entry in from.entries(Some(&objects))? {
        let Some(at) = below(Some(&objects), &entry.name) else {
            return Ok(None);
        };
        let is_pack = entry.name == b"pack";
        if !is_pack && !is_loose(&entry.name) {
            continue;
        }
        let entries = match from.entries(Some(&at)) {
            Ok(entries) => entries,
            Err(FsError::NotFound { .. }) => continue,
            Err(FsError::Symlink { .. } | FsError::NotDirectory { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if entries.iter().any(|entry| entry.kind != EntryKind::File) {
            return Ok(None);
        }
        if is_pack {
            packs.extend(pack_parts(&at, &entries));
        } else {
            loose.push(at);
        }
    }
    // Loose ones first: what git packs meanwhile is then in a pack that is listed again.
    loose.append(&mut packs);
    Ok(Some(loose))
}

fn is_loose(name: &[u8]) -> bool {
    name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}

fn pack_parts(folder: &RepoPath, entries: &[Entry]) -> Vec<RepoPath> {
    entries
        .iter()
        .filter(|entry| PACK_PARTS.iter().any(|end| entry.name.ends_with(end)))
        .filter_map(|entry| below(Some(folder), &entry.name))
        .collect()
}

fn copy(from: &Root, to: &Root, step: &mut dyn FnMut(u64)) -> Result<(), GitError> {
    let mut attempt = 1;
    loop {
        match copy_once(from, to, step) {
            Err(GitError::Fs(FsError::NotFound { .. })) if attempt < ATTEMPTS => {
                attempt += 1;
                to.remove_tree(&path("objects")?)?;
                to.create_dirs(&path("objects/pack")?, 0o777)?;
                to.create_dirs(&path("objects/info")?, 0o777)?;
            }
            other => return other,
        }
    }
}

fn copy_once(from: &Root, to: &Root, step: &mut dyn FnMut(u64)) -> Result<(), GitError> {
    let parts = plan(from)?.unwrap_or_default();
    for part in &parts {
        to.copy_from(from, part, step)?;
    }
    // A pack that is gone by now was copied whole; one that came meanwhile may hold what was loose before.
    let again = plan(from)?.unwrap_or_default();
    if again.iter().all(|part| parts.contains(part)) {
        return Ok(());
    }
    for part in again.iter().filter(|part| !parts.contains(part)) {
        match to.copy_from(from, part, step) {
            Ok(_) | Err(FsError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What is reachable from the head, in one new pack.
fn pack(git: &Git, project: &Project, git_dir: &Path) -> Result<(), GitError> {
    let into = git_dir.join("objects");
    pack_into(
        git,
        &project.common_dir,
        &into,
        &format!("{}\n", project.head),
    )
}

/// Packs what `revisions` name of the repository `from` into the folder of objects `into`, whose `pack` is there.
///
/// git puts a pack together in the folder of objects that it writes to, and moves it to its place at the end: with
/// the repository's own folder a killed git would leave its beginnings there, and another file system could not be
/// reached at all.
pub(crate) fn pack_into(
    git: &Git,
    from: &Path,
    into: &Path,
    revisions: &str,
) -> Result<(), GitError> {
    git.call(["pack-objects", "--revs", "--quiet"], from)
        .repository(from)
        .env("GIT_OBJECT_DIRECTORY", into)
        .also_objects(&from.join("objects"))
        .arg(into.join("pack/pack"))
        .stdin(revisions)
        .long()
        .bytes()
        .map(drop)
}
