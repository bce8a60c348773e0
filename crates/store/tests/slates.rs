//! XSL-04, XSL-08, XSL-11 to XSL-14: the files of external slates, one caller at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Plants and looks at files with the plain file system.

mod slates_support;

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use slates_support::{
    HOUR, NOW, folder, home_in, id, idle, live, open, open_slate, project, sight, slate, text_of,
    why, write,
};
use taffrail_domain::{CloseTrigger, Millis};
use taffrail_slate::external::Slate;
use taffrail_store::{CreateError, Held, Live, SlateCache, SlateFolder, StoreError};

fn closed(held: &Held<'_>, mut slate: Slate) -> Slate {
    slate.close(CloseTrigger::Close, NOW);
    held.put(&slate).unwrap();
    held.retire(&slate).unwrap();
    slate
}

#[test]
fn xsl_04_a_slate_is_one_file_of_its_project_and_making_the_folder_touches_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let ours = folder(&home);
    assert_eq!(
        ours.path(),
        home.root().join("external-slates").join(project(1).short())
    );
    let personal = SlateFolder::new(&home, None);
    assert_eq!(
        personal.path(),
        home.root().join("external-slates/personal")
    );
    assert!(idle(&ours, &mut SlateCache::default(), NOW).is_empty());
    assert_eq!(ours.survey().unwrap(), taffrail_store::Survey::default());
    assert_eq!(ours.sweep().unwrap(), 0);
    assert!(SlateFolder::all(&home).unwrap().is_empty());
    assert!(!home.root().exists(), "looking made something");
    open(&ours, &id("s1"), "one");
    open(&personal, &id("s1"), "another");
    write(&ours, &id("s1"), "a text").unwrap();
    assert_eq!(text_of(&ours, &id("s1")), ["a text"]);
    assert!(text_of(&personal, &id("s1")).is_empty());
    assert_eq!(SlateFolder::all(&home).unwrap(), [personal, ours]);
}

#[test]
fn xsl_04_s34_ids_that_differ_in_case_and_device_names_have_their_own_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let long = "A".repeat(128);
    let names = [
        "session", "Session", "SESSION", "con", "CON", "nul", "locks", "closed", "create", &long,
    ];
    for name in names {
        assert_eq!(open(&folder, &id(name), name).anchors.note(), Some(name));
    }
    let mut folded: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .into_string()
                .unwrap()
                .to_lowercase()
        })
        .collect();
    folded.sort_unstable();
    folded.dedup();
    // The ten, and the folder of the locks.
    assert_eq!(folded.len(), names.len() + 1);
    for name in names {
        assert_eq!(open(&folder, &id(name), "again").anchors.note(), Some(name));
    }
    let held = folder.lock(&id(&long)).unwrap();
    let mut slate = open_slate(&held);
    slate.generation = u32::MAX;
    closed(&held, slate);
    fs::write(live(&folder, &id(&long)), "torn").unwrap();
    held.set_aside(NOW).unwrap();
}

#[test]
fn xsl_08_the_501st_open_slate_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let folder = folder(&home);
    open(&folder, &id("s0"), "real");
    for number in 1..500 {
        let bytes = slate(&id(&format!("s{number}")), "").bytes().unwrap();
        fs::write(folder.path().join(format!("s{number}.json")), bytes).unwrap();
    }
    // Neither a folder, nor what no id has as its name, nor what was set aside is an open slate.
    fs::create_dir(folder.path().join("folder.json")).unwrap();
    fs::write(folder.path().join("no.id.json"), "").unwrap();
    fs::write(folder.path().join("s0.corrupt-20260101-000000"), "").unwrap();
    let held = folder.lock(&id("late")).unwrap();
    let refused = held.create(&slate(&id("late"), "")).unwrap_err();
    assert!(matches!(refused, CreateError::TooManyOpen), "{refused}");
    assert_eq!(held.read().unwrap(), Live::None);
    assert!(folder.survey().unwrap().temporaries.is_empty());
    // Another project counts its own.
    open(&SlateFolder::new(&home, Some(&project(2))), &id("late"), "");
    let other = folder.lock(&id("s0"));
    // One stripe may hold both: give it back first.
    drop((other, held));
    let first = folder.lock(&id("s0")).unwrap();
    closed(&first, open_slate(&first));
    drop(first);
    open(&folder, &id("late"), "");
}

