//! STO-09: what was purged is in no byte of the home, and what stays is sound. The twin: a plain DELETE leaves it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use taffrail_domain::{Clock, MemoryId, Millis, ProjectId, RunId};

use super::{PurgeScope, copies, external_rows};
use crate::backup::{check_database, verify_chain};
use crate::{BackupPlan, Home, Store, StoreError, back_up, recall};

/// In every place where a memory, a notebook, a trace or a session keeps text; the second is found as bigrams.
const SENTINELS: [&str; 2] = ["zyxsentinelqv", "曇沌鵺"];

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

struct World {
    _dir: tempfile::TempDir,
    home: Home,
    store: Store,
}

const PROJECT: [u8; 16] = [1; 16];
const SESSION: [u8; 16] = [2; 16];
const SECRET: [u8; 16] = [3; 16];
const PLAIN: [u8; 16] = [4; 16];

fn project() -> ProjectId {
    ProjectId::from_bytes(PROJECT)
}

fn session() -> RunId {
    RunId::from_bytes(SESSION)
}

fn memory(id: [u8; 16]) -> MemoryId {
    MemoryId::from_bytes(id)
}

/// A home with a project, a decided session, a memory with the sentinels everywhere, and one beside it that points at it.
fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(&dir.path().join("home")).unwrap();
    let store = Store::open(&home, Arc::new(Fixed)).unwrap();
    let conn = conn(&home);
    let said = SENTINELS.join(" ");
    project_and_session(&conn, &said);
    external_rows::add(&conn, &said);
    add_memory(&conn, 1, SECRET, &said, session().short().as_str());
    add_memory(&conn, 2, PLAIN, "an ordinary thing", "run_other");
    about(&conn, &said);
    recall::rebuild(&conn).unwrap();
    let folder = home.session(&session());
    crate::files::make_private_dir(&folder).unwrap();
    crate::files::write_private(&folder.join("change.patch"), said.as_bytes()).unwrap();
    World {
        _dir: dir,
        home,
        store,
    }
}

fn conn(home: &Home) -> Connection {
    let conn = Connection::open(home.db()).unwrap();
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    conn
}

fn project_and_session(conn: &Connection, said: &str) {
    conn.execute(
        "INSERT INTO projects VALUES (1, ?1, ?2, 'house', 1)",
        (PROJECT, project().short()),
    )
    .unwrap();
    conn.execute_batch("INSERT INTO project_roots VALUES (1, x'2f70', x'2f702f2e676974')")
        .unwrap();
    conn.execute(
        "INSERT INTO notebook_revisions (project, version, content, salt, made_by, created_at) VALUES
           (1, 1, ?1, zeroblob(32), 'edit', 1), (1, 2, ?1, zeroblob(32), 'edit', 2)",
        [said],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO notebook_suggestions (id, short, project, section, entry, salt, channel, source, state, created_at)
         VALUES (x'07070707070707070707070707070707', 'sug_x', 1, 'Log', ?1, zeroblob(32), 'model', '{}', 'open', 1)",
        [said],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO sessions (seq, id, short, kind, name, project_root, common_dir, command, net, facts, status, created_at)
         VALUES (1, ?1, ?2, 'box', 'done', x'2f70', x'2f702f2e676974', ?3, '\"off\"', '{}', 'completed', 1)",
        (SESSION, session().short(), said),
    )
    .unwrap();
    conn.execute(
        "INSERT INTO events (session, kind, body, at) VALUES (1, 'started', ?1, 1)",
        [said],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO changes VALUES (1, zeroblob(32), 'landed', 3, 0, 1)",
        [],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO trust_pins (project_root, item, hash, text, pinned_at) VALUES (x'2f70', 'checkout.setup', zeroblob(32), ?1, 1)",
        [said],
    )
    .unwrap();
}

fn add_memory(conn: &Connection, seq: i64, id: [u8; 16], said: &str, session: &str) {
    let source = format!("{{\"runtime\":\"box\",\"session\":\"{session}\"}}");
    conn.execute(
        "INSERT INTO memories (seq, id, short, project, type, first_provenance, provenance, channel, can_use_as_instruction,
           can_use_as_evidence, requires_user_confirmation, do_not_inject_automatically, status, lifecycle, shelf, source,
           idempotency_key, text_key, revision, created_at, inserted_at)
         VALUES (?1, ?2, ?3, 1, 'lesson', 'generated', 'generated', 'external', 0, 1, 0, 0, 'pending', 'active', 'queue',
           ?4, ?5, zeroblob(32), 2, 1, 1)",
        (seq, id, memory(id).short(), source, [u8::try_from(seq).unwrap(); 32]),
    )
    .unwrap();
    for revision in [1, 2] {
        conn.execute(
            "INSERT INTO memory_texts VALUES (?1, ?2, ?3, ?3, json_array(?3), json_array(?3), json_array(?3), json_array(?3),
               zeroblob(16), zeroblob(32), 1)",
            (seq, revision, said),
        )
        .unwrap();
    }
}

