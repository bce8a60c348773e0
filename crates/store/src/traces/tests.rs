//! Traces as they are kept, looked up and cleared.

use std::sync::Arc;

use rusqlite::params;
use taffrail_domain::{Clock, Grade, MemoryId, Millis, ProjectId, TraceId};
use taffrail_redact::{Clean, Options, Redactor};

use super::{
    ImportedItem, NewTrace, NewTraceItem, TraceFilter, TraceKeep, TraceOutcome, TraceSurface,
};
use crate::convert::Fault;
use crate::writer::Durability;
use crate::{Home, Store, StoreError};

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 3_600_000;

struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(NOW)
    }
}

fn store(dir: &tempfile::TempDir) -> Store {
    let home = Home::at(&dir.path().join("home")).unwrap();
    Store::open(&home, Arc::new(Still)).unwrap()
}

fn id(number: u32) -> MemoryId {
    MemoryId::new(1, random(number))
}

fn random(number: u32) -> [u8; 10] {
    let mut bytes = [7; 10];
    bytes[6..].copy_from_slice(&number.to_be_bytes());
    bytes
}

fn clean(text: &str) -> Clean {
    Redactor::new(Options::default()).clean(text)
}

fn item(number: u32, outcome: TraceOutcome) -> NewTraceItem {
    NewTraceItem {
        memory: id(number),
        revision: 1,
        grade: Grade::Approved,
        relevance: 2.0,
        fade: 0.5,
        score: 1.0,
        marks: vec!["open".into()],
        outcome,
    }
}

fn new_trace(number: u32, at: i64) -> NewTrace {
    NewTrace {
        id: TraceId::new(1, random(number)),
        at: Millis(at),
        surface: TraceSurface::Search,
        session: Some(clean("run_abc")),
        turn: Some(3),
        project: None,
        query: clean("where is the deploy key"),
        terms: vec!["deploy".into(), "key".into()],
        grades: vec![Grade::Approved],
        limits: clean("{}"),
        candidates: 2,
        floor: Some(0.25),
        section_hash: Some([9; 32]),
        missed: false,
        items: vec![
            item(1, TraceOutcome::Given),
            item(2, TraceOutcome::NotInTop),
        ],
    }
}

fn run(store: &Store, sql: &'static str, number: u32) {
    store
        .write(Durability::Normal, move |tx| {
            tx.execute(sql, params![id(number).bytes(), id(number).short()])?;
            Ok::<_, Fault>(())
        })
        .unwrap();
}

fn a_memory(store: &Store, number: u32) {
    run(
        store,
        "INSERT INTO memories (id, short, type, first_provenance, provenance, channel, can_use_as_instruction,
           can_use_as_evidence, requires_user_confirmation, do_not_inject_automatically, status, lifecycle, shelf, source,
           idempotency_key, text_key, created_at, inserted_at)
         VALUES (?1, ?2, 'lesson', 'generated', 'generated', 'model', 0, 1, 0, 0, 'pending', 'active', 'queue', '{}',
                 CAST(?1 || ?1 AS BLOB), randomblob(32), 5, 5)",
        number,
    );
    run(
        store,
        "INSERT INTO memory_texts (memory, revision, summary, content, salt, hash, created_at)
         SELECT seq, 1, ?2, 'the whole', randomblob(16), randomblob(32), 5 FROM memories WHERE id = ?1",
        number,
    );
}

#[test]
fn rec_06_a_trace_reads_back_with_the_texts_of_then() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    a_memory(&store, 1);
    store
        .trace_recall(&new_trace(1, NOW), TraceKeep::default())
        .unwrap();
    let row = store.trace(&TraceId::new(1, random(1)).short()).unwrap();
    assert_eq!(row.query, "where is the deploy key");
    assert_eq!(
        (row.candidates, row.floor, row.turn),
        (2, Some(0.25), Some(3))
    );
    assert_eq!(
        (row.terms.len(), row.grades.as_slice()),
        (2, &[Grade::Approved][..])
    );
    assert_eq!(row.section_hash, Some([9; 32]));
    let items = store.trace_items(&row).unwrap();
    assert_eq!(items[0].outcome, TraceOutcome::Given);
    assert_eq!(items[0].text.as_ref().unwrap().summary, id(1).short());
    assert_eq!(
        items[1].text, None,
        "this memory was never there, as after a purge"
    );
}

