//! XSL-14: what may lie in a folder of slates instead of slates, locks and folders, and that it breaks no other id.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Plants and looks at files with the plain file system.

mod slates_support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use slates_support::{
    HOUR, NOW, folder, home_in, id, idle, live, open, slate, text_of, why, write,
};
use taffrail_domain::Millis;
use taffrail_slate::external::ExternalId;
use taffrail_store::{Home, SlateCache, StoreError};

/// Everything that may lie under a name instead of a slate; what each is called.
fn plant_hostile(folder: &Path, outside: &Path) -> Vec<(ExternalId, &'static str)> {
    let at = |name: &str| folder.join(format!("{name}.json"));
    let deep = format!("{{\"x\":{}", "[".repeat(1 << 20));
    let good = slate(&id("good"), "").bytes().unwrap();
    fs::write(outside, &good).unwrap();
    symlink(outside, at("link")).unwrap();
    symlink("loop.json", at("loop")).unwrap();
    symlink("/dev/zero", at("device")).unwrap();
    let private = Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), private).unwrap();
    std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder").join("inside"), "").unwrap();
    fs::File::create(at("huge"))
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    fs::write(at("deep"), deep).unwrap();
    fs::write(at("nul"), "").unwrap();
    fs::write(at("zeros"), vec![0; 4_096]).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("latin"), b"{\"externalSessionId\":\"\xe9\"}").unwrap();
    fs::write(at("other"), &good).unwrap();
    fs::write(at("torn"), good.get(..good.len() / 2).unwrap()).unwrap();
    fs::write(at("twice"), [&good[..], &good[..]].concat()).unwrap();
    // What no id has as its name.
    for name in [
        "con.json", "A.json", ".json", "x..json", "a b.json", "locks", "é.json",
    ] {
        drop(fs::write(folder.join(name), "{"));
    }
    [
        ("link", "it is a symbolic link"),
        ("loop", "it is a symbolic link"),
        ("device", "it is a symbolic link"),
        ("pipe", "it is no regular file"),
        ("socket", "it is no regular file"),
        ("folder", "it is no regular file"),
        ("huge", "it is larger than 16777216 bytes"),
        ("deep", "it ends too early"),
        ("zeros", "it is no JSON"),
        ("empty", "it ends too early"),
        ("latin", "it is no JSON"),
        ("other", "it is the slate of another id"),
        ("torn", "it ends too early"),
        ("twice", "it is no JSON"),
    ]
    .into_iter()
    .map(|(name, why)| (id(name), why))
    .collect()
}

#[test]
fn xsl_14_hostile_files_break_no_other_id_and_hang_nobody() {
    // Far longer than the work takes on any machine: who waited for a lock or a pipe is told from who is slow.
    const PATIENCE: Duration = Duration::from_secs(900);
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir)).with_patience(PATIENCE);
    let good = id("good");
    open(&folder, &good, "first");
    let outside = dir.path().join("outside.json");
    let hostile = plant_hostile(folder.path(), &outside);
    let before = fs::read(&outside).unwrap();
    let begun = Instant::now();
    write(&folder, &good, "a text").unwrap();
    let late = Millis(NOW.0 + 2 * HOUR);
    let mut cache = SlateCache::default();
    for _ in 0..3 {
        assert_eq!(idle(&folder, &mut cache, late), ["good"]);
    }
    let survey = folder.survey().unwrap();
    assert_eq!((survey.open, survey.closed_left), (1, 0));
    let malformed: Vec<String> = survey
        .malformed
        .iter()
        .map(|one| one.path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    for (id, _) in &hostile {
        assert!(malformed.contains(&id.file_stem()), "{id} is not reported");
    }
    for (id, expected) in &hostile {
        let said = why(&folder, id);
        assert!(said.starts_with(expected), "{id}: {said}");
        let held = folder.lock(id).unwrap();
        let aside = held.set_aside(NOW).unwrap();
        assert!(fs::symlink_metadata(aside).is_ok());
        drop(held);
        assert_eq!(open(&folder, id, "anew").anchors.note(), Some("anew"));
        write(&folder, id, "a text").unwrap();
    }
    assert!(
        begun.elapsed() < PATIENCE / 2,
        "it waited: {:?}",
        begun.elapsed()
    );
    assert_eq!(fs::read(&outside).unwrap(), before, "a link was followed");
    assert_eq!(text_of(&folder, &good), ["a text"]);
}

