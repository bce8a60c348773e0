//! STO-02, STO-04, STO-10: the schema is documented, old ones migrate, and a look changes nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Reads documents and fixtures, and compares files before and after.

mod support;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use support::{hash, home_in, insert, new_id, open, owner, record};
use taffrail_domain::{ChangeState, Ended, RunStatus};
use taffrail_redact::Clean;
use taffrail_store::{
    CheckoutState, Counts, Decision, Home, Peek, RunFilter, StoreError, files, schema_doc,
};

#[test]
fn sto_02_the_documentation_is_generated_from_the_migrations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, schema_doc()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == schema_doc(),
        "docs/schema.md is not what the migrations say: run this test with UPDATE_DOCS=1"
    );
}

#[test]
fn sto_02_every_table_and_column_is_documented_and_strict() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    drop(open(&home));
    let conn = Connection::open(home.db()).unwrap();
    let mut wanted = Vec::new();
    let mut list = conn
        .prepare("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .unwrap();
    let tables = list
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    for (table, strict) in tables.map(Result::<(String, bool), _>::unwrap) {
        assert!(strict, "{table} is not STRICT");
        let mut info = conn
            .prepare("SELECT name FROM pragma_table_info(?1)")
            .unwrap();
        let columns = info.query_map([&table], |row| row.get(0)).unwrap();
        let columns: Vec<String> = columns.map(Result::unwrap).collect();
        wanted.push((table, columns));
    }
    let mut documented = documented();
    documented.sort();
    wanted.sort();
    assert_eq!(documented, wanted);
}

/// Tables and columns of the documentation that have a meaning.
fn documented() -> Vec<(String, Vec<String>)> {
    let doc = schema_doc();
    let sections = doc.split("\n## `").skip(1);
    let table = |section: &str| {
        let (name, rest) = section.split_once("`\n\n").unwrap();
        assert!(!rest.starts_with('\n'), "{name} has no description");
        let rows = rest.lines().filter_map(|line| line.strip_prefix("| `"));
        let columns = rows.map(|row| {
            let (column, rest) = row.split_once("` | ").unwrap();
            assert!(rest.len() > 20, "{name}.{column} has no description");
            column.to_owned()
        });
        (name.to_owned(), columns.collect())
    };
    sections.map(table).collect()
}

#[test]
fn sto_04_schema_1_as_it_was_released_opens_with_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    home.create().unwrap();
    drop(files::create_private_writer(&home.db()).unwrap());
    let dump = include_str!("fixtures/schema-1.sql");
    Connection::open(home.db())
        .unwrap()
        .execute_batch(dump)
        .unwrap();

    let store = open(&home);
    let rows = store.runs(&RunFilter::default()).unwrap();
    let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["waits", "landed"]);
    let landed = store.captured(&rows[1].id).unwrap().unwrap();
    assert_eq!(landed.state, ChangeState::Landed);
    assert_eq!(landed.changes, support::changes());
    assert_eq!(rows[0].ended, Some(Ended::Signalled(15)));
    assert_eq!(store.leftovers().unwrap().len(), 1);
    assert_eq!(store.pins(Path::new("/project")).unwrap()[0].text, "npm ci");
    assert_eq!(store.events(&rows[0].id).unwrap()[0].kind, "started");
    insert(&store, new_id(), "new").unwrap();
}

/// A home with a landed run, one that waits with its checkout kept, an event and a pin.
fn fill(home: &Home) -> taffrail_store::Store {
    let store = open(home);
    for (name, status, ended) in [
        ("landed", RunStatus::Completed, Ended::Exited(0)),
        ("waits", RunStatus::Died, Ended::Signalled(15)),
    ] {
        let id = new_id();
        insert(&store, id, name).unwrap();
        store.run_prepared(&id, &support::oid('a'), None).unwrap();
        store.run_started(&id, &Clean::ours("{}")).unwrap();
        store.add_event(&id, "started", &Clean::ours("{}")).unwrap();
        store.run_ended(&id, status, "exited", Some(ended)).unwrap();
        record(&store, &id, &hash(1)).unwrap();
        if name == "landed" {
            store
                .set_checkout_state(&id, CheckoutState::Removed)
                .unwrap();
            store
                .decide_change(&id, Decision::Landing, &hash(1), &owner(9))
                .unwrap();
            store
                .finish_landing(&id, &support::oid('f'), "external/landed")
                .unwrap();
        } else {
            store.set_checkout_state(&id, CheckoutState::Kept).unwrap();
        }
    }
    let setup = "checkout.setup";
    store
        .pin(
            Path::new("/project"),
            setup,
            &[5; 32],
            &Clean::ours("npm ci"),
        )
        .unwrap();
    store
}