#[test]
fn nothing_that_lies_there_is_overwritten_by_a_new_slate() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let id = id("s1");
    open(&folder, &id, "first");
    let before = fs::read(live(&folder, &id)).unwrap();
    let held = folder.lock(&id).unwrap();
    let refused = held.create(&slate(&id, "second")).unwrap_err();
    assert!(
        matches!(&refused, CreateError::Store(StoreError::IdTaken { id }) if id == "s1"),
        "{refused}"
    );
    assert_eq!(fs::read(live(&folder, &id)).unwrap(), before);
    assert!(folder.survey().unwrap().temporaries.is_empty());
    // Its twin: the plain writing of a file does overwrite.
    taffrail_store::files::write_private(&live(&folder, &id), b"gone").unwrap();
    assert_ne!(fs::read(live(&folder, &id)).unwrap(), before);
}

#[test]
fn a_record_of_another_id_is_not_written_under_this_one() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    open(&folder, &id("s1"), "first");
    let held = folder.lock(&id("s1")).unwrap();
    let refused = held.put(&slate(&id("s2"), "")).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(held.create(&slate(&id("s2"), "")).is_err());
    assert_eq!(open_slate(&held).id(), "s1");
}

#[test]
fn xsl_12_a_closed_slate_moves_away_and_finishing_twice_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let id = id("S1");
    open(&folder, &id, "first");
    write(&folder, &id, "a text").unwrap();
    let held = folder.lock(&id).unwrap();
    let mut slate = open_slate(&held);
    slate.close(CloseTrigger::Idle, NOW);
    held.put(&slate).unwrap();
    assert_eq!(held.read().unwrap(), Live::Closed(slate.clone()));
    held.retire(&slate).unwrap();
    assert_eq!(held.read().unwrap(), Live::None);
    let closed = folder.path().join("closed/x.s1.1.1.json");
    assert_eq!(fs::read(&closed).unwrap(), slate.bytes().unwrap());
    held.retire(&slate).unwrap();
    // Killed between the two names of a file system that cannot rename without overwriting: both are there.
    fs::copy(&closed, live(&folder, &id)).unwrap();
    held.retire(&slate).unwrap();
    assert_eq!(held.read().unwrap(), Live::None);
    assert_eq!(
        fs::read_dir(folder.path().join("closed")).unwrap().count(),
        1
    );
    slate.generation = 2;
    let missing = held.retire(&slate).unwrap_err();
    assert!(matches!(missing, StoreError::NotFound { .. }), "{missing}");
}

#[test]
fn xsl_12_a_closed_slate_never_overwrites_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let id = id("s1");
    open(&folder, &id, "first");
    let closed_files = folder.path().join("closed");
    let held = folder.lock(&id).unwrap();
    closed(&held, open_slate(&held));
    fs::write(closed_files.join("s1.1.json"), "of somebody else").unwrap();
    fs::create_dir(closed_files.join("s1.1-2.json")).unwrap();
    symlink("nowhere", closed_files.join("s1.1-3.json")).unwrap();
    drop(held);
    open(&folder, &id, "second");
    let held = folder.lock(&id).unwrap();
    let second = closed(&held, open_slate(&held));
    assert_eq!(
        fs::read(closed_files.join("s1.1.json")).unwrap(),
        b"of somebody else"
    );
    assert_eq!(
        fs::read(closed_files.join("s1.1-4.json")).unwrap(),
        second.bytes().unwrap()
    );
    assert!(!closed_files.join("nowhere").exists());
}

#[test]
fn xsl_14_what_is_no_slate_is_set_aside_and_nothing_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let id = id("s1");
    drop(folder.lock(&id).unwrap());
    let mut names = Vec::new();
    for round in ["one", "two", "three"] {
        fs::write(live(&folder, &id), round).unwrap();
        assert!(why(&folder, &id).starts_with("it is no JSON"));
        let held = folder.lock(&id).unwrap();
        let path = held.set_aside(NOW).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), round);
        assert_eq!(held.read().unwrap(), Live::None);
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    let first = "s1.corrupt-20270115-080000";
    assert_eq!(
        names,
        [first.to_owned(), format!("{first}-2"), format!("{first}-3")]
    );
    assert_eq!(open(&folder, &id, "anew").anchors.note(), Some("anew"));
    assert_eq!(folder.survey().unwrap().set_aside.len(), 3);
}

