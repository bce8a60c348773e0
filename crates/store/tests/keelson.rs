//! REC-12: an existing `keelson.db` is read without a trace, and whatever it holds.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Makes databases of another program and compares files before and after.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use taffrail_domain::{MemoryType, Millis, Provenance};
use taffrail_store::{KeelsonError, read_keelson};

/// Its tables as far as they are read, by the published layout.
const LAYOUT: &str = "
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
    CREATE TABLE keelson_projects (id TEXT PRIMARY KEY, name TEXT UNIQUE, root_path TEXT, created_at TEXT);
    CREATE TABLE project_notebooks (project_id TEXT PRIMARY KEY, content TEXT DEFAULT '', updated_at TEXT);
    CREATE TABLE memories (
      id TEXT PRIMARY KEY, type TEXT, summary TEXT, content TEXT, provenance TEXT,
      use_policy_can_use_as_instruction INTEGER DEFAULT 0, use_policy_can_use_as_evidence INTEGER DEFAULT 1,
      use_policy_requires_user_confirmation INTEGER DEFAULT 0, use_policy_do_not_inject_automatically INTEGER DEFAULT 0,
      scope_project_id TEXT, scope_visibility TEXT DEFAULT 'project', lifecycle TEXT DEFAULT 'active',
      review_status TEXT DEFAULT 'pending', content_hash TEXT, idempotency_key TEXT UNIQUE, confidence REAL,
      runtime TEXT, task_id TEXT, flow_id TEXT, model TEXT, provider TEXT, created_at TEXT, updated_at TEXT,
      stale_after TEXT);
    CREATE TABLE memory_source_refs (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT, kind TEXT, identifier TEXT, url TEXT);
    CREATE TABLE memory_artifacts (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT, kind TEXT, content TEXT);
    CREATE VIRTUAL TABLE memories_fts USING fts5(summary, content, content='memories', content_rowid='rowid');
    CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN
      INSERT INTO memories_fts (rowid, summary, content) VALUES (new.rowid, new.summary, new.content); END;
    INSERT INTO schema_version VALUES (12), (13);";

const ROWS: &str = "
    INSERT INTO keelson_projects VALUES ('p-1', 'harbour', '/srv/harbour', '2026-01-02T03:04:05.678Z');
    INSERT INTO project_notebooks VALUES ('p-1', '## Log' || char(10) || '- 2026-01-02: tides are in metres' || char(10), '2026-01-03T00:00:00.000Z');
    INSERT INTO memories (id, type, summary, content, provenance, scope_project_id, scope_visibility, review_status, confidence,
                          runtime, task_id, model, created_at, stale_after)
      VALUES ('m-1', 'decision', 'Tides in metres', 'Every tide table is kept in metres.', 'user_confirmed', 'p-1', 'project',
              'confirmed', 0.9, 'workflow', 'tides:write', 'm', '2026-02-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'),
             ('m-2', 'lesson', 'Tea', 'The kettle trips the fuse.', 'observed', NULL, 'personal', 'pending', NULL, 'chat', NULL, NULL,
              '2026-01-31T00:00:00.000Z', NULL);
    INSERT INTO memory_source_refs (memory_id, kind, identifier, url) VALUES
      ('m-1', 'file', 'docs/tides.md', NULL), ('m-1', 'url', 'x', 'https://example.invalid/tides');
    INSERT INTO memory_artifacts (memory_id, kind, content) VALUES ('m-1', 'table', 'tides.csv');";

struct Scene {
    dir: tempfile::TempDir,
    db: PathBuf,
}

fn scene(sql: &str) -> Scene {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("theirs")).unwrap();
    fs::create_dir(dir.path().join("scratch")).unwrap();
    let db = dir.path().join("theirs/keelson.db");
    Connection::open(&db).unwrap().execute_batch(sql).unwrap();
    Scene { dir, db }
}

fn good(more: &str) -> Scene {
    scene(&format!("{LAYOUT}{ROWS}{more}"))
}

