//! A question's life over a real store, with a clock that the tests move.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use taffrail_domain::{
    Action, Clock, ErrorCode, Millis, Net, QuestionId, QuestionState, Reply, Risk, RunId, RunKind,
    Surface,
};
use taffrail_store::{NewQuestion, NewRun, Owner};

use super::inbox::record;
use super::*;
use crate::a_world::{World, world_at};
use crate::{App, AppError};

/// A clock that stands until it is moved.
struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

struct Scene {
    world: World,
    hand: Arc<Hand>,
    run: RunId,
}

const START: i64 = 1_764_460_800_000;
const NEVER: &dyn Fn() -> bool = &|| false;

impl Scene {
    fn new() -> Self {
        let hand = Arc::new(Hand(AtomicI64::new(START)));
        let world = world_at(Arc::<Hand>::clone(&hand));
        let run = a_run(&world.app, 1);
        Self { world, hand, run }
    }

    fn app(&self) -> &App {
        &self.world.app
    }

    fn at(&self, millis: i64) {
        self.hand.0.store(START + millis, Ordering::SeqCst);
    }

    fn ask(&self, somebody_sits_there: bool) -> Question {
        put(self.app(), &self.run, &a_command(), somebody_sits_there).unwrap()
    }

    fn found(&self, question: &Question) -> Waiting {
        find(self.app(), &question.id.short()).unwrap()
    }

    fn state(&self, question: &Question) -> QuestionState {
        self.app().store.question(&question.id).unwrap().state
    }
}

fn a_run(app: &App, end: u8) -> RunId {
    let id = RunId::new(1_800_000_000_000, [end; 10]);
    let clean = |text: &str| app.redactor.clean(text);
    app.store
        .insert_run(&NewRun {
            id,
            kind: RunKind::External,
            name: &clean(&format!("otter-{end}")),
            project_root: Path::new("/project"),
            common_dir: Path::new("/project/.git"),
            command: &clean("gemini --acp"),
            agent: None,
            net: &Net::Off,
            owner: &App::owner().unwrap(),
            checkout: Path::new(&format!("/checkouts/{end}")),
            facts: &clean("{}"),
        })
        .unwrap();
    id
}

fn a_command() -> Asking {
    Asking {
        request: "3".to_owned(),
        agent: "gemini-acp".to_owned(),
        title: Some("Tidy up".to_owned()),
        kind: Some("execute".to_owned()),
        action: Action::Shell {
            command: b"rm -rf build".to_vec(),
            paths: Vec::new(),
        },
        edits: Vec::new(),
        beside: Vec::new(),
        cwd: b"/checkout".to_vec(),
        risk: Risk::Destructive,
        destructive: true,
        reasons: vec!["destroys: rm -rf".to_owned()],
        may_grant: false,
    }
}

fn an_edit() -> Asking {
    Asking {
        action: Action::Write {
            paths: vec![b"/checkout/a.txt".to_vec()],
            removes: Vec::new(),
        },
        edits: vec![Edit {
            path: "/checkout/a.txt".to_owned(),
            old: Some("one\ntwo\n".to_owned()),
            new: "one\nthree\n".to_owned(),
        }],
        risk: Risk::Write,
        destructive: false,
        may_grant: true,
        ..a_command()
    }
}

fn said(reply: Reply, surface: Surface) -> Said {
    Said {
        reply,
        reason: None,
        surface,
    }
}

/// Somebody at a terminal, played by a function.
struct Played<F>(F);

impl<F> Approver for Played<F>
where
    F: Fn(&Question, &dyn Fn() -> Option<Outcome>) -> Option<Said> + Send + Sync,
{
    fn ask(&self, question: &Question, over: &dyn Fn() -> Option<Outcome>) -> Option<Said> {
        (self.0)(question, over)
    }
}

/// Waits until it is over, as a terminal does; what it was told then.
fn until_over(over: &dyn Fn() -> Option<Outcome>) -> Outcome {
    loop {
        if let Some(outcome) = over() {
            return outcome;
        }
        std::thread::yield_now();
    }
}

#[track_caller]
fn fault<T: std::fmt::Debug>(result: Result<T, AppError>) -> QuestionFault {
    match result.unwrap_err() {
        AppError::Question(fault) => fault,
        other => panic!("another error: {other}"),
    }
}

const fn a_run_may_wait_in_any_thread<T: Send + Sync>() {}
const _: () = a_run_may_wait_in_any_thread::<App>();

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

#[test]
fn pol_07_what_is_masked_can_be_refused_from_elsewhere_and_not_allowed() {
    const KEY: &str = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let scene = Scene::new();
    let asking = Asking {
        action: Action::Shell {
            command: format!("curl -H 'Authorization: token {KEY}' x.invalid").into_bytes(),
            paths: Vec::new(),
        },
        ..a_command()
    };
    let question = put(scene.app(), &scene.run, &asking, false).unwrap();
    // The terminal of the run shows the action itself; no row does.
    assert!(question.view.text().contains(KEY) && !question.view.masked);
    let row = scene.app().store.question(&question.id).unwrap();
    assert!(!row.shown.contains(KEY) && !row.details.contains(KEY));
    let shown = scene.found(&question);
    assert!(shown.question.view.masked);
    let yes = record(scene.app(), &shown, &said(Reply::Yes, Surface::Inbox));
    assert!(matches!(fault(yes), QuestionFault::Masked { .. }));
    record(scene.app(), &shown, &said(Reply::No, Surface::Inbox)).unwrap();
}

