//! POL-07 and S23: a question is answered once, by whoever is first, and an answer counts once, for the action that was
//! shown, in the run that asked. Each attack has its twin: the same steps without the guard, over the same rows.
#![allow(clippy::unwrap_used, clippy::panic)] // A test fails by a panic.
#![allow(clippy::disallowed_methods)] // Starts this test binary again as other processes, and looks at rows from outside.

mod support;

use std::env;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use support::external::{NOW, Set, agent_run, ask, decide, open_at, question_id};
use support::{clean, home_in, open, owner};
use taffrail_domain::{Answer, Ground, Millis, QuestionState, Reply, Risk, Surface};
use taffrail_store::{Answered, Home, NewQuestion, Owner, Store, StoreError, Taken};

const ACTION: [u8; 32] = [1; 32];
const ALTERED: [u8; 32] = [2; 32];

struct World {
    home: Home,
    store: Store,
    clock: Arc<Set>,
    _dir: tempfile::TempDir,
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let clock = Set::at(NOW);
    World {
        store: open_at(&home, Arc::clone(&clock)),
        home,
        clock,
        _dir: dir,
    }
}

impl World {
    fn yes(&self, id: &taffrail_domain::QuestionId, fingerprint: &[u8; 32]) -> Answered {
        self.store
            .answer_question(id, fingerprint, Reply::Yes, None, Surface::Inbox)
            .unwrap()
    }

    /// What somebody finds who looks only whether there is an answer: the guard's twin.
    fn unguarded_yes(&self, id: &taffrail_domain::QuestionId) -> bool {
        let raw = Connection::open(self.home.db()).unwrap();
        raw.query_row(
            "SELECT coalesce(reply = 'yes', 0) FROM questions WHERE id = ?1",
            [id.bytes()],
            |row| row.get(0),
        )
        .unwrap()
    }
}

#[test]
fn pol_07_a_question_is_asked_answered_and_used_once() {
    let world = world();
    let (store, run) = (&world.store, agent_run(&world.store));
    let id = ask(store, run, ACTION, None);
    assert_eq!(
        store.take_answer(&run, &id, &ACTION).unwrap(),
        Taken::Waiting
    );
    let waits = store.open_questions().unwrap();
    assert_eq!((waits.len(), waits[0].id, waits[0].run), (1, id, run));
    assert_eq!((waits[0].risk, waits[0].destructive), (Risk::Shell, true));
    assert_eq!(waits[0].shown, "rm -rf target");
    assert_eq!(waits[0].fingerprint, ACTION);
    assert_eq!(waits[0].owner, owner(7));
    world.clock.put(NOW + 9);
    let reason = clean("not before noon, password=Zx81kq93mnPq77ab");
    let answered = store.answer_question(&id, &ACTION, Reply::No, Some(&reason), Surface::Terminal);
    assert_eq!(answered.unwrap(), Answered::Recorded);
    assert!(store.open_questions().unwrap().is_empty());
    assert_eq!(store.unused_questions().unwrap().len(), 1);
    let Taken::Answer(answer) = store.take_answer(&run, &id, &ACTION).unwrap() else {
        panic!("no answer");
    };
    assert_eq!(
        (answer.reply, answer.surface),
        (Reply::No, Surface::Terminal)
    );
    assert_eq!(answer.at, Millis(NOW + 9));
    let said = answer.reason.unwrap();
    assert!(
        said.starts_with("not before noon") && !said.contains("Zx81"),
        "{said}"
    );
    assert!(store.unused_questions().unwrap().is_empty());
    let row = store.question(&id).unwrap();
    assert_eq!(
        (row.state, row.closed_at),
        (QuestionState::Used, Some(Millis(NOW + 9)))
    );
}

