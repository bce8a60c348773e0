//! REC-11: recall at 1,000, 100,000 and 1,000,000 rows over 200 projects, beside a query of the reference's shape over the
//! same rows in the same run: every word quoted and joined by OR, bm25 over all matches, hyperbolic recency, LIMIT, and the
//! filter afterwards.
//!
//! `cargo bench -p taffrail-store --features bench --bench recall`; `BENCH_ROWS=1000,100000,1000000` chooses the
//! sizes (default the first two), `BENCH_DIR` where the databases are made.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // A benchmark reads the clock, its sizes, and prints.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rusqlite::Connection;
use taffrail_domain::{Clock, Grade, Millis};
use taffrail_memory::rank::Ranking;
use taffrail_memory::recall::{FLOOR, Request};
use taffrail_store::{Home, Store};

const PROJECTS: usize = 200;
const QUERIES: usize = 300;
const BATCH: usize = 2_000;
const GRADES: [Grade; 2] = [Grade::Approved, Grade::Evidence];

struct Still;

impl Clock for Still {
    fn now(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

fn main() {
    let sizes = std::env::var("BENCH_ROWS").unwrap_or_else(|_| "1000,100000".to_owned());
    let queries: usize =
        std::env::var("BENCH_QUERIES").map_or(QUERIES, |number| number.parse().unwrap());
    println!("the floor (REC-08): {FLOOR}");
    println!("| rows | what | p50 ms | p99 ms | cpu p50 | cpu p99 | answer in the first 10 |");
    println!("|---|---|---|---|---|---|---|");
    for size in sizes.split(',') {
        measure(size.trim().parse().unwrap(), queries);
    }
}

fn measure(rows: usize, queries: usize) {
    let place = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(place).unwrap();
    let store = Store::open(
        &Home::at(&dir.path().join("home")).unwrap(),
        Arc::new(Still),
    )
    .unwrap();
    let reference = Reference::open(&dir.path().join("reference.db"));
    let mut words = Words::new(rows as u64);
    let sizes = match std::env::var_os("BENCH_ONE_PROJECT") {
        Some(_) => vec![rows],
        None => project_sizes(rows),
    };
    fill(&store, &reference, &mut words, &sizes);
    let largest: Vec<(i64, String)> = reference.targets(queries);
    for (name, length, shared) in [("12 words", 12, 5), ("120 words", 120, 12)] {
        let questions: Vec<(i64, String)> = largest
            .iter()
            .map(|(seq, text)| (*seq, words.question(text, length, shared)))
            .collect();
        compare(&store, &reference, rows, name, &questions);
    }
}

/// Asks all questions of our index, with several cuts, and of the reference's query.
fn compare(
    store: &Store,
    reference: &Reference,
    rows: usize,
    name: &str,
    questions: &[(i64, String)],
) {
    let usual = Ranking::default();
    report(rows, &format!("recall, {name}"), questions, |query| {
        ask(store, usual, query)
    });
    for (candidates, postings) in [(1_000, 20_000), (256, 6_000), (200, 4_000)] {
        let tried = Ranking {
            candidates,
            postings,
            ..usual
        };
        let what = format!("{candidates} rows of {postings} postings, {name}");
        report(rows, &what, questions, |query| ask(store, tried, query));
    }
    let all = Ranking {
        candidates: usize::MAX,
        postings: usize::MAX,
        ..usual
    };
    report(
        rows,
        &format!("every match scored, {name}"),
        questions,
        |query| ask(store, all, query),
    );
    // The reference takes a second for each at a million rows.
    let few = questions.len().min(if rows > 200_000 { 15 } else { 100 });
    report(
        rows,
        &format!("the reference's query, {name}"),
        questions.get(..few).unwrap(),
        |query| reference.ask(query),
    );
}

fn ask(store: &Store, ranking: Ranking, query: &str) -> Vec<i64> {
    let request = Request {
        project: Some(1),
        grades: &GRADES,
        query,
        limit: 10,
        now: Still.now(),
        ranking,
    };
    let hits = store.recall(&request).unwrap().hits;
    hits.iter().take(10).map(|hit| hit.memory).collect()
}

/// Fills both databases and prints how fast.
fn fill(store: &Store, reference: &Reference, words: &mut Words, sizes: &[usize]) {
    let rows: usize = sizes.iter().sum();
    let mut order: Vec<i64> = Vec::with_capacity(rows);
    for (project, size) in (1..).zip(sizes) {
        order.extend(std::iter::repeat_n(project, *size));
    }
    words.shuffle(&mut order);
    let (mut spent, mut cpu) = (std::time::Duration::ZERO, 0.0);
    for (batch, projects) in order.chunks(BATCH).enumerate() {
        let seqs = (batch * BATCH + 1) as i64..;
        let made: Vec<_> = seqs
            .zip(projects)
            .map(|(seq, project)| (seq, Some(*project), words.grade(), words.row()))
            .collect();
        reference.put(&made);
        let (begun, used) = (Instant::now(), process_time());
        store.fill_recall_index(made).unwrap();
        spent += begun.elapsed();
        cpu += process_time() - used;
    }
    let (begun, used) = (Instant::now(), process_time());
    store.settle_recall().unwrap();
    spent += begun.elapsed();
    cpu += process_time() - used;
    println!(
        "| {rows} | indexed {:.0} rows/s, {:.0} per second of processor, {BATCH} at a time | | | | | |",
        rows as f64 / spent.as_secs_f64(),
        rows as f64 / cpu * 1e3
    );
}

fn report(rows: usize, what: &str, questions: &[(i64, String)], ask: impl Fn(&str) -> Vec<i64>) {
    let (mut wall, mut cpu, mut found) = (Vec::new(), Vec::new(), 0);
    for (_, query) in questions.iter().take(questions.len() / 5) {
        black_box(ask(query));
    }
    for (target, query) in questions {
        let (begun, used) = (Instant::now(), thread_time());
        let hits = black_box(ask(query));
        cpu.push(thread_time() - used);
        wall.push(begun.elapsed().as_secs_f64() * 1e3);
        found += usize::from(hits.contains(target));
    }
    println!(
        "| {rows} | {what} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
        percentile(&mut wall, 50),
        percentile(&mut wall, 99),
        percentile(&mut cpu, 50),
        percentile(&mut cpu, 99),
        found as f64 / questions.len() as f64
    );
}

fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent / 100).min(values.len() - 1)]
}

