//! What is written comes back; repeats are witnesses; the channel never rises.

use super::*;

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
