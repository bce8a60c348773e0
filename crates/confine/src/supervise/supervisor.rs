//! The supervisor: starts bubblewrap or the warden, hands messages up and down, and ends everything below it.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Resource, Rlimit, Signal, WaitOptions};
use rustix::termios::Termios;
use taffrail_domain::Ended;

use super::below::{self, Below};
use super::ending::{self, Tree, poll_until};
use super::wire::{Failure, Inbox, Job, Order, Report, internal, send};
use super::{GRACE, GRACE_LEFT, GRACE_ORPHANED, child, pty, signals};
use crate::process::{ProcessId, may_fail, table};

/// What the supervisor wants to hear of; the four besides SIGCHLD end the run when somebody sends them to it.
const TOLD: [i32; 5] = [
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// Plays the role. The descriptors are the socket and, where there are, the person's terminal and the door.
pub(super) fn play(socket: Option<i32>, terminal: Option<i32>, door: Option<i32>) -> u8 {
    let [socket, terminal, door] = [socket, terminal, door].map(child::adopt);
    let Some(socket) = socket else {
        return 1;
    };
    let mut up = Inbox::new(UnixStream::from(socket));
    let prepared = prepare();
    let Some(job) = up.wait::<Job>() else {
        return 1;
    };
    let started = prepared
        .and_then(|signals| Ok((signals, below::start(&job, door)?)))
        .map_err(|failure| may_fail(fail(&up, failure)));
    let Ok((signals, below)) = started else {
        return 1;
    };
    let terminal = terminal.and_then(|terminal| {
        let modes = rustix::termios::tcgetattr(&terminal).ok()?;
        Some((terminal, modes))
    });
    let supervisor = Supervisor {
        up,
        below,
        signals,
        terminal,
        state: State::default(),
    };
    supervisor.run()
}

fn fail(up: &Inbox, failure: Failure) -> io::Result<()> {
    send(up.socket(), &Report::Failed(failure))?;
    let nothing = Report::Finished {
        ended: None,
        left: 0,
        stuck: 0,
    };
    send(up.socket(), &nothing)
}

/// Everything that must be so before anything is started.
fn prepare() -> Result<OwnedFd, Failure> {
    child::close_on_exec_from_3();
    crate::process::harden();
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    rustix::process::setrlimit(Resource::Core, none).map_err(internal)?;
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own)).map_err(internal)?;
    // So that no directory of the person's is held for as long as the run lasts.
    may_fail(rustix::process::chdir("/"));
    signals::blocked(&TOLD).map_err(internal)
}

/// What is known of the run.
#[derive(Default)]
struct State {
    /// bubblewrap, its first process inside, the warden: not what the child left behind.
    chain: BTreeSet<i32>,
    started: bool,
    failed: bool,
    /// The warden, and something that tells of the child's end even if somebody stopped the warden.
    warden: Option<table::Entry>,
    child: Option<OwnedFd>,
    ended: Option<Ended>,
    /// Taffrail is gone.
    orphaned: bool,
    /// The warden is gone.
    silent: bool,
    /// Taffrail has read all that the child wrote to its terminal.
    shown: bool,
    /// When KILL comes.
    kill_at: Option<Instant>,
    /// That is only for a warden that does not report the child's end.
    only_for_warden: bool,
}

impl State {
    const fn is_over(&self) -> bool {
        self.ended.is_some() || self.failed || self.silent
    }

    fn is_due(&self) -> bool {
        self.kill_at.is_some_and(|at| at <= Instant::now())
    }

    fn end(&mut self, ended: Ended) {
        self.ended = Some(ended);
        if std::mem::take(&mut self.only_for_warden) {
            self.kill_at = None;
        }
    }

    fn kill_within(&mut self, grace: std::time::Duration) {
        let at = Instant::now() + grace;
        self.kill_at = Some(self.kill_at.map_or(at, |before| before.min(at)));
    }
}

struct Supervisor {
    up: Inbox,
    below: Below,
    signals: OwnedFd,
    terminal: Option<(OwnedFd, Termios)>,
    state: State,
}

impl Supervisor {
    fn run(mut self) -> u8 {
        while !self.state.is_over() && !self.state.is_due() {
            self.step();
        }
        if self.state.silent && !self.state.failed && !self.state.started {
            self.tell(&Report::Failed(self.below.why_silent()));
        }
        let (left, stuck) = self.end();
        let ended = self.state.ended;
        self.tell(&Report::Finished { ended, left, stuck });
        u8::from(stuck > 0)
    }