#[test]
fn pol_07_s23_an_answer_is_not_used_twice() {
    let world = world();
    let run = agent_run(&world.store);
    let id = ask(&world.store, run, ACTION, None);
    assert_eq!(world.yes(&id, &ACTION), Answered::Recorded);
    let first = world.store.take_answer(&run, &id, &ACTION).unwrap();
    assert!(matches!(first, Taken::Answer(answer) if answer.reply == Reply::Yes));
    let again = world.store.take_answer(&run, &id, &ACTION).unwrap();
    assert_eq!(again, Taken::Over(QuestionState::Used));
    assert_eq!(world.yes(&id, &ACTION), Answered::Over(QuestionState::Used));
    assert!(world.unguarded_yes(&id), "the twin says yes again");
}

#[test]
fn pol_07_s23_an_answer_to_an_altered_action_does_not_count() {
    let world = world();
    let run = agent_run(&world.store);
    let id = ask(&world.store, run, ACTION, None);
    // What was on the screen is another action than what is asked.
    assert_eq!(world.yes(&id, &ALTERED), Answered::OtherAction);
    assert_eq!(
        world.store.question(&id).unwrap().state,
        QuestionState::Open
    );
    // What was answered is another action than what would be done.
    assert_eq!(world.yes(&id, &ACTION), Answered::Recorded);
    let taken = world.store.take_answer(&run, &id, &ALTERED).unwrap();
    assert_eq!(taken, Taken::OtherAction);
    assert!(
        world.unguarded_yes(&id),
        "the twin says yes to the altered action"
    );
    let taken = world.store.take_answer(&run, &id, &ACTION).unwrap();
    assert!(
        matches!(taken, Taken::Answer(_)),
        "and the right asker still gets it"
    );
}

#[test]
fn pol_07_s23_an_answer_of_another_run_does_not_count() {
    let world = world();
    let (run, other) = (agent_run(&world.store), agent_run(&world.store));
    let id = ask(&world.store, run, ACTION, None);
    assert_eq!(
        world.store.take_answer(&other, &id, &ACTION).unwrap(),
        Taken::OtherAction
    );
    assert_eq!(world.yes(&id, &ACTION), Answered::Recorded);
    assert_eq!(
        world.store.take_answer(&other, &id, &ACTION).unwrap(),
        Taken::OtherAction
    );
    assert!(
        world.unguarded_yes(&id),
        "the twin says yes to whoever asks"
    );
    // Nor does another run's decision rest on it.
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        decide(&world.store, &other, Answer::Ask, Ground::Human, Some(id));
    }));
    assert!(refused.is_err());
    decide(&world.store, &run, Answer::Ask, Ground::Human, Some(id));
}

#[test]
fn pol_07_s23_a_late_answer_does_not_count() {
    let world = world();
    let run = agent_run(&world.store);
    let id = ask(&world.store, run, ACTION, Some(NOW + 45_000));
    world.clock.put(NOW + 44_999);
    assert_eq!(
        world.store.take_answer(&run, &id, &ACTION).unwrap(),
        Taken::Waiting
    );
    assert_eq!(world.store.open_questions().unwrap().len(), 1);
    world.clock.put(NOW + 45_000);
    assert!(world.store.open_questions().unwrap().is_empty());
    assert_eq!(
        world.yes(&id, &ACTION),
        Answered::Over(QuestionState::Expired)
    );
    let taken = world.store.take_answer(&run, &id, &ACTION).unwrap();
    assert_eq!(taken, Taken::Over(QuestionState::Expired));
    assert!(!world.store.expire_question(&id).unwrap());
    // The twin waits for ever, and takes the same answer at the same time.
    let twin = ask(&world.store, run, ACTION, None);
    world.clock.put(NOW + 100_000_000);
    assert_eq!(world.yes(&twin, &ACTION), Answered::Recorded);
    // An answer in time is used after the time too: it was given while it counted.
    let in_time = ask(&world.store, run, ACTION, Some(NOW + 100_000_001));
    assert_eq!(world.yes(&in_time, &ACTION), Answered::Recorded);
    world.clock.put(NOW + 100_000_002);
    let taken = world.store.take_answer(&run, &in_time, &ACTION).unwrap();
    assert!(matches!(taken, Taken::Answer(_)), "{taken:?}");
}

