//! Runs, changes, decisions, the ledger, events and trust: what is recorded comes back, and only in order.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.

mod support;

use std::path::Path;
use std::sync::{Arc, Barrier};

use support::{hash, id_ending, insert, new_id, oid, open, owner, record};
use taffrail_domain::{ChangeState, Ended, Net, RunId, RunStatus};
use taffrail_redact::Clean;
use taffrail_store::{
    CheckoutState, Decision, DecisionState, RunFilter, RunRow, Store, StoreError,
};

struct Kept {
    store: Store,
    _dir: tempfile::TempDir,
}

fn kept() -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&support::home_in(&dir));
    Kept { store, _dir: dir }
}

/// A run that has ended, with a pending change, its checkout removed.
fn undecided(store: &Store, name: &str) -> RunId {
    let id = new_id();
    insert(store, id, name).unwrap();
    store.run_prepared(&id, &oid('a'), None).unwrap();
    store.run_started(&id, &Clean::ours("{}")).unwrap();
    store
        .run_ended(&id, RunStatus::Completed, "exited", Some(Ended::Exited(0)))
        .unwrap();
    record(store, &id, &hash(1)).unwrap();
    store
        .set_checkout_state(&id, CheckoutState::Removed)
        .unwrap();
    id
}

fn land(store: &Store, id: &RunId) {
    store
        .decide_change(id, Decision::Landing, &hash(1), &owner(7))
        .unwrap();
    store.finish_landing(id, &oid('f'), "external/x").unwrap();
}

#[test]
fn fa_12_a_run_comes_back_as_it_went_in() {
    let Kept { store, _dir } = kept();
    let id = new_id();
    insert(&store, id, "first").unwrap();
    let row = store.run(&id).unwrap();
    assert_eq!(row.status, RunStatus::Preparing);
    assert_eq!(row.checkout.state, CheckoutState::Preparing);
    assert_eq!(row.checkout.owner, owner(7));
    assert_eq!(row.net, Net::Ports(vec![443, 80]));
    assert_eq!(row.project.root, Path::new("/project"));
    assert_eq!((row.base, row.change, row.deciding), (None, None, false));

    store.run_prepared(&id, &oid('a'), Some(&oid('b'))).unwrap();
    store
        .run_started(&id, &Clean::ours("{\"rung\":\"full\"}"))
        .unwrap();
    store
        .run_ended(&id, RunStatus::Died, "signal", Some(Ended::Signalled(9)))
        .unwrap();
    let row = store.run(&id).unwrap();
    assert_eq!(row.base, Some(oid('a')));
    assert_eq!(row.first_commit, Some(oid('b')));
    assert_eq!(row.enforcement.as_deref(), Some("{\"rung\":\"full\"}"));
    assert_eq!(row.ended, Some(Ended::Signalled(9)));
    assert_eq!(row.reason.as_deref(), Some("signal"));
    assert!(row.times.started.is_some() && row.times.ended.is_some());
}

#[test]
fn fa_12_a_state_is_recorded_only_from_the_one_before_it() {
    let Kept { store, _dir } = kept();
    let id = new_id();
    insert(&store, id, "a").unwrap();
    let started = || store.run_started(&id, &Clean::ours("{}"));
    started().unwrap();
    assert!(matches!(
        started(),
        Err(StoreError::WrongStatus {
            status: RunStatus::Running
        })
    ));
    let late = store.run_prepared(&id, &oid('a'), None);
    assert!(matches!(late, Err(StoreError::WrongStatus { .. })));
    let end = |status| store.run_ended(&id, status, "x", None);
    assert!(matches!(
        end(RunStatus::Running),
        Err(StoreError::WrongStatus { .. })
    ));
    end(RunStatus::Cancelled).unwrap();
    let again = end(RunStatus::Died).unwrap_err();
    assert!(matches!(
        again,
        StoreError::WrongStatus {
            status: RunStatus::Cancelled
        }
    ));
    let unknown = store.run_started(&new_id(), &Clean::ours("{}"));
    assert!(matches!(
        unknown,
        Err(StoreError::NotFound { what: "run", .. })
    ));
}