#[test]
fn xsl_11_idle_ones_are_found_and_the_addressed_one_never() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    for name in ["a", "B", "con"] {
        open(&folder, &id(name), "");
    }
    let mut cache = SlateCache::default();
    assert!(idle(&folder, &mut cache, Millis(NOW.0 + HOUR)).is_empty());
    let late = Millis(NOW.0 + HOUR + 1);
    assert_eq!(idle(&folder, &mut cache, late), ["a", "x.b.1", "x.con"]);
    assert_eq!(
        folder.idle(&mut cache, late, HOUR, &id("B")).unwrap(),
        ["a", "x.con"]
    );
    // A write makes it live again, also in what is remembered.
    let held = folder.lock(&id("a")).unwrap();
    let mut slate = open_slate(&held);
    slate.add(slates_support::seed("a text", late)).unwrap();
    held.put(&slate).unwrap();
    assert_eq!(idle(&folder, &mut cache, late), ["x.b.1", "x.con"]);
    // Closed and not moved away: due at once, whatever the time.
    slate.close(CloseTrigger::Close, late);
    held.put(&slate).unwrap();
    assert_eq!(idle(&folder, &mut cache, NOW), ["a"]);
    drop(held);
    let held = folder.try_lock_stem("x.con").unwrap().unwrap();
    assert_eq!(held.id().as_str(), "con");
    assert!(folder.try_lock_stem("CON").is_err());
    assert!(folder.try_lock_stem("../a").is_err());
}

#[test]
fn xsl_12_a_file_that_did_not_change_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    let id = id("s1");
    open(&folder, &id, "");
    let late = Millis(NOW.0 + HOUR + 1);
    let mut cache = SlateCache::default();
    assert_eq!(idle(&folder, &mut cache, late), ["s1"]);
    // The same size and time under the same inode: only who reads it again sees the difference.
    let path = live(&folder, &id);
    let (bytes, at) = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    let file = fs::File::options().write(true).open(&path).unwrap();
    fs::write(&path, vec![b' '; bytes.len()]).unwrap();
    file.set_modified(at).unwrap();
    assert_eq!(idle(&folder, &mut cache, late), ["s1"]);
    assert!(idle(&folder, &mut SlateCache::default(), late).is_empty());
    file.set_modified(at + Duration::from_nanos(1)).unwrap();
    assert!(idle(&folder, &mut cache, late).is_empty());
}

#[test]
fn xsl_13_a_call_for_one_id_leaves_every_other_file_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let folder = folder(&home);
    for name in ["mine", "Mine", "other", "next"] {
        open(&folder, &id(name), name);
        write(&folder, &id(name), "a text").unwrap();
    }
    open(&SlateFolder::new(&home, None), &id("mine"), "personal");
    let held = folder.lock(&id("next")).unwrap();
    closed(&held, open_slate(&held));
    drop(held);
    fs::write(folder.path().join("torn.json"), "{").unwrap();
    let mine = live(&folder, &id("mine"));
    let before = sight(home.root(), &[&mine]);
    assert!(before.len() > 6, "{}", before.len());
    open(&folder, &id("mine"), "again");
    write(&folder, &id("mine"), "another text").unwrap();
    idle(
        &folder,
        &mut SlateCache::default(),
        Millis(NOW.0 + 2 * HOUR),
    );
    let held = folder.lock(&id("mine")).unwrap();
    let gone = closed(&held, open_slate(&held));
    drop(held);
    let retired = folder.path().join("closed/mine.1.json");
    let after = sight(home.root(), &[&mine, &retired]);
    assert_eq!(before, after);
    assert_eq!(fs::read(retired).unwrap(), gone.bytes().unwrap());
}

#[test]
fn what_killed_writers_left_is_reported_and_removed_but_not_under_a_writer() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(&home_in(&dir));
    open(&folder, &id("s1"), "");
    let left = |stem: &str, mark: u8| {
        let path = folder.path().join(format!("{stem}.{mark:016x}.tmp"));
        fs::write(&path, "half").unwrap();
        path
    };
    let (one, two, held_one) = (left("s1", 1), left("x.a.1", 2), left("s2", 3));
    fs::write(folder.path().join("mine.tmp"), "").unwrap();
    let survey = folder.survey().unwrap();
    assert_eq!((survey.temporaries.len(), survey.strange.len()), (3, 1));
    let held = folder.lock(&id("s2")).unwrap();
    assert_eq!(folder.sweep().unwrap(), 2);
    assert!(!one.exists() && !two.exists() && held_one.exists());
    // Who makes the slate of that id anew removes it too.
    held.create(&slate(&id("s2"), "")).unwrap();
    drop(held);
    assert!(!held_one.exists());
    assert!(folder.path().join("mine.tmp").exists());
    assert_eq!(folder.survey().unwrap().open, 2);
}