impl Scene {
    fn read(&self) -> Result<taffrail_store::Keelson, KeelsonError> {
        let scratch = self.dir.path().join("scratch");
        let read = read_keelson(&self.db, &scratch);
        assert_eq!(
            fs::read_dir(&scratch).unwrap().count(),
            0,
            "the copy goes away"
        );
        read
    }

    fn theirs(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let listed = fs::read_dir(self.db.parent().unwrap()).unwrap();
        let mut files: Vec<_> = listed
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }
}

#[test]
fn rec_12_projects_notebooks_and_memories_are_read_whole() {
    let found = good("").read().unwrap();
    assert_eq!(
        (found.schema, found.is_newer, found.skipped_count),
        (13, false, 0)
    );
    assert_eq!(found.projects[0].name, "harbour");
    assert_eq!(found.projects[0].root, Path::new("/srv/harbour"));
    assert_eq!(
        found.projects[0].created_at,
        Some(Millis(1_767_323_045_678))
    );
    assert!(found.notebooks[0].content.contains("tides are in metres"));
    let names: Vec<&str> = found
        .memories
        .iter()
        .map(|memory| memory.id.as_str())
        .collect();
    assert_eq!(names, ["m-2", "m-1"], "oldest first");
    let tides = &found.memories[1];
    assert_eq!(
        (tides.kind, tides.provenance),
        (MemoryType::Decision, Provenance::UserConfirmed)
    );
    assert_eq!(tides.project.as_deref(), Some("p-1"));
    assert_eq!(
        (tides.status.as_str(), tides.confidence),
        ("confirmed", Some(0.9))
    );
    assert!(tides.stale_after > Some(tides.created_at));
    let uris: Vec<&str> = tides
        .source_refs
        .iter()
        .map(|one| one.uri.as_str())
        .collect();
    assert_eq!(uris, ["docs/tides.md", "https://example.invalid/tides"]);
    assert_eq!(tides.artifacts[0].uri, "tides.csv");
    assert_eq!(found.memories[0].project, None, "personal");
}

#[test]
fn rec_12_nothing_is_written_or_made_beside_it() {
    let scene = good("");
    let before = scene.theirs();
    assert_eq!(before.len(), 1);
    scene.read().unwrap();
    assert!(scene.theirs() == before);
    // Twin: SQLite itself leaves files beside a database with a log when it is just opened and looked at.
    let conn = Connection::open(&scene.db).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    let _: i64 = conn
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .unwrap();
    assert!(scene.theirs().len() > 1);
}

#[test]
fn rec_12_what_a_running_server_has_in_its_log_is_read_too() {
    let scene = good("");
    let server = Connection::open(&scene.db).unwrap();
    server.pragma_update(None, "journal_mode", "WAL").unwrap();
    server
        .execute_batch("UPDATE memories SET summary = 'from the log' WHERE id = 'm-2'")
        .unwrap();
    let before = scene.theirs();
    assert!(
        before
            .iter()
            .any(|(path, bytes)| path.ends_with("keelson.db-wal") && !bytes.is_empty())
    );
    assert_eq!(scene.read().unwrap().memories[0].summary, "from the log");
    assert!(scene.theirs() == before);
    drop(server);
}

#[test]
fn rec_12_other_versions_are_read_or_refused_by_name() {
    let newer =
        good("INSERT INTO schema_version VALUES (99); ALTER TABLE memories ADD COLUMN mood TEXT;");
    let found = newer.read().unwrap();
    assert_eq!(
        (found.schema, found.is_newer, found.memories.len()),
        (99, true, 2)
    );
    let older = good("DELETE FROM schema_version; INSERT INTO schema_version VALUES (11);");
    assert!(matches!(
        older.read(),
        Err(KeelsonError::TooOld { found: 11, .. })
    ));
    for sql in [
        "DELETE FROM schema_version;",
        "DROP TABLE memories;",
        "DROP TABLE keelson_projects;",
        "ALTER TABLE memories RENAME COLUMN summary TO gist;",
    ] {
        let read = good(sql).read();
        assert!(
            matches!(read, Err(KeelsonError::Unfit { .. })),
            "{sql}: {read:?}"
        );
    }
    // A table that only some releases have may be missing.
    assert!(
        good("DROP TABLE memory_artifacts; DROP TABLE project_notebooks;")
            .read()
            .is_ok()
    );
}

