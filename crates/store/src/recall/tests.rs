use std::ops::ControlFlow;

use rusqlite::Connection;
use taffrail_domain::{Grade, MemoryType, Millis};
use taffrail_memory::rank::Ranking;
use taffrail_memory::recall::{Index, Partition, Recalled, Request, recall};
use taffrail_memory::token;

use super::tail;
use super::{IndexRow, TableIndex, near_candidates, put, put_many, remove};

/// A database with the index's tables alone.
pub(super) fn empty() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(include_str!("../../migrations/0003_recall.sql"))
        .unwrap();
    conn
}

fn row(memory_seq: i64, lane: Grade, content: &str) -> IndexRow<'_> {
    IndexRow {
        memory_seq,
        lane,
        project: Some(3),
        created_at: 0,
        confirmed_at: None,
        stale_after: None,
        kind: MemoryType::Decision,
        summary: "",
        content,
        before: &[],
        after: &[],
    }
}

fn ask(conn: &Connection, query: &str, grades: &[Grade]) -> Recalled {
    let request = Request {
        project: Some(3),
        grades,
        query,
        limit: 10,
        now: Millis(1),
        ranking: Ranking::default(),
    };
    recall(&TableIndex::new(conn), &request).unwrap()
}

fn memories(conn: &Connection, query: &str, grades: &[Grade]) -> Vec<i64> {
    ask(conn, query, grades)
        .hits
        .iter()
        .map(|hit| hit.memory)
        .collect()
}

fn dump(conn: &Connection) -> String {
    let read = |sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            (0..columns)
                .map(|at| row.get_ref(at).map(|value| format!("{value:?}")))
                .collect::<Result<String, _>>()
        });
        rows.unwrap().map(Result::unwrap).collect()
    };
    format!(
        "{:?} {:?} {:?}",
        read("SELECT * FROM recall_docs ORDER BY key"),
        read("SELECT key, rows FROM recall_terms ORDER BY key"),
        read("SELECT * FROM recall_partitions WHERE rows > 0 ORDER BY partition"),
    )
}

#[test]
fn rec_04_a_row_moves_between_grades_and_leaves_no_trace_when_removed() {
    let conn = empty();
    put(
        &conn,
        &row(1, Grade::Approved, "the gateway listens on 8443"),
    )
    .unwrap();
    let before = dump(&conn);
    put(
        &conn,
        &row(2, Grade::Pending, "gateway secrets lie in vault"),
    )
    .unwrap();
    assert_eq!(memories(&conn, "gateway", &[Grade::Approved]), [1]);
    assert_eq!(memories(&conn, "gateway", &[Grade::Pending]), [2]);
    put(
        &conn,
        &row(2, Grade::Evidence, "gateway secrets lie in vault"),
    )
    .unwrap();
    assert_eq!(memories(&conn, "gateway", &[Grade::Pending]), [0; 0]);
    assert_eq!(memories(&conn, "vault", &[Grade::Evidence]), [2]);
    remove(&conn, 2).unwrap();
    remove(&conn, 2).unwrap();
    assert_eq!(dump(&conn), before);
    assert_eq!(memories(&conn, "vault gateway", Grade::ALL), [1]);
}

#[test]
fn rec_04_one_by_one_and_in_a_batch_make_the_same_index() {
    let texts: Vec<String> = (0..50)
        .map(|number| format!("row {} of word{}", number, number % 7))
        .collect();
    let rows: Vec<IndexRow<'_>> = (1..)
        .zip(&texts)
        .map(|(seq, text)| row(seq, Grade::Approved, text))
        .collect();
    let (one, all) = (empty(), empty());
    rows.iter().for_each(|row| put(&one, row).unwrap());
    put_many(&all, &rows).unwrap();
    for conn in [&one, &all] {
        tail::settle(conn, 0).unwrap();
    }
    assert!(dump(&one) == dump(&all));
}