#[test]
fn rec_06_a_later_revision_does_not_change_what_a_trace_says() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    a_memory(&store, 1);
    store
        .trace_recall(&new_trace(1, NOW), TraceKeep::default())
        .unwrap();
    let row = store.trace("trc_").unwrap();
    let before = store.trace_items(&row).unwrap();
    run(
        &store,
        "INSERT INTO memory_texts (memory, revision, summary, content, salt, hash, created_at)
         SELECT seq, 2, 'edited ' || ?2, 'other', randomblob(16), randomblob(32), 6 FROM memories WHERE id = ?1",
        1,
    );
    run(
        &store,
        "UPDATE memories SET revision = 2, version = 2 WHERE id = ?1 AND short = ?2",
        1,
    );
    assert_eq!(store.trace_items(&row).unwrap(), before);
}

#[test]
fn rec_06_traces_are_found_by_session_and_turn_and_by_prefix() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    for number in 1..=3 {
        let mut new = new_trace(number, NOW);
        new.turn = Some(u64::from(number));
        store.trace_recall(&new, TraceKeep::default()).unwrap();
    }
    let filter = TraceFilter {
        session: Some("run_abc".into()),
        turn: Some(2),
        ..TraceFilter::default()
    };
    let found = store.traces(&filter).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, TraceId::new(1, random(2)));
    let all = store.traces(&TraceFilter::default()).unwrap();
    assert!(all.is_sorted_by(|one, other| one.seq > other.seq) && all.len() == 3);
    assert!(matches!(
        store.trace("trc_"),
        Err(StoreError::Ambiguous { .. })
    ));
    for wrong in ["", "*", "trc_*", "mem_1", "trc_zzzzzzzzzz"] {
        assert!(
            matches!(store.trace(wrong), Err(StoreError::NotFound { .. })),
            "{wrong}"
        );
    }
    let again = store.trace_recall(&new_trace(1, NOW), TraceKeep::default());
    assert!(matches!(again, Err(StoreError::IdTaken { .. })));
}

