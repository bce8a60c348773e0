//! REV-01 to REV-05: decisions on record, compared and set, sealed, journaled, undone; nothing of the retired is recalled.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // A test fails by a panic and may say its figures.

mod support;

use std::sync::{Arc, Barrier};

use support::memory::{
    SEED, confirm, consent, decide, draft, key, project, random, recalled, said, screened, sealer,
    seen, typed,
};
use support::{clean, home_in, open};
use taffrail_domain::{Lifecycle, MemoryId, MemoryStatus, PolicyBits, Provenance, ReviewAction};
use taffrail_memory::draft::Scope;
use taffrail_memory::journal::Verifier;
use taffrail_memory::review::Decision;
use taffrail_memory::seal::SealKey;
use taffrail_store::{MemoryRow, Reviewed, Store, StoreError, Whose};

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

/// Whether a memory's seal verifies against what the text and the journal say.
fn is_sealed(store: &Store, memory: &MemoryId) -> bool {
    let row = store.seal_facts(&[*memory]).unwrap()[0];
    row.verifies(store.home_id().unwrap(), &SealKey::from_seed(SEED).public())
}

fn chain_holds(store: &Store) {
    let mut verifier = Verifier::new(&[store.journal_head().unwrap()]);
    let entries = store.journal_entries(1, 10_000).unwrap();
    entries
        .iter()
        .for_each(|entry| verifier.push(&entry.seen()));
    verifier.finish().unwrap();
}

/// The deciding columns, but for what counts changes.
fn stands(
    row: &MemoryRow,
) -> (
    MemoryStatus,
    Lifecycle,
    Provenance,
    PolicyBits,
    u64,
    Option<u64>,
) {
    let draft = row.draft.as_ref().map(|draft| draft.revision);
    (
        row.status,
        row.lifecycle,
        row.provenance,
        row.bits,
        row.text.revision,
        draft,
    )
}

#[test]
fn rev_01_a_confirmed_memory_instructs_under_a_seal_over_its_journal_entry() {
    let Kept { store, _dir, .. } = kept();
    let id = said(&store, Scope::Personal, "answer in French");
    let outcome = decide(&store, Decision::Confirm(consent(&store, &[id])), &[id]).unwrap();
    assert_eq!(outcome.head, store.journal_head().unwrap());
    assert!(outcome.rows[0].sealed);
    let row = store.memory(&id).unwrap();
    assert_eq!(
        (row.status, row.provenance),
        (MemoryStatus::Confirmed, Provenance::UserConfirmed)
    );
    assert_eq!(
        (row.first_provenance, row.version),
        (Provenance::Generated, 2)
    );
    assert_eq!(row.review_entry, Some(outcome.head.seq));
    assert_eq!(store.last_review_entry(&id).unwrap(), Some(outcome.head));
    assert!(row.confirmed_at.is_some() && is_sealed(&store, &id));
    let history = store.memory_history(&id).unwrap();
    let kinds: Vec<_> = history
        .entries
        .iter()
        .map(|entry| entry.kind.as_str())
        .collect();
    assert_eq!(kinds, ["memory_written", "memory_reviewed"]);
    assert_eq!(
        (history.reviews.len(), history.reviews[0].action),
        (1, ReviewAction::Confirm)
    );
    assert!(
        history
            .entries
            .iter()
            .all(|entry| !entry.facts.contains("French"))
    );
    chain_holds(&store);
}

#[test]
fn rev_02_restrict_and_reject_leave_nothing_behind_for_a_later_confirm() {
    let Kept { store, _dir, .. } = kept();
    for (name, first) in [
        ("restrict", Decision::Restrict(key())),
        ("reject", Decision::Reject(key())),
        ("stale", Decision::Stale(key())),
        ("evidence", Decision::Evidence(key())),
    ] {
        let id = said(&store, Scope::Personal, &format!("a fact to {name}"));
        decide(&store, first, &[id]).unwrap();
        assert!(!is_sealed(&store, &id));
        let found = recalled(&store, None, name);
        assert_eq!(found.len(), usize::from(name == "evidence"), "{name}");
        confirm(&store, &[id]);
        let row = store.memory(&id).unwrap();
        assert_eq!(
            (row.status, row.lifecycle),
            (MemoryStatus::Confirmed, Lifecycle::Active)
        );
        assert!(row.bits.can_use_as_instruction && !row.bits.do_not_inject_automatically);
        assert_eq!(recalled(&store, None, name), [row.seq]);
        assert!(is_sealed(&store, &id));
    }
}

