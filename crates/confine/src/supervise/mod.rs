//! The supervisor: starts the child of a run, passes the terminal through, and leaves nothing behind.
//!
//! Three processes of one executable. **Taffrail** owns the person's terminal and relays bytes. The **supervisor**
//! (`__supervise`) is single-threaded, unconfined, in a session of its own and the subreaper of everything below it;
//! when its socket to Taffrail closes, everything below it dies. The **warden** (`__warden`) stands inside the mount
//! view, enters the sandbox, starts the child and waits for it. Must not know: checkouts, the store, surfaces.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use taffrail_domain::{Ended, Enforcement, RunId};
use thiserror::Error;

use crate::env::ChildEnv;
use crate::process::ProcessId;
use crate::sandbox::Policy;

pub use door::{Door, Doorway, MOST_PORTS, door};
pub use stop::Stop;
pub use streams::{ChildPipes, OurPipes, Streams, pipes};

#[cfg(target_os = "linux")]
mod below;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod console;
mod door;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod parent;
#[cfg(target_os = "linux")]
mod pty;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
mod signals;
mod stop;
mod streams;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod warden;
#[cfg(target_os = "linux")]
mod wire;

/// From the first TERM to KILL. CNF-05 allows two seconds in all; the half second is for KILL and the walk.
pub const GRACE: Duration = Duration::from_millis(1_500);

/// From the first TERM to KILL when Taffrail itself is gone: its death was not ours to time, so more is kept back.
pub const GRACE_ORPHANED: Duration = Duration::from_millis(1_000);

/// What processes get that the child left running when it ended.
pub const GRACE_LEFT: Duration = Duration::from_millis(500);

/// What a terminal that takes nothing gets for what is still under way when we stop or are cancelled.
#[cfg(target_os = "linux")]
const GRACE_SCREEN: Duration = Duration::from_secs(2);

/// Everything about one start of a child.
#[derive(Debug, Clone)]
pub struct Launch {
    /// This executable, absolute: it is started again as supervisor and warden.
    pub exe: PathBuf,
    /// The sandbox.
    pub policy: Policy,
    /// The program to run, absolute, as seen inside the sandbox.
    pub program: PathBuf,
    /// What the child sees as its arguments, `argv[0]` included.
    pub argv: Vec<OsString>,
    /// The child's whole environment; the mark of the run is added.
    pub env: ChildEnv,
    /// The child's working directory, absolute.
    pub cwd: PathBuf,
    /// The run, whose mark every process carries.
    pub run: RunId,
    /// The longest time, without the time a person had it stopped. `None`: no limit.
    pub timeout: Option<Duration>,
    /// The child's standard streams.
    pub streams: Streams,
    /// Ends the run from outside of it.
    pub stop: Option<Stop>,
    /// What the first signal does that asks Taffrail to end (INT, TERM, HUP, QUIT). The next one always cancels.
    pub first_signal: FirstSignal,
    /// Through it come the listeners of a network of the run's own, where the policy's network is by host.
    pub door: Option<Door>,
}

/// What the first signal does that asks Taffrail to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FirstSignal {
    /// It cancels the run: TERM, [`GRACE`], KILL.
    #[default]
    Cancels,
    /// It is told as [`Event::Signal`], and the caller ends the run in its own way, for which it has a [`Stop`].
    IsTold,
}

/// What happens while a run goes on. The person's terminal is as it was before at `Enforced` and at `Suspended`; at the
/// others keys pass as they are, and a line shown needs `\r\n`.
#[derive(Debug)]
pub enum Event<'a> {
    /// The sandbox stands and was probed from inside; the child is not started yet.
    Enforced(&'a Enforcement),
    /// The child runs.
    Started(ProcessId),
    /// A person stopped it (Ctrl-Z); the terminal is as it was before, and Taffrail stops next, whole. Clocks go on.
    Suspended,
    /// It goes on.
    Resumed,
    /// The first signal that asks Taffrail to end, where [`FirstSignal::IsTold`] was asked for; also before the start.
    Signal(i32),
}

