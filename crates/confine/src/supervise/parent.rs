//! Taffrail's own side of a run: starts the supervisor, relays the terminal, hears signals, keeps the limit on time.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitOptions};
use taffrail_domain::{Ended, Enforcement};

use super::console::Console;
use super::ending::poll_until;
use super::signals::{Taken, stop_own_group};
use super::wire::{Failure, Inbox, Order, Report, send};
use super::{
    Cause, Event, FirstSignal, GRACE, Launch, LaunchError, OnEvent, Outcome, Stop, Streams, Veto,
    launch as begin,
};
use crate::process::may_fail;

mod conclude;

/// What a supervisor gets beyond its grace before we do its work ourselves.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often we look whether we came to the foreground.
const FOREGROUND: Duration = Duration::from_millis(250);

/// See [`super::run`].
pub(super) fn run(launch: &Launch, on_event: &mut OnEvent<'_>) -> Result<Outcome, LaunchError> {
    let begun = Instant::now();
    // First of all: whatever fails below, their other ends learn that there will be no child.
    let pipes = launch.streams.take();
    let pipes = pipes.map_err(LaunchError::io("give the command its streams"))?;
    crate::process::harden();
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own))
        .map_err(io::Error::from)
        .map_err(LaunchError::io("become the subreaper of the run"))?;
    let taken = Taken::take().map_err(LaunchError::io("take over the signals"))?;
    let (console, slave) = begin::console(launch)?;
    let (supervisor, up) = begin::start(launch, console.as_ref(), slave, pipes)?;
    let mut run = Run {
        launch,
        on_event,
        up,
        supervisor: Some(supervisor),
        taken,
        console,
        begun,
        deadline: launch.timeout.map(|limit| begun + limit),
        stop_at: None,
        patience: None,
        state: State::default(),
    };
    send(run.up.socket(), &begin::job(launch, run.console.is_some()))
        .map_err(LaunchError::io("tell the supervisor what to start"))?;
    // It came while the run was prepared, and nobody has acted on it.
    if let Some(signal) = crate::interrupt::noted() {
        run.hear_ending(signal);
    }
    while run.state.finished.is_none() && !run.state.lost {
        run.step();
    }
    run.conclude()
}

#[derive(Default)]
struct State {
    started: bool,
    failure: Option<Failure>,
    /// The caller wants no more of it.
    vetoed: bool,
    /// The caller was told of a signal; the next one cancels.
    told_of_signal: bool,
    cause: Option<Cause>,
    /// The child wrote its last; the supervisor waits to hear that it is on the screen.
    shows_rest: bool,
    finished: Option<Finished>,
    /// The supervisor is gone and has not said its last word.
    lost: bool,
}

#[derive(Clone, Copy)]
struct Finished {
    ended: Option<Ended>,
    left: usize,
    stuck: usize,
}

struct Run<'a> {
    launch: &'a Launch,
    on_event: &'a mut OnEvent<'a>,
    up: Inbox,
    supervisor: Option<Pid>,
    // Dropped in this order: no signal may end us between the one and the other.
    console: Option<Console>,
    taken: Taken,
    begun: Instant,
    deadline: Option<Instant>,
    /// When the caller wants it ended.
    stop_at: Option<Instant>,
    /// When we stop waiting for the supervisor to end the run.
    patience: Option<Instant>,
    state: State,
}

