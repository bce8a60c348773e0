//! Lists, the queue and the counts.

use super::*;

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