#[test]
fn pol_07_what_is_withdrawn_or_expired_is_over_for_both_sides() {
    let world = world();
    let (store, run) = (&world.store, agent_run(&world.store));
    let withdrawn = ask(store, run, ACTION, None);
    assert!(store.withdraw_question(&withdrawn).unwrap());
    assert!(!store.withdraw_question(&withdrawn).unwrap());
    assert_eq!(
        world.yes(&withdrawn, &ACTION),
        Answered::Over(QuestionState::Withdrawn)
    );
    let expired = ask(store, run, ACTION, None);
    assert!(store.expire_question(&expired).unwrap());
    assert_eq!(
        world.yes(&expired, &ACTION),
        Answered::Over(QuestionState::Expired)
    );
    // An answer that came just before the asker gave up is still the asker's.
    let crossed = ask(store, run, ACTION, None);
    assert_eq!(world.yes(&crossed, &ACTION), Answered::Recorded);
    assert!(!store.expire_question(&crossed).unwrap());
    assert!(matches!(
        store.take_answer(&run, &crossed, &ACTION).unwrap(),
        Taken::Answer(_)
    ));
    // An answer that nobody used goes with its asker.
    let unused = ask(store, run, ACTION, None);
    assert_eq!(world.yes(&unused, &ACTION), Answered::Recorded);
    assert!(store.withdraw_question(&unused).unwrap());
    let taken = store.take_answer(&run, &unused, &ACTION).unwrap();
    assert_eq!(taken, Taken::Over(QuestionState::Withdrawn));
}

#[test]
fn pol_07_all_edits_are_allowed_only_where_that_was_on_offer() {
    let world = world();
    let run = agent_run(&world.store);
    let edits = |id| {
        let answered = world
            .store
            .answer_question(id, &ACTION, Reply::Edits, None, Surface::Inbox);
        answered.unwrap()
    };
    let shell = ask(&world.store, run, ACTION, None);
    assert_eq!(edits(&shell), Answered::NotOffered);
    let id = question_id();
    world
        .store
        .ask_question(&NewQuestion {
            id,
            run,
            fingerprint: ACTION,
            risk: Risk::Write,
            destructive: false,
            may_grant: true,
            shown: &clean("edits src/lib.rs"),
            details: &clean("{}"),
            expires_at: None,
            owner: &owner(7),
        })
        .unwrap();
    assert_eq!(edits(&id), Answered::Recorded);
}

#[test]
fn pol_07_questions_are_found_by_the_beginning_of_their_ids() {
    let world = world();
    let run = agent_run(&world.store);
    let id = ask(&world.store, run, ACTION, None);
    let store = &world.store;
    assert_eq!(store.find_question(&id.short()).unwrap().id, id);
    assert_eq!(store.find_question("qst_").unwrap().id, id);
    let other = ask(store, run, ALTERED, None);
    assert!(
        matches!(store.find_question("qst_"), Err(StoreError::Ambiguous { candidates, .. }) if candidates.len() == 2)
    );
    for asked in ["qst_0000000000", "run_1", "", "qst_*", "qst_'"] {
        let found = store.find_question(asked);
        assert!(
            matches!(
                found,
                Err(StoreError::NotFound {
                    what: "question",
                    ..
                })
            ),
            "{asked}"
        );
    }
    let all = store.questions(&run, 0, 10).unwrap();
    assert_eq!(
        all.iter().map(|row| row.id).collect::<Vec<_>>(),
        [id, other]
    );
    assert_eq!(store.questions(&run, all[0].seq, 10).unwrap().len(), 1);
    assert!(matches!(
        store.question(&question_id()),
        Err(StoreError::NotFound { .. })
    ));
}

#[test]
fn pol_07_an_asker_that_is_gone_is_known_by_its_start() {
    let world = world();
    let run = agent_run(&world.store);
    ask(&world.store, run, ACTION, None);
    let unused = world.store.unused_questions().unwrap();
    let Owner {
        pid,
        start_ticks,
        boot_id,
    } = &unused[0].owner;
    assert_eq!((*pid, *start_ticks), (7, 12_345));
    assert!(boot_id.starts_with("5f0c"));
}