#[test]
fn xsl_14_a_file_that_may_not_be_read_is_its_own_ids_alone() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let (shut, good) = (id("shut"), id("good"));
    open(&folder, &shut, "");
    open(&folder, &good, "");
    fs::set_permissions(live(&folder, &shut), Permissions::from_mode(0o000)).unwrap();
    write(&folder, &good, "a text").unwrap();
    let late = Millis(NOW.0 + 2 * HOUR);
    let found = idle(&folder, &mut SlateCache::default(), late);
    assert!(found.contains(&"good".to_owned()));
    // Root reads everything; for anybody else it is set aside like what cannot be parsed.
    if !rustix::process::geteuid().is_root() {
        assert_eq!(why(&folder, &shut), "it may not be read");
        assert_eq!(found, ["good"]);
        folder.lock(&shut).unwrap().set_aside(NOW).unwrap();
    }
    open(&folder, &shut, "");
}

#[test]
fn a_lock_that_was_replaced_by_something_else_stops_its_stripe_alone() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir)).with_patience(Duration::from_millis(50));
    let ids: Vec<ExternalId> = (0..40).map(|number| id(&format!("s{number}"))).collect();
    ids.iter().for_each(|id| drop(open(&folder, id, "")));
    let locks = folder.path().join("locks");
    let mut names: Vec<_> = fs::read_dir(&locks)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.retain(|path| !path.ends_with("create"));
    names.sort_unstable();
    assert!(names.len() > 15, "{}", names.len());
    let outside = dir.path().join("outside");
    fs::write(&outside, "").unwrap();
    let before = fs::metadata(&outside).unwrap().permissions();
    for (number, path) in names.iter().take(3).enumerate() {
        fs::remove_file(path).unwrap();
        match number {
            0 => fs::create_dir(path).unwrap(),
            1 => symlink(&outside, path).unwrap(),
            _ => rustix::fs::mkfifoat(rustix::fs::CWD, path, Mode::from_raw_mode(0o600)).unwrap(),
        }
    }
    let refused: Vec<StoreError> = ids.iter().filter_map(|id| folder.lock(id).err()).collect();
    assert!(
        refused.len() >= 3 && refused.len() < 20,
        "{}",
        refused.len()
    );
    for error in refused {
        assert!(matches!(error, StoreError::Home(_)), "{error}");
    }
    assert_eq!(fs::metadata(&outside).unwrap().permissions(), before);
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_named_and_none_at_once_for_reclaim() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir)).with_patience(Duration::from_millis(50));
    let held = folder.lock(&id("s1")).unwrap();
    let begun = Instant::now();
    assert!(folder.try_lock_stem("s1").unwrap().is_none());
    let busy = folder.lock(&id("s1")).unwrap_err();
    assert!(begun.elapsed() >= Duration::from_millis(50));
    let StoreError::Busy { path, waited_ms } = busy else {
        panic!("{busy}");
    };
    assert!(
        path.starts_with(folder.path().join("locks")) && waited_ms == 50,
        "{path:?}"
    );
    drop(held);
    assert!(folder.try_lock_stem("s1").unwrap().is_some());
}

#[test]
fn a_lock_that_was_removed_while_it_was_held_does_not_let_two_in_later() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir)).with_patience(Duration::from_millis(50));
    let first = folder.lock(&id("s1")).unwrap();
    let locks = folder.path().join("locks");
    fs::read_dir(&locks)
        .unwrap()
        .for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let second = folder.lock(&id("s1")).unwrap();
    drop(first);
    // Whoever waits for the removed one would be let in here.
    assert!(folder.lock(&id("s1")).is_err());
    drop(second);
    assert!(folder.lock(&id("s1")).is_ok());
}

#[test]
fn sto_01_a_folder_that_others_can_reach_or_that_is_none_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let home: Home = home_in(&dir);
    let folder = folder(&home);
    open(&folder, &id("s1"), "");
    for path in [
        home.external_slates(),
        folder.path().to_owned(),
        folder.path().join("locks"),
    ] {
        fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
        let refused = folder.lock(&id("s1")).unwrap_err().to_string();
        assert!(refused.contains("chmod 0700"), "{refused}");
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        let aside = dir.path().join("aside");
        fs::rename(&path, &aside).unwrap();
        symlink(&aside, &path).unwrap();
        let refused = folder.lock(&id("s1")).unwrap_err().to_string();
        assert!(refused.contains("is not a directory"), "{refused}");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
    }
    assert!(folder.lock(&id("s1")).is_ok());
}
