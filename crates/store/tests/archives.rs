//! STO-09: backups are whole, made under load, and restored whole or not at all.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Forges archives and compares homes byte by byte.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rusqlite::Connection;
use support::{hash, home_in, insert, new_id, open, record};
use taffrail_domain::{Ended, Millis, RunStatus};
use taffrail_redact::Clean;
use taffrail_store::{
    ArchiveError, BackupMade, BackupPlan, Home, RestorePlan, RunFilter, back_up, files, restore,
    verify_backup,
};
use tar::{Archive, Builder, EntryType, Header};

const NOW: Millis = Millis(1_785_594_605_999);

fn plan(target: Option<&Path>) -> BackupPlan<'_> {
    BackupPlan {
        target,
        wrapped_seal_key: None,
        now: NOW,
    }
}

/// A home with a run whose diff waits, a configuration, and a setting in the journal.
fn filled(home: &Home) {
    let store = open(home);
    let id = new_id();
    insert(&store, id, "waits").unwrap();
    store.run_prepared(&id, &support::oid('a'), None).unwrap();
    store.run_started(&id, &Clean::ours("{}")).unwrap();
    let ended = Some(Ended::Exited(0));
    store
        .run_ended(&id, RunStatus::Completed, "exited", ended)
        .unwrap();
    record(&store, &id, &hash(1)).unwrap();
    files::make_private_dir(&home.session(&id)).unwrap();
    files::write_private(&home.session(&id).join("change.patch"), b"the diff").unwrap();
    files::write_private(&home.config(), b"# mine\n").unwrap();
    store
        .set_setting("secret_backend", &Clean::ours("file"))
        .unwrap();
}

fn backup(home: &Home) -> BackupMade {
    back_up(home, &plan(None)).unwrap()
}

/// Every file below a folder with its bytes, but the shared memory of SQLite.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(Result::unwrap)
        {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().ends_with("-shm") {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn sto_09_a_backup_holds_everything_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    assert_eq!(
        made.path,
        home.backups().join("taffrail-20260801-143005.tar.gz")
    );
    assert_eq!(
        made.path.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(made.missing.is_empty());
    let names: Vec<&str> = made
        .manifest
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names[2].ends_with("/change.patch"));
    assert_eq!(
        verify_backup(&made.path, dir.path()).unwrap(),
        made.manifest
    );

    let other = Home::at(&dir.path().join("other")).unwrap();
    let restored = restore(
        &other,
        &RestorePlan {
            archive: &made.path,
            replace: false,
            now: NOW,
        },
    )
    .unwrap();
    assert_eq!(
        (restored.manifest, restored.moved_to),
        (made.manifest, None)
    );
    let store = open(&other);
    let run = &store.runs(&RunFilter::default()).unwrap()[0];
    assert_eq!(
        fs::read(other.session(&run.id).join("change.patch")).unwrap(),
        b"the diff"
    );
    assert_eq!(fs::read(other.config()).unwrap(), b"# mine\n");
    assert_eq!(
        store.setting("secret_backend").unwrap().as_deref(),
        Some("file")
    );
    other.check().unwrap();
    let hidden = |path: &Path| fs::read_dir(path).unwrap().count();
    assert_eq!(hidden(dir.path()), 2, "nothing is left beside the homes");
}

#[test]
fn sto_09_nothing_is_overwritten_and_a_folder_gets_a_name_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let there = dir.path().join("there");
    fs::write(&there, "a person's own").unwrap();
    let refused = back_up(&home, &plan(Some(&there)));
    assert!(
        matches!(refused, Err(ArchiveError::Exists { .. })),
        "{refused:?}"
    );
    assert_eq!(fs::read(&there).unwrap(), b"a person's own");
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let made = back_up(&home, &plan(Some(&folder))).unwrap();
    assert_eq!(made.path.parent(), Some(&*folder));
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "no partial file stays"
    );
}

