//! The project's own retrieval set against the real index: a bar that may rise and never falls (REC-11), and the floor.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use taffrail_domain::{Grade, MemoryType, Millis};
use taffrail_memory::rank::Ranking;
use taffrail_memory::recall::{FLOOR, Recalled, Request, recall};

use super::{IndexRow, TableIndex, put, put_many};

/// 1 November 2026, the day from which the set's ages are counted.
pub(super) const NOW: Millis = Millis(1_793_523_600_000);

#[derive(serde::Deserialize)]
struct Line {
    id: String,
    project: String,
    r#type: String,
    summary: String,
    content: String,
    created: String,
    before: Vec<String>,
    after: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Question {
    query: String,
    project: String,
    lang: String,
    expect: Vec<String>,
}

/// The set in an index of its own.
pub(super) struct Set {
    pub(super) conn: Connection,
    ids: Vec<String>,
    projects: HashMap<String, i64>,
    questions: Vec<Question>,
}

fn lines<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Days since the year 0, close enough for ages.
fn days(date: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| date[range].parse::<i64>().unwrap();
    part(0..4) * 365 + part(5..7) * 30 + part(8..10)
}

impl Set {
    pub(super) fn load() -> Self {
        let conn = super::tests::empty();
        let rows: Vec<Line> = lines(include_str!("../../tests/retrieval/rows.jsonl"));
        let mut projects = HashMap::new();
        for row in &rows {
            let next = projects.len() as i64 + 1;
            projects.entry(row.project.clone()).or_insert(next);
        }
        let batch: Vec<IndexRow<'_>> = (1..)
            .zip(&rows)
            .map(|(seq, row)| IndexRow {
                memory_seq: seq,
                lane: Grade::Approved,
                project: projects.get(&row.project).copied(),
                created_at: NOW.0 - (days("2026-11-01") - days(&row.created)) * 86_400_000,
                confirmed_at: None,
                stale_after: None,
                kind: row.r#type.parse::<MemoryType>().unwrap(),
                summary: &row.summary,
                content: &row.content,
                before: &row.before,
                after: &row.after,
            })
            .collect();
        put_many(&conn, &batch).unwrap();
        let ids = rows.into_iter().map(|row| row.id).collect();
        let questions = lines(include_str!("../../tests/retrieval/questions.jsonl"));
        Self {
            conn,
            ids,
            projects,
            questions,
        }
    }

    fn ask(&self, question: &Question, ranking: Ranking) -> Recalled {
        let request = Request {
            project: self.projects.get(&question.project).copied(),
            grades: &[Grade::Approved],
            query: &question.query,
            limit: 10,
            now: NOW,
            ranking,
        };
        recall(&TableIndex::new(&self.conn), &request).unwrap()
    }

    /// Every answer to every question, as bytes.
    fn answers(&self) -> String {
        let answer = |question| format!("{:?}", self.ask(question, Ranking::default()));
        self.questions.iter().map(answer).collect()
    }

    fn id(&self, memory: i64) -> &str {
        &self.ids[usize::try_from(memory).unwrap() - 1]
    }
}

#[derive(Debug, Default)]
struct Quality {
    questions: f64,
    recall: f64,
    gain: f64,
}

fn qualities(set: &Set, ranking: Ranking) -> BTreeMap<String, Quality> {
    let mut found: BTreeMap<String, Quality> = BTreeMap::new();
    for question in set
        .questions
        .iter()
        .filter(|question| !question.expect.is_empty())
    {
        let recalled = set.ask(question, ranking);
        let place = |id: &String| {
            recalled
                .hits
                .iter()
                .take(10)
                .position(|hit| set.id(hit.memory) == id)
        };
        let gain = |at: usize| 1.0 / (at as f64 + 2.0).log2();
        let places: Vec<usize> = question.expect.iter().filter_map(place).collect();
        let ideal: f64 = (0..question.expect.len()).map(gain).sum();
        if places.is_empty() {
            println!("missed: {} ({})", question.query, question.expect.join(" "));
        }
        for group in ["all", &question.lang] {
            let quality = found.entry(group.to_owned()).or_default();
            quality.questions += 1.0;
            quality.recall += places.len() as f64 / question.expect.len() as f64;
            quality.gain += places.iter().map(|at| gain(*at)).sum::<f64>() / ideal;
        }
    }
    found
}

#[test]
fn rec_11_the_retrieval_set_keeps_its_bar() {
    let set = Set::load();
    assert!(set.ids.len() >= 300);
    let found = qualities(&set, Ranking::default());
    for (group, quality) in &found {
        let of = quality.questions;
        println!(
            "{group}: {of} questions, recall@10 {:.3}, nDCG@10 {:.3}",
            quality.recall / of,
            quality.gain / of
        );
    }
    let share =
        |group: &str, part: fn(&Quality) -> f64| part(&found[group]) / found[group].questions;
    assert!(found["all"].questions >= 150.0);
    assert!(share("all", |quality| quality.recall) >= 0.98);
    assert!(share("all", |quality| quality.gain) >= 0.92);
    assert!(share("zh", |quality| quality.recall) >= 0.97);
    assert!(share("ja", |quality| quality.recall) >= 0.97);
}

#[test]
fn rec_08_the_floor_is_where_95_of_100_questions_without_an_answer_fall() {
    let set = Set::load();
    let best = |question: &Question| {
        let recalled = set.ask(question, Ranking::default());
        recalled
            .hits
            .iter()
            .map(|hit| hit.relevance)
            .fold(0.0, f64::max)
    };
    let (without, with): (Vec<_>, Vec<_>) = set
        .questions
        .iter()
        .partition(|question| question.expect.is_empty());
    let mut without: Vec<f64> = without.into_iter().map(best).collect();
    without.sort_by(f64::total_cmp);
    let at = without.len() * 95 / 100;
    let kept = with
        .iter()
        .filter(|question| best(question) >= FLOOR)
        .count();
    println!(
        "95 % of {} fall below {:.4}; {kept} of {} with an answer are above the floor {FLOOR}",
        without.len(),
        without[at],
        with.len()
    );
    assert!(
        without[..at].iter().all(|score| *score < FLOOR),
        "raise the floor to {:.3}",
        without[at - 1]
    );
    // What the floor costs: questions whose answer is there and lies below it.
    assert!(kept as f64 >= 0.8 * with.len() as f64);
}

#[test]
fn rec_01_ten_thousand_pending_echoes_change_nothing() {
    let set = Set::load();
    let before = set.answers();
    flood(&set, Grade::Pending);
    assert_eq!(set.answers(), before);
}

#[test]
fn rec_01_twin_the_same_echoes_approved_change_everything() {
    let set = Set::load();
    let before = set.answers();
    flood(&set, Grade::Approved);
    assert_ne!(set.answers(), before);
}

/// Rows that say the questions.
fn flood(set: &Set, lane: Grade) {
    let questions = set.questions.iter().cycle().take(10_000);
    let rows: Vec<IndexRow<'_>> = (1_000_000..)
        .zip(questions)
        .map(|(seq, question)| IndexRow {
            memory_seq: seq,
            lane,
            project: set.projects.get(&question.project).copied(),
            created_at: NOW.0,
            confirmed_at: None,
            stale_after: None,
            kind: MemoryType::Constraint,
            summary: &question.query,
            content: &question.query,
            before: &[],
            after: &[],
        })
        .collect();
    put_many(&set.conn, &rows).unwrap();
    put(&set.conn, &rows[0]).unwrap();
}
