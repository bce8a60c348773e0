//! MEM-02 to MEM-06: what is written comes back, repeats are witnesses, the channel never rises, lists and the journal.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.
#![allow(clippy::disallowed_methods)] // Measures, and is told by the environment how much.

mod support;

use support::memory::decide;
use support::memory::{confirm, draft, key, memory_id, new, project, recalled, said, write};
use support::{home_in, open};
use taffrail_domain::{
    Artifact, Channel, Lifecycle, MemoryId, MemoryStatus, MemoryType, Millis, PolicyBits,
    Provenance, Shelf, SourceRef,
};
use taffrail_memory::draft::{Blocked, Context, Scope};
use taffrail_memory::journal::Verifier;
use taffrail_memory::review::Decision;
use taffrail_redact::{Options, Redactor};
use taffrail_store::{
    BlockedDraft, MemoryCursor, MemoryFilter, NewMemory, Outcome, Store, StoreError, Whose, Written,
};

struct Kept {
    store: Store,
    home: taffrail_store::Home,
    _dir: tempfile::TempDir,
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    Kept {
        store,
        home,
        _dir: dir,
    }
}

/// Every entry of the journal chains, and none holds one of these words.
fn verify(store: &Store, without: &[&str]) {
    let mut verifier = Verifier::new(&[store.journal_head().unwrap()]);
    let entries = store.journal_entries(1, 10_000).unwrap();
    for entry in &entries {
        verifier.push(&entry.seen());
        for word in without {
            assert!(!entry.facts.contains(word), "{} holds {word}", entry.facts);
        }
    }
    verifier.finish().unwrap();
}