/// Milliseconds that this thread has run.
fn thread_time() -> f64 {
    clock(rustix::time::ClockId::ThreadCPUTime)
}

/// Milliseconds that all threads have run.
fn process_time() -> f64 {
    clock(rustix::time::ClockId::ProcessCPUTime)
}

fn clock(which: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(which);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Sizes by Zipf, the largest a tenth of all.
fn project_sizes(rows: usize) -> Vec<usize> {
    let share = |power: f64| {
        (1..=PROJECTS)
            .map(|place| (place as f64).powf(-power))
            .sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if share(middle) > 10.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let largest = rows as f64 / 10.0;
    (1..=PROJECTS)
        .map(|place| ((largest * (place as f64).powf(-low)).round() as usize).max(1))
        .collect()
}

/// The reference's tables and query.
struct Reference(Connection);

impl Reference {
    fn open(path: &Path) -> Self {
        let conn = Connection::open(path).unwrap();
        conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
             CREATE TABLE rows (seq INTEGER PRIMARY KEY, project INTEGER, instructs INTEGER, created INTEGER, content TEXT);
             CREATE VIRTUAL TABLE words USING fts5 (content, content = 'rows', content_rowid = 'seq');",
        ).unwrap();
        Self(conn)
    }

    fn put(&self, rows: &[(i64, Option<i64>, Grade, String)]) {
        let transaction = self.0.unchecked_transaction().unwrap();
        let mut row = transaction
            .prepare_cached("INSERT INTO rows VALUES (?1, ?2, ?3, ?4, ?5)")
            .unwrap();
        let mut words = transaction
            .prepare_cached("INSERT INTO words (rowid, content) VALUES (?1, ?2)")
            .unwrap();
        for (seq, project, grade, content) in rows {
            row.execute((seq, project, *grade != Grade::Pending, 0, content))
                .unwrap();
            words.execute((seq, content)).unwrap();
        }
        drop((row, words));
        transaction.commit().unwrap();
    }

    /// Rows of the largest project that a question is made from.
    fn targets(&self, count: usize) -> Vec<(i64, String)> {
        let mut statement = self.0.prepare(
            "SELECT seq, content FROM rows WHERE project = 1 AND instructs ORDER BY seq * 2654435761 % 4294967291 LIMIT ?1",
        ).unwrap();
        let rows = statement
            .query_map([count as i64], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn ask(&self, query: &str) -> Vec<i64> {
        let words: Vec<String> = query
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-')
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut statement = self.0.prepare_cached(
            "SELECT r.seq, r.instructs FROM words JOIN rows AS r ON r.seq = words.rowid
              WHERE words MATCH ?1 AND r.project = 1
              ORDER BY abs(bm25(words)) * (1.0 / (1.0 + max(0, ?2 - r.created) / 2592000000.0)) DESC LIMIT 10",
        ).unwrap();
        let rows = statement
            .query_map((words.join(" OR "), Still.now().0), |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))
            })
            .unwrap();
        rows.map(Result::unwrap)
            .filter(|(_, instructs)| *instructs)
            .map(|(seq, _)| seq)
            .collect()
    }
}

