//! What an answer counts for: one question, one run, one action, once.

use super::*;

#[test]
fn pol_07_an_answer_counts_once() {
    let scene = Scene::new();
    let question = scene.ask(false);
    let shown = scene.found(&question);
    record(scene.app(), &shown, &said(Reply::Yes, Surface::Inbox)).unwrap();
    let twice = record(scene.app(), &shown, &said(Reply::No, Surface::Inbox));
    assert_eq!(
        fault(twice),
        QuestionFault::Closed {
            question: question.id.short(),
            state: QuestionState::Answered
        }
    );
    let first = wait(scene.app(), &question, None, NEVER).unwrap();
    assert_eq!(first, Outcome::Said(said(Reply::Yes, Surface::Inbox)));
    // Played again, it answers nothing.
    let again = wait(scene.app(), &question, None, NEVER).unwrap();
    assert_eq!(again, Outcome::Withdrawn);
    let spent = record(scene.app(), &shown, &said(Reply::Yes, Surface::Inbox));
    assert_eq!(
        fault(spent),
        QuestionFault::Closed {
            question: question.id.short(),
            state: QuestionState::Used
        }
    );
}

#[test]
fn pol_07_an_answer_counts_only_for_its_run_and_its_action() {
    let scene = Scene::new();
    let other_run = a_run(scene.app(), 2);
    let question = scene.ask(false);
    record(
        scene.app(),
        &scene.found(&question),
        &said(Reply::Yes, Surface::Inbox),
    )
    .unwrap();
    let of_another_run = Question {
        run: other_run,
        ..question.clone()
    };
    let of_another_action = Question {
        fingerprint: scene.ask(false).fingerprint,
        ..question.clone()
    };
    for unfit in [of_another_run, of_another_action] {
        let outcome = wait(scene.app(), &unfit, None, NEVER).unwrap();
        assert_eq!(outcome, Outcome::Withdrawn);
        assert_eq!(scene.state(&question), QuestionState::Answered);
    }
    // The twin: the one that asked gets it.
    let outcome = wait(scene.app(), &question, None, NEVER).unwrap();
    assert_eq!(outcome, Outcome::Said(said(Reply::Yes, Surface::Inbox)));
}

#[test]
fn pol_07_an_answer_to_something_else_than_was_asked_is_none() {
    let scene = Scene::new();
    let question = scene.ask(false);
    let mut shown = scene.found(&question);
    shown.question.fingerprint[31] ^= 1;
    let unfit = record(scene.app(), &shown, &said(Reply::Yes, Surface::Inbox));
    assert_eq!(
        unfit.unwrap_err().code(),
        ErrorCode::QuestionClosed,
        "the fingerprint is not the row's"
    );
    assert_eq!(scene.state(&question), QuestionState::Open);
}

#[test]
fn pol_07_the_same_question_twice_is_two_questions() {
    let scene = Scene::new();
    let (one, other) = (scene.ask(false), scene.ask(false));
    assert_eq!(one.view, other.view);
    assert_ne!(one.fingerprint, other.fingerprint);
    record(
        scene.app(),
        &scene.found(&one),
        &said(Reply::Yes, Surface::Inbox),
    )
    .unwrap();
    assert_eq!(scene.state(&other), QuestionState::Open);
}

#[test]
fn pol_07_of_many_terminals_that_answer_at_once_one_does() {
    let scene = Scene::new();
    for _ in 0..10 {
        let question = scene.ask(true);
        let shown = scene.found(&question);
        let counted = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for at in 0..8 {
                let (scene, shown, counted) = (&scene, &shown, &counted);
                scope.spawn(move || {
                    let reply = if at % 2 == 0 { Reply::Yes } else { Reply::No };
                    match record(scene.app(), shown, &said(reply, Surface::Inbox)) {
                        Ok(()) => counted.fetch_add(1, Ordering::SeqCst),
                        Err(error) => {
                            assert_eq!(error.code(), ErrorCode::QuestionClosed);
                            0
                        }
                    };
                });
            }
        });
        assert_eq!(counted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn fa_24_a_yes_to_all_edits_counts_only_where_it_was_offered() {
    let scene = Scene::new();
    let question = scene.ask(false);
    let edits = said(Reply::Edits, Surface::Inbox);
    let refused = record(scene.app(), &scene.found(&question), &edits);
    assert!(matches!(fault(refused), QuestionFault::NotOffered { .. }));
    // A terminal that takes the key where it is not on offer is told no by the row.
    let terminal = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| {
        Some(said(Reply::Edits, Surface::Terminal))
    });
    let asked = scene.ask(true);
    let looks = AtomicUsize::new(0);
    let outcome = wait(scene.app(), &asked, Some(&terminal), &|| {
        looks.fetch_add(1, Ordering::SeqCst) > 2
    });
    assert_eq!(outcome.unwrap(), Outcome::Withdrawn);
    // The twin.
    let question = put(scene.app(), &scene.run, &an_edit(), false).unwrap();
    record(scene.app(), &scene.found(&question), &edits).unwrap();
    let outcome = wait(scene.app(), &question, None, NEVER).unwrap();
    assert_eq!(outcome, Outcome::Said(edits));
}