impl Run<'_> {
    fn step(&mut self) {
        let until = self.wake_at();
        let mut set = vec![
            PollFd::new(&self.taken, PollFlags::IN),
            PollFd::new(self.up.socket(), PollFlags::IN),
        ];
        let stop = self.launch.stop.as_ref();
        let stop_at = stop.map(|_| set.len());
        set.extend(stop.map(|stop| PollFd::new(stop, PollFlags::IN)));
        set.extend(
            self.console
                .iter()
                .filter(|_| self.state.started)
                .flat_map(Console::wishes),
        );
        poll_until(&mut set, until);
        let ready = |at: usize| set.get(at).is_some_and(|entry| !entry.revents().is_empty());
        let (signals, reports, stop) = (ready(0), ready(1), stop_at.is_some_and(ready));
        drop(set);
        if signals {
            self.hear_signals();
        }
        if reports {
            self.hear_reports();
        }
        if stop {
            self.hear_stop();
        }
        self.relay();
        self.keep_time();
    }

    fn wake_at(&self) -> Option<Instant> {
        let waits = self.state.started
            && self
                .console
                .as_ref()
                .is_some_and(Console::waits_for_foreground);
        let look = waits.then(|| Instant::now() + FOREGROUND);
        let limits = [self.deadline, self.stop_at].into_iter().flatten();
        let limit = limits.min().filter(|_| self.state.cause.is_none());
        [limit, self.patience, look].into_iter().flatten().min()
    }

    fn relay(&mut self) {
        let Some(console) = self.console.as_mut().filter(|_| self.state.started) else {
            return;
        };
        if console.waits_for_foreground() {
            console.connect();
        }
        console.relay();
        if self.state.shows_rest && console.is_all_shown() {
            self.state.shows_rest = false;
            may_fail(send(self.up.socket(), &Order::Shown));
        }
        if console.is_hung_up() && self.state.cause.is_none() {
            self.cancel(Cause::Cancelled(libc::SIGHUP));
        }
    }

    fn keep_time(&mut self) {
        let now = Instant::now();
        if self.state.cause.is_none() && self.deadline.is_some_and(|at| at <= now) {
            self.cancel(Cause::Timeout);
        }
        if self.state.cause.is_none() && self.stop_at.is_some_and(|at| at <= now) {
            self.cancel(Cause::Stopped);
        }
        if self.patience.is_some_and(|at| at <= now) {
            self.state.lost = true;
        }
    }

    /// The first time: TERM, a grace, KILL. Asked for again: KILL.
    fn cancel(&mut self, cause: Cause) {
        if self.state.cause.is_some() {
            self.kill(cause);
        } else {
            self.end(cause, Order::Cancel, GRACE);
        }
    }

    fn kill(&mut self, cause: Cause) {
        self.end(cause, Order::Kill, Duration::ZERO);
    }

    fn end(&mut self, cause: Cause, order: Order, grace: Duration) {
        let patience = Instant::now() + grace + PATIENCE;
        self.state.cause.get_or_insert(cause);
        self.patience = Some(
            self.patience
                .map_or(patience, |before| before.min(patience)),
        );
        self.order(order);
    }

    /// A supervisor that is gone: the socket says so next.
    fn order(&self, order: Order) {
        may_fail(send(self.up.socket(), &order));
    }

    fn hear_signals(&mut self) {
        for signal in self.taken.pending() {
            match signal {
                libc::SIGCHLD => self.look_after_supervisor(),
                libc::SIGWINCH => self.console.iter().for_each(Console::resize),
                libc::SIGCONT if self.state.started => {
                    self.console.iter_mut().for_each(Console::connect);
                }
                libc::SIGCONT => {}
                // Not when the child has stopped: one in the middle of `vfork` does not until its copy goes on.
                libc::SIGTSTP if self.is_piped() => {
                    if self.state.cause.is_none() {
                        self.order(Order::Stop);
                        self.suspend();
                    }
                }
                libc::SIGTSTP => self.order(Order::Stop),
                ending => self.hear_ending(ending),
            }
        }
    }

    const fn is_piped(&self) -> bool {
        matches!(self.launch.streams, Streams::Piped(_))
    }

    fn hear_ending(&mut self, signal: i32) {
        let is_told = self.launch.first_signal == FirstSignal::IsTold;
        if is_told && !std::mem::replace(&mut self.state.told_of_signal, true) {
            self.tell(Event::Signal(signal));
        } else {
            self.cancel(Cause::Cancelled(signal));
        }
    }

    fn hear_stop(&mut self) {
        let Some(asked) = self.launch.stop.as_ref().map(Stop::hear) else {
            return;
        };
        self.stop_at = asked.at;
        if asked.kill {
            self.kill(Cause::Stopped);
        }
    }

    /// A supervisor that somebody stopped goes on; one that ended is taken note of by its socket.
    fn look_after_supervisor(&mut self) {
        // None must not be asked for: it stands for every child that this process has, and others wait for theirs.
        if self.supervisor.is_none() {
            return;
        }
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
        match rustix::process::waitpid(self.supervisor, options) {
            Ok(Some((pid, status))) if status.stopped() => {
                may_fail(rustix::process::kill_process(pid, Signal::CONT));
            }
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => self.supervisor = None,
        }
    }

    fn hear_reports(&mut self) {
        let is_open = self.up.fill();
        while let Ok(Some(report)) = self.up.next::<Report>() {
            self.hear(report);
        }
        self.state.lost |= !is_open && self.state.finished.is_none();
    }

    fn hear(&mut self, report: Report) {
        match report {
            Report::Enforced(enforcement) => self.enforced(&enforcement),
            Report::Started(child) => {
                self.state.started = true;
                self.console.iter_mut().for_each(Console::connect);
                self.tell(Event::Started(child));
            }
            // Without a terminal it was not the person's key, and what the child does to itself is no matter of ours.
            Report::Stopped if self.is_piped() => {}
            Report::Stopped => self.suspend(),
            Report::Failed(failure) => self.state.failure = Some(failure),
            Report::Finished { ended, left, stuck } => {
                self.state.finished = Some(Finished { ended, left, stuck });
            }
            Report::Ended(_) => self.state.shows_rest = true,
            // Between supervisor and warden, or told by our own going on.
            Report::Runs { .. } | Report::Continued => {}
        }
    }

    /// The child was stopped, or told to stop: so are we, with our process group, until the person's shell lets us go on.
    fn suspend(&mut self) {
        if self.state.cause.is_some() {
            return;
        }
        self.console.iter_mut().for_each(Console::disconnect);
        self.tell(Event::Suspended);
        let stopped = Instant::now();
        stop_own_group();
        for limit in [&mut self.deadline, &mut self.stop_at] {
            *limit = limit.map(|at| at + stopped.elapsed());
        }
        self.console.iter_mut().for_each(Console::connect);
        self.order(Order::Continue);
        self.tell(Event::Resumed);
    }

    /// The child starts when the caller has taken note, and not at all when it could not.
    fn enforced(&mut self, enforcement: &Enforcement) {
        match (self.on_event)(Event::Enforced(enforcement)) {
            Ok(()) => self.order(Order::Start),
            Err(Veto) => {
                self.state.vetoed = true;
                self.order(Order::Kill);
            }
        }
    }

    /// Past the start there is nothing left to refuse: a veto ends the run.
    fn tell(&mut self, event: Event<'_>) {
        if (self.on_event)(event).is_err() {
            self.state.vetoed = true;
            self.order(Order::Kill);
        }
    }
}