/// Foreign ids, evidence, reviews, pointers of the other memory, and traces.
fn about(conn: &Connection, said: &str) {
    conn.execute("INSERT INTO memory_foreign_ids VALUES (1, ?1)", [said])
        .unwrap();
    conn.execute(
        "INSERT INTO memory_evidence VALUES (1, json_array(?1))",
        [said],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO memory_reviews (memory, action, surface, before, other, other_before, notes, entry, created_at)
         VALUES (1, 'reject', 'terminal', '{}', NULL, NULL, ?1, 1, 1)",
        [said],
    )
    .unwrap();
    conn.execute_batch(
        "INSERT INTO memory_witnesses VALUES (1, zeroblob(32), 1);
         INSERT INTO memory_derivations VALUES (2, 1);
         INSERT INTO memory_neighbours VALUES (2, 1, 0.8);
         INSERT INTO memory_reviews (memory, action, surface, before, other, other_before, entry, created_at)
           VALUES (2, 'merge', 'terminal', '{}', 1, '{}', 1, 1);
         UPDATE memories SET retired_by = 1 WHERE seq = 2;",
    )
    .unwrap();
    for (seq, id, items) in [(1, [8; 16], true), (2, [9; 16], false)] {
        conn.execute(
            "INSERT INTO recall_traces (seq, id, short, at, surface, query, terms, grades, limits, candidates)
             VALUES (?1, ?2, ?3, 1, 'search', ?4, '[]', '[]', '{}', 1)",
            (seq, id, format!("trc_{seq}"), if items { said } else { "else" }),
        )
        .unwrap();
        let of = if items { SECRET } else { PLAIN };
        conn.execute(
            "INSERT INTO recall_trace_items (trace, place, memory, revision, grade, relevance, fade, score, marks, outcome)
             VALUES (?1, 0, ?2, 1, 'pending', 1, 1, 1, '', 'given')",
            (seq, of),
        )
        .unwrap();
    }
}

