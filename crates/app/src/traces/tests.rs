//! A trace says the same for as long as it is kept.

use sha2::{Digest, Sha256};
use taffrail_domain::{Channel, Grade, MemoryId, MemoryType, TraceId};
use taffrail_memory::draft::{Draft, Scope, screen};
use taffrail_memory::inject::{self, Item, Limits};
use taffrail_memory::review::{Decision, Key, Surface};
use taffrail_store::{
    MemoryRow, NewTrace, NewTraceItem, PurgeScope, Reviewed, TraceKeep, TraceOutcome, TraceSurface,
};

use super::replay::replay;
use super::why_not::{Kept, why_not};
use super::{asked, blame, why};
use crate::a_world::{NOW, World, world};
use crate::memory::write::write_all;
use crate::traces::Asked;

fn draft(text: &str) -> Draft {
    Draft::new(
        Scope::Personal,
        MemoryType::Lesson,
        text.to_owned(),
        Channel::Operator,
    )
}

fn write(world: &World, texts: impl Iterator<Item = String>) -> Vec<MemoryId> {
    let drafts = texts.map(|text| draft(&text)).collect();
    let written = write_all(&world.app, drafts).unwrap();
    written
        .into_iter()
        .map(|done| done.unwrap().memory)
        .collect()
}

fn trace_id(number: u32) -> TraceId {
    let mut random = [3; 10];
    random[6..].copy_from_slice(&number.to_be_bytes());
    TraceId::new(1, random)
}

/// A recall that gave these memories as they are now; the bytes of its section.
fn give(world: &World, number: u32, memories: &[MemoryRow]) -> String {
    let limits = Limits {
        line_chars: 60 + number as usize % 100,
        ..Limits::default()
    };
    let marks = vec!["pending".to_owned()];
    let items: Vec<Item> = memories
        .iter()
        .map(|row| Item {
            id: row.id,
            kind: row.kind,
            summary: row.text.summary.clone(),
            content: row.text.content.clone(),
            marks: marks.clone(),
        })
        .collect();
    let section = inject::render(&items, &limits).section;
    let items = memories.iter().map(|row| NewTraceItem {
        memory: row.id,
        revision: row.text.revision,
        grade: Grade::Pending,
        relevance: 1.0,
        fade: 1.0,
        score: 1.0,
        marks: marks.clone(),
        outcome: TraceOutcome::Given,
    });
    let clean = |text: &str| world.app.redactor.clean(text);
    let limits = serde_json::json!({"items": limits.items, "line_chars": limits.line_chars, "total_chars": limits.total_chars});
    let new = NewTrace {
        id: trace_id(number),
        at: NOW,
        surface: TraceSurface::Chat,
        session: Some(clean("run_x")),
        turn: Some(u64::from(number)),
        project: None,
        query: clean("what do we know"),
        terms: vec!["know".to_owned()],
        grades: vec![Grade::Pending],
        limits: clean(&limits.to_string()),
        candidates: 3,
        floor: None,
        section_hash: Some(Sha256::digest(section.as_bytes()).into()),
        missed: false,
        items: items.collect(),
    };
    world
        .app
        .store
        .trace_recall(&new, TraceKeep::default())
        .unwrap();
    section
}

fn rows(world: &World, ids: &[MemoryId]) -> Vec<MemoryRow> {
    let rows = ids.iter().map(|id| world.app.store.memory(id).unwrap());
    rows.collect()
}

fn reviewed(row: &MemoryRow) -> Reviewed {
    Reviewed {
        memory: row.id,
        expected_version: row.version,
        expected_hash: row.reviewed_text().hash,
        notes: None,
    }
}

fn edit(world: &World, id: MemoryId, text: &str) {
    let row = world.app.store.memory(&id).unwrap();
    let text = screen(draft(text), &world.app.redactor).unwrap();
    let key = Key::pressed(Surface::Terminal);
    world
        .app
        .store
        .edit_memory(&reviewed(&row), text, [7; 16], key)
        .unwrap();
}

fn reject(world: &World, id: MemoryId) {
    let row = world.app.store.memory(&id).unwrap();
    let decision = Decision::Reject(Key::pressed(Surface::Terminal));
    world
        .app
        .store
        .review(decision, &[reviewed(&row)], None)
        .unwrap();
}

