//! The warden: enters the sandbox, starts the child, waits for it, and tells upwards what happens to it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use taffrail_domain::{Ended, Enforcement, Rung};

use super::wire::{Failure, Inbox, Job, Order, Report, send};
use super::{child, signals};
use crate::process::may_fail;
use crate::sandbox::{self, Policy, SandboxError};

/// Exit code when the child was not started: the one that shells use for "found but cannot be run".
const NOT_STARTED: u8 = 126;

/// Plays the role. The descriptors are the socket, the child's standard streams and, where there is one, the door, which
/// stays open as long as we live: its other end tells of our end.
pub(super) fn play(socket: Option<i32>, streams: [Option<i32>; 3], door: Option<i32>) -> u8 {
    let [socket, door] = [socket, door].map(child::adopt);
    let (Some(socket), [Some(stdin), Some(stdout), Some(stderr)]) =
        (socket, streams.map(child::adopt))
    else {
        return NOT_STARTED;
    };
    let streams = [stdin, stdout, stderr];
    child::close_on_exec_from_3();
    let mut inbox = Inbox::new(UnixStream::from(socket));
    let Some(job) = inbox.wait::<Job>() else {
        return NOT_STARTED;
    };
    let opened = open_door(&job.policy, door.as_ref());
    match opened.and_then(|()| begin(job, &mut inbox, streams)) {
        Ok(Some(mut warden)) => warden.watch(&mut inbox),
        Ok(None) => NOT_STARTED,
        Err(failure) => {
            may_fail(send(inbox.socket(), &Report::Failed(failure)));
            NOT_STARTED
        }
    }
}

/// Listens where a network of the run's own is to be met, while the sandbox still lets us.
fn open_door(policy: &Policy, door: Option<&OwnedFd>) -> Result<(), Failure> {
    let ports = policy.doors();
    if ports.is_empty() {
        return Ok(());
    }
    let door = door.ok_or_else(|| Failure::Internal("the network by host has no door".into()))?;
    let failed = |error| Failure::Unavailable(format!("the network by host: {error}"));
    super::door::hand_up(door.as_fd(), &ports).map_err(failed)
}

/// None when nobody wants the child started any more.
fn begin(job: Job, inbox: &mut Inbox, streams: [OwnedFd; 3]) -> Result<Option<Warden>, Failure> {
    let internal = |error: std::io::Error| Failure::Internal(format!("warden: {error}"));
    // If the supervisor is killed we go with it. Inside a namespace its first process sees to that.
    may_fail(rustix::process::set_parent_process_death_signal(Some(
        Signal::KILL,
    )));
    take_streams(streams).map_err(|error| internal(error.into()))?;
    // A session leader already, if bubblewrap made one.
    may_fail(rustix::process::setsid());
    let terminal = job
        .terminal
        .then(take_terminal)
        .transpose()
        .map_err(internal)?;
    let enforcement = enter(&job.policy)?;
    send(inbox.socket(), &Report::Enforced(enforcement)).map_err(internal)?;
    crate::process::harden();
    if !may_start(inbox) {
        return Ok(None);
    }
    let signals = signals::blocked(&[libc::SIGCHLD]).map_err(internal)?;
    let started = child::start(job, terminal.as_ref().map(AsFd::as_fd))?;
    let runs = Report::Runs {
        warden: number(rustix::process::getpid()),
        child: number(started),
    };
    send(inbox.socket(), &runs).map_err(internal)?;
    // Without it the streams stay open until we end, which is soon after the child.
    may_fail(child::leave_streams());
    Ok(Some(Warden {
        child: started,
        terminal,
        foreground: None,
        is_over: false,
        signals,
    }))
}

/// Makes these our standard streams.
fn take_streams([stdin, stdout, stderr]: [OwnedFd; 3]) -> rustix::io::Result<()> {
    rustix::stdio::dup2_stdin(stdin)?;
    rustix::stdio::dup2_stdout(stdout)?;
    rustix::stdio::dup2_stderr(stderr)
}

/// Waits for the word to start. Being cancelled, or left alone, is none.
fn may_start(inbox: &mut Inbox) -> bool {
    loop {
        match inbox.wait::<Order>() {
            Some(Order::Start) => return true,
            Some(Order::Cancel | Order::Kill) | None => return false,
            Some(Order::Stop | Order::Continue | Order::Shown) => {}
        }
    }
}