#[test]
fn names_are_held_while_a_run_is_live_undecided_or_has_a_checkout() {
    let Kept { store, _dir } = kept();
    let taken = |store: &Store| matches!(insert(store, new_id(), "fix"), Err(StoreError::NameTaken { name }) if name == "fix");
    let id = new_id();
    insert(&store, id, "fix").unwrap();
    assert!(taken(&store), "preparing");
    store.run_started(&id, &Clean::ours("{}")).unwrap();
    assert!(taken(&store), "running");
    store.run_ended(&id, RunStatus::Error, "x", None).unwrap();
    assert!(taken(&store), "checkout is there");
    record(&store, &id, &hash(1)).unwrap();
    store
        .set_checkout_state(&id, CheckoutState::Removed)
        .unwrap();
    assert!(taken(&store), "undecided");
    land(&store, &id);
    assert!(!taken(&store), "decided and gone");
}

#[test]
fn ids_and_reserved_names_are_refused() {
    let Kept { store, _dir } = kept();
    let unnamed = new_id();
    insert(&store, unnamed, &unnamed.short()).unwrap();
    assert_eq!(store.find_run(&unnamed.short()).unwrap().id, unnamed);
    let id = new_id();
    insert(&store, id, "a").unwrap();
    assert!(matches!(
        insert(&store, id, "b"),
        Err(StoreError::IdTaken { .. })
    ));
    let long = "ä".repeat(65);
    for name in ["", "run_", "run_4k7", "-x", "a\nb", "\u{1b}[31m", &long] {
        let refused = insert(&store, new_id(), name);
        assert!(
            matches!(refused, Err(StoreError::NameUnfit { .. })),
            "{name}"
        );
    }
    for name in ["../x", "a b", &long[2..]] {
        insert(&store, new_id(), name).unwrap();
    }
}

#[test]
fn find_run_takes_a_name_or_the_beginning_of_an_id() {
    let Kept { store, _dir } = kept();
    // Shown as run_0000000001, run_0000000002 and run_000000001z.
    for (end, name) in [(1, "one"), (2, "two"), (63, "sixty")] {
        insert(&store, id_ending(end), name).unwrap();
    }
    let found = |asked: &str| store.find_run(asked).map(|row| row.name);
    assert_eq!(found("two").unwrap(), "two");
    assert_eq!(found("run_0000000002").unwrap(), "two");
    assert_eq!(found("run_000000001").unwrap(), "sixty");
    assert_eq!(found("run_0000000001").unwrap(), "one");
    let Err(StoreError::Ambiguous { candidates, .. }) = found("run_0") else {
        panic!("not ambiguous");
    };
    assert_eq!(
        candidates,
        ["run_0000000001", "run_0000000002", "run_000000001z"]
    );
    for none in ["run_1", "tw", "", "run_*", "%", "run_0000000001x", "TWO"] {
        assert!(
            matches!(found(none), Err(StoreError::NotFound { .. })),
            "{none}"
        );
    }
}

#[test]
fn find_run_prefers_who_holds_the_name_and_else_the_newest() {
    let Kept { store, _dir } = kept();
    let old = undecided(&store, "fix");
    land(&store, &old);
    let newer = undecided(&store, "fix");
    assert_eq!(store.find_run("fix").unwrap().id, newer);
    land(&store, &newer);
    assert_eq!(store.find_run("fix").unwrap().id, newer);
    let newest = undecided(&store, "fix");
    assert_eq!(store.find_run("fix").unwrap().id, newest);
}