/// A draft with everything that a draft can have.
fn full(scope: Scope) -> taffrail_memory::draft::Draft {
    let mut wanted = draft(scope, "t1", "Zebra parsers want a newline. Always.");
    wanted.kind = MemoryType::Constraint;
    wanted.context = Context {
        before: vec!["Before it.".to_owned()],
        after: vec!["After it.".to_owned()],
    };
    wanted.source_refs = vec![SourceRef {
        kind: "file".to_owned(),
        uri: "src/parse.rs".to_owned(),
        title: Some("the parser".to_owned()),
        timestamp: Some("2026-01-02".to_owned()),
    }];
    wanted.artifacts = vec![Artifact {
        kind: "diff".to_owned(),
        uri: "run_1".to_owned(),
        description: Some("the change".to_owned()),
    }];
    wanted.confidence = Some(0.25);
    wanted.stale_after = Some(Millis(1_900_000_000_000));
    wanted.slate_kind = Some("risk".to_owned());
    wanted.is_open = true;
    wanted.created = Some(Millis(1_700_000_000_000));
    wanted.foreign_ids = vec!["mem-12".to_owned()];
    wanted.evidence = Some(r#"{"branch":"main"}"#.to_owned());
    wanted
}

#[test]
fn mem_01_a_memory_comes_back_as_it_went_in() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let wanted = full(Scope::Project(ours.id));
    let new = new(wanted.clone());
    let (id, salt) = (new.id, new.salt);
    let outcome = Outcome::New;
    assert_eq!(
        store.write_memory(new).unwrap(),
        Written {
            memory: id,
            outcome
        }
    );

    let row = store.find_memory(&id.short()).unwrap();
    assert_eq!(row, store.memory(&id).unwrap());
    assert_eq!(
        (row.project, row.kind),
        (Some(ours.id), MemoryType::Constraint)
    );
    assert_eq!(
        (row.text.summary.as_str(), row.text.revision),
        ("Zebra parsers want a newline.", 1)
    );
    assert_eq!((&row.text.content, row.text.salt), (&wanted.content, salt));
    assert_eq!(row.text.context_before, wanted.context.before);
    assert_eq!(row.text.context_after, wanted.context.after);
    assert_eq!(
        (&row.text.source_refs, &row.text.artifacts),
        (&wanted.source_refs, &wanted.artifacts)
    );
    assert_eq!(
        (row.confidence, row.stale_after),
        (wanted.confidence, wanted.stale_after)
    );
    assert_eq!(
        (row.slate_kind.as_deref(), row.is_open),
        (Some("risk"), true)
    );
    assert_eq!(
        (row.created_at, row.source.clone()),
        (Millis(1_700_000_000_000), wanted.source)
    );
    assert_eq!(row.evidence.as_deref(), Some(r#"{"branch":"main"}"#));
    assert_eq!(
        (row.status, row.lifecycle),
        (MemoryStatus::Pending, Lifecycle::Active)
    );
    assert_eq!(
        (row.bits, row.provenance),
        (PolicyBits::AT_INSERT, Provenance::Generated)
    );
    assert_eq!((row.version, row.witnesses, row.seal), (1, 1, None));
    assert_eq!(store.memory_of_foreign_id("mem-12").unwrap(), Some(id));
    assert_eq!(recalled(&store, Some(ours.seq), "zebra"), [row.seq]);
    verify(&store, &["Zebra", "zebra", "parse"]);
}

#[test]
fn mem_04_the_same_from_the_same_task_is_the_same_row_also_in_another_project_not() {
    let Kept { store, _dir, .. } = kept();
    let first = project(&store, "first", "/first");
    let second = project(&store, "second", "/second");
    let text = "caf\u{e9} opens at nine";
    let one = write(&store, draft(Scope::Project(first.id), "t1", text));
    // The same in another Unicode form, with blanks at the line's end.
    let again = write(
        &store,
        draft(
            Scope::Project(first.id),
            "t1",
            "cafe\u{301} opens at nine  \r\n",
        ),
    );
    assert_eq!(
        (again.memory, again.outcome),
        (one.memory, Outcome::Repeat { witnesses: 1 })
    );
    let other = write(&store, draft(Scope::Project(second.id), "t1", text));
    assert_eq!(other.outcome, Outcome::New);
    assert_ne!(other.memory, one.memory);
    assert_eq!(
        write(&store, draft(Scope::Personal, "t1", text)).outcome,
        Outcome::New
    );
}

#[test]
fn mem_05_another_task_is_a_witness_unless_it_was_told() {
    let Kept { store, home, _dir } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let first = write(&store, draft(scope, "t1", "the build needs two cores")).memory;
    let mut second = draft(scope, "t2", "the build needs two cores");
    second.foreign_ids = vec!["elsewhere".to_owned()];
    let found = write(&store, second.clone());
    assert_eq!(
        (found.memory, found.outcome),
        (first, Outcome::Repeat { witnesses: 2 })
    );
    assert_eq!(
        write(&store, second).outcome,
        Outcome::Repeat { witnesses: 2 }
    );
    assert_eq!(
        store.memory_of_foreign_id("elsewhere").unwrap(),
        Some(first)
    );

    // A session that a recall gave it to only says it after us.
    let mut told = draft(scope, "t3", "the build needs two cores");
    told.source.session = Some("run_told".to_owned());
    trace(&home, first, "run_told");
    assert_eq!(
        write(&store, told.clone()).outcome,
        Outcome::Repeat { witnesses: 2 }
    );
    // The twin: the same words from a session that was told nothing count.
    told.source.session = Some("run_fresh".to_owned());
    assert_eq!(
        write(&store, told).outcome,
        Outcome::Repeat { witnesses: 3 }
    );
    assert_eq!(store.memory(&first).unwrap().witnesses, 3);
    verify(&store, &["cores"]);
}

/// What a recall that gave this memory to a session leaves.
fn trace(home: &taffrail_store::Home, memory: MemoryId, session: &str) {
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    conn.execute(
        "INSERT INTO recall_traces (id, short, at, surface, session, query, terms, grades, limits, candidates)
         VALUES (randomblob(16), 'trc_1', 0, 'box', ?1, 'q', '[]', '[]', '{}', 1)",
        [session],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO recall_trace_items (trace, place, memory, revision, grade, marks, relevance, fade, score, outcome)
         VALUES (last_insert_rowid(), 0, ?1, 1, 'pending', '[]', 1, 1, 1, 'given')",
        [memory.bytes()],
    )
    .unwrap();
}

#[test]
fn mem_06_what_is_derived_takes_the_lowest_channel_and_stands_apart() {
    let Kept { store, _dir, .. } = kept();
    let mut page = draft(Scope::Personal, "t1", "a page says tabs are wide");
    page.channel = Channel::Web;
    let page = write(&store, page).memory;
    let typed = said(&store, Scope::Personal, "a person says tabs are narrow");
    let mut derived = draft(Scope::Personal, "t2", "tabs differ");
    derived.derived_from = vec![typed, page];
    let derived = write(&store, derived).memory;
    let row = store.memory(&derived).unwrap();
    assert_eq!((row.channel, row.shelf), (Channel::Web, Shelf::Quarantine));
    // Twin: from what a person typed alone it stays what it was.
    let mut plain = draft(Scope::Personal, "t3", "tabs differ by taste");
    plain.derived_from = vec![typed];
    let row = store.memory(&write(&store, plain).memory).unwrap();
    assert_eq!((row.channel, row.shelf), (Channel::Operator, Shelf::Queue));
    let mut lost = draft(Scope::Personal, "t4", "nothing there");
    lost.derived_from = vec![memory_id()];
    let refused = store.write_memory(new(lost));
    assert!(matches!(
        refused,
        Err(StoreError::NotFound { what: "memory", .. })
    ));
    // No review raises it.
    confirm(&store, &[derived]);
    assert_eq!(store.memory(&derived).unwrap().channel, Channel::Web);
}

#[test]
fn mem_03_a_blocked_draft_is_in_the_journal_without_its_secret() {
    let Kept { store, _dir, .. } = kept();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text = format!("the key is {secret}");
    let why = taffrail_memory::draft::screen(
        draft(Scope::Personal, "t1", &text),
        &Redactor::new(Options::default()),
    )
    .unwrap_err();
    assert!(matches!(why, Blocked::Secret { .. }));
    let (scope, channel) = (Scope::Personal, Channel::External);
    store
        .block(&BlockedDraft {
            why: &why,
            scope,
            channel,
        })
        .unwrap();
    let entries = store.journal_entries(1, 10).unwrap();
    assert_eq!(entries[0].kind, "memory_blocked");
    assert!(
        entries[0]
            .facts
            .contains(r#""place":"content","reason":"secret""#),
        "{}",
        entries[0].facts
    );
    verify(&store, &[&secret, "the key"]);
    assert!(
        store
            .memories(&MemoryFilter::default())
            .unwrap()
            .rows
            .is_empty()
    );
}

#[test]
fn mem_05_near_duplicates_are_found_when_they_arrive_and_nothing_merges() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let text = "the release script retries the upload seven times before it gives up on the mirror";
    let old = said(&store, scope, text);
    let unapproved = said(&store, scope, &text.replace("seven", "eight"));
    assert!(
        store.neighbours(&unapproved).unwrap().is_empty(),
        "the old one was not approved yet"
    );
    confirm(&store, &[old]);
    let near = store.neighbours(&unapproved).unwrap();
    assert_eq!(near[0].memory, old, "what was approved since counts too");
    let changed = said(&store, scope, &text.replace("seven", "nine"));
    let near = store.neighbours(&changed).unwrap();
    assert_eq!((near.len(), near[0].memory), (1, old));
    assert!(near[0].similarity > 0.7 && near[0].similarity < 1.0);
    assert_eq!(store.memory(&old).unwrap().status, MemoryStatus::Confirmed);
    let personal = said(&store, Scope::Personal, &text.replace("seven", "ten"));
    assert!(
        store.neighbours(&personal).unwrap().is_empty(),
        "another scope's row"
    );
}

/// Facts of a coding project with one value each, and what the value becomes.
const FACTS: [(&str, [&str; 4], &str); 25] = [
    (
        "the billing service keeps amounts in @ and rounds half even at the last step",
        ["cents", "euros", "mills", "satoshi"],
        "decimals",
    ),
    (
        "builds of the web client run on Node @ in every pipeline",
        ["18", "20", "22", "24"],
        "26",
    ),
    (
        "the session cookie lives for @ minutes after the last request",
        ["15", "30", "45", "60"],
        "90",
    ),
    (
        "migrations are applied by the @ job before the new pods start",
        ["init", "deploy", "release", "nightly"],
        "manual",
    ),
    (
        "the search index is rebuilt every @ by the cron of the indexer",
        ["hour", "night", "week", "month"],
        "quarter",
    ),
    (
        "uploads above @ megabytes go through the resumable endpoint",
        ["8", "16", "32", "64"],
        "128",
    ),
    (
        "feature flags are read from @ when the worker boots",
        ["redis", "consul", "etcd", "vault"],
        "postgres",
    ),
    (
        "the retry budget of the mail queue is @ attempts a day",
        ["three", "five", "eight", "twelve"],
        "twenty",
    ),
    (
        "log lines of the gateway are written as @ to standard output",
        ["json", "logfmt", "text", "cbor"],
        "protobuf",
    ),
    (
        "integration tests talk to a @ container on a random port",
        ["mysql", "postgres", "mongo", "kafka"],
        "sqlite",
    ),
    (
        "the public API answers in version @ unless the header asks for another",
        ["v1", "v2", "v3", "v4"],
        "v5",
    ),
    (
        "customer exports are encrypted with the key of the @ region",
        ["frankfurt", "dublin", "paris", "milan"],
        "warsaw",
    ),
    (
        "the linter of the backend is @ with the rules in the root folder",
        ["ruff", "flake8", "pylint", "pyright"],
        "mypy",
    ),
    (
        "thumbnails are stored in @ format at two sizes",
        ["webp", "avif", "jpeg", "png"],
        "heic",
    ),
    (
        "the rate limiter counts requests per @ and forgets them after a minute",
        ["tenant", "address", "token", "session"],
        "device",
    ),
    (
        "release branches are cut on @ by whoever is on call",
        ["monday", "tuesday", "wednesday", "thursday"],
        "friday",
    ),
    (
        "the payment webhook must answer within @ seconds or it is sent again",
        ["two", "four", "six", "ten"],
        "fifteen",
    ),
    (
        "translations are pulled from @ during the build of the app",
        ["crowdin", "lokalise", "weblate", "transifex"],
        "phrase",
    ),
    (
        "background jobs of the importer run with @ workers per node",
        ["2", "4", "6", "8"],
        "12",
    ),
    (
        "the staging database is refreshed from production every @ night",
        ["first", "second", "third", "fourth"],
        "last",
    ),
    (
        "deletes of accounts are kept for @ days before they are final",
        ["7", "14", "21", "28"],
        "35",
    ),
    (
        "the mobile app refuses servers older than release @ of the protocol",
        ["31", "33", "35", "37"],
        "39",
    ),
    (
        "metrics of the scheduler are scraped every @ seconds by the collector",
        ["5", "10", "20", "40"],
        "80",
    ),
    (
        "pull requests need @ approvals before the merge queue takes them",
        ["one", "two", "three", "four"],
        "six",
    ),
    (
        "the cache of the catalogue is warmed by the @ task after a deploy",
        ["rake", "celery", "sidekiq", "airflow"],
        "dagster",
    ),
];

#[test]
fn mem_05_a_hundred_changed_values_stand_beside_what_they_change() {
    let Kept { store, _dir, .. } = kept();
    let (mut shown, mut alarms) = (0, 0);
    let mut approved = Vec::new();
    for round in 0..4 {
        let ours = project(&store, &format!("p{round}"), &format!("/p{round}"));
        let scope = Scope::Project(ours.id);
        let old: Vec<_> = FACTS
            .iter()
            .map(|(fact, values, _)| said(&store, scope, &fact.replace('@', values[round])))
            .collect();
        confirm(&store, &old);
        for ((fact, _, value), old) in FACTS.iter().zip(&old) {
            let new = said(&store, scope, &fact.replace('@', value));
            let near = store.neighbours(&new).unwrap();
            shown += usize::from(near.iter().any(|near| near.memory == *old));
            alarms += near.iter().filter(|near| near.memory != *old).count();
        }
        approved.extend(old);
    }
    assert!(
        shown >= 95,
        "{shown} of 100 are shown beside what they change"
    );
    assert_eq!(
        alarms, 0,
        "of 2,400 pairs that have nothing to do with each other"
    );
    for memory in approved {
        let row = store.memory(&memory).unwrap();
        assert_eq!(
            row.status,
            MemoryStatus::Confirmed,
            "nothing changes without a person"
        );
        assert_eq!(row.retired_by, None);
    }
}

#[test]
fn lists_go_on_without_gaps_while_rows_arrive() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let ids: Vec<_> = (0..25)
        .map(|at| said(&store, scope, &format!("fact number {at}")))
        .collect();
    said(&store, Scope::Personal, "fact of mine");
    let mut filter = MemoryFilter {
        whose: Whose::Project(ours.id),
        limit: Some(10),
        ..MemoryFilter::default()
    };
    let mut seen = Vec::new();
    loop {
        let page = store.memories(&filter).unwrap();
        seen.extend(page.rows.iter().map(|row| row.id));
        // A row that arrives meanwhile is newer than every place already given out.
        said(&store, scope, &format!("late fact {}", seen.len()));
        let Some(next) = page.next else { break };
        filter.cursor = Some(next.to_string().parse().unwrap());
    }
    assert_eq!(seen, ids.iter().rev().copied().collect::<Vec<_>>());

    let all = MemoryFilter {
        limit: Some(10_000),
        ..MemoryFilter::default()
    };
    assert!(store.memories(&all).unwrap().rows.len() <= 200);
    for bad in [
        "",
        "m",
        "m0",
        "m-1",
        "mfffffffffffffffff",
        "m1G",
        "mA",
        "x1",
        "2026-01-01",
        "m1 ",
    ] {
        assert!(
            matches!(
                bad.parse::<MemoryCursor>(),
                Err(StoreError::BadCursor { .. })
            ),
            "`{bad}` was taken"
        );
    }
}

#[test]
fn lists_filter_by_status_scope_kind_and_shelf() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let confirmed = said(&store, scope, "100% of the tests_pass");
    let mut orders = draft(scope, "t1", "a page says so");
    orders.channel = Channel::Tool;
    let apart = write(&store, orders).memory;
    let personal = said(&store, Scope::Personal, "mine alone");
    confirm(&store, &[confirmed]);
    let list = |filter: MemoryFilter| -> Vec<_> {
        let page = store.memories(&filter).unwrap();
        page.rows.iter().map(|row| row.id).collect()
    };
    let all = MemoryFilter::default;
    assert_eq!(
        list(MemoryFilter {
            status: Some(MemoryStatus::Confirmed),
            ..all()
        }),
        [confirmed]
    );
    assert_eq!(
        list(MemoryFilter {
            whose: Whose::Personal,
            ..all()
        }),
        [personal]
    );
    assert_eq!(
        list(MemoryFilter {
            shelf: Some(Shelf::Quarantine),
            ..all()
        }),
        [apart]
    );
    assert!(
        list(MemoryFilter {
            kind: Some(MemoryType::Decision),
            ..all()
        })
        .is_empty()
    );
}