#[test]
fn pol_07_of_eight_threads_that_answer_one_question_one_does() {
    let world = world();
    let run = agent_run(&world.store);
    for _ in 0..10 {
        let id = ask(&world.store, run, ACTION, None);
        let (won, lost) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (won, lost, world) = (&won, &lost, &world);
                // Half of them through a store of their own, as another process has it.
                let own = (thread % 2 == 0).then(|| open(&world.home));
                scope.spawn(move || {
                    let store = own.as_ref().unwrap_or(&world.store);
                    let reason = clean(&format!("thread {thread}"));
                    let answered = store
                        .answer_question(&id, &ACTION, Reply::Yes, Some(&reason), Surface::Inbox)
                        .unwrap();
                    match answered {
                        Answered::Recorded => won.fetch_add(1, Ordering::SeqCst),
                        Answered::Over(QuestionState::Answered) => {
                            lost.fetch_add(1, Ordering::SeqCst)
                        }
                        other => panic!("{other:?}"),
                    };
                });
            }
        });
        assert_eq!((won.into_inner(), lost.into_inner()), (1, 7));
    }
}

#[test]
fn pol_07_of_eight_threads_that_take_one_answer_one_gets_it() {
    let world = world();
    let run = agent_run(&world.store);
    let id = ask(&world.store, run, ACTION, None);
    assert_eq!(world.yes(&id, &ACTION), Answered::Recorded);
    let got = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let own = open(&world.home);
            let got = &got;
            scope.spawn(move || {
                if let Taken::Answer(_) = own.take_answer(&run, &id, &ACTION).unwrap() {
                    got.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(got.into_inner(), 1);
}

const CHILD: &str = "TAFFRAIL_STORE_TEST_ANSWER";

/// Not a test of its own: one of the processes that answer.
#[test]
fn child() {
    let Some(home) = env::var_os(CHILD) else {
        return;
    };
    let store = open(&Home::at(home.as_ref()).unwrap());
    for question in store.open_questions().unwrap() {
        let answered = store.answer_question(
            &question.id,
            &question.fingerprint,
            Reply::No,
            None,
            Surface::Inbox,
        );
        if answered.unwrap() == Answered::Recorded {
            println!("\nwon {}", question.id);
        }
    }
}

fn answering(home: &Home) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(CHILD, home.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

#[test]
fn pol_07_of_eight_processes_that_answer_each_question_one_does() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let run = agent_run(&store);
    let asked: Vec<String> = (0..20)
        .map(|_| ask(&store, run, ACTION, None).short())
        .collect();
    let children: Vec<_> = (0..8).map(|_| answering(&home).spawn().unwrap()).collect();
    let mut won = Vec::new();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success());
        let said = String::from_utf8(out.stdout).unwrap();
        won.extend(
            said.lines()
                .filter_map(|line| line.strip_prefix("won ").map(str::to_owned)),
        );
    }
    won.sort();
    let mut wanted = asked;
    wanted.sort();
    assert_eq!(won, wanted);
}

#[test]
fn pol_07_an_answer_of_another_process_is_seen_by_the_counter_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let home = home_in(&dir);
    let store = open(&home);
    let run = agent_run(&store);
    let id = ask(&store, run, ACTION, None);
    let before = store.changed_elsewhere().unwrap();
    assert_eq!(
        store.changed_elsewhere().unwrap(),
        before,
        "nothing happened"
    );
    let mut child = answering(&home).spawn().unwrap();
    let begun = Instant::now();
    while store.changed_elsewhere().unwrap() == before {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it is never seen"
        );
        std::thread::yield_now();
    }
    // What the counter shows is there to be read.
    assert!(matches!(
        store.take_answer(&run, &id, &ACTION).unwrap(),
        Taken::Answer(_)
    ));
    assert!(child.wait().unwrap().success());
    let after = store.changed_elsewhere().unwrap();
    assert_ne!(after, before);
    store
        .append_message(&run, taffrail_store::MessageRole::User, &clean("x"))
        .unwrap();
    assert_ne!(store.changed_elsewhere().unwrap(), after, "our own too");
}
