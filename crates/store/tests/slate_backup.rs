//! STO-09 for slates: in a backup and back, also under load, and in an export.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Looks at files from outside.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use support::open;
use support::seeds::external;
use support::slates::{NOW, Slates, files_below, slates};
use taffrail_domain::{CloseTrigger, UnboundState};
use taffrail_redact::{Options, Redactor};
use taffrail_store::{
    BackupPlan, Home, Live, MemoryFilter, RestorePlan, SlateFolder, Whose, back_up, files, restore,
    verify_backup,
};

fn back_up_to(world: &Slates, name: &str) -> PathBuf {
    let target = world.home.root().parent().unwrap().join(name);
    let plan = BackupPlan {
        target: Some(&target),
        wrapped_seal_key: None,
        now: NOW,
    };
    let made = back_up(&world.home, &plan).unwrap();
    let scratch = target.parent().unwrap();
    assert_eq!(verify_backup(&made.path, scratch).unwrap(), made.manifest);
    target
}

fn restored(archive: &Path, home: &Home) {
    let plan = RestorePlan {
        archive,
        replace: true,
        now: NOW,
    };
    restore(home, &plan).unwrap();
}

#[test]
fn sto_09_slates_are_in_a_backup_and_come_back_private() {
    let world = slates();
    let (long, capitals) = ("a".repeat(128), "A".repeat(128));
    for id in ["open", &long, &capitals] {
        world.open(Some(&world.project), id, &["An acknowledged seed."]);
    }
    let (to, id) = (Some(world.workspace), &long[..127]);
    world.closed(
        Some(&world.project),
        "done",
        &["Ferries leave at nine."],
        to,
    );
    world.closed(Some(&world.project), id, &["Ferries leave at ten."], None);
    world.open(None, "mine", &["A personal seed."]);
    let bad = world.folder(Some(&world.project));
    files::write_private(&bad.path().join("bad.json"), b"{").unwrap();
    bad.lock(&external("bad")).unwrap().set_aside(NOW).unwrap();
    let wanted = slate_files(&world.home);
    assert_eq!(wanted.len(), 7);
    add_what_is_no_slate(bad.path());
    let archive = back_up_to(&world, "one.tar.gz");

    let other = Home::at(&world.home.root().parent().unwrap().join("other")).unwrap();
    restored(&archive, &other);
    assert!(slate_files(&other) == wanted);
    for path in files_below(&other.external_slates()) {
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
    let store = open(&other);
    let found = SlateFolder::new(&other, Some(&world.project));
    let held = found.lock(&external(&capitals)).unwrap();
    assert!(matches!(held.read().unwrap(), Live::Open(slate) if slate.seeds().len() == 1));
    let closure = store.newest_closure(Some(&world.project), &external("done"));
    assert_eq!(closure.unwrap().unwrap().proposals[0].candidates, 1);
    let waiting = store.unbound(&Whose::All, Some(UnboundState::Waiting));
    assert_eq!(waiting.unwrap().len(), 1);
}

/// What keeps no backup from being made, and is not in it.
fn add_what_is_no_slate(folder: &Path) {
    files::write_private(&folder.join("open.0123456789abcdef.tmp"), b"half").unwrap();
    fs::create_dir(folder.join("folder.json")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("link.json")).unwrap();
}

/// The files of slates in a home, without locks.
fn slate_files(home: &Home) -> BTreeMap<PathBuf, Vec<u8>> {
    let root = home.external_slates();
    let slates = files_below(&root).into_iter().filter_map(|path| {
        let name = path.strip_prefix(&root).unwrap().to_owned();
        let is_lock = name.components().any(|part| part.as_os_str() == "locks");
        (!is_lock).then(|| (name, fs::read(&path).unwrap()))
    });
    slates.collect()
}

#[test]
fn sto_09_a_restore_moves_the_slates_that_were_there_away() {
    let world = slates();
    world.open(Some(&world.project), "first", &["One."]);
    let archive = back_up_to(&world, "one.tar.gz");
    world.open(Some(&world.project), "second", &["Two."]);
    let Slates {
        home,
        store,
        project,
        dir,
        ..
    } = world;
    drop(store);
    restored(&archive, &home);
    let folder = SlateFolder::new(&home, Some(&project));
    assert!(folder.path().join("first.json").is_file());
    assert!(!folder.path().join("second.json").exists());
    let moved = files_below(&home.backups());
    assert!(
        moved.iter().any(|path| path.ends_with("second.json")),
        "{moved:?}"
    );
    // A home with nothing but slates holds something.
    let only = Home::at(&dir.path().join("only")).unwrap();
    only.create().unwrap();
    files::make_private_dir(&only.external_slates().join("personal")).unwrap();
    let plan = RestorePlan {
        archive: &archive,
        replace: false,
        now: NOW,
    };
    assert!(restore(&only, &plan).is_err());
}

/// While slates are opened, closed and moved: every acknowledged seed is in the archive, as a file or as a row.
#[test]
fn sto_09_a_backup_under_load_loses_no_acknowledged_seed() {
    let world = slates();
    let stop = AtomicBool::new(false);
    let acknowledged = std::sync::Mutex::new(Vec::new());
    let archives: Vec<(Vec<String>, PathBuf)> = std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let (id, text) = (format!("s{at}"), format!("Ferry {at} leaves at nine."));
                let mut slate = world.open(Some(&world.project), &id, &[&text]);
                acknowledged.lock().unwrap().push(text);
                let _row = world.row(Some(&world.project), &slate, Some(world.workspace));
                slate.close(CloseTrigger::Close, NOW);
                let folder = world.folder(Some(&world.project));
                let held = folder.lock(&external(&id)).unwrap();
                held.put(&slate).unwrap();
                held.retire(&slate).unwrap();
            }
        });
        let take = |at: usize| {
            let before = acknowledged.lock().unwrap().clone();
            (before, back_up_to(&world, &format!("{at}.tar.gz")))
        };
        let taken = (0..5).map(take).collect();
        stop.store(true, Ordering::Relaxed);
        taken
    });
    for (at, (before, archive)) in (0..).zip(&archives) {
        let home = Home::at(
            &world
                .home
                .root()
                .parent()
                .unwrap()
                .join(format!("home{at}")),
        )
        .unwrap();
        restored(archive, &home);
        let store = open(&home);
        let rows = store.memories(&MemoryFilter {
            limit: Some(200),
            ..MemoryFilter::default()
        });
        let mut kept: Vec<String> = rows
            .unwrap()
            .rows
            .into_iter()
            .map(|row| row.text.content)
            .collect();
        for path in files_below(&home.external_slates()) {
            kept.push(fs::read_to_string(path).unwrap());
        }
        for text in before {
            assert!(kept.iter().any(|held| held.contains(text)), "{text}");
        }
    }
    assert!(!archives[4].0.is_empty());
}

#[test]
fn sto_09_everything_is_in_the_export() {
    let world = slates();
    world.closed(
        Some(&world.project),
        "a",
        &["Ferries leave at nine."],
        Some(world.workspace),
    );
    world.closed(Some(&world.project), "b", &["Nights are dark."], None);
    let mut out = Vec::new();
    world
        .store
        .export(&Redactor::new(Options::default()), &mut out)
        .unwrap();
    let out = String::from_utf8(out).unwrap();
    let lines = |kind: &str| {
        let kind = format!(r#""kind":"{kind}""#);
        out.lines().filter(|line| line.contains(&kind)).count()
    };
    let kinds = [
        "workspaces",
        "slate_closures",
        "proposals",
        "proposal_candidates",
        "unbound_candidates",
    ];
    assert_eq!(kinds.map(lines), [1, 2, 1, 1, 1]);
}
