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

mod answers;
mod rows;
mod waiting;

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