#[test]
fn rec_12_rows_that_make_no_sense_are_left_out_and_named() {
    let odd = "
        INSERT INTO memories (id, type, summary, content, provenance, scope_visibility, runtime, created_at) VALUES
          ('o-1', 'poem', 's', 'c', 'observed', 'personal', 'chat', '2026-01-01T00:00:00.000Z'),
          ('o-2', 'lesson', x'ff', 'c', 'observed', 'personal', 'chat', '2026-01-01T00:00:00.000Z'),
          ('o-3', 'lesson', 's', 7, 'observed', 'personal', 'chat', 'last week'),
          ('o-4', 'lesson', 's', hex(zeroblob(100000)), 'observed', 'personal', 'chat', '2026-01-01T00:00:00.000Z'),
          ('o-5', 'lesson', 's', 'c', 'observed', 'world', 'chat', '2026-01-01T00:00:00.000Z'),
          ('o-6', 'lesson', 's', CAST(x'c3' AS TEXT), 'observed', 'personal', 'chat', '2026-01-01T00:00:00.000Z'),
          (x'00', 'lesson', 's', 'c', 'observed', 'personal', 'chat', '2026-01-01T00:00:00.000Z');
        INSERT INTO keelson_projects VALUES ('p-2', NULL, '/x', 'never');";
    let found = good(odd).read().unwrap();
    assert_eq!(found.memories.len(), 2);
    assert_eq!(found.projects.len(), 1);
    assert_eq!(found.skipped_count, 8);
    let why: Vec<&str> = found
        .skipped
        .iter()
        .map(|skipped| skipped.why.as_str())
        .collect();
    assert!(why.iter().any(|why| why.contains("poem")), "{why:?}");
    assert!(
        why.iter().any(|why| why.contains("bytes, more than")),
        "{why:?}"
    );
}

#[test]
fn rec_12_a_hostile_schema_runs_nothing() {
    let view = format!(
        "{LAYOUT}{ROWS} DROP TRIGGER memories_ai; DROP TABLE memories_fts; ALTER TABLE memories RENAME TO m;
         CREATE VIEW memories AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n;"
    );
    let generated = format!(
        "{LAYOUT}{ROWS} ALTER TABLE memories ADD COLUMN boom TEXT GENERATED ALWAYS AS (hex(zeroblob(900000000)));"
    );
    let projects = format!(
        "{LAYOUT} DROP TABLE keelson_projects;
         CREATE VIEW keelson_projects AS SELECT 'a' AS id, 'b' AS name, 'c' AS root_path, 'd' AS created_at;"
    );
    for sql in [&view, &generated, &projects] {
        let read = scene(sql).read();
        assert!(matches!(read, Err(KeelsonError::Unfit { .. })), "{read:?}");
    }
}

#[test]
fn rec_12_what_is_no_database_is_refused() {
    let scene = good("");
    let whole = fs::read(&scene.db).unwrap();
    for bytes in [&b"hello"[..], &[0; 4096], &whole[..whole.len() / 2], b""] {
        fs::write(&scene.db, bytes).unwrap();
        assert!(scene.read().is_err());
    }
    fs::remove_file(&scene.db).unwrap();
    assert!(matches!(scene.read(), Err(KeelsonError::Store(_))));
    std::os::unix::fs::symlink("/etc/passwd", &scene.db).unwrap();
    assert!(
        matches!(scene.read(), Err(KeelsonError::Store(_))),
        "a link is not followed"
    );
}

#[test]
fn rec_12_flipped_bytes_never_panic() {
    let scene = good("");
    let whole = fs::read(&scene.db).unwrap();
    let mut refused = 0;
    for at in (0..whole.len()).step_by(whole.len() / 200) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        fs::write(&scene.db, &flipped).unwrap();
        refused += u32::from(scene.read().is_err());
    }
    println!("{refused} of 200 were refused, the others read what was left");
}