#[test]
fn sto_09_a_backup_under_load_is_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let ended = AtomicBool::new(false);
    let store = open(&home);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                // Both rows in each of two transactions: the journal's chain grows with them.
                store
                    .set_setting("secret_backend", &Clean::ours("file"))
                    .unwrap();
                insert(&store, new_id(), &new_id().short().replace("run_", "n")).unwrap();
            }
        });
        for round in 0..5 {
            let target = dir.path().join(format!("{round}.tar.gz"));
            let made = back_up(&home, &plan(Some(&target))).unwrap();
            assert_eq!(verify_backup(&target, dir.path()).unwrap(), made.manifest);
        }
        ended.store(true, Ordering::Relaxed);
    });
}

#[test]
fn sto_09_a_home_in_use_is_not_restored_over() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    let plain = RestorePlan {
        archive: &made.path,
        replace: false,
        now: NOW,
    };
    let refused = restore(&home, &plain);
    assert!(
        matches!(refused, Err(ArchiveError::NotEmpty { .. })),
        "{refused:?}"
    );
    let replacing = RestorePlan {
        replace: true,
        ..plain
    };
    let user = open(&home);
    let refused = restore(&home, &replacing);
    assert!(
        matches!(refused, Err(ArchiveError::InUse { .. })),
        "{refused:?}"
    );
    assert_eq!(user.runs(&RunFilter::default()).unwrap().len(), 1);
    insert(&user, new_id(), "later").unwrap();
    drop(user);
    let restored = restore(&home, &replacing).unwrap();
    let away = restored.moved_to.unwrap();
    assert!(away.starts_with(home.backups()));
    assert_eq!(open(&home).runs(&RunFilter::default()).unwrap().len(), 1);
    let before: i64 = Connection::open(away.join("taffrail.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(before, 2, "what was there is kept");
}

#[test]
fn sto_09_a_damaged_home_is_restored_too() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    fs::write(home.db(), vec![7; 50_000]).unwrap();
    let replacing = RestorePlan {
        archive: &made.path,
        replace: true,
        now: NOW,
    };
    restore(&home, &replacing).unwrap();
    assert_eq!(open(&home).runs(&RunFilter::default()).unwrap().len(), 1);
}

#[test]
fn sto_05_two_restores_in_one_second_keep_both_states_and_the_home_is_never_without_a_database() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    let replacing = RestorePlan {
        archive: &made.path,
        replace: true,
        now: NOW,
    };
    let looks = std::sync::atomic::AtomicBool::new(true);
    let places = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut missing = 0;
            while looks.load(std::sync::atomic::Ordering::Relaxed) {
                missing += u32::from(!home.db().exists());
            }
            missing
        });
        let mut places = Vec::new();
        for round in 0..5 {
            insert(&open(&home), new_id(), &format!("round {round}")).unwrap();
            places.push(restore(&home, &replacing).unwrap().moved_to.unwrap());
        }
        looks.store(false, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(watcher.join().unwrap(), 0);
        places
    });
    for (round, place) in places.iter().enumerate() {
        let conn = rusqlite::Connection::open(place.join("taffrail.db")).unwrap();
        let sql = "SELECT count(*) FROM sessions WHERE name = ?1";
        let named: i64 = conn
            .query_row(sql, [format!("round {round}")], |row| row.get(0))
            .unwrap();
        assert_eq!(named, 1, "{}", place.display());
    }
    assert_eq!(open(&home).runs(&RunFilter::default()).unwrap().len(), 1);
}

/// The entries of an archive, to forge another from.
fn entries(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        (name, bytes)
    });
    entries.collect()
}

/// What an archive is unzipped to; none where it is damaged.
fn unzipped(archive: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut GzDecoder::new(archive), &mut bytes).ok()?;
    Some(bytes)
}