#[test]
fn sto_08_order_is_by_sequence_though_the_clock_runs_backwards() {
    let Kept { store, _dir } = kept();
    for name in ["a", "b", "c", "d"] {
        insert(&store, new_id(), name).unwrap();
    }
    let rows = store.runs(&RunFilter::default()).unwrap();
    let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["d", "c", "b", "a"]);
    assert!(
        rows[0].times.created < rows[3].times.created,
        "the clock ran forwards"
    );
}

#[test]
fn runs_are_filtered() {
    let Kept { store, _dir } = kept();
    let landed = undecided(&store, "a");
    land(&store, &landed);
    let waits = undecided(&store, "b");
    let ids = |filter: RunFilter<'_>| {
        let rows: Vec<RunRow> = store.runs(&filter).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let all = RunFilter::default();
    assert_eq!(ids(all), [waits, landed]);
    assert_eq!(
        ids(RunFilter {
            open_only: true,
            ..all
        }),
        [waits]
    );
    assert_eq!(
        ids(RunFilter {
            limit: Some(1),
            ..all
        }),
        [waits]
    );
    let here = Some(Path::new("/project/.git"));
    assert_eq!(
        ids(RunFilter {
            common_dir: here,
            ..all
        }),
        [waits, landed]
    );
    let there = Some(Path::new("/other/.git"));
    assert!(
        ids(RunFilter {
            common_dir: there,
            ..all
        })
        .is_empty()
    );
}

#[test]
fn fa_30_a_captured_change_comes_back_byte_for_byte() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    let found = store.captured(&id).unwrap().unwrap();
    assert_eq!(found.changes, support::changes());
    assert_eq!((found.patch_bytes, found.ignored_count), (321, 4));
    assert_eq!((found.hash, found.state), (hash(1), ChangeState::Pending));
    assert!(found.decisions.is_empty());
    let fresh = new_id();
    insert(&store, fresh, "b").unwrap();
    assert!(store.captured(&fresh).unwrap().is_none());
    assert!(matches!(
        store.captured(&new_id()),
        Err(StoreError::NotFound { .. })
    ));
}

#[test]
fn fa_31_a_landing_is_an_intent_and_then_a_result() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    store
        .decide_change(&id, Decision::Landing, &hash(1), &owner(9))
        .unwrap();
    let row = store.run(&id).unwrap();
    assert!(row.deciding);
    assert_eq!(row.change, Some(ChangeState::Pending), "not landed yet");
    let opened = store.open_decisions().unwrap();
    assert_eq!((opened[0].run, &opened[0].decided.owner), (id, &owner(9)));
    assert!(matches!(
        store.finish_discard(&id),
        Err(StoreError::NotFound { .. })
    ));
    store.finish_landing(&id, &oid('f'), "external/a").unwrap();
    let found = store.captured(&id).unwrap().unwrap();
    assert_eq!(found.state, ChangeState::Landed);
    let done = DecisionState::Done {
        commit: Some(oid('f')),
        branch: Some("external/a".to_owned()),
    };
    assert_eq!(found.decisions[0].state, done);
    assert!(store.open_decisions().unwrap().is_empty());
    let again = store.decide_change(&id, Decision::Discard, &hash(1), &owner(9));
    assert!(matches!(
        again,
        Err(StoreError::NotPending {
            state: ChangeState::Landed
        })
    ));
}

#[test]
fn fa_31_a_failed_landing_is_pending_again_and_stays_on_record() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    let decide = |decision| store.decide_change(&id, decision, &hash(1), &owner(9));
    decide(Decision::Landing).unwrap();
    assert!(matches!(
        decide(Decision::Discard),
        Err(StoreError::Deciding)
    ));
    store.fail_landing(&id, "branch-exists").unwrap();
    assert!(matches!(
        store.fail_landing(&id, "x"),
        Err(StoreError::NotFound { .. })
    ));
    assert!(!store.run(&id).unwrap().deciding);
    decide(Decision::Discard).unwrap();
    store.finish_discard(&id).unwrap();
    let found = store.captured(&id).unwrap().unwrap();
    assert_eq!(found.state, ChangeState::Discarded);
    let states: Vec<_> = found.decisions.into_iter().map(|one| one.state).collect();
    let failed = DecisionState::Failed("branch-exists".to_owned());
    let done = DecisionState::Done {
        commit: None,
        branch: None,
    };
    assert_eq!(states, [failed, done]);
}