#[test]
fn rev_04_a_demotion_takes_seal_and_provenance_away_and_an_old_seal_is_no_seal() {
    let Kept { store, home, _dir } = kept();
    let id = said(&store, Scope::Personal, "use tabs");
    confirm(&store, &[id]);
    let old = store.memory(&id).unwrap();
    decide(&store, Decision::Reject(key()), &[id]).unwrap();
    let row = store.memory(&id).unwrap();
    assert_eq!((row.provenance, row.seal), (Provenance::Generated, None));
    // Somebody puts the approved columns back by hand: the journal's last review is another one.
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    conn.execute(
        "UPDATE memories SET status = 'confirmed', lifecycle = 'active', provenance = 'user_confirmed',
             can_use_as_instruction = 1, do_not_inject_automatically = 0, seal = ?1, review_entry = ?2",
        rusqlite::params![old.seal, i64::try_from(old.review_entry.unwrap()).unwrap()],
    )
    .unwrap();
    assert_eq!(store.memory(&id).unwrap().seal, old.seal);
    assert!(!is_sealed(&store, &id));
}

#[test]
fn rev_02_the_version_and_the_text_have_to_be_those_that_were_shown() {
    let Kept { store, _dir, .. } = kept();
    let id = said(&store, Scope::Personal, "use spaces");
    let shown = seen(&store, &id);
    let consented = consent(&store, &[id]);
    decide(&store, Decision::Restrict(key()), &[id]).unwrap();
    let late = store.review(
        Decision::Confirm(consented),
        std::slice::from_ref(&shown),
        sealer(),
    );
    assert!(
        matches!(late, Err(StoreError::Conflict { found: 2, .. })),
        "{late:?}"
    );

    let other_text = Reviewed {
        expected_hash: taffrail_domain::ContentHash([1; 32]),
        ..seen(&store, &id)
    };
    let refused = store.review(Decision::Reject(key()), &[other_text], None);
    assert!(matches!(refused, Err(StoreError::Conflict { .. })));
    // A consent to another list does not reach this row.
    let elsewhere = said(&store, Scope::Personal, "another");
    let refused = decide(
        &store,
        Decision::Confirm(consent(&store, &[elsewhere])),
        &[id],
    );
    assert!(matches!(refused, Err(StoreError::NoConsent { .. })));
    // Nor does one without a key to seal with.
    let refused = store.review(
        Decision::Confirm(consent(&store, &[id])),
        &[seen(&store, &id)],
        None,
    );
    assert!(matches!(refused, Err(StoreError::NoConsent { .. })));
    assert_eq!(store.memory(&id).unwrap().status, MemoryStatus::Restricted);
}

#[test]
fn rev_02_a_batch_is_all_or_nothing_with_one_entry_per_row() {
    let Kept { store, _dir, .. } = kept();
    let ids: Vec<_> = (0..20)
        .map(|at| said(&store, Scope::Personal, &format!("fact {at}")))
        .collect();
    store.home_id().unwrap();
    let before = store.journal_head().unwrap().seq;
    let mut batch: Vec<_> = ids.iter().map(|id| seen(&store, id)).collect();
    batch[19].expected_version = 9;
    let refused = store.review(Decision::Confirm(consent(&store, &ids)), &batch, sealer());
    assert!(matches!(refused, Err(StoreError::Conflict { .. })));
    assert_eq!(
        store.journal_head().unwrap().seq,
        before,
        "half a batch is on record"
    );
    assert_eq!(store.memories_waiting(&Whose::All).unwrap(), 20);

    batch[19].expected_version = 1;
    batch[0].notes = Some(clean("good ones"));
    let outcome = store
        .review(Decision::Confirm(consent(&store, &ids)), &batch, sealer())
        .unwrap();
    assert_eq!(outcome.rows.len(), 20);
    assert_eq!(outcome.head.seq, before + 20);
    assert!(ids.iter().all(|id| is_sealed(&store, id)));
    let notes = store.memory_history(&ids[0]).unwrap().reviews;
    assert_eq!(notes[0].notes.as_deref(), Some("good ones"));
    chain_holds(&store);
}

