//! A database of Keelson.

use super::*;

const KEELSON: &str = "
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
    CREATE TABLE keelson_projects (id TEXT PRIMARY KEY, name TEXT UNIQUE, root_path TEXT, created_at TEXT);
    CREATE TABLE project_notebooks (project_id TEXT PRIMARY KEY, content TEXT DEFAULT '', updated_at TEXT);
    CREATE TABLE memories (
      id TEXT PRIMARY KEY, type TEXT, summary TEXT, content TEXT, provenance TEXT,
      use_policy_can_use_as_instruction INTEGER DEFAULT 1, scope_project_id TEXT, scope_visibility TEXT,
      lifecycle TEXT DEFAULT 'active', review_status TEXT, confidence REAL, runtime TEXT, task_id TEXT, model TEXT,
      created_at TEXT, stale_after TEXT);
    CREATE TABLE memory_source_refs (id INTEGER PRIMARY KEY, memory_id TEXT, kind TEXT, identifier TEXT, url TEXT);
    CREATE TABLE memory_artifacts (id INTEGER PRIMARY KEY, memory_id TEXT, kind TEXT, content TEXT);
    INSERT INTO schema_version VALUES (12), (13);
    INSERT INTO keelson_projects VALUES ('p-1', 'harbour', '/srv/harbour', '2026-01-02T03:04:05.678Z');
    INSERT INTO project_notebooks VALUES
      ('p-1', '## Log' || char(10) || '- tides are in metres' || char(10), '2026-01-03T00:00:00.000Z');
    INSERT INTO memories (id, type, summary, content, provenance, scope_project_id, scope_visibility, review_status, runtime,
                          created_at)
      VALUES ('m-1', 'decision', 'Tides in metres', 'Every tide table is kept in metres.', 'user_confirmed', 'p-1', 'project',
              'confirmed', 'workflow', '2026-02-01T00:00:00.000Z'),
             ('m-2', 'lesson', 'Tea', 'The kettle trips the fuse.', 'observed', NULL, 'personal', 'pending', 'chat',
              '2026-01-31T00:00:00.000Z'),
             ('m-3', 'lesson', 'A key', 'the key is SECRET', 'observed', NULL, 'personal', 'pending', 'chat',
              '2026-01-31T00:00:00.000Z');";

#[test]
fn rec_12_a_keelson_database_comes_in_whole_and_all_of_it_waits() {
    let world = world();
    let repo = committed(&world);
    let db = world.root().join("keelson.db");
    let sql = KEELSON.replace("SECRET", &token());
    rusqlite::Connection::open(&db)
        .unwrap()
        .execute_batch(&sql)
        .unwrap();
    let before = std::fs::read(&db).unwrap();
    let import = || {
        data(
            &world,
            &repo,
            &[
                "memory",
                "import",
                "--from",
                "keelson",
                db.to_str().unwrap(),
                "--json",
            ],
        )
    };
    let report = import();
    assert_eq!(report["projects"], json!([["harbour", "new"]]), "{report}");
    assert_eq!(
        (&report["new"], &report["suggestions"]),
        (&json!(2), &json!(1)),
        "{report}"
    );
    assert_eq!(
        report["blocked"].as_array().map(Vec::len),
        Some(1),
        "{report}"
    );
    assert!(!report.to_string().contains(&token()));
    let rows = all(&world, &repo);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_pending(&show(&world, &repo, row["memory"].as_str().unwrap()));
    }
    let again = import();
    assert_eq!(
        (&again["new"], &again["repeat"]),
        (&json!(0), &json!(2)),
        "{again}"
    );
    assert_eq!(again["projects"], json!([["harbour", "known"]]));
    assert_eq!(
        std::fs::read(&db).unwrap(),
        before,
        "nothing of theirs was written"
    );
}