    fn step(&mut self) {
        let mut set = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(self.below.inbox.socket(), PollFlags::IN),
        ];
        // A closed socket and an ended child are told of again and again: each is in the set until it was heard once.
        let up = (!self.state.orphaned).then(|| PollFd::new(self.up.socket(), PollFlags::IN));
        let child = self.state.child.as_ref();
        let up_at = up.as_ref().map(|_| set.len());
        set.extend(up);
        let child_at = child.map(|_| set.len());
        set.extend(child.map(|child| PollFd::new(child, PollFlags::IN)));
        poll_until(&mut set, self.state.kill_at);
        let ready = |at: usize| set.get(at).is_some_and(|entry| !entry.revents().is_empty());
        let [signals, below] = [ready(0), ready(1)];
        let [up, child] = [up_at, child_at].map(|at| at.is_some_and(ready));
        drop(set);
        if signals {
            self.hear_signals();
        }
        if below {
            self.hear_below();
        }
        if up {
            self.hear_up();
        }
        if child {
            self.hear_child();
        }
    }

    /// The child has ended, which the warden is about to report, if it can.
    fn hear_child(&mut self) {
        self.state.child = None;
        if let Some(warden) = &self.state.warden {
            table::signal(warden, Signal::CONT);
        }
        if self.state.kill_at.is_none() {
            self.state.only_for_warden = true;
            self.state.kill_within(GRACE);
        }
    }

    fn hear_signals(&mut self) {
        let came = signals::drain(&self.signals);
        if came.iter().any(|signal| *signal != libc::SIGCHLD) {
            self.obey(Order::Cancel);
        }
        self.reap();
    }

    /// Takes every ending; what the child stopped of us goes on. True: there are no children any more.
    fn reap(&self) -> bool {
        loop {
            let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
            match rustix::process::wait(options) {
                Ok(Some((pid, status))) if status.stopped() && pid == self.below.direct => {
                    may_fail(rustix::process::kill_process(pid, Signal::CONT));
                }
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    fn hear_below(&mut self) {
        if !self.below.inbox.fill() {
            self.state.silent = true;
        }
        while let Ok(Some(report)) = self.below.inbox.next::<Report>() {
            match report {
                Report::Runs { warden, child } => self.begin(warden, child),
                Report::Ended(ended) => self.state.end(ended),
                Report::Failed(_) => {
                    self.state.failed = true;
                    self.tell(&report);
                }
                Report::Enforced(_) => {
                    self.below.server = None;
                    self.tell(&report);
                }
                Report::Stopped | Report::Continued => self.tell(&report),
                // Words of a supervisor; no warden says them.
                Report::Started(_) | Report::Finished { .. } => {}
            }
        }
    }

    fn begin(&mut self, warden: i32, child: i32) {
        self.state.started = true;
        let own = own_pid();
        let warden = table::outer(own, warden).unwrap_or(0);
        let child = table::outer(warden, child);
        self.state.chain = table::line(warden, own);
        self.state.warden = table::entry(warden);
        self.state.child = child.and_then(ending::handle);
        let child = child.and_then(ProcessId::of);
        let direct = || ProcessId::of(self.below.direct.as_raw_nonzero().get());
        // A child that is over already has no start time to tell; then bubblewrap or the warden stands for it.
        if let Some(started) = child.or_else(direct) {
            self.tell(&Report::Started(started));
        }
    }

    fn hear_up(&mut self) {
        if !self.up.fill() {
            self.state.orphaned = true;
            if let Some((terminal, modes)) = &self.terminal {
                pty::put_back_if_raw(terminal.as_fd(), modes);
            }
            self.obey(Order::Cancel);
        }
        while let Ok(Some(order)) = self.up.next::<Order>() {
            self.obey(order);
        }
    }

    fn obey(&mut self, order: Order) {
        if matches!(order, Order::Cancel | Order::Kill) {
            self.state.only_for_warden = false;
        }
        match order {
            Order::Cancel if self.state.orphaned => self.state.kill_within(GRACE_ORPHANED),
            Order::Cancel => self.state.kill_within(GRACE),
            Order::Kill => self.state.kill_within(std::time::Duration::ZERO),
            Order::Shown => self.state.shown = true,
            Order::Start | Order::Stop | Order::Continue => {}
        }
        // A warden that is gone: its socket says so next.
        may_fail(send(self.below.inbox.socket(), &order));
    }

    /// Taffrail that is gone hears nothing; its socket says so next.
    fn tell(&self, report: &Report) {
        if !self.state.orphaned {
            may_fail(send(self.up.socket(), report));
        }
    }

    /// Ends what is left. Returns how many processes the child left running, and how many could not be killed.
    fn end(&mut self) -> (usize, usize) {
        let tree = Tree {
            root: own_pid(),
            chain: std::mem::take(&mut self.state.chain),
        };
        let left = tree.left();
        let count = left.len();
        if self.state.ended.is_some() && !left.is_empty() {
            tree.signal(&left, Signal::TERM);
            let end = Instant::now() + GRACE_LEFT;
            while end > Instant::now() && !self.state.is_due() && !self.wait_for_left(&tree, end) {}
            tree.signal(&tree.left(), Signal::KILL);
        }
        self.wait_for_screen();
        may_fail(rustix::process::kill_process(
            self.below.direct,
            Signal::KILL,
        ));
        (count, tree.kill(|| self.reap()))
    }

    /// The end of the warden, who leads the terminal's session, throws away what was not read from the terminal yet. A
    /// slow terminal is waited for, as it is by any program, until somebody cancels.
    fn wait_for_screen(&mut self) {
        let Some(ended) = self.state.ended.filter(|_| self.below.terminal) else {
            return;
        };
        self.tell(&Report::Ended(ended));
        while !self.state.shown
            && !self.state.silent
            && !self.state.orphaned
            && !self.state.is_due()
        {
            self.step();
        }
    }

    /// Waits for one of them to end, or for Taffrail to be in a hurry. True: none is left.
    fn wait_for_left(&mut self, tree: &Tree, end: Instant) -> bool {
        let left = tree.left();
        if left.is_empty() {
            return true;
        }
        let handles = tree.handles(&left);
        let mut set: Vec<PollFd<'_>> = handles
            .iter()
            .map(|handle| PollFd::new(handle, PollFlags::IN))
            .collect();
        if !self.state.orphaned {
            set.push(PollFd::new(self.up.socket(), PollFlags::IN));
        }
        poll_until(&mut set, self.state.kill_at.into_iter().chain([end]).min());
        let is_up = !self.state.orphaned && set.last().is_some_and(|up| !up.revents().is_empty());
        if is_up {
            self.hear_up();
        }
        self.reap();
        false
    }
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}