#[test]
fn rec_04_a_row_in_the_tail_is_found_counted_and_taken_out_like_any_other() {
    let (tail_only, listed) = (empty(), empty());
    for seq in 1..40 {
        let text = format!("the gateway of site{seq} listens on 84{seq}");
        put(&tail_only, &row(seq, Grade::Approved, &text)).unwrap();
        put(&listed, &row(seq, Grade::Approved, &text)).unwrap();
    }
    tail::settle(&listed, 0).unwrap();
    for query in ["gateway", "site7 gateway", "8412", "nothing like it"] {
        let both = [&tail_only, &listed].map(|conn| ask(conn, query, &[Grade::Approved]));
        assert_eq!(both[0], both[1], "{query}");
    }
    remove(&tail_only, 7).unwrap();
    remove(&listed, 7).unwrap();
    for conn in [&tail_only, &listed] {
        assert_eq!(memories(conn, "site7", &[Grade::Approved]), [0; 0]);
        assert_eq!(broken(conn), None);
        tail::settle(conn, 0).unwrap();
    }
    assert_eq!(dump(&tail_only), dump(&listed));
}

#[test]
fn rec_04_full_lists_are_closed_and_rows_leave_them() {
    let conn = empty();
    for seq in 1..2_000 {
        let text = ["common even", "common odd"][usize::from(seq % 2 == 1)];
        put(&conn, &row(seq, Grade::Approved, text)).unwrap();
    }
    let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(broken(&conn), None, "with a tail");
    tail::settle(&conn, 0).unwrap();
    assert!(count("SELECT count(*) FROM recall_blocks") > 0);
    assert_eq!(broken(&conn), None);
    let mut found = 0;
    let index = TableIndex::new(&conn);
    let partition = Partition::new(Grade::Approved, Some(3));
    let count_one = &mut |_| {
        found += 1;
        ControlFlow::Continue(())
    };
    index.postings(partition, "common", count_one).unwrap();
    assert_eq!(found, 1_999);
    for seq in 1..2_000 {
        remove(&conn, seq).unwrap();
    }
    assert_eq!(count("SELECT count(*) FROM recall_blocks"), 0);
    assert_eq!(count("SELECT count(*) FROM recall_terms"), 0);
}

#[test]
fn sto_10_a_lost_posting_is_found() {
    let conn = empty();
    put(&conn, &row(1, Grade::Approved, "cache size")).unwrap();
    tail::settle(&conn, 0).unwrap();
    assert_eq!(broken(&conn), None);
    conn.execute(
        "UPDATE recall_terms SET memories = x'' WHERE rowid % 2 = 0 OR rowid % 2 = 1",
        [],
    )
    .unwrap();
    assert!(broken(&conn).is_some());
}

#[test]
fn sto_09_no_word_of_a_row_is_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(include_str!("../../migrations/0003_recall.sql"))
        .unwrap();
    put(&conn, &row(1, Grade::Approved, "xyzzysentinel words")).unwrap();
    drop(conn);
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(8).any(|window| window == b"xyzzysen"));
}

fn broken(conn: &Connection) -> Option<String> {
    let sql = "SELECT coalesce(sum(rows), 0) FROM recall_terms";
    let counted = conn.query_row(sql, [], |row| row.get(0)).unwrap();
    super::check::broken_postings(conn, counted).unwrap()
}

#[test]
fn rec_03_every_indexed_word_finds_its_row() {
    let texts = [
        "src/store/recall.rs keeps MAX_RETRY_COUNT for getUserName",
        "数据库连接池的大小是十",
        "ログの回転に失敗した",
        "비밀번호는 열네 글자",
        "ใบรับรองหมดอายุ",
        "Crème brûlée — naïve façade; Straße, Ёлка, œuvre",
        "v1.2.3 x-forwarded-for foo::bar <T> {json: \"yes\"} 100% a+b",
    ];
    let conn = empty();
    for (seq, text) in (1..).zip(texts) {
        put(&conn, &row(seq, Grade::Approved, text)).unwrap();
    }
    for (seq, text) in (1..).zip(texts) {
        for term in token::terms(text) {
            assert!(
                memories(&conn, &term, &[Grade::Approved]).contains(&seq),
                "{term}"
            );
        }
        for word in text
            .split(' ')
            .filter(|word| !token::terms(word).is_empty())
        {
            assert!(
                memories(&conn, word, &[Grade::Approved]).contains(&seq),
                "{word}"
            );
        }
    }
}