#[test]
fn rev_02_of_two_that_decide_at_once_one_wins() {
    let Kept { store, home, _dir } = kept();
    let stores = [Arc::new(store), Arc::new(open(&home))];
    for round in 0..5 {
        let id = said(&stores[0], Scope::Personal, &format!("round {round}"));
        let start = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|at| {
                let (store, start) = (Arc::clone(&stores[at % 2]), Arc::clone(&start));
                let decision = if at < 2 {
                    Decision::Confirm(consent(&store, &[id]))
                } else {
                    Decision::Reject(key())
                };
                let batch = [seen(&store, &id)];
                std::thread::spawn(move || {
                    start.wait();
                    store.review(decision, &batch, sealer())
                })
            })
            .collect();
        let results: Vec<_> = threads.into_iter().map(|one| one.join().unwrap()).collect();
        assert_eq!(results.iter().filter(|one| one.is_ok()).count(), 1);
        let lost = results.iter().filter_map(|one| one.as_ref().err());
        assert!(
            lost.into_iter()
                .all(|error| matches!(error, StoreError::Conflict { .. }))
        );
        assert_eq!(stores[1].memory(&id).unwrap().version, 2);
    }
}

/// Both rows retired by a merge and by a replacement, at every depth of a recall.
#[test]
fn rev_02_no_recall_at_any_depth_returns_a_retired_text() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let old = said(&store, scope, "the gateway listens on port 7001");
    let twice = said(
        &store,
        scope,
        "port 7001 is where the gateway listens, they say",
    );
    confirm(&store, &[old, twice]);
    let into = old;
    let merged = decide(&store, Decision::Merge { into, key: key() }, &[twice]).unwrap();
    assert_eq!(merged.rows[0].other, Some(old));
    let fresh = said(&store, scope, "the gateway listens on port 9009");
    assert_eq!(
        recalled(&store, Some(ours.seq), "gateway port listens").len(),
        2
    );
    let consent = consent(&store, &[fresh]);
    decide(&store, Decision::Replace { old, consent }, &[fresh]).unwrap();

    let new = store.memory(&fresh).unwrap();
    for query in [
        "gateway port listens",
        "7001",
        "they say",
        "gateway 7001 9009",
    ] {
        let found = recalled(&store, Some(ours.seq), query);
        assert!(
            found.iter().all(|seq| *seq == new.seq),
            "{query} finds {found:?}"
        );
    }
    let retired = store.memory(&old).unwrap();
    assert_eq!(retired.retired_by, Some(fresh));
    assert_eq!(
        (retired.status, retired.provenance),
        (MemoryStatus::Merged, Provenance::Superseded)
    );
    let last = store.memory_history(&old).unwrap().reviews.pop().unwrap();
    assert_eq!(
        (last.action, last.other, last.went),
        (ReviewAction::Replace, Some(fresh), true)
    );
    assert_eq!(store.memory(&twice).unwrap().retired_by, Some(old));
    assert!(is_sealed(&store, &fresh) && !is_sealed(&store, &old) && !is_sealed(&store, &twice));
    chain_holds(&store);
}

#[test]
fn rev_02_merged_is_final_and_takes_nothing_in() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let scope = Scope::Project(ours.id);
    let into = said(&store, scope, "the one that stays");
    let old = said(&store, scope, "the one that goes");
    decide(&store, Decision::Merge { into, key: key() }, &[old]).unwrap();
    let refused = decide(&store, Decision::Reject(key()), &[old]);
    assert!(matches!(refused, Err(StoreError::ReviewRefused { .. })));
    let late = said(&store, scope, "a late one");
    let refused = decide(
        &store,
        Decision::Merge {
            into: old,
            key: key(),
        },
        &[late],
    );
    assert!(matches!(refused, Err(StoreError::ReviewRefused { .. })));
    let itself = decide(
        &store,
        Decision::Merge {
            into: late,
            key: key(),
        },
        &[late],
    );
    assert!(matches!(itself, Err(StoreError::ReviewRefused { .. })));
    let personal = said(&store, Scope::Personal, "mine");
    let elsewhere = decide(
        &store,
        Decision::Merge {
            into: personal,
            key: key(),
        },
        &[late],
    );
    assert!(matches!(elsewhere, Err(StoreError::ReviewRefused { .. })));
}

