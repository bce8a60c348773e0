//! Hosts that no rule names, put to a person while a run goes on: on the spot where somebody is there, else in the inbox.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use taffrail_domain::{Action, Place, Reply, Risk, RunId};

use super::Gate;
use crate::external::questions::{self, Approver, Asking, Outcome};
use crate::{App, AppError};

/// Who asks, and whom.
pub struct Asks<'a> {
    /// The run.
    pub run: RunId,
    /// The agent's id in the registry, or the command's name.
    pub agent: &'a str,
    /// Somebody who is there; with nobody the question waits in the inbox.
    pub approver: Option<&'a dyn Approver>,
    /// Hears of every question; called in a thread of its own.
    pub hears: &'a (dyn Fn(HostAsked) + Sync),
}

/// How far a question for a host is. Each that is put is over later, whatever becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostAsked {
    /// A person is asked.
    Put {
        /// The question's id, as `taffrail inbox` takes it.
        question: String,
        /// What is asked, one line.
        what: String,
    },
    /// Nobody is asked any more.
    Over {
        /// The host and the port.
        place: String,
        /// What came of it; none where that could not be read.
        outcome: Option<Outcome>,
    },
}

/// A place, and where its answer goes.
type Question = (Place, Sender<bool>);

/// Does `work`, and while it goes on puts every host to a person that the gate wants to know of. An answer that could not
/// be had, because nobody gave it or the store did not take the question, is a no.
pub fn asking<T>(app: &App, gate: &Gate, asks: &Asks<'_>, work: impl FnOnce() -> T) -> T {
    if !gate.asks() {
        return work();
    }
    let (send, received) = mpsc::channel::<Question>();
    let send = Mutex::new(send);
    gate.ask_with(Arc::new(move |place: &Place| {
        let (tell, told) = mpsc::channel();
        let sender = send.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.send((place.clone(), tell)).is_ok() && told.recv().unwrap_or(false)
    }));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || answer_all(app, asks, &received, over));
        let _ends = Ends { gate, over };
        work()
    })
}

/// The end of the work, also where it panics: the question that waits is withdrawn, and the next one has nobody to hear it.
struct Ends<'a> {
    gate: &'a Gate,
    over: &'a AtomicBool,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.gate.ask_nobody();
    }
}

fn answer_all(app: &App, asks: &Asks<'_>, received: &Receiver<Question>, over: &AtomicBool) {
    while let Ok((place, tell)) = received.recv() {
        let is_over = || over.load(Ordering::SeqCst);
        let answer = !is_over() && ask(app, asks, &place, &is_over).unwrap_or(false);
        // The connection may have given up waiting; the proxy remembers the answer all the same.
        tell.send(answer).unwrap_or_default();
    }
}

fn ask(
    app: &App,
    asks: &Asks<'_>,
    place: &Place,
    is_over: &dyn Fn() -> bool,
) -> Result<bool, AppError> {
    let asking = Asking {
        request: format!("network {place}"),
        agent: asks.agent.to_owned(),
        title: Some(format!("reach {place}")),
        kind: None,
        action: Action::Network {
            host: place.to_string(),
        },
        edits: Vec::new(),
        beside: Vec::new(),
        cwd: Vec::new(),
        risk: Risk::Network,
        destructive: false,
        reasons: vec![
            "no rule of the agent's entry or of `sandbox.hosts` names this host".to_owned(),
        ],
        may_grant: false,
    };
    let question = questions::put(app, &asks.run, &asking, asks.approver.is_some())?;
    (asks.hears)(HostAsked::Put {
        question: question.id.short(),
        what: question.view.one_line().into_string(),
    });
    let outcome = questions::wait(app, &question, asks.approver, is_over);
    (asks.hears)(HostAsked::Over {
        place: place.to_string(),
        outcome: outcome.as_ref().ok().cloned(),
    });
    Ok(match outcome? {
        Outcome::Said(said) => match said.reply {
            Reply::Yes => true,
            Reply::Edits | Reply::No => false,
        },
        Outcome::Unanswered | Outcome::Withdrawn => false,
    })
}