/// Texts of a fixed seed: two fifths words that say nothing, the rest a vocabulary by Zipf with a tail of identifiers.
struct Words {
    state: u64,
    vocabulary: Vec<f64>,
    names: Vec<f64>,
}

const EMPTY: [&str; 24] = [
    "the", "to", "and", "a", "of", "in", "is", "for", "we", "it", "that", "on", "with", "this",
    "be", "as", "was", "not", "are", "what", "when", "which", "how", "do",
];
const SYLLABLES: [&str; 20] = [
    "ba", "ker", "lo", "mit", "ra", "sen", "tu", "vo", "pri", "gal", "der", "no", "shi", "mar",
    "ques", "fil", "ho", "jun", "cla", "wex",
];

impl Words {
    fn new(seed: u64) -> Self {
        let zipf = |count: usize| {
            let mut sum = 0.0;
            let sums: Vec<f64> = (0..count)
                .map(|place| {
                    sum += 1.0 / (place as f64 + 3.0);
                    sum
                })
                .collect();
            sums.iter().map(|part| part / sum).collect()
        };
        Self {
            state: seed ^ 0x9e37_79b9_7f4a_7c15,
            vocabulary: zipf(9_000),
            names: zipf(200_000),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.share() * end as f64) as usize
    }

    fn shuffle(&mut self, values: &mut [i64]) {
        for place in (1..values.len()).rev() {
            let other = self.below(place + 1);
            values.swap(place, other);
        }
    }

    fn grade(&mut self) -> Grade {
        match self.below(10) {
            0..7 => Grade::Approved,
            7 => Grade::Evidence,
            _ => Grade::Pending,
        }
    }

    fn word(&mut self) -> String {
        let kind = self.share();
        let at = self.share();
        if kind < 0.4 {
            EMPTY[self.below(EMPTY.len())].to_owned()
        } else if kind < 0.85 {
            spell(self.vocabulary.partition_point(|sum| *sum < at))
        } else {
            let place = self.names.partition_point(|sum| *sum < at);
            format!("{}_{}", spell(place % 700 + 50), spell(place / 7))
        }
    }

    fn row(&mut self) -> String {
        let length = 15 + self.below(46);
        let words: Vec<String> = (0..length).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// A question with some words of the row, the rest any.
    fn question(&mut self, row: &str, length: usize, shared: usize) -> String {
        let told: Vec<&str> = row
            .split(' ')
            .filter(|word| !EMPTY.contains(word))
            .collect();
        let plain: Vec<&str> = told
            .iter()
            .copied()
            .filter(|word| !word.contains('_'))
            .collect();
        // One question in four names an identifier.
        let from = if self.below(4) == 0 || plain.len() < 3 {
            told
        } else {
            plain
        };
        let mut words: Vec<String> = (0..shared)
            .map(|_| from[self.below(from.len())].to_owned())
            .collect();
        while words.len() < length {
            let word = self.word();
            if !word.contains('_') {
                words.push(word);
            }
        }
        words.join(" ")
    }
}

fn spell(mut place: usize) -> String {
    let mut word = String::new();
    place += 21;
    while place > 0 {
        word.push_str(SYLLABLES[place % SYLLABLES.len()]);
        place /= SYLLABLES.len();
    }
    word
}