/// The caller could not take note of an event. At [`Event::Enforced`] the child is then not started at all; later the
/// run is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Veto;

/// What the caller does with each event.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) -> Result<(), Veto> + 'a;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The child ended by itself, or by a key of the person that reached it through its terminal.
    Exit,
    /// This signal reached Taffrail, or the terminal was closed (`SIGHUP`).
    Cancelled(i32),
    /// The caller's [`Stop`] was used.
    Stopped,
    /// The limit on time.
    Timeout,
    /// The supervisor or the warden was killed. What they had started was killed from here.
    SupervisorLost,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The child's ending; signal 9 where nobody was left to see it.
    pub ended: Ended,
    /// Why.
    pub cause: Cause,
    /// Processes that still ran when the child had ended, or when nobody was left to watch it, and were ended by us.
    pub left: usize,
    /// Processes that could not be killed within two seconds: the kernel does not let go of them.
    pub stuck: usize,
    /// Bytes from the child that went through the terminal; those of pipes and files are not seen.
    pub bytes_out: u64,
    /// From the start to the end, with the time a person had it stopped.
    pub lasted: Duration,
}

/// Why a child was not started, by what the caller can do.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The sandbox cannot be set up on this machine.
    #[error("the sandbox cannot be set up: {why}")]
    SandboxUnavailable {
        /// What refused.
        why: String,
    },
    /// The probe inside the sandbox did something that must fail. Nothing was started.
    #[error("{probe}")]
    SandboxBroken {
        /// What does not hold, what was tried and what came back.
        probe: String,
    },
    /// The program is not there, seen from inside the sandbox.
    #[error(
        "`{command}`, or the interpreter that its first line names, was not found inside the sandbox"
    )]
    CommandNotFound {
        /// The program.
        command: String,
    },
    /// The program is there and could not be started.
    #[error("`{command}` could not be started: {source}")]
    Spawn {
        /// The program.
        command: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Something around it failed: descriptors, the terminal, the supervisor's start.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The caller refused an event.
    #[error("what happened could not be put on record; nothing was started, or it was ended")]
    Vetoed,
    /// The supervisor ended or spoke nonsense before the child was started.
    #[error("the supervisor failed before the command was started: {detail}")]
    Protocol {
        /// What was seen.
        detail: String,
    },
}

#[cfg(target_os = "linux")]
impl LaunchError {
    fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

/// The hidden roles of this executable: call it first in `main`, with the whole argument vector.
///
/// `Some` is the exit code of a role that was played; `None` means this is an ordinary start.
#[cfg(target_os = "linux")]
pub fn reexec(args: &[OsString]) -> Option<u8> {
    let role = args.get(1).and_then(|role| role.to_str())?;
    let number = |at: usize| args.get(at).and_then(|text| descriptor(text));
    match role {
        wire::SUPERVISE => Some(supervisor::play(number(2), number(3), number(4))),
        wire::WARDEN => Some(warden::play(number(2), [3, 4, 5].map(number), number(6))),
        _ => None,
    }
}

/// The hidden roles exist on Linux only.
#[cfg(not(target_os = "linux"))]
pub fn reexec(_: &[OsString]) -> Option<u8> {
    None
}

#[cfg(target_os = "linux")]
fn descriptor(text: &std::ffi::OsStr) -> Option<i32> {
    text.to_str()?.parse().ok().filter(|number| *number > 2)
}

/// Runs a child to its end and leaves none of its processes behind.
///
/// Blocks. The calling process becomes the subreaper of what it starts, for good. Signals that end or stop Taffrail
/// are taken over while it runs and are as before afterwards; so is the terminal.
#[cfg(target_os = "linux")]
pub fn run<'a>(launch: &'a Launch, on_event: &'a mut OnEvent<'a>) -> Result<Outcome, LaunchError> {
    parent::run(launch, on_event)
}

/// Only Linux is supported so far; nothing is started elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn run<'a>(_: &'a Launch, _: &'a mut OnEvent<'a>) -> Result<Outcome, LaunchError> {
    let why = "supervised runs need Linux".to_owned();
    Err(LaunchError::SandboxUnavailable { why })
}