#[test]
fn rev_02_an_edit_waits_while_the_confirmed_text_stays_in_force_and_sealed() {
    let Kept { store, _dir, .. } = kept();
    let id = said(&store, Scope::Personal, "deploy on monday");
    confirm(&store, &[id]);
    let edited = edit(&store, &id, "deploy on friday").unwrap();
    assert!(edited.waits);
    let row = store.memory(&id).unwrap();
    assert_eq!(
        (row.text.content.as_str(), row.text.revision),
        ("deploy on monday", 1)
    );
    assert_eq!(row.draft.as_ref().unwrap().content, "deploy on friday");
    assert!(
        is_sealed(&store, &id),
        "an edit broke the seal of what is in force"
    );
    assert_eq!(recalled(&store, None, "monday"), [row.seq]);
    assert!(recalled(&store, None, "friday").is_empty());
    assert_eq!(
        store
            .memory_queue(&Whose::All, None, None, None)
            .unwrap()
            .rows,
        std::slice::from_ref(&row)
    );

    // A code typed for the old text does not confirm the new one.
    let old = typed(vec![(id, row.text.hash)]);
    let refused = decide(&store, Decision::Confirm(old), &[id]);
    assert!(matches!(refused, Err(StoreError::NoConsent { .. })));
    confirm(&store, &[id]);
    let row = store.memory(&id).unwrap();
    assert_eq!(
        (row.text.content.as_str(), row.draft.clone()),
        ("deploy on friday", None)
    );
    assert!(is_sealed(&store, &id) && recalled(&store, None, "monday").is_empty());
    assert_eq!(recalled(&store, None, "friday"), [row.seq]);
    assert_eq!(store.memory_texts(&id).unwrap().len(), 2);
    // The new text said by another task is a witness of it.
    let again = support::memory::write(&store, draft(Scope::Personal, "t9", "deploy on friday"));
    assert_eq!(again.memory, id);
    chain_holds(&store);
}

fn edit(store: &Store, id: &MemoryId, text: &str) -> Result<taffrail_store::Edited, StoreError> {
    let row = store.memory(id).unwrap();
    let scope = row.project.map_or(Scope::Personal, Scope::Project);
    let text = screened(draft(scope, "edit", text));
    store.edit_memory(&seen(store, id), text, random(), key())
}

#[test]
fn rev_02_an_edit_of_what_nobody_confirmed_is_in_force_at_once() {
    let Kept { store, _dir, .. } = kept();
    let ours = project(&store, "ours", "/ours");
    let id = said(&store, Scope::Personal, "first words");
    let late = seen(&store, &id);
    let edited = edit(&store, &id, "second words").unwrap();
    assert_eq!(
        (edited.waits, edited.revision, edited.version),
        (false, 2, 2)
    );
    assert_eq!(store.memory(&id).unwrap().text.content, "second words");
    assert!(recalled(&store, None, "first").is_empty());
    let text = screened(draft(Scope::Personal, "edit", "third"));
    let stale = store.edit_memory(&late, text, random(), key());
    assert!(matches!(stale, Err(StoreError::Conflict { found: 2, .. })));
    let text = screened(draft(Scope::Project(ours.id), "edit", "third"));
    let elsewhere = store.edit_memory(&seen(&store, &id), text, random(), key());
    assert!(matches!(elsewhere, Err(StoreError::ReviewRefused { .. })));
    // The edit is taken back, down to the first words.
    let plan = store.undo_plan(&id).unwrap();
    assert_eq!((plan.action, plan.needs_code), (ReviewAction::Edit, false));
    undo(&store, &id, false).unwrap();
    assert_eq!(store.memory(&id).unwrap().text.content, "first words");
    assert_eq!(recalled(&store, None, "first").len(), 1);
}

/// Takes the last decision on a memory back as its plan says, with the typed code or with a key.
fn undo(store: &Store, id: &MemoryId, with_code: bool) -> Result<(), StoreError> {
    let plan = store.undo_plan(id)?;
    let shown: Vec<_> = plan
        .rows
        .iter()
        .map(|row| (row.memory, row.content))
        .collect();
    let mut one = seen(store, id);
    one.expected_hash = plan
        .rows
        .iter()
        .find(|row| row.memory == *id)
        .unwrap()
        .content;
    let decision = if with_code {
        Decision::UndoToConfirmed(typed(shown))
    } else {
        Decision::Undo(key())
    };
    store.review(decision, &[one], sealer()).map(|_| ())
}