#[test]
fn rec_07_a_thousand_traces_replay_after_a_thousand_writes() {
    let world = world();
    let texts = (0..30).map(|number| format!("fact {number}\n# about the build of part {number}"));
    let ids = write(&world, texts);
    let sections: Vec<String> = (0..1_000_u32)
        .map(|number| {
            let from = number as usize % 27;
            give(&world, number, &rows(&world, &ids[from..from + 3]))
        })
        .collect();
    for id in &ids[..10] {
        edit(&world, *id, &format!("quite another text of {id}"));
    }
    for id in &ids[10..15] {
        reject(&world, *id);
    }
    write(
        &world,
        (0..1_000).map(|number| format!("later text {number} about the build")),
    );
    for (number, section) in (0..).zip(&sections) {
        let row = world.app.store.trace(&trace_id(number).short()).unwrap();
        let again = replay(&world.app, &row).unwrap();
        assert!(again.is_same, "trace {number}");
        assert_eq!(again.section.as_ref(), Some(section));
    }
    // The twin: rendered from the texts of today, the bytes are others.
    let today = give(&world, 5_000, &rows(&world, &ids[0..3]));
    assert_ne!(today, sections[0]);
}

#[test]
fn rec_07_what_was_purged_is_told_and_nothing_stands_in_its_place() {
    let world = world();
    let ids = write(&world, ["one".to_owned(), "two".to_owned()].into_iter());
    give(&world, 1, &rows(&world, &ids));
    let row = world.app.store.trace("trc_").unwrap();
    let scope = PurgeScope::Memory(ids[0]);
    world
        .app
        .store
        .purge(&world.app.home, scope, false)
        .unwrap();
    match world.app.store.trace("trc_") {
        // The purge takes the traces that a memory was in along with it.
        Err(_) => assert!(world.app.store.trace_items(&row).unwrap().is_empty()),
        Ok(row) => {
            let again = replay(&world.app, &row).unwrap();
            assert_eq!((again.is_same, again.purged), (false, vec![ids[0]]));
        }
    }
}

#[test]
fn rec_07_a_search_made_no_section_and_replays_as_none() {
    let world = world();
    let ids = write(&world, std::iter::once("one".to_owned()));
    let rows = rows(&world, &ids);
    give(&world, 1, &rows);
    let mut trace = world.app.store.trace("trc_").unwrap();
    trace.limits = r#"{"items":10}"#.to_owned();
    trace.section_hash = None;
    let again = replay(&world.app, &trace).unwrap();
    assert_eq!((again.section, again.is_same), (None, true));
}

#[test]
fn rec_07_why_not_names_the_filter() {
    let world = world();
    let ids = write(
        &world,
        ["given one", "rejected one", "nothing alike"]
            .into_iter()
            .map(str::to_owned),
    );
    give(&world, 1, &rows(&world, &ids[..1]));
    reject(&world, ids[1]);
    let trace = trace_id(1).short();
    let kept = |id: &MemoryId| why_not(&world.app, &id.short(), Some(&trace)).unwrap();
    let given = kept(&ids[0]);
    assert_eq!((given.kept, given.is_recorded), (Kept::Given, true));
    assert_eq!(kept(&ids[1]).kept, Kept::Lifecycle);
    let other = kept(&ids[2]);
    assert_eq!(
        (other.kept, other.is_recorded),
        (Kept::NoSharedTerm, false),
        "{}",
        other.because
    );
}

#[test]
fn rec_06_a_turn_is_named_by_its_session() {
    assert_eq!(asked("trc_abc"), Asked::Trace("trc_abc"));
    assert_eq!(asked("run_abc:7"), Asked::Session("run_abc", Some(7)));
    assert_eq!(asked("run_abc"), Asked::Session("run_abc", None));
    assert_eq!(asked("a:b:12"), Asked::Session("a:b", Some(12)));
    assert_eq!(asked("a:b"), Asked::Session("a:b", None));
    let world = world();
    let ids = write(&world, std::iter::once("one".to_owned()));
    for number in 1..=3 {
        give(&world, number, &rows(&world, &ids));
    }
    let of_turn = why(&world.app, "run_x:2").unwrap();
    assert_eq!(of_turn.len(), 1);
    assert_eq!(of_turn[0].items[0].memory, ids[0]);
    let all: Vec<_> = why(&world.app, "run_x").unwrap();
    assert_eq!(all.len(), 3);
    assert!(all.is_sorted_by(|one, other| one.trace.seq < other.trace.seq));
    assert!(why(&world.app, "run_x:9").is_err());
    let blame = blame(&world.app, &ids[0].short()).unwrap();
    assert_eq!((blame.reached.len(), blame.derived.len()), (3, 0));
}