/// One entry with any name and kind, unchecked.
fn put(builder: &mut Builder<impl Write>, name: &str, kind: EntryType, link: &str, bytes: &[u8]) {
    let mut header = Header::new_ustar();
    let raw = &mut header.as_mut_bytes()[..100];
    raw[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o600);
    header.set_size(bytes.len() as u64);
    if !link.is_empty() {
        header.set_link_name(link).unwrap();
    }
    header.set_cksum();
    builder.append(&header, bytes).unwrap();
}

fn forge(path: &Path, fill: impl FnOnce(&mut Builder<GzEncoder<fs::File>>)) {
    let file = fs::File::create(path).unwrap();
    let mut builder = Builder::new(GzEncoder::new(file, Compression::fast()));
    fill(&mut builder);
    builder.into_inner().unwrap().finish().unwrap();
}

/// Every hostile archive that can be made of a good one.
fn hostile(good: &Path, folder: &Path) -> Vec<PathBuf> {
    let parts = entries(good);
    let regular = EntryType::Regular;
    let mut made = Vec::new();
    let mut forged = |name: &str, fill: &dyn Fn(&mut Builder<GzEncoder<fs::File>>)| {
        let path = folder.join(name);
        forge(&path, fill);
        made.push(path);
    };
    let manifest = String::from_utf8(parts[0].1.clone()).unwrap();
    for evil in [
        "../evil",
        "/tmp/evil",
        "sessions/../../evil",
        "taffrail.db-wal",
    ] {
        let changed = manifest.replace("config.toml", evil);
        forged(&format!("path-{}", evil.replace('/', "_")), &|builder| {
            put(builder, "manifest.json", regular, "", changed.as_bytes());
            for (name, bytes) in &parts[1..] {
                let name = if name == "config.toml" { evil } else { name };
                put(builder, name, regular, "", bytes);
            }
        });
        // The manifest says nothing of it.
        forged(&format!("more-{}", evil.replace('/', "_")), &|builder| {
            for (name, bytes) in &parts {
                put(builder, name, regular, "", bytes);
            }
            put(builder, evil, regular, "", b"evil");
        });
    }
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Fifo,
        EntryType::Directory,
    ] {
        forged(&format!("kind-{}", kind.as_byte()), &|builder| {
            put(builder, &parts[0].0, regular, "", &parts[0].1);
            put(builder, "taffrail.db", kind, "/etc/passwd", b"");
            for (name, bytes) in &parts[2..] {
                put(builder, name, regular, "", bytes);
            }
        });
    }
    forged("missing", &|builder| {
        put(builder, &parts[0].0, regular, "", &parts[0].1)
    });
    forged("no-manifest", &|builder| {
        put(builder, &parts[1].0, regular, "", &parts[1].1)
    });
    forged("empty", &|_| {});
    let bomb = manifest.replacen("\"bytes\":", "\"bytes\":9", 1);
    forged("bomb", &|builder| {
        put(builder, "manifest.json", regular, "", bomb.as_bytes());
        put(builder, "taffrail.db", regular, "", &vec![0; 100 << 20]);
    });
    made
}

/// The twin: unpacked by its names, such an archive writes beside its folder.
#[test]
fn sto_09_s29_twin_unpacked_by_name_an_entry_lies_outside() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let (folder, target) = (dir.path().join("hostile"), dir.path().join("target"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&target).unwrap();
    hostile(&backup(&home).path, &folder);
    let parts = entries(&folder.join("more-.._evil"));
    let (name, bytes) = parts.iter().find(|(name, _)| name == "../evil").unwrap();
    fs::write(target.join(name), bytes).unwrap();
    assert!(dir.path().join("evil").exists());
}

