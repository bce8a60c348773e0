//! Tests that need a shorter wait, other migrations or the writer itself.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use taffrail_domain::{Clock, Millis, Net, RunId, RunKind};
use taffrail_redact::{Clean, Options, Redactor};

use crate::migrate::{self, Migration};
use crate::writer::Durability;
use crate::{Home, NewRun, Owner, Peek, Store, StoreError};

struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

struct World {
    home: Home,
    _dir: tempfile::TempDir,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(&dir.path().join("home")).unwrap();
    World { home, _dir: dir }
}

impl World {
    fn open_with(&self, migrations: &[Migration]) -> Result<Store, StoreError> {
        let wait = Duration::from_millis(300);
        Store::open_with(&self.home, Arc::new(Still), migrations, wait)
    }

    fn open(&self) -> Store {
        self.open_with(migrate::ALL).unwrap()
    }

    fn raw(&self) -> Connection {
        Connection::open(self.home.db()).unwrap()
    }

    fn backups(&self) -> usize {
        fs::read_dir(self.home.backups()).unwrap().count()
    }
}

fn a_run(store: &Store) -> RunId {
    let id = RunId::new(1, [9; 10]);
    let owner = Owner {
        pid: 1,
        start_ticks: 2,
        boot_id: "b".to_owned(),
    };
    store
        .insert_run(&NewRun {
            id,
            kind: RunKind::Box,
            name: &Clean::ours("a"),
            project_root: "/p".as_ref(),
            common_dir: "/p/.git".as_ref(),
            command: &Clean::ours("make"),
            agent: None,
            net: &Net::Off,
            owner: &owner,
            checkout: "/c".as_ref(),
            facts: &Clean::ours("{}"),
        })
        .unwrap();
    assert_eq!(store.run(&id).unwrap().net, Net::Off);
    id
}

/// The released steps and one more that is not.
fn one_more(sql: &'static str) -> Vec<Migration> {
    let next = Migration { name: "next", sql };
    migrate::ALL.iter().copied().chain([next]).collect()
}

#[test]
fn sto_03_the_pragmas_are_in_force() {
    let world = world();
    let store = world.open();
    let seen = store
        .write(Durability::Full, |tx| {
            let number = |name| tx.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let journal: String = tx.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            Ok((
                journal,
                number("foreign_keys")?,
                number("trusted_schema")?,
                number("synchronous")?,
                number("mmap_size").unwrap_or(0),
            ))
        })
        .unwrap();
    assert_eq!(seen, ("wal".to_owned(), 1, 0, 2, 0));
    let normal = store
        .write(Durability::Normal, |tx| {
            Ok(tx.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0))?)
        })
        .unwrap();
    assert_eq!(normal, 1);
}

#[test]
fn sto_03_a_lock_that_stays_is_named_and_nothing_is_lost_after_it() {
    let world = world();
    let store = world.open();
    let id = a_run(&store);
    let other = world.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.add_event(&id, "x", &Clean::ours("{}")).unwrap_err();
    let message = refused.to_string();
    assert!(matches!(refused, StoreError::Busy { waited_ms, .. } if waited_ms >= 300));
    assert!(message.contains("taffrail.db") && message.contains("locked by another process"));
    // Readers are not held up by a writer.
    assert!(store.events(&id).unwrap().is_empty());
    other.execute_batch("ROLLBACK").unwrap();
    store.add_event(&id, "x", &Clean::ours("{}")).unwrap();
    assert_eq!(store.events(&id).unwrap().len(), 1);
}

