//! The supervisor: starts bubblewrap or the warden, hands messages up and down, and ends everything below it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions};
use rustix::termios::Termios;
use taffrail_domain::{Ended, Rung};

use super::ending::{Tree, poll_until};
use super::wire::{Failure, Inbox, Job, Order, Report, WARDEN, send};
use super::{GRACE, GRACE_LEFT, GRACE_ORPHANED, child, pty, signals};
use crate::process::{MARKER, ProcessId, may_fail, table};
use crate::sandbox::{self, SandboxError};

/// What the supervisor wants to hear of; the four besides SIGCHLD end the run when somebody sends them to it.
const TOLD: [i32; 5] = [
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// What is read of bubblewrap's own words: they are one line.
const WORDS: usize = 4 << 10;

/// Plays the role. The descriptors are the socket and, where there is one, the person's terminal.
pub(super) fn play(socket: Option<i32>, terminal: Option<i32>) -> u8 {
    let (socket, terminal) = (child::adopt(socket), child::adopt(terminal));
    let Some(socket) = socket else {
        return 1;
    };
    let mut up = Inbox::new(UnixStream::from(socket));
    let prepared = prepare();
    let Some(job) = up.wait::<Job>() else {
        return 1;
    };
    let started = prepared
        .and_then(|signals| Ok((signals, start(&job)?)))
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

fn internal(error: impl Into<io::Error>) -> Failure {
    Failure::Internal(format!("supervisor: {}", error.into()))
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

/// What was started: bubblewrap, or the warden itself where there is no bubblewrap.
struct Below {
    direct: Pid,
    inbox: Inbox,
    /// Standard error of bubblewrap, until the warden replaces it by the child's.
    words: OwnedFd,
    rung: Rung,
}

fn start(job: &Job) -> Result<Below, Failure> {
    let (near, far) = UnixStream::pair().map_err(internal)?;
    let far = OwnedFd::from(far);
    let stderr = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3).map_err(internal)?;
    let (words, says) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(internal)?;
    let mut line = line(job)?;
    line.extend([WARDEN.into(), number(&far), number(&stderr)]);
    let mut words_of_line = line.into_iter();
    let program = words_of_line.next().unwrap_or_default();
    let mut command = Command::new(program);
    command
        .args(words_of_line)
        .env_clear()
        .env(MARKER, &job.run)
        .stderr(Stdio::from(says));
    let inherited = move || {
        child::inherit(far.as_fd())?;
        child::inherit(stderr.as_fd())
    };
    // SAFETY: between fork and exec this only changes the flags of two descriptors.
    unsafe { command.pre_exec(inherited) };
    let started = command.spawn().map_err(|error| cannot_start(job, &error))?;
    let direct = Pid::from_child(&started);
    // Our copies of the far end and of the child's streams close: their ends must be seen.
    drop(command);
    let inbox = Inbox::new(near);
    leave_streams().map_err(internal)?;
    send(inbox.socket(), job).or_else(|error| gone_already(&inbox, error))?;
    Ok(Below {
        direct,
        inbox,
        words,
        rung: job.policy.rung,
    })
}

/// A warden that is gone before it heard its task: the end of its socket is dealt with in the loop.
fn gone_already(inbox: &Inbox, error: io::Error) -> Result<(), Failure> {
    may_fail(inbox.socket().shutdown(std::net::Shutdown::Write));
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Ok(()),
        _ => Err(internal(error)),
    }
}

fn line(job: &Job) -> Result<Vec<OsString>, Failure> {
    match job.policy.rung {
        Rung::Full => sandbox::bwrap_args(&job.policy, Path::new(&job.exe)).map_err(refused),
        Rung::Partial | Rung::None => Ok(vec![job.exe.clone()]),
    }
}

fn refused(error: SandboxError) -> Failure {
    match error {
        SandboxError::Broken { .. } => Failure::Broken(error.to_string()),
        other => Failure::Unavailable(other.to_string()),
    }
}

fn cannot_start(job: &Job, error: &io::Error) -> Failure {
    match job.policy.rung {
        Rung::Full => Failure::Unavailable(format!("bubblewrap could not be started: {error}")),
        Rung::Partial | Rung::None => Failure::Internal(format!("warden: {error}")),
    }
}

fn number(descriptor: &OwnedFd) -> OsString {
    descriptor.as_raw_fd().to_string().into()
}

fn leave_streams() -> rustix::io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)
}