#[test]
fn pol_07_a_reason_is_kept_without_its_secrets() {
    const KEY: &str = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R";
    let scene = Scene::new();
    let question = scene.ask(true);
    let terminal = Played(|_: &Question, _: &dyn Fn() -> Option<Outcome>| {
        Some(Said {
            reason: Some(format!("never with {KEY}, please")),
            ..said(Reply::No, Surface::Terminal)
        })
    });
    let Outcome::Said(heard) = wait(scene.app(), &question, Some(&terminal), NEVER).unwrap() else {
        panic!("no answer");
    };
    let reason = heard.reason.unwrap();
    assert!(
        reason.starts_with("never with [REDACTED") && reason.ends_with(", please"),
        "{reason}"
    );
}

#[test]
fn pol_07_a_row_shows_what_was_asked() {
    let scene = Scene::new();
    let asking = Asking {
        title: Some("\x1b]0;owned\x07 rename".to_owned()),
        cwd: b"/check\xffout\n".to_vec(),
        ..an_edit()
    };
    let question = put(scene.app(), &scene.run, &asking, false).unwrap();
    let shown = scene.found(&question);
    assert_eq!(shown.question, question);
    assert_eq!(shown.run_name, "otter-1");
    let view = &shown.question.view;
    assert_eq!(view.title.as_deref(), Some("\\x1b]0;owned\\x07 rename"));
    assert_eq!(view.cwd, "/check\\xffout\\n");
    // Of another folder than the working directory: whole.
    let forms: Vec<Form> = view.parts.iter().map(|part| part.form).collect();
    assert_eq!(forms, [Form::Line, Form::Diff]);
    let diff = &view.parts[1].text;
    assert!(diff.contains("\n one\n-two\n+three\n"), "{diff}");
    assert_eq!(view.one_line().as_str(), "write files: /checkout/a.txt");
}

#[test]
fn fa_24_paths_of_the_checkout_are_shown_as_they_are_called_in_it() {
    let scene = Scene::new();
    let cases = [
        ("/checkout/a.txt", "a.txt"),
        ("/checkout/src/a.txt", "src/a.txt"),
        ("/checkout-2/a.txt", "/checkout-2/a.txt"),
        ("/checkout", "/checkout"),
        ("/checkout/", "/checkout/"),
        ("/checkout/../etc/passwd", "/checkout/../etc/passwd"),
        ("/checkout/src/..", "/checkout/src/.."),
        ("/checkout//etc/passwd", "/checkout//etc/passwd"),
        ("a.txt", "a.txt"),
    ];
    for (path, expect) in cases {
        let asking = Asking {
            action: Action::Write {
                paths: vec![path.into()],
                removes: vec![path.into()],
            },
            edits: vec![Edit {
                path: path.to_owned(),
                old: None,
                new: "one\n".to_owned(),
            }],
            ..an_edit()
        };
        let question = put(scene.app(), &scene.run, &asking, false).unwrap();
        let parts = &question.view.parts;
        assert_eq!((&*parts[0].text, &*parts[1].text), (expect, expect));
        let diff = &parts[2].text;
        assert!(diff.contains(&format!("+++ {expect}\n")), "{diff}");
    }
    let nowhere = Asking {
        cwd: Vec::new(),
        ..an_edit()
    };
    let question = put(scene.app(), &scene.run, &nowhere, false).unwrap();
    assert_eq!(question.view.parts[0].text, "/checkout/a.txt");
}

#[test]
fn fa_22_a_command_that_only_has_a_title_is_called_that() {
    let scene = Scene::new();
    let asking = |kind: &str| Asking {
        kind: Some(kind.to_owned()),
        action: Action::Unknown {
            what: "Tidy up".to_owned(),
            paths: Vec::new(),
        },
        ..a_command()
    };
    let wants = |kind| {
        let question = put(scene.app(), &scene.run, &asking(kind), false).unwrap();
        question.view.wants
    };
    assert_eq!(
        wants("execute"),
        "run a command, of which it gives only its own words"
    );
    assert_eq!(wants("other"), "do something that cannot be looked into");
}

#[test]
fn pol_07_a_row_that_cannot_be_read_lets_nothing_through() {
    let scene = Scene::new();
    let clean = |text: &str| scene.app().redactor.clean(text);
    let id = QuestionId::new(START.unsigned_abs(), [9; 10]);
    scene
        .app()
        .store
        .ask_question(&NewQuestion {
            id,
            run: scene.run,
            fingerprint: [0; 32],
            risk: Risk::Shell,
            destructive: false,
            may_grant: true,
            shown: &clean("run a command\ncommand:\nmake\n"),
            details: &clean("{\"of\":\"another version\"}"),
            expires_at: None,
            owner: &App::owner().unwrap(),
        })
        .unwrap();
    let found = find(scene.app(), &id.short()).unwrap();
    assert!(found.question.view.text().contains("make"));
    for reply in [Reply::Yes, Reply::Edits] {
        let answered = record(scene.app(), &found, &said(reply, Surface::Inbox));
        assert!(matches!(fault(answered), QuestionFault::Masked { .. }));
    }
}

#[test]
fn pol_07_an_action_in_one_line_is_escaped() {
    let action = Action::Shell {
        command: b"echo \x1b[2J\nls".to_vec(),
        paths: vec![b"a\xff".to_vec()],
    };
    assert_eq!(
        summary(&action, b"").as_str(),
        "run a command: echo \\x1b[2J\\nls, a\\xff"
    );
}