#[test]
fn sto_07_a_full_disk_is_named_and_the_last_acknowledged_state_is_whole() {
    let world = world();
    let store = world.open();
    let id = a_run(&store);
    let limit = |pages: i64| {
        store.write(Durability::Full, move |tx| {
            let set = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
            Ok(tx.pragma_update_and_check(None, "max_page_count", pages, set)?)
        })
    };
    let pages: i64 = world
        .raw()
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    limit(pages + 40).unwrap();
    let body = Redactor::new(Options::default()).clean(&format!("\"{}\"", "word ".repeat(800)));
    let mut acknowledged = 0;
    let refused = loop {
        match store.add_event(&id, "x", &body) {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(&refused, StoreError::DiskFull { path } if *path == world.home.db()));
    assert!(acknowledged > 5);
    assert_eq!(store.events(&id).unwrap().len(), acknowledged);
    limit(10_000).unwrap();
    store.add_event(&id, "x", &body).unwrap();
    assert_eq!(store.events(&id).unwrap().len(), acknowledged + 1);
    drop(store);
    let peek = Peek::open(&world.home).unwrap().unwrap();
    assert!(peek.quick_check().unwrap().is_empty());
}

#[test]
fn sto_04_an_old_database_is_copied_and_then_migrated() {
    let world = world();
    let id = a_run(&world.open());
    assert_eq!(world.backups(), 0, "a new database needs no copy");
    let steps = one_more("-- More.\nALTER TABLE events ADD COLUMN more TEXT;");
    let store = world.open_with(&steps).unwrap();
    assert_eq!(store.run(&id).unwrap().name, "a");
    drop(store);
    let version: i64 = world
        .raw()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, migrate::newest(&steps));
    let copy = fs::read_dir(world.home.backups())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let copy = Connection::open(copy.path()).unwrap();
    let names: String = copy
        .query_row("SELECT name FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(names, "a");
    world.open_with(&steps).unwrap();
    assert_eq!(world.backups(), 1, "nothing to migrate, nothing to copy");
}

#[test]
fn sto_04_many_that_migrate_at_once_do_it_once() {
    let world = world();
    let id = a_run(&world.open());
    let steps = one_more("ALTER TABLE events ADD COLUMN more TEXT;");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let wait = Duration::from_secs(120);
                let store = Store::open_with(&world.home, Arc::new(Still), &steps, wait).unwrap();
                assert_eq!(store.run(&id).unwrap().name, "a");
            });
        }
    });
    let applied = "SELECT count(*) FROM schema_migrations";
    let applied: i64 = world
        .raw()
        .query_row(applied, [], |row| row.get(0))
        .unwrap();
    assert_eq!(applied, migrate::newest(&steps));
}

#[test]
fn sto_04_a_step_that_fails_changes_nothing() {
    let world = world();
    let id = a_run(&world.open());
    let steps = one_more("CREATE TABLE half (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);");
    assert!(world.open_with(&steps).is_err());
    let half = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'";
    let half: i64 = world.raw().query_row(half, [], |row| row.get(0)).unwrap();
    assert_eq!(half, 0);
    assert_eq!(world.open().run(&id).unwrap().name, "a");
}

#[test]
fn sto_04_a_newer_schema_is_refused_clearly_and_left_alone() {
    let world = world();
    drop(
        world
            .open_with(&one_more("CREATE TABLE future (x INTEGER) STRICT;"))
            .unwrap(),
    );
    let before = fs::read(world.home.db()).unwrap();
    let refused = world.open_with(migrate::ALL).err().unwrap();
    let newest = migrate::newest(migrate::ALL);
    assert!(matches!(
        refused,
        StoreError::Newer { found, known, .. } if (found, known) == (newest + 1, newest)
    ));
    let message = refused.to_string();
    assert!(message.contains("written by a newer taffrail"), "{message}");
    assert!(message.contains("taffrail.db"), "{message}");
    assert_eq!(fs::read(world.home.db()).unwrap(), before);
    let peek = Peek::open(&world.home).unwrap().unwrap();
    assert_eq!(
        peek.schema().unwrap().problem.as_deref(),
        Some(message.as_str())
    );
}

#[test]
fn sto_04_other_steps_under_the_same_number_are_damage() {
    let world = world();
    drop(
        world
            .open_with(&one_more("CREATE TABLE one (x INTEGER) STRICT;"))
            .unwrap(),
    );
    let refused = world
        .open_with(&one_more("CREATE TABLE two (x INTEGER) STRICT;"))
        .err()
        .unwrap();
    let step = format!("schema {}", migrate::newest(migrate::ALL) + 1);
    assert!(matches!(&refused, StoreError::Damaged { what, .. } if what.contains(&step)));
}

#[test]
fn what_is_not_ours_is_not_touched() {
    let world = world();
    world.home.create().unwrap();
    let path = world.home.db();
    drop(crate::files::create_private_writer(&path).unwrap());
    world
        .raw()
        .execute_batch("CREATE TABLE theirs (x)")
        .unwrap();
    let refused = world.open_with(migrate::ALL).err().unwrap();
    assert!(
        matches!(&refused, StoreError::Damaged { what, .. } if what.contains("not a database of taffrail"))
    );
    fs::write(&path, [b'x'; 8192]).unwrap();
    let refused = world.open_with(migrate::ALL).err().unwrap();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), [b'x'; 8192]);
}