#[test]
fn rec_06_traces_are_kept_by_count_and_by_age() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let keep = TraceKeep {
        age_millis: 10 * DAY,
        count: 5,
    };
    let listed = || store.traces(&TraceFilter::default()).unwrap().len();
    for number in 0..20 {
        store.trace_recall(&new_trace(number, NOW), keep).unwrap();
    }
    assert_eq!(listed(), 5);
    // A clock that goes back takes nothing away; one that goes on takes what is too old.
    store
        .trace_recall(&new_trace(50, NOW - 3 * DAY), keep)
        .unwrap();
    assert_eq!(listed(), 5);
    store
        .trace_recall(&new_trace(51, NOW + 11 * DAY), keep)
        .unwrap();
    assert_eq!(listed(), 1, "all others are older than ten days");
    let orphans: i64 = store
        .read(|conn| {
            let sql = "SELECT count(*) FROM recall_trace_items WHERE trace NOT IN (SELECT seq FROM recall_traces)";
            Ok(conn.query_row(sql, [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(orphans, 0);
}

#[test]
fn rec_06_one_insert_clears_a_bounded_number() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let wide = TraceKeep::default();
    for number in 0..200 {
        store.trace_recall(&new_trace(number, NOW), wide).unwrap();
    }
    let narrow = TraceKeep { count: 1, ..wide };
    let listed = || {
        let filter = TraceFilter {
            limit: 1_000,
            ..TraceFilter::default()
        };
        store.traces(&filter).unwrap().len()
    };
    store.trace_recall(&new_trace(500, NOW), narrow).unwrap();
    assert_eq!(listed(), 201 - 64);
    for number in 501..505 {
        store.trace_recall(&new_trace(number, NOW), narrow).unwrap();
    }
    assert_eq!(listed(), 1);
}

#[test]
fn rec_07_blame_names_every_recall_and_every_derived_row() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    for number in 1..=4 {
        a_memory(&store, number);
    }
    for number in 1..=3 {
        store
            .trace_recall(&new_trace(number, NOW), TraceKeep::default())
            .unwrap();
    }
    let reached = store.traces_of_memory(&id(2), 10).unwrap();
    assert_eq!(reached.len(), 3);
    assert!(
        reached
            .iter()
            .all(|reached| reached.outcome == TraceOutcome::NotInTop)
    );
    assert_eq!(
        reached[0].trace.id,
        TraceId::new(1, random(3)),
        "newest first"
    );
    assert_eq!(store.traces_of_memory(&id(4), 10).unwrap(), []);
    store
        .write(Durability::Normal, |tx| {
            // 2 from 1, 3 from 2, 4 from 3, and a loop that only a hand can make.
            tx.execute_batch(
                "INSERT INTO memory_derivations VALUES (2, 1), (3, 2), (4, 3), (1, 4)",
            )?;
            Ok::<_, Fault>(())
        })
        .unwrap();
    let derived = store.derived_from(&id(1)).unwrap();
    let seen: Vec<_> = derived
        .iter()
        .map(|row| (row.memory, row.distance))
        .collect();
    assert_eq!(seen, [(id(2), 1), (id(3), 2), (id(4), 3)]);
}

#[test]
fn rec_08_misses_are_recorded_and_kept_by_count() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let keep = TraceKeep {
        count: 3,
        ..TraceKeep::default()
    };
    store.trace_recall(&new_trace(0, NOW), keep).unwrap();
    assert_eq!(store.recall_misses(None, 10).unwrap(), []);
    for number in 1..6 {
        let mut new = new_trace(number, NOW);
        new.missed = true;
        new.query = clean(&format!("question {number}"));
        store.trace_recall(&new, keep).unwrap();
    }
    let misses = store.recall_misses(None, 10).unwrap();
    let asked: Vec<_> = misses.iter().map(|miss| miss.query.as_str()).collect();
    assert_eq!(asked, ["question 5", "question 4", "question 3"]);
}

#[test]
fn rec_06_a_trace_of_a_project_that_is_not_there_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let mut new = new_trace(1, NOW);
    new.project = Some(ProjectId::new(1, [3; 10]));
    let done = store.trace_recall(&new, TraceKeep::default());
    assert!(matches!(
        done,
        Err(StoreError::NotFound {
            what: "project",
            ..
        })
    ));
    assert_eq!(store.traces(&TraceFilter::default()).unwrap(), []);
}

#[test]
fn rec_06_a_trace_keeps_a_bounded_number_of_candidates() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let mut new = new_trace(1, NOW);
    new.items = (0..1_000)
        .map(|number| item(number, TraceOutcome::NotInTop))
        .collect();
    new.candidates = 1_000;
    store.trace_recall(&new, TraceKeep::default()).unwrap();
    let row = store.trace("trc_").unwrap();
    assert_eq!(row.candidates, 1_000);
    assert_eq!(store.trace_items(&row).unwrap().len(), 256);
}

#[test]
fn rec_12_what_an_import_held_is_replaced_whole_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(&dir);
    let item = |name: &str, byte| ImportedItem {
        item: name.to_owned(),
        hash: [byte; 32],
    };
    let (first, second) = (vec![item("a", 1), item("b", 2)], vec![item("b", 3)]);
    store.set_imported(None, "claude", &first).unwrap();
    store.set_imported(None, "codex", &second).unwrap();
    assert_eq!(store.imported(None, "claude").unwrap(), first);
    store.set_imported(None, "claude", &second).unwrap();
    assert_eq!(store.imported(None, "claude").unwrap(), second);
    assert_eq!(store.imported(None, "other").unwrap(), []);
    let nowhere = Some(ProjectId::new(1, [3; 10]));
    assert!(store.imported(nowhere, "claude").is_err());
}