#[test]
fn sto_09_s29_hostile_archives_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    let target = Home::at(&dir.path().join("target")).unwrap();
    filled(&target);
    let before = snapshot(target.root());
    let folder = dir.path().join("hostile");
    fs::create_dir(&folder).unwrap();
    let mut archives = hostile(&made.path, &folder);
    let bytes = fs::read(&made.path).unwrap();
    let mut flip = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        archives.push(path);
    };
    for at in (10..bytes.len()).step_by((bytes.len() / 60).max(1)) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        // A flip that only says where to copy the same bytes from is no damage.
        if unzipped(&flipped) != unzipped(&bytes) {
            flip(format!("flipped-{at}"), &flipped);
        }
        flip(format!("cut-{at}"), &bytes[..at]);
    }
    flip("garbage-after".to_owned(), &[&*bytes, b"more"].concat());
    flip("not-gzip".to_owned(), b"hello");
    for archive in &archives {
        let plan = RestorePlan {
            archive,
            replace: true,
            now: NOW,
        };
        let refused = restore(&target, &plan);
        assert!(
            matches!(refused, Err(ArchiveError::Invalid { .. })),
            "{}: {refused:?}",
            archive.display()
        );
        assert!(snapshot(target.root()) == before, "{}", archive.display());
        let fresh = Home::at(&dir.path().join("fresh")).unwrap();
        restore(
            &fresh,
            &RestorePlan {
                archive,
                replace: false,
                now: NOW,
            },
        )
        .unwrap_err();
        assert!(!fresh.root().exists(), "{}", archive.display());
    }
    assert!(!dir.path().join("evil").exists() && !Path::new("/tmp/evil").exists());
    // Of 120 that were cut and flipped nearly all are damaged: the test tested something.
    assert!(archives.len() > 110, "{} archives refused", archives.len());
}

/// An archive whose database was changed after it was packed, with a manifest that agrees.
fn repacked(good: &Path, folder: &Path, sql: &str) -> PathBuf {
    use sha2::{Digest, Sha256};
    let mut parts = entries(good);
    let db = folder.join("x.db");
    fs::write(&db, &parts[1].1).unwrap();
    let old = hex(&Sha256::digest(&parts[1].1));
    let (old_bytes, conn) = (parts[1].1.len(), Connection::open(&db).unwrap());
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(sql).unwrap();
    drop(conn);
    parts[1].1 = fs::read(&db).unwrap();
    let new = hex(&Sha256::digest(&parts[1].1));
    let manifest = String::from_utf8(parts[0].1.clone()).unwrap();
    let manifest = manifest.replace(&old, &new).replace(
        &format!("\"bytes\":{old_bytes}"),
        &format!("\"bytes\":{}", parts[1].1.len()),
    );
    parts[0].1 = manifest.into_bytes();
    let path = folder.join("repacked.tar.gz");
    forge(&path, |builder| {
        for (name, bytes) in &parts {
            put(builder, name, EntryType::Regular, "", bytes);
        }
    });
    path
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn sto_09_an_archive_whose_database_is_not_ours_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    filled(&home);
    let made = backup(&home);
    for (sql, why) in [
        (
            "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM sessions; END",
            "not those of schema",
        ),
        ("CREATE VIEW v AS SELECT 1", "not those of schema"),
        (
            "DROP TRIGGER journal_no_update; DROP TRIGGER journal_no_delete",
            "not those of schema",
        ),
        ("PRAGMA user_version = 1", "not those of schema"),
        ("DELETE FROM sessions", "point at nothing"),
        ("PRAGMA application_id = 7", "not a database of taffrail"),
        (
            "DROP TRIGGER journal_no_update; UPDATE journal SET kind = 'exported' WHERE seq = 1;
             CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only');
END;",
            "was changed after it was written",
        ),
    ] {
        let path = repacked(&made.path, dir.path(), sql);
        let refused = verify_backup(&path, dir.path()).unwrap_err().to_string();
        assert!(refused.contains(why), "{sql}: {refused}");
    }
    // Twin: the same way of packing without a change is believed.
    let path = repacked(&made.path, dir.path(), "SELECT 1");
    verify_backup(&path, dir.path()).unwrap();
}