#[test]
fn a_row_that_makes_no_sense_is_damage_not_a_guess() {
    let world = world();
    let store = world.open();
    let id = a_run(&store);
    world
        .raw()
        .execute_batch("UPDATE sessions SET net = 'on'")
        .unwrap();
    assert!(matches!(store.run(&id), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_panic_in_one_transaction_is_an_error_for_its_caller() {
    let world = world();
    let store = world.open();
    let result = store.write::<()>(Durability::Normal, |_| panic!("on purpose"));
    assert!(matches!(result, Err(StoreError::WriterStopped { .. })));
    let after = store.write(Durability::Normal, |_| Ok(()));
    assert!(matches!(after, Err(StoreError::WriterStopped { .. })));
}

/// A database of the schema before sessions were made anew, in which the newest session is erased already.
fn before_sessions_were_made_anew(world: &World) -> (RunId, i64) {
    let store = world.open_with(&migrate::ALL[..5]).unwrap();
    let id = a_run(&store);
    drop(store);
    let raw = world.raw();
    raw.execute_batch(
        "INSERT INTO sessions (seq, id, short, kind, name, project_root, common_dir, command, agent, net, facts, status, reason,
                               exit_code, exit_signal, base, first_commit, enforcement, created_at, started_at, ended_at)
         VALUES (40, zeroblob(16), 'run_b', 'box', 'b', x'2f70', x'2f702f67', 'make', 'a 1', '\"off\"', '{}', 'died', 'r',
                 1, 2, 'b', 'f', '{}', 3, 4, 5);
         INSERT INTO events (session, kind, body, at) VALUES (1, 'one', '{}', 1), (40, 'two', '{}', 2);
         INSERT INTO sessions (seq, id, short, kind, name, project_root, common_dir, command, net, facts, status, created_at)
         VALUES (77, x'01010101010101010101010101010101', 'run_c', 'box', 'c', x'2f70', x'2f702f67', 'make', '\"off\"', '{}',
                 'completed', 1);
         DELETE FROM sessions WHERE seq = 77;",
    )
    .unwrap();
    (id, 77)
}

fn sessions(world: &World) -> Vec<String> {
    let raw = world.raw();
    let mut statement = raw
        .prepare("SELECT s.*, e.kind AS event FROM sessions s JOIN events e ON e.session = s.seq ORDER BY s.seq")
        .unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let values = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
        Ok(format!(
            "{:?}",
            values.collect::<rusqlite::Result<Vec<_>>>()?
        ))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn sto_04_sessions_made_anew_keep_every_row_their_children_and_their_sequence() {
    let world = world();
    let (id, last) = before_sessions_were_made_anew(&world);
    let before = sessions(&world);
    let refused = "UPDATE sessions SET status = 'budget' WHERE seq = 40";
    assert!(world.raw().execute_batch(refused).is_err(), "the old check");
    let store = world.open();
    assert_eq!((sessions(&world), before.len()), (before, 2));
    assert_eq!(store.events(&id).unwrap().len(), 1);
    world.raw().execute_batch(refused).unwrap();
    let other = "UPDATE sessions SET status = 'other' WHERE seq = 40";
    assert!(world.raw().execute_batch(other).is_err(), "the new check");
    // A number that was used once is not used again, and what points at nothing is refused again.
    let next = store.write(Durability::Full, |tx| {
        tx.execute_batch(
            "INSERT INTO sessions (id, short, kind, name, project_root, common_dir, command, net, facts, status, created_at)
             VALUES (x'02020202020202020202020202020202', 'run_d', 'external', 'd', x'2f70', x'2f70', '', '', '{}', 'refused', 1)",
        )?;
        Ok(tx.last_insert_rowid())
    });
    assert_eq!(next.unwrap(), last + 1);
    let nowhere = store.write(Durability::Full, |tx| {
        Ok(tx.execute_batch(
            "INSERT INTO events (session, kind, body, at) VALUES (999, 'x', '{}', 1)",
        )?)
    });
    assert!(nowhere.is_err(), "foreign keys are in force");
    let peek = Peek::open(&world.home).unwrap().unwrap();
    assert!(peek.foreign_schema().unwrap().is_empty());
}

#[test]
fn sto_04_an_empty_table_of_sessions_is_made_anew_too() {
    let world = world();
    drop(world.open_with(&migrate::ALL[..5]).unwrap());
    let store = world.open();
    a_run(&store);
    let seq: i64 = world
        .raw()
        .query_row("SELECT seq FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(seq, 1);
}

#[test]
fn sto_04_a_step_that_would_leave_rows_behind_is_refused_and_changes_nothing() {
    let world = world();
    before_sessions_were_made_anew(&world);
    drop(world.open());
    let before = sessions(&world);
    let refused = world.open_with(&one_more("DELETE FROM sessions WHERE seq = 40;"));
    assert!(
        matches!(refused, Err(StoreError::Damaged { ref what, .. }) if what.contains("not hold together")),
        "{:?}",
        refused.err()
    );
    assert_eq!(sessions(&world), before);
    // What did not hold together before is no reason to refuse.
    world
        .raw()
        .execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO events (session, kind, body, at) VALUES (999, 'x', '{}', 1)")
        .unwrap();
    drop(
        world
            .open_with(&one_more("CREATE TABLE one (x INTEGER) STRICT;"))
            .unwrap(),
    );
}