#[test]
fn rev_02_an_undo_brings_both_rows_of_a_replacement_back_whole() {
    let Kept { store, _dir, .. } = kept();
    let old = said(&store, Scope::Personal, "lunch at noon");
    confirm(&store, &[old]);
    let new = said(&store, Scope::Personal, "lunch at one");
    let before = (
        stands(&store.memory(&old).unwrap()),
        stands(&store.memory(&new).unwrap()),
    );
    let replace = Decision::Replace {
        old,
        consent: consent(&store, &[new]),
    };
    decide(&store, replace, &[new]).unwrap();
    assert!(!is_sealed(&store, &old));

    let plan = store.undo_plan(&old).unwrap();
    assert!(plan.needs_code);
    assert_eq!(
        plan.rows.iter().map(|row| row.memory).collect::<Vec<_>>(),
        [new, old]
    );
    // A key is not enough to let the old one instruct again.
    assert!(matches!(
        undo(&store, &old, false),
        Err(StoreError::NoConsent { .. })
    ));
    undo(&store, &old, true).unwrap();
    let after = (
        stands(&store.memory(&old).unwrap()),
        stands(&store.memory(&new).unwrap()),
    );
    assert_eq!(after, before);
    assert_eq!(store.memory(&old).unwrap().retired_by, None);
    assert!(is_sealed(&store, &old) && !is_sealed(&store, &new));
    assert_eq!(recalled(&store, None, "lunch").len(), 2);
    chain_holds(&store);
    // Then the decision before that one, and then there is none.
    undo(&store, &old, false).unwrap();
    assert_eq!(store.memory(&old).unwrap().status, MemoryStatus::Pending);
    assert!(matches!(
        store.undo_plan(&old),
        Err(StoreError::ReviewRefused { .. })
    ));
}

#[test]
fn rev_02_a_later_decision_on_the_other_row_is_taken_back_first() {
    let Kept { store, _dir, .. } = kept();
    let old = said(&store, Scope::Personal, "lunch at noon");
    let new = said(&store, Scope::Personal, "lunch at one");
    let replace = Decision::Replace {
        old,
        consent: consent(&store, &[new]),
    };
    decide(&store, replace, &[new]).unwrap();
    decide(&store, Decision::Restrict(key()), &[new]).unwrap();
    let refused = store.undo_plan(&old);
    assert!(matches!(refused, Err(StoreError::ReviewRefused { .. })));
    // Taking back the restriction lets it instruct again: that takes the code.
    assert!(matches!(
        undo(&store, &new, false),
        Err(StoreError::NoConsent { .. })
    ));
    undo(&store, &new, true).unwrap();
    assert!(is_sealed(&store, &new));
    undo(&store, &old, false).unwrap();
    assert_eq!(store.memory(&old).unwrap().status, MemoryStatus::Pending);
    assert_eq!(store.memory(&new).unwrap().status, MemoryStatus::Pending);
    assert!(!is_sealed(&store, &new));
}

#[test]
fn rev_02_an_undo_of_a_merge_brings_the_row_back_and_leaves_the_other_alone() {
    let Kept { store, _dir, .. } = kept();
    let into = said(&store, Scope::Personal, "water the plants daily");
    let twice = said(&store, Scope::Personal, "plants want water each day");
    decide(&store, Decision::Merge { into, key: key() }, &[twice]).unwrap();
    let version = store.memory(&into).unwrap().version;
    assert_eq!(recalled(&store, None, "plants").len(), 1);
    undo(&store, &twice, false).unwrap();
    assert_eq!(recalled(&store, None, "plants").len(), 2);
    let row = store.memory(&twice).unwrap();
    assert_eq!((row.status, row.retired_by), (MemoryStatus::Pending, None));
    assert_eq!(store.memory(&into).unwrap().version, version);
}

#[test]
fn rev_02_a_draft_that_is_dropped_leaves_the_confirmed_text_sealed() {
    let Kept { store, _dir, .. } = kept();
    let id = said(&store, Scope::Personal, "tea at four");
    confirm(&store, &[id]);
    edit(&store, &id, "tea at five").unwrap();
    undo(&store, &id, false).unwrap();
    let row = store.memory(&id).unwrap();
    assert_eq!(
        (row.text.content.as_str(), row.draft.clone()),
        ("tea at four", None)
    );
    assert!(is_sealed(&store, &id));
    // A rejected row is out of force with its draft; what comes back comes back with it.
    edit(&store, &id, "tea at six").unwrap();
    decide(&store, Decision::Reject(key()), &[id]).unwrap();
    assert_eq!(store.memory(&id).unwrap().draft, None);
    undo(&store, &id, true).unwrap();
    let row = store.memory(&id).unwrap();
    assert_eq!(row.draft.as_ref().unwrap().content, "tea at six");
    assert!(is_sealed(&store, &id));
}