/// The first standard stream that is a terminal becomes the one of this session.
fn take_terminal() -> std::io::Result<OwnedFd> {
    let streams = [
        rustix::stdio::stdin(),
        rustix::stdio::stdout(),
        rustix::stdio::stderr(),
    ];
    let is_terminal = |stream: &BorrowedFd<'_>| rustix::termios::isatty(stream);
    let stream = streams.into_iter().find(is_terminal);
    let stream = stream.ok_or_else(|| std::io::Error::other("no standard stream is a terminal"))?;
    rustix::process::ioctl_tiocsctty(stream)?;
    Ok(rustix::io::fcntl_dupfd_cloexec(stream, 3)?)
}

fn enter(policy: &Policy) -> Result<Enforcement, Failure> {
    if policy.rung == Rung::None {
        return Ok(sandbox::enter_none());
    }
    sandbox::enter(policy).map_err(|error| match error {
        SandboxError::Broken { .. } => Failure::Broken(error.to_string()),
        other => Failure::Unavailable(other.to_string()),
    })
}

fn number(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

struct Warden {
    child: Pid,
    terminal: Option<OwnedFd>,
    /// Who was in the foreground when the child was stopped.
    foreground: Option<Pid>,
    /// The child has ended; its group's number may be somebody else's soon.
    is_over: bool,
    signals: OwnedFd,
}

impl Warden {
    /// Until the supervisor closes the socket.
    fn watch(&mut self, inbox: &mut Inbox) -> u8 {
        loop {
            self.children(inbox.socket());
            let mut set = [
                PollFd::new(inbox.socket(), PollFlags::IN),
                PollFd::new(&self.signals, PollFlags::IN),
            ];
            let ready = poll(&mut set, None).is_ok();
            let [socket, signal] = set.map(|entry| ready && !entry.revents().is_empty());
            if signal {
                signals::drain(&self.signals);
            }
            if socket && !inbox.fill() {
                return 0;
            }
            while let Ok(Some(order)) = inbox.next::<Order>() {
                self.obey(order);
            }
        }
    }

    /// Takes what happened to the child, and to orphans where we are the first process of a namespace.
    fn children(&mut self, socket: &UnixStream) {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED | WaitOptions::CONTINUED;
        while let Ok(Some((pid, status))) = rustix::process::wait(options) {
            if pid != self.child {
                continue;
            }
            if let Some(report) = self.report(status) {
                // A supervisor that is gone: the socket tells us next.
                may_fail(send(socket, &report));
            }
        }
    }

    fn report(&mut self, status: WaitStatus) -> Option<Report> {
        if status.stopped() {
            self.foreground = self.foreground_now();
            return Some(Report::Stopped);
        }
        if status.continued() {
            return Some(Report::Continued);
        }
        self.is_over = true;
        let ended = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Ended::Exited(code),
            (None, signal) => Ended::Signalled(signal?),
        };
        Some(Report::Ended(ended))
    }

    fn foreground_now(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(self.terminal.as_ref()?).ok()
    }

    fn obey(&self, order: Order) {
        match order {
            Order::Cancel => self.end(),
            Order::Kill => self.signal(self.child, Signal::KILL),
            // A terminal's child decides what it does about Ctrl-Z; without one nobody would know that it did nothing.
            Order::Stop if self.terminal.is_none() => self.signal(self.child, Signal::STOP),
            Order::Stop => self.signal(self.child, Signal::TSTP),
            Order::Continue => self.resume(),
            Order::Start | Order::Shown => {}
        }
    }

    /// TERM to the child's group and to whoever has the terminal. A shell with job control ignores TERM and heeds HUP,
    /// which is what the end of a terminal means anyway.
    fn end(&self) {
        self.signal(self.child, Signal::TERM);
        if let Some(group) = self.foreground_now().filter(|group| *group != self.child) {
            self.signal(group, Signal::TERM);
            self.signal(group, Signal::CONT);
        }
        if self.terminal.is_some() {
            self.signal(self.child, Signal::HUP);
        }
        self.signal(self.child, Signal::CONT);
    }

    fn resume(&self) {
        let group = self.foreground.unwrap_or(self.child);
        if let Some(terminal) = &self.terminal {
            // The group may have ended meanwhile; then the child's own is as good.
            let given = rustix::termios::tcsetpgrp(terminal, group);
            may_fail(given.or_else(|_| rustix::termios::tcsetpgrp(terminal, self.child)));
        }
        self.signal(group, Signal::CONT);
        self.signal(self.child, Signal::CONT);
    }

    fn signal(&self, group: Pid, signal: Signal) {
        if self.is_over {
            return;
        }
        // A group that is gone needs no signal.
        may_fail(rustix::process::kill_process_group(group, signal));
    }
}