#[test]
fn fa_31_what_is_decided_on_must_be_what_is_on_record() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    let other = store.decide_change(&id, Decision::Landing, &hash(2), &owner(9));
    let Err(StoreError::HashMismatch { recorded }) = other else {
        panic!("another hash was taken");
    };
    assert_eq!(recorded, hash(1).to_string());
    let nothing = new_id();
    insert(&store, nothing, "b").unwrap();
    let none = store.decide_change(&nothing, Decision::Landing, &hash(1), &owner(9));
    assert!(matches!(
        none,
        Err(StoreError::NotFound {
            what: "captured change",
            ..
        })
    ));
}

#[test]
fn fa_31_of_eight_that_decide_at_once_one_wins() {
    let dir = tempfile::tempdir().unwrap();
    let home = support::home_in(&dir);
    // Two stores, as two processes would have, and four threads on each.
    let stores = [Arc::new(open(&home)), Arc::new(open(&home))];
    for round in 0..10 {
        let id = undecided(&stores[0], &format!("round-{round}"));
        let start = Arc::new(Barrier::new(8));
        let threads: Vec<_> = (0..8)
            .map(|at| {
                let (store, start) = (Arc::clone(&stores[at % 2]), Arc::clone(&start));
                let decision = [Decision::Landing, Decision::Discard][at / 4];
                std::thread::spawn(move || {
                    start.wait();
                    store.decide_change(&id, decision, &hash(1), &owner(9))
                })
            })
            .collect();
        let results: Vec<_> = threads.into_iter().map(|one| one.join().unwrap()).collect();
        let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        assert!(
            lost.iter()
                .all(|one| matches!(one, Err(StoreError::Deciding)))
        );
        assert_eq!(stores[1].captured(&id).unwrap().unwrap().decisions.len(), 1);
    }
}

#[test]
fn fa_12_the_ledger_names_what_is_left_and_one_sweep_gets_it() {
    let Kept { store, _dir } = kept();
    let (first, second) = (new_id(), new_id());
    insert(&store, first, "a").unwrap();
    insert(&store, second, "b").unwrap();
    store
        .set_checkout_state(&first, CheckoutState::Live)
        .unwrap();
    let left = store.leftovers().unwrap();
    let states: Vec<_> = left
        .iter()
        .map(|one| (one.run, one.checkout.state))
        .collect();
    assert_eq!(
        states,
        [
            (first, CheckoutState::Live),
            (second, CheckoutState::Preparing)
        ]
    );
    let dead = &left[0].checkout.owner;
    assert!(store.claim_checkout(&first, dead, &owner(8)).unwrap());
    assert!(!store.claim_checkout(&first, dead, &owner(9)).unwrap());
    assert_eq!(store.run(&first).unwrap().checkout.owner, owner(8));
    store
        .set_checkout_state(&first, CheckoutState::Removed)
        .unwrap();
    assert!(!store.claim_checkout(&first, &owner(8), &owner(9)).unwrap());
    assert_eq!(store.leftovers().unwrap().len(), 1);
}

#[test]
fn events_come_back_in_order() {
    let Kept { store, _dir } = kept();
    let (id, other) = (new_id(), new_id());
    insert(&store, id, "a").unwrap();
    insert(&store, other, "b").unwrap();
    for kind in ["started", "captured", "ended"] {
        store.add_event(&id, kind, &Clean::ours("{}")).unwrap();
        store
            .add_event(&other, "noise", &Clean::ours("{}"))
            .unwrap();
    }
    let kinds: Vec<_> = store
        .events(&id)
        .unwrap()
        .into_iter()
        .map(|one| one.kind)
        .collect();
    assert_eq!(kinds, ["started", "captured", "ended"]);
}

