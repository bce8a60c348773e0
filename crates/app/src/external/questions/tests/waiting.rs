//! How long a question waits, and for whom.

use super::*;

#[test]
fn fa_24_without_a_terminal_a_question_waits_45_seconds_and_not_longer() {
    let scene = Scene::new();
    let question = scene.ask(false);
    let looks = AtomicUsize::new(0);
    let outcome = wait(scene.app(), &question, None, &|| {
        match looks.fetch_add(1, Ordering::SeqCst) {
            // A millisecond before, it still waits.
            0 => scene.at(44_999),
            1 => {
                assert_eq!(scene.state(&question), QuestionState::Open);
                scene.at(45_000);
            }
            _ => {}
        }
        false
    });
    assert_eq!(outcome.unwrap(), Outcome::Unanswered);
    assert_eq!(scene.state(&question), QuestionState::Expired);
    assert!(looks.load(Ordering::SeqCst) >= 2);
    // Late, nothing counts any more.
    let late = record(
        scene.app(),
        &scene.found(&question),
        &said(Reply::Yes, Surface::Inbox),
    );
    assert_eq!(
        fault(late),
        QuestionFault::Closed {
            question: question.id.short(),
            state: QuestionState::Expired
        }
    );
}

#[test]
fn fa_24_at_a_terminal_it_waits_without_a_limit() {
    let scene = Scene::new();
    let question = scene.ask(true);
    let terminal = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| {
        // A day goes by.
        scene.at(86_400_000);
        Some(said(Reply::Yes, Surface::Terminal))
    });
    let outcome = wait(scene.app(), &question, Some(&terminal), NEVER).unwrap();
    assert_eq!(outcome, Outcome::Said(said(Reply::Yes, Surface::Terminal)));
    assert_eq!(scene.state(&question), QuestionState::Used);
}

#[test]
fn fa_24_a_terminal_that_goes_away_leaves_45_seconds_for_the_inbox() {
    let scene = Scene::new();
    let question = scene.ask(true);
    let gone = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| None);
    let looks = AtomicUsize::new(0);
    let outcome = wait(scene.app(), &question, Some(&gone), &|| {
        // Before it is known that nobody is there, an hour is nothing.
        match looks.fetch_add(1, Ordering::SeqCst) {
            0 => scene.at(3_600_000),
            // Its end was heard after the first look.
            1 => assert_eq!(scene.state(&question), QuestionState::Open),
            _ => scene.at(3_600_000 + 45_000),
        }
        false
    });
    assert_eq!(outcome.unwrap(), Outcome::Unanswered);
}

#[test]
fn pol_07_the_inbox_answers_while_a_terminal_waits_and_the_terminal_is_told() {
    let scene = Scene::new();
    let question = scene.ask(true);
    let heard = Mutex::new(None);
    let terminal = Played(|_: &Question, over: &dyn Fn() -> Option<Outcome>| {
        let refused = Said {
            reason: Some("use the trash".to_owned()),
            ..said(Reply::No, Surface::Terminal)
        };
        record(scene.app(), &scene.found(&question), &refused).unwrap();
        *heard.lock().unwrap() = Some(until_over(over));
        None
    });
    let outcome = wait(scene.app(), &question, Some(&terminal), NEVER).unwrap();
    let expected = Outcome::Said(Said {
        reply: Reply::No,
        reason: Some("use the trash".to_owned()),
        // Who answers through the inbox answers there, whatever it says of itself.
        surface: Surface::Inbox,
    });
    assert_eq!(outcome, expected);
    assert_eq!(heard.into_inner().unwrap(), Some(expected));
}

#[test]
fn pol_07_a_run_that_is_cancelled_uses_no_answer() {
    let scene = Scene::new();
    let question = scene.ask(true);
    let heard = Mutex::new(None);
    let terminal = Played(|_: &Question, over: &dyn Fn() -> Option<Outcome>| {
        *heard.lock().unwrap() = Some(until_over(over));
        // Too late: a key that was pressed at the last moment.
        Some(said(Reply::Yes, Surface::Terminal))
    });
    let outcome = wait(scene.app(), &question, Some(&terminal), &|| true).unwrap();
    assert_eq!(outcome, Outcome::Withdrawn);
    assert_eq!(heard.into_inner().unwrap(), Some(Outcome::Withdrawn));
    assert_eq!(scene.state(&question), QuestionState::Withdrawn);
    // The twin: who is not cancelled gets such an answer.
    let question = scene.ask(true);
    let quick = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| {
        Some(said(Reply::Yes, Surface::Terminal))
    });
    let outcome = wait(scene.app(), &question, Some(&quick), NEVER).unwrap();
    assert_eq!(outcome, Outcome::Said(said(Reply::Yes, Surface::Terminal)));
}

#[test]
fn pol_07_a_question_whose_asker_is_gone_is_withdrawn() {
    let scene = Scene::new();
    let ask = |end: u8, owner: &Owner| {
        let id = QuestionId::new(START.unsigned_abs(), [end; 10]);
        let clean = |text: &str| scene.app().redactor.clean(text);
        scene
            .app()
            .store
            .ask_question(&NewQuestion {
                id,
                run: scene.run,
                fingerprint: [end; 32],
                risk: Risk::Shell,
                destructive: false,
                may_grant: false,
                shown: &clean("run a command"),
                details: &clean("{}"),
                expires_at: None,
                owner,
            })
            .unwrap();
        id
    };
    let alive = App::owner().unwrap();
    let gone = Owner {
        start_ticks: alive.start_ticks + 1,
        ..alive.clone()
    };
    let (dead, live) = (ask(1, &gone), ask(2, &alive));
    let ids: Vec<QuestionId> = waiting(scene.app())
        .unwrap()
        .iter()
        .map(|one| one.question.id)
        .collect();
    assert_eq!(ids, [live]);
    let state = scene.app().store.question(&dead).unwrap().state;
    assert_eq!(state, QuestionState::Withdrawn);
    // One by one as well.
    let dead = ask(3, &gone);
    let found = find(scene.app(), &dead.short()).unwrap();
    assert_eq!(found.state, QuestionState::Withdrawn);
}