#[test]
fn rec_03_operators_are_words_or_nothing() {
    let conn = empty();
    put(&conn, &row(1, Grade::Approved, "cache size")).unwrap();
    for query in [
        "cache\"",
        "cache AND",
        "NEAR(cache",
        "cache*",
        "^cache",
        "terms:cache",
        "-cache",
        "cache\0",
        "(",
        "{cache}",
        "cache OR",
    ] {
        let found = memories(&conn, query, &[Grade::Approved]);
        assert_eq!(found.len(), usize::from(query.contains("cache")), "{query}");
    }
}

#[test]
fn mem_05_near_candidates_are_approved_rows_of_the_scope() {
    let conn = empty();
    put(
        &conn,
        &row(1, Grade::Approved, "the gateway listens on port 8443"),
    )
    .unwrap();
    put(
        &conn,
        &row(2, Grade::Pending, "the gateway listens on port 8443"),
    )
    .unwrap();
    put(
        &conn,
        &IndexRow {
            project: Some(4),
            ..row(3, Grade::Approved, "the gateway listens on port 8443")
        },
    )
    .unwrap();
    put(
        &conn,
        &IndexRow {
            project: None,
            ..row(4, Grade::Approved, "the gateway listens on port 8443")
        },
    )
    .unwrap();
    let near =
        |project| near_candidates(&conn, project, "gateway listens on port 9443", 20).unwrap();
    assert_eq!(near(Some(3)), [1]);
    assert_eq!(near(None), [4]);
    assert_eq!(near(Some(5)), [0; 0]);
}

#[test]
fn rec_01_a_row_past_its_time_is_not_recalled_and_says_so() {
    let conn = empty();
    put(
        &conn,
        &IndexRow {
            stale_after: Some(1),
            ..row(1, Grade::Approved, "cache size")
        },
    )
    .unwrap();
    put(
        &conn,
        &IndexRow {
            stale_after: Some(2),
            ..row(2, Grade::Approved, "cache size")
        },
    )
    .unwrap();
    let found = ask(&conn, "cache", &[Grade::Approved]);
    assert_eq!(
        found.hits.iter().map(|hit| hit.memory).collect::<Vec<_>>(),
        [2]
    );
    assert_eq!(found.considered.len(), 1);
}

/// A small generator with a fixed seed: any code point, weighted to what breaks parsers.
fn letter(state: &mut u64) -> char {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    let drawn = (*state >> 33) as u32;
    let pick = match drawn % 5 {
        0 => 32 + drawn / 5 % 95,
        1 => drawn / 5 % 0x3000,
        2 => 0x3000 + drawn / 5 % 0xA000,
        3 => drawn / 5 % 128,
        _ => drawn / 5 % 0x11_0000,
    };
    char::from_u32(pick).unwrap_or('"')
}

#[test]
fn rec_03_a_hundred_thousand_random_questions_raise_no_error() {
    let conn = empty();
    let mut state = 1;
    for seq in 1..200 {
        let text: String = (0..30).map(|_| letter(&mut state)).collect();
        put(&conn, &row(seq, Grade::Approved, &text)).unwrap();
    }
    for _ in 0..100_000 {
        let length = 1 + letter(&mut state) as usize % 12;
        let query: String = (0..length).map(|_| letter(&mut state)).collect();
        let _found = ask(&conn, &query, &[Grade::Approved]);
    }
}