#[test]
fn lists_filter_by_words_as_they_are() {
    let Kept { store, _dir, .. } = kept();
    let confirmed = said(&store, Scope::Personal, "100% of the tests_pass");
    said(&store, Scope::Personal, "mine alone");
    let list = |filter: MemoryFilter| -> Vec<_> {
        let page = store.memories(&filter).unwrap();
        page.rows.iter().map(|row| row.id).collect()
    };
    let words = |text: &str| MemoryFilter {
        text: Some(text.to_owned()),
        ..MemoryFilter::default()
    };
    assert_eq!(list(words("OF THE TESTS")), [confirmed]);
    assert_eq!(list(words("0% of")), [confirmed]);
    assert!(
        list(words("tests%pass")).is_empty(),
        "a wildcard was taken for one"
    );
    assert_eq!(list(words("s_p")), [confirmed]);
}

#[test]
fn the_queue_and_the_counts_hold_what_waits() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let confirmed = said(&store, scope, "a fact");
    let mut orders = draft(scope, "t1", "a page says so");
    orders.channel = Channel::Tool;
    let apart = write(&store, orders).memory;
    let personal = said(&store, Scope::Personal, "mine alone");
    confirm(&store, &[confirmed]);
    // What waits, and how much there is of everything.
    let queue = store.memory_queue(&Whose::All, None, None, None).unwrap();
    let waiting: Vec<_> = queue.rows.iter().map(|row| row.id).collect();
    assert_eq!(waiting, [apart, personal]);
    assert_eq!(store.memories_waiting(&Whose::Project(ours.id)).unwrap(), 1);
    let counts = store.memory_counts(&Whose::All).unwrap();
    let pending: u64 = counts
        .iter()
        .filter(|one| one.status == MemoryStatus::Pending)
        .map(|one| one.rows)
        .sum();
    assert_eq!((pending, counts.len()), (2, 3));
}

