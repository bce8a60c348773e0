//! One file of the user's own: followed, replaced, kept; refused where it is not the user's alone.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::fs::{Outside, OutsideError, Swapped, make_folders, missing_folders, remove_empty};

const LIMIT: u64 = 1 << 20;

fn found(path: &Path) -> Outside {
    Outside::find(path).unwrap().unwrap()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o7777
}

fn refusal(path: &Path) -> String {
    let read = Outside::find(path).and_then(|found| match found {
        Some(found) => found.read(LIMIT).map(|_| ()),
        None => Ok(()),
    });
    match read {
        Err(error @ OutsideError::Unfit { .. }) => error.to_string(),
        other => panic!("{path:?}: {other:?}"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole_with_its_mode_and_a_symlink_to_it_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let real = scratch.path().join("dotfiles.json");
    let link = scratch.path().join("link.json");
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("dotfiles.json", &link).unwrap();
    let file = found(&link);
    assert_eq!(file.real(), real.canonicalize().unwrap());
    let before = file.read(LIMIT).unwrap();
    assert_eq!(before.as_ref().unwrap().bytes, b"old");
    let swapped = file.replace(before.as_ref(), b"new", LIMIT).unwrap();
    assert_eq!(swapped, Swapped::Done);
    assert!(link.is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert_eq!(mode(&real), 0o640);
    assert_eq!(names(scratch.path()), ["dotfiles.json", "link.json"]);
}

#[test]
fn a_new_file_is_private_whatever_the_umask() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("new.json");
    let file = found(&path);
    assert_eq!(file.read(LIMIT).unwrap(), None);
    assert_eq!(file.replace(None, b"{}", LIMIT).unwrap(), Swapped::Done);
    assert_eq!(mode(&path), 0o600);
    let content = file.read(LIMIT).unwrap().unwrap();
    assert_eq!(file.remove(&content, LIMIT).unwrap(), Swapped::Done);
    assert_eq!(names(scratch.path()), Vec::<String>::new());
}

#[test]
fn what_changed_since_it_was_read_is_left_as_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.json");
    fs::write(&path, "one").unwrap();
    let file = found(&path);
    let before = file.read(LIMIT).unwrap();
    fs::write(&path, "two").unwrap();
    let swapped = file.replace(before.as_ref(), b"ours", LIMIT).unwrap();
    assert_eq!(swapped, Swapped::Changed);
    let swapped = file.remove(before.as_ref().unwrap(), LIMIT).unwrap();
    assert_eq!(swapped, Swapped::Changed);
    // A file that came up where there was none is not written over.
    assert_eq!(
        file.replace(None, b"ours", LIMIT).unwrap(),
        Swapped::Changed
    );
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(scratch.path()), ["a.json"]);
}

#[test]
fn a_writer_between_the_look_and_the_step_loses_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.json");
    fs::write(&path, "read").unwrap();
    let file = found(&path);
    let before = file.read(LIMIT).unwrap().unwrap();
    fs::write(&path, "written meanwhile").unwrap();
    // The step alone, as if the look had been a moment earlier.
    let beside = file.write_beside(Some(&before), b"ours").unwrap();
    let swapped = file.exchange(&beside, &before, b"ours", LIMIT).unwrap();
    assert_eq!(swapped, Swapped::Changed);
    assert_eq!(fs::read(&path).unwrap(), b"written meanwhile");
    assert_eq!(names(scratch.path()), ["a.json"]);
    // Without the look after the step the meanwhile is gone: what a plain rename does.
    let beside = file.write_beside(Some(&before), b"ours").unwrap();
    fs::rename(scratch.path().join(&beside), &path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"ours");
}

#[test]
fn what_is_not_the_users_alone_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    assert!(refusal(&at("folder")).ends_with("is not a regular file"));
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(refusal(&at("fifo")).ends_with("is not a regular file"));
    symlink("nowhere", at("dangling")).unwrap();
    assert!(refusal(&at("dangling")).ends_with("is a symlink to nothing"));
    fs::write(at("open"), "{}").unwrap();
    fs::set_permissions(at("open"), PermissionsExt::from_mode(0o666)).unwrap();
    assert!(refusal(&at("open")).contains("may be written by everybody (mode 0666)"));
    fs::write(at("closed"), "{}").unwrap();
    fs::set_permissions(at("closed"), PermissionsExt::from_mode(0o444)).unwrap();
    assert!(refusal(&at("closed")).contains("is read-only"));
    fs::write(at("twice"), "{}").unwrap();
    fs::hard_link(at("twice"), at("again")).unwrap();
    assert!(refusal(&at("twice")).contains("has 2 names"));
    fs::create_dir(at("shared")).unwrap();
    fs::set_permissions(at("shared"), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(refusal(&at("shared/a.json")).contains("everybody may write"));
    // The system's own file, by a symlink: another's for an ordinary user; root finds it to be its own.
    symlink("/etc/passwd", at("system")).unwrap();
    if rustix::process::geteuid().as_raw() != 0 {
        assert!(refusal(&at("system")).contains("belongs to user 0"));
    }
}

#[test]
fn a_file_of_another_user_is_refused() {
    if rustix::process::geteuid().as_raw() != 0 {
        // An ordinary user meets root's files.
        assert!(refusal(Path::new("/etc/passwd")).contains("belongs to user 0"));
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.json");
    fs::write(&path, "{}").unwrap();
    std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
    assert!(refusal(&path).contains("belongs to user 12345, not 0"));
}

#[test]
fn a_file_over_the_limit_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.json");
    fs::write(&path, "12345").unwrap();
    assert!(found(&path).read(5).unwrap().is_some());
    let error = found(&path).read(4).unwrap_err();
    assert!(error.to_string().contains("larger than 4 bytes"), "{error}");
}

#[test]
fn folders_that_were_made_go_again_when_they_are_empty() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a/b/c.json");
    assert!(Outside::find(&path).unwrap().is_none());
    let missing = missing_folders(&path);
    assert_eq!(
        missing,
        [scratch.path().join("a"), scratch.path().join("a/b")]
    );
    make_folders(&missing).unwrap();
    assert_eq!(mode(&missing[0]), 0o700);
    fs::write(scratch.path().join("a/kept"), "").unwrap();
    remove_empty(&missing);
    assert_eq!(names(scratch.path()), ["a"]);
    assert_eq!(names(&missing[0]), ["kept"]);
}

#[test]
fn what_a_killed_process_left_beside_is_swept_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    for name in ["a.json", ".taffrail-0123456789abcdef", ".taffrail-notes"] {
        fs::write(at(name), "known").unwrap();
    }
    fs::write(at(".taffrail-fedcba9876543210"), "something else").unwrap();
    found(&at("a.json")).sweep(LIMIT, &|bytes| bytes == b"known");
    assert_eq!(
        names(scratch.path()),
        [".taffrail-fedcba9876543210", ".taffrail-notes", "a.json"]
    );
}