/// Files of the home in which one of the sentinels stands, as it is or as two characters of it side by side.
fn holding(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let needles: Vec<&[u8]> = vec![
        SENTINELS[0].as_bytes(),
        "曇沌".as_bytes(),
        "沌鵺".as_bytes(),
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).unwrap();
            let holds = |needle: &&[u8]| bytes.windows(needle.len()).any(|at| at == *needle);
            if needles.iter().any(holds) {
                found.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

fn count(home: &Home, sql: &str) -> i64 {
    conn(home).query_row(sql, [], |row| row.get(0)).unwrap()
}

fn is_sound(world: &World) {
    let conn = conn(&world.home);
    assert_eq!(recall::check(&conn).unwrap(), [""; 0]);
    assert!(verify_chain(&conn).unwrap().is_ok());
    check_database(&world.home.db(), &world.home.db()).unwrap();
}

#[test]
fn sto_09_a_purged_project_is_in_no_byte_of_the_home() {
    let world = world();
    assert!(holding(world.home.root()).contains(&"change.patch".to_owned()));
    let plan = world
        .store
        .purge_plan(PurgeScope::Project(project()))
        .unwrap();
    assert_eq!((plan.memories, plan.sessions, plan.projects), (2, 1, 1));
    assert_eq!(
        (plan.notebook_revisions, plan.suggestions, plan.traces),
        (2, 1, 2)
    );
    assert_eq!(
        count(&world.home, "SELECT count(*) FROM memories"),
        2,
        "a plan changes nothing"
    );

    let purged = world
        .store
        .purge(&world.home, PurgeScope::Project(project()), false)
        .unwrap();
    assert_eq!(purged.counts, plan);
    assert!(purged.log_is_cut);
    assert_eq!(purged.files, 1);
    assert_eq!(holding(world.home.root()), [""; 0]);
    is_sound(&world);
    let kind = "SELECT count(*) FROM journal WHERE kind = 'purged'";
    assert_eq!(count(&world.home, kind), 1);
    // A closed and reopened home has it nowhere either.
    drop(world.store);
    assert_eq!(holding(world.home.root()), [""; 0]);
}

#[test]
fn sto_09_a_plain_delete_leaves_the_text_in_the_file() {
    let world = world();
    let conn = conn(&world.home);
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA secure_delete = OFF;
         DELETE FROM memory_texts; DELETE FROM memory_foreign_ids; DELETE FROM memory_evidence;
         DELETE FROM memory_reviews; DELETE FROM recall_traces; DELETE FROM recall_docs; DELETE FROM memories;
         DELETE FROM notebook_revisions; DELETE FROM notebook_suggestions; DELETE FROM events; DELETE FROM trust_pins;
         UPDATE sessions SET command = '';",
    )
    .unwrap();
    conn.execute_batch(external_rows::CLEAR).unwrap();
    fs::remove_dir_all(world.home.session(&session())).unwrap();
    drop((conn, world.store));
    assert_eq!(holding(world.home.root()), ["taffrail.db"]);
}

#[test]
fn sto_09_a_purged_memory_leaves_the_others_sound() {
    let world = world();
    let scope = PurgeScope::Memory(memory(SECRET));
    let purged = world.store.purge(&world.home, scope, false).unwrap();
    assert_eq!((purged.counts.memories, purged.counts.traces), (1, 1));
    assert_eq!(
        purged.counts.derived,
        [memory(PLAIN)],
        "what was derived from it is named"
    );
    is_sound(&world);
    assert_eq!(
        count(
            &world.home,
            "SELECT count(*) FROM memories WHERE retired_by IS NULL"
        ),
        1
    );
    assert_eq!(
        count(
            &world.home,
            "SELECT count(*) FROM memory_reviews WHERE other IS NULL"
        ),
        1
    );
    assert_eq!(count(&world.home, "SELECT count(*) FROM recall_docs"), 1);
    assert_eq!(count(&world.home, "SELECT count(*) FROM recall_traces"), 1);
    // No term of it is left in the postings, nor its text in any row; the notebook and the session keep theirs.
    let conn = conn(&world.home);
    conn.execute_batch(external_rows::CLEAR).unwrap();
    conn.execute_batch(
        "DELETE FROM notebook_revisions; DELETE FROM notebook_suggestions; DELETE FROM events;
         DELETE FROM trust_pins; UPDATE sessions SET command = ''; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    .unwrap();
    assert_eq!(holding(world.home.root()), ["change.patch"]);
    let again = world.store.purge(&world.home, scope, false);
    assert!(matches!(
        again,
        Err(StoreError::NotFound { what: "memory", .. })
    ));
}

#[test]
fn sto_09_a_purged_session_takes_what_came_from_it() {
    let world = world();
    let scope = PurgeScope::Session(session());
    let purged = world.store.purge(&world.home, scope, false).unwrap();
    assert_eq!(
        (purged.counts.memories, purged.counts.sessions, purged.files),
        (1, 1, 1)
    );
    is_sound(&world);
    assert_eq!(
        count(
            &world.home,
            "SELECT count(*) FROM memories WHERE short LIKE 'mem_%'"
        ),
        1
    );
    assert_eq!(count(&world.home, "SELECT count(*) FROM events"), 0);
    assert_eq!(external_rows::left(&conn(&world.home)), 0);
}

#[test]
fn sto_09_before_a_date_keeps_the_notebook_in_force_and_what_is_undecided() {
    let world = world();
    let nothing = world
        .store
        .purge_plan(PurgeScope::Before(Millis(1)))
        .unwrap();
    assert!(nothing.is_empty(), "{nothing:?}");
    conn(&world.home)
        .execute_batch("UPDATE changes SET state = 'pending'")
        .unwrap();
    let scope = PurgeScope::Before(Millis(10));
    let purged = world.store.purge(&world.home, scope, false).unwrap();
    assert_eq!((purged.counts.memories, purged.counts.sessions), (2, 0));
    assert_eq!(purged.counts.notebook_revisions, 1);
    assert_eq!(
        count(&world.home, "SELECT max(version) FROM notebook_revisions"),
        2
    );
    is_sound(&world);
}

#[test]
fn sto_09_a_session_that_goes_on_or_has_a_checkout_is_refused() {
    let world = world();
    let conn = conn(&world.home);
    conn.execute_batch("INSERT INTO checkouts VALUES (1, x'2f63', 'kept', 7, 1, 'boot', 1)")
        .unwrap();
    for scope in [
        PurgeScope::Session(session()),
        PurgeScope::Project(project()),
    ] {
        let refused = world.store.purge(&world.home, scope, false);
        assert!(
            matches!(refused, Err(StoreError::CheckoutLeft { .. })),
            "{refused:?}"
        );
    }
    conn.execute_batch(
        "UPDATE checkouts SET state = 'live'; UPDATE sessions SET status = 'running'",
    )
    .unwrap();
    let refused = world
        .store
        .purge(&world.home, PurgeScope::Session(session()), false);
    assert!(
        matches!(refused, Err(StoreError::CheckoutLive { pid: 7 })),
        "{refused:?}"
    );
    assert_eq!(count(&world.home, "SELECT count(*) FROM memories"), 2);
}

#[test]
fn sto_09_backups_still_hold_it_and_are_named_or_removed() {
    let world = world();
    let plan = BackupPlan {
        target: None,
        wrapped_seal_key: None,
        now: Millis(1_800_000_000_000),
    };
    let made = back_up(&world.home, &plan).unwrap();
    fs::write(world.home.backups().join("mine.txt"), "a person's own").unwrap();
    let scope = PurgeScope::Memory(memory(SECRET));
    let purged = world.store.purge(&world.home, scope, false).unwrap();
    assert!(purged.backups.contains(&made.path));
    let scope = PurgeScope::Memory(memory(PLAIN));
    let purged = world.store.purge(&world.home, scope, true).unwrap();
    assert_eq!(purged.backups_removed, [made.path]);
    assert_eq!(
        copies(&world.home).unwrap(),
        [world.home.backups().join("mine.txt")]
    );
}

#[test]
fn sto_09_a_reader_that_keeps_the_log_open_is_told_of() {
    let world = world();
    let reader = conn(&world.home);
    let old = reader.unchecked_transaction().unwrap();
    let seen: i64 = old
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .unwrap();
    assert_eq!(seen, 2);
    let conn = conn(&world.home);
    // What the purge would wait ten seconds for, asked once.
    let busy: i64 = {
        conn.execute_batch("DELETE FROM memory_evidence").unwrap();
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(busy, 1, "a log that somebody reads is not cut");
    drop(old);
    let scope = PurgeScope::Project(project());
    assert!(
        world
            .store
            .purge(&world.home, scope, false)
            .unwrap()
            .log_is_cut
    );
}

/// A purge that a kill ended between the deletion and the rewriting: the rows are gone, their bytes are not.
fn cut_off() -> World {
    let world = world();
    let mut conn = world.store.eraser().unwrap();
    let transaction = conn.transaction().unwrap();
    super::rows::erase(&transaction, PurgeScope::Project(project()), 5).unwrap();
    super::mark(&transaction, 5).unwrap();
    transaction.commit().unwrap();
    assert!(!holding(world.home.root()).is_empty());
    world
}

#[test]
fn sto_09_a_purge_that_was_cut_off_is_seen_and_finished() {
    let world = cut_off();
    let peek = || crate::Peek::open(&world.home).unwrap().unwrap();
    assert!(peek().is_erasing_unfinished().unwrap());
    assert!(world.store.finish_erasing(&world.home).unwrap());
    assert_eq!(holding(world.home.root()), [""; 0]);
    assert!(!peek().is_erasing_unfinished().unwrap());
}

#[test]
fn sto_09_a_repair_finishes_what_a_purge_was_kept_from() {
    let world = cut_off();
    let mended = world.store.repair(&world.home).unwrap();
    let said = mended.done.join("\n");
    assert!(said.contains("rewrote the database"), "{said}");
    assert_eq!(holding(world.home.root()), [""; 0]);
}

#[test]
fn sto_09_what_a_session_suggested_goes_with_it() {
    let world = world();
    let source = format!("{{\"session\":\"{}\"}}", session().short());
    conn(&world.home)
        .execute("UPDATE notebook_suggestions SET source = ?1", [source])
        .unwrap();
    let scope = PurgeScope::Session(session());
    let purged = world.store.purge(&world.home, scope, false).unwrap();
    assert_eq!(purged.counts.suggestions, 1);
    let left = "SELECT count(*) FROM notebook_suggestions";
    assert_eq!(count(&world.home, left), 0);
}
