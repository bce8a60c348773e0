use taffrail_domain::{Grade, MemoryType, Millis};

use crate::rank::{Ranking, pack};

use super::{Absence, IndexedRow, MemoryIndex, Partition, Request, explain_absence, recall};

const NOW: Millis = Millis(1_800_000_000_000);

fn row(content: &str) -> IndexedRow {
    IndexedRow {
        kind: MemoryType::Lesson,
        dated: NOW,
        stale_after: None,
        document: pack("", content, &[], &[]),
    }
}

fn ask<'a>(query: &'a str, grades: &'a [Grade], limit: usize) -> Request<'a> {
    Request {
        project: Some(7),
        grades,
        query,
        limit,
        now: NOW,
        ranking: Ranking::default(),
    }
}

fn memories(index: &MemoryIndex, request: &Request<'_>) -> Vec<i64> {
    let Ok(recalled) = recall(index, request);
    recalled
        .hits
        .iter()
        .take(request.limit)
        .map(|hit| hit.memory)
        .collect()
}

fn approved() -> Partition {
    Partition::new(Grade::Approved, Some(7))
}

#[test]
fn rec_02_one_two_and_three_rows_are_ranked_soundly() {
    let mut index = MemoryIndex::default();
    let request = ask("which port does the gateway use", &[Grade::Approved], 5);
    index.put(approved(), 1, row("the gateway listens on port 8443"));
    assert_eq!(memories(&index, &request), [1]);
    index.put(approved(), 2, row("the worker has no port"));
    assert_eq!(memories(&index, &request), [1, 2]);
    index.put(approved(), 3, row("the gateway is written in Rust"));
    assert_eq!(memories(&index, &request).first(), Some(&1));
    let Ok(recalled) = recall(&index, &request);
    assert!(
        recalled
            .hits
            .iter()
            .all(|hit| hit.score > 0.0 && hit.score <= 1.0)
    );
}

#[test]
fn rec_02_ties_go_by_memory() {
    let mut index = MemoryIndex::default();
    for memory in [5, 3, 9, 4] {
        index.put(approved(), memory, row("the cache is warm"));
    }
    assert_eq!(
        memories(&index, &ask("cache", &[Grade::Approved], 3)),
        [3, 4, 5]
    );
}

#[test]
fn rec_01_only_asked_for_grades_and_scopes_are_seen() {
    let mut index = MemoryIndex::default();
    index.put(approved(), 1, row("cache size 64"));
    index.put(
        Partition::new(Grade::Pending, Some(7)),
        2,
        row("cache size 65"),
    );
    index.put(
        Partition::new(Grade::Approved, Some(8)),
        3,
        row("cache size 66"),
    );
    index.put(
        Partition::new(Grade::Approved, None),
        4,
        row("cache size 67"),
    );
    let grades = [Grade::Approved];
    let mut request = ask("cache size", &grades, 9);
    assert_eq!(memories(&index, &request), [1, 4]);
    request.project = None;
    assert_eq!(memories(&index, &request), [4]);
    let both = [Grade::Approved, Grade::Pending];
    assert_eq!(memories(&index, &ask("cache size", &both, 9)), [1, 2, 4]);
}

#[test]
fn rec_07_absence_names_the_filter_or_rank() {
    let mut index = MemoryIndex::default();
    let stale = IndexedRow {
        stale_after: Some(Millis(5)),
        ..row("cache size")
    };
    index.put(approved(), 1, row("cache size of the cache"));
    index.put(
        approved(),
        2,
        row("cache and much else that is said about other things here"),
    );
    index.put(approved(), 3, stale);
    index.put(approved(), 4, row("nothing of it"));
    index.put(Partition::new(Grade::Pending, Some(7)), 5, row("cache"));
    index.put(Partition::new(Grade::Approved, Some(8)), 6, row("cache"));
    let request = ask("cache size", &[Grade::Approved], 1);
    let why = |memory| {
        let Ok(absence) = explain_absence(&index, &request, memory);
        absence
    };
    assert!(matches!(why(1), Absence::Offered { rank: 1, .. }));
    assert!(matches!(why(2), Absence::PastLimit { rank: 2, .. }));
    assert_eq!(why(3), Absence::Stale { since: Millis(5) });
    assert_eq!(why(4), Absence::NothingShared);
    assert_eq!(
        why(5),
        Absence::GradeNotAsked {
            grade: Grade::Pending
        }
    );
    assert_eq!(why(6), Absence::OtherScope { project: Some(8) });
    assert_eq!(why(7), Absence::NotIndexed);
}

#[test]
fn rec_08_an_empty_question_or_index_knows_nothing() {
    let mut index = MemoryIndex::default();
    let Ok(nothing) = recall(&index, &ask("cache", &[Grade::Approved], 5));
    assert!(nothing.nothing_known && nothing.hits.is_empty());
    index.put(approved(), 1, row("cache"));
    let Ok(nothing) = recall(&index, &ask("the of and", &[Grade::Approved], 5));
    assert!(nothing.nothing_known && nothing.hits.is_empty());
}