#[test]
fn cnf_07_trust_is_pinned_by_content_replaced_and_revoked() {
    let Kept { store, _dir } = kept();
    let (here, there) = (Path::new("/project"), Path::new("/other"));
    let setup = "checkout.setup";
    let pin = |root, hash: u8, text| store.pin(root, setup, &[hash; 32], &Clean::ours(text));
    pin(here, 1, "npm ci").unwrap();
    pin(there, 2, "make").unwrap();
    pin(here, 3, "npm ci --offline").unwrap();
    let pins = store.pins(here).unwrap();
    assert_eq!(pins.len(), 1, "the old content must not hold any more");
    assert_eq!(
        (pins[0].hash, pins[0].text.as_str()),
        ([3; 32], "npm ci --offline")
    );
    assert_eq!(store.revoke(here, Some("hooks")).unwrap(), 0);
    assert_eq!(store.revoke(here, Some("checkout.setup")).unwrap(), 1);
    assert!(store.pins(here).unwrap().is_empty());
    assert_eq!(
        store.pins(there).unwrap().len(),
        1,
        "another project's is untouched"
    );
    assert_eq!(store.revoke(there, None).unwrap(), 1);
}

#[test]
fn fa_30_a_change_is_captured_again_until_someone_decides() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    record(&store, &id, &hash(2)).unwrap();
    let found = store.captured(&id).unwrap().unwrap();
    assert_eq!((found.hash, found.changes), (hash(2), support::changes()));
    let decide = |byte| store.decide_change(&id, Decision::Landing, &hash(byte), &owner(9));
    assert!(
        matches!(decide(1), Err(StoreError::HashMismatch { .. })),
        "what was reviewed is gone"
    );
    decide(2).unwrap();
    assert!(matches!(
        record(&store, &id, &hash(3)),
        Err(StoreError::Deciding)
    ));
    store.fail_landing(&id, "branch-exists").unwrap();
    record(&store, &id, &hash(1)).unwrap();
    land(&store, &id);
    let refused = record(&store, &id, &hash(3));
    assert!(matches!(
        refused,
        Err(StoreError::NotPending {
            state: ChangeState::Landed
        })
    ));
    assert_eq!(store.captured(&id).unwrap().unwrap().hash, hash(1));
}

#[test]
fn fa_31_nobody_decides_while_the_checkout_is_in_use_and_the_reverse() {
    let Kept { store, _dir } = kept();
    let id = undecided(&store, "a");
    let decide = || store.decide_change(&id, Decision::Landing, &hash(1), &owner(9));
    let reopen = || store.reopen_checkout(&id, &owner(8));
    assert!(matches!(
        reopen(),
        Err(StoreError::NotFound {
            what: "checkout",
            ..
        })
    ));
    store.set_checkout_state(&id, CheckoutState::Kept).unwrap();
    reopen().unwrap();
    let checkout = store.run(&id).unwrap().checkout;
    assert_eq!(
        (checkout.state, checkout.owner),
        (CheckoutState::Live, owner(8))
    );
    assert!(matches!(reopen(), Err(StoreError::CheckoutLive { pid: 8 })));
    assert!(matches!(decide(), Err(StoreError::CheckoutLive { pid: 8 })));
    store.set_checkout_state(&id, CheckoutState::Kept).unwrap();
    decide().unwrap();
    assert!(matches!(reopen(), Err(StoreError::Deciding)));
    store.finish_landing(&id, &oid('f'), "b").unwrap();
    assert!(matches!(
        reopen(),
        Err(StoreError::NotPending {
            state: ChangeState::Landed
        })
    ));
    let live = new_id();
    insert(&store, live, "live").unwrap();
    let refused = store.reopen_checkout(&live, &owner(8));
    assert!(matches!(refused, Err(StoreError::WrongStatus { .. })));
}