#[test]
fn a_batch_is_answered_in_order_and_an_error_keeps_whole_transactions() {
    let Kept { store, home, _dir } = kept();
    let batch: Vec<NewMemory> = (0..1_200)
        .map(|at| {
            new(draft(
                Scope::Personal,
                &format!("t{}", at % 1_100),
                &format!("fact {}", at % 1_100),
            ))
        })
        .collect();
    let ids: Vec<_> = batch.iter().map(|new| new.id).collect();
    let written = store.write_memories(batch).unwrap();
    assert_eq!(written.len(), 1_200);
    for (at, (answer, id)) in written.iter().zip(&ids).enumerate() {
        if at < 1_100 {
            assert_eq!((answer.memory, answer.outcome), (*id, Outcome::New));
        } else {
            assert_eq!(
                (answer.memory, answer.outcome),
                (ids[at - 1_100], Outcome::Repeat { witnesses: 1 })
            );
        }
    }
    // One bad draft in the second transaction: the first stands, the second leaves nothing.
    let mut batch: Vec<NewMemory> = (0..600)
        .map(|at| new(draft(Scope::Personal, "other", &format!("more {at}"))))
        .collect();
    batch[550].id = ids[0];
    assert!(matches!(
        store.write_memories(batch),
        Err(StoreError::IdTaken { .. })
    ));
    assert_eq!(store.memories_waiting(&Whose::All).unwrap(), 1_100 + 500);
    verify(&store, &["fact"]);
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    let indexed: i64 = conn
        .query_row("SELECT count(*) FROM recall_docs", [], |row| row.get(0))
        .unwrap();
    assert_eq!(indexed, 1_600);
}