/// The newest schema.
const NEWEST: i64 = 6;

const FILLED: Counts = Counts {
    runs: 2,
    live: 0,
    pending: 1,
    open_decisions: 0,
    events: 2,
    pins: 1,
    workspaces: 0,
    proposals: 0,
    unbound: 0,
    questions: 0,
};

/// Every file below the home with its content; shared memory is a lock, not state.
fn content(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(content(&path));
            found.insert(name, Vec::new());
        } else if !name.ends_with("-shm") {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

fn look(home: &Home) {
    let before = content(home.root());
    let peek = Peek::open(home).unwrap().unwrap();
    let schema = peek.schema().unwrap();
    assert_eq!((schema.found, schema.problem), (NEWEST, None));
    assert!(peek.quick_check().unwrap().is_empty());
    assert_eq!(peek.counts().unwrap(), FILLED);
    let left = peek.leftovers().unwrap();
    assert_eq!(
        (left.len(), left[0].checkout.state),
        (1, CheckoutState::Kept)
    );
    assert!(peek.sqlite_version().starts_with("3."));
    drop(peek);
    assert!(content(home.root()) == before, "a look changed the home");
}

#[test]
fn sto_10_a_look_changes_nothing_closed_open_or_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = fill(&home);
    look(&home);
    // What a killed process leaves: the file and its log, as they are now.
    let left = Home::at(&dir.path().join("left % ?")).unwrap();
    left.create().unwrap();
    for name in ["taffrail.db", "taffrail.db-wal"] {
        fs::copy(home.root().join(name), left.root().join(name)).unwrap();
    }
    look(&left);
    drop(store);
    look(&home);
    let bare: Vec<_> = fs::read_dir(home.root())
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    assert!(
        bare.iter()
            .all(|name| !name.to_str().unwrap().contains("-shm")),
        "{bare:?}"
    );
}

#[test]
fn sto_10_a_look_at_nothing_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    assert!(Peek::open(&home).unwrap().is_none());
    assert!(!home.root().exists());
}

#[test]
fn sto_10_a_damaged_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    drop(fill(&home));
    let mut bytes = fs::read(home.db()).unwrap();
    let pages = bytes.len() / 4096;
    for page in 2..pages {
        bytes[page * 4096..page * 4096 + 64].fill(0xee);
    }
    fs::write(home.db(), bytes).unwrap();
    // The list of tables takes several pages, so that the damage may already be met at the opening.
    match Peek::open(&home).and_then(|peek| peek.unwrap().quick_check()) {
        Ok(problems) => assert!(!problems.is_empty()),
        Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "{error}"),
    }
}

/// Writes the database that the fixture of this schema is dumped from; see the head of the fixture.
#[test]
fn fixture_source() {
    if let Some(path) = env::var_os("WRITE_FIXTURE_DB") {
        drop(fill(&Home::at(Path::new(&path)).unwrap()));
    }
}

/// Behind a feature, because it needs a program of the machine: python3 with its own SQLite.
#[cfg(feature = "peers")]
#[test]
fn sto_02_another_sqlite_opens_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = fill(&home);
    let script = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
assert db.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
names = [row[0] for row in db.execute('SELECT name FROM sessions ORDER BY seq')]
print(sqlite3.sqlite_version, *names)";
    let out = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(home.db())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        said.ends_with(" landed waits\n"),
        "{said}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    drop(store);
}