/// What is known of the run.
#[derive(Default)]
struct State {
    /// bubblewrap, its first process inside, the warden: not what the child left behind.
    chain: BTreeSet<i32>,
    started: bool,
    failed: bool,
    ended: Option<Ended>,
    /// Taffrail is gone.
    orphaned: bool,
    /// The warden is gone.
    silent: bool,
    /// When KILL comes.
    kill_at: Option<Instant>,
}

impl State {
    const fn is_over(&self) -> bool {
        self.ended.is_some() || self.failed || self.silent
    }

    fn is_due(&self) -> bool {
        self.kill_at.is_some_and(|at| at <= Instant::now())
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
            self.tell(&Report::Failed(self.why_silent()));
        }
        let (left, stuck) = self.end();
        let ended = self.state.ended;
        self.tell(&Report::Finished { ended, left, stuck });
        u8::from(stuck > 0)
    }

    fn step(&mut self) {
        let ignored = PollFlags::empty();
        let wanted = |skip: bool| if skip { ignored } else { PollFlags::IN };
        let mut set = [
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(self.below.inbox.socket(), PollFlags::IN),
            PollFd::new(self.up.socket(), wanted(self.state.orphaned)),
        ];
        // A closed socket is reported even where nothing is wanted of it.
        let watched = if self.state.orphaned { 2 } else { 3 };
        poll_until(
            set.get_mut(..watched).unwrap_or_default(),
            self.state.kill_at,
        );
        let [signals, below, up] = set.map(|entry| !entry.revents().is_empty());
        if signals {
            self.hear_signals();
        }
        if below {
            self.hear_below();
        }
        if up && !self.state.orphaned {
            self.hear_up();
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
                Report::Ended(ended) => self.state.ended = Some(ended),
                Report::Failed(_) => {
                    self.state.failed = true;
                    self.tell(&report);
                }
                Report::Enforced(_) | Report::Stopped | Report::Continued => self.tell(&report),
                // Words of a supervisor; no warden says them.
                Report::Started(_) | Report::Finished { .. } => {}
            }
        }
    }

    fn begin(&mut self, warden: i32, child: i32) {
        self.state.started = true;
        let own = own_pid();
        let warden = table::outer(own, warden).unwrap_or(0);
        self.state.chain = table::line(warden, own);
        let child = table::outer(warden, child).and_then(ProcessId::of);
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
        match order {
            Order::Cancel if self.state.orphaned => self.state.kill_within(GRACE_ORPHANED),
            Order::Cancel => self.state.kill_within(GRACE),
            Order::Kill => self.state.kill_within(std::time::Duration::ZERO),
            Order::Stop | Order::Continue => {}
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

    fn why_silent(&self) -> Failure {
        let mut words = vec![0; WORDS];
        may_fail(rustix::io::ioctl_fionbio(&self.below.words, true));
        let count = rustix::io::read(&self.below.words, &mut words).unwrap_or(0);
        let text = String::from_utf8_lossy(words.get(..count).unwrap_or_default());
        let text = text.trim();
        match self.below.rung {
            Rung::Full if text.is_empty() => {
                Failure::Unavailable("bubblewrap ended before the command was started".into())
            }
            Rung::Full => Failure::Unavailable(text.to_owned()),
            Rung::Partial | Rung::None => Failure::Internal(format!("warden ended: {text}")),
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
            self.state.kill_within(GRACE_LEFT);
            tree.signal(&left, Signal::TERM);
            while !self.state.is_due() && !self.wait_for_left(&tree) {}
        }
        may_fail(rustix::process::kill_process(
            self.below.direct,
            Signal::KILL,
        ));
        (count, tree.kill(|| self.reap()))
    }

    /// Waits for one of them to end, or for Taffrail to be in a hurry. True: none is left.
    fn wait_for_left(&mut self, tree: &Tree) -> bool {
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
        poll_until(&mut set, self.state.kill_at);
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