#[test]
fn rev_05_the_database_refuses_to_change_the_journal_and_to_let_the_unconfirmed_instruct() {
    let Kept { store, home, _dir } = kept();
    let id = said(&store, Scope::Personal, "a fact");
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    for sql in [
        "UPDATE journal SET facts = '{}'",
        "DELETE FROM journal",
        "UPDATE memories SET can_use_as_instruction = 1",
        "UPDATE memories SET can_use_as_instruction = 1, provenance = 'imported'",
    ] {
        assert!(conn.execute(sql, []).is_err(), "{sql}");
    }
    // Twin: what a person confirmed may.
    decide(&store, Decision::Reject(key()), &[id]).unwrap();
    confirm(&store, &[id]);
    assert!(store.memory(&id).unwrap().bits.can_use_as_instruction);
}

#[test]
fn rev_04_the_hash_is_made_from_the_text_and_not_read() {
    let Kept { store, home, _dir } = kept();
    let id = said(&store, Scope::Personal, "the port is 8080");
    confirm(&store, &[id]);
    let before = store.seal_facts(&[id]).unwrap()[0];
    assert!(before.column_agrees);
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    conn.execute("UPDATE memory_texts SET content = 'the port is 6666'", [])
        .unwrap();
    let after = store.seal_facts(&[id]).unwrap()[0];
    assert_ne!(after.content, before.content);
    assert!(!after.column_agrees);
    assert_eq!((after.seal, after.review), (before.seal, before.review));
    assert_eq!(store.all_seal_facts(None).unwrap(), [after]);
}
