//! The first process below the supervisor: bubblewrap, or the warden itself where there is no bubblewrap.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Pid;
use taffrail_domain::Rung;

use super::child;
use super::wire::{Failure, Inbox, Job, WARDEN, internal, send};
use crate::process::{MARKER, may_fail};
use crate::sandbox::{self, SandboxError};

/// What is read of bubblewrap's own words: they are one line.
const WORDS: usize = 4 << 10;

/// What was started: bubblewrap, or the warden itself where there is no bubblewrap.
pub(super) struct Below {
    /// Its pid; a child of ours.
    pub direct: Pid,
    /// From the warden.
    pub inbox: Inbox,
    /// Standard error of bubblewrap, until the warden replaces it by the child's.
    words: OwnedFd,
    rung: Rung,
    /// Whether the child has a terminal of the run's own.
    pub terminal: bool,
    /// What the proof must not reach from a network of the child's own; until the proof is over.
    pub server: Option<TcpListener>,
}

impl Below {
    /// Why nothing was heard of the warden: bubblewrap's own words, as far as it said any.
    pub(super) fn why_silent(&self) -> Failure {
        let mut words = vec![0; WORDS];
        may_fail(rustix::io::ioctl_fionbio(&self.words, true));
        let count = rustix::io::read(&self.words, &mut words).unwrap_or(0);
        let text = String::from_utf8_lossy(words.get(..count).unwrap_or_default());
        let text = text.trim();
        match self.rung {
            Rung::Full if text.is_empty() => {
                Failure::Unavailable("bubblewrap ended before the command was started".into())
            }
            Rung::Full => Failure::Unavailable(text.to_owned()),
            Rung::Partial | Rung::None => Failure::Internal(format!("warden ended: {text}")),
        }
    }
}

/// Starts it, gives our standard streams to the warden, and lets go of them.
///
/// bubblewrap stays as long as the child: with the child's streams for its own it would hold them open when the child
/// has closed them. Only of a terminal it must know, to show it inside.
pub(super) fn start(job: &Job, door: Option<OwnedFd>) -> Result<Below, Failure> {
    let (near, far) = UnixStream::pair().map_err(internal)?;
    let mut given = vec![OwnedFd::from(far)];
    given.extend(streams().map_err(internal)?);
    given.extend(door);
    let (words, says) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(internal)?;
    let mut line = line(job)?;
    line.push(WARDEN.into());
    line.extend(given.iter().map(number));
    let mut words_of_line = line.into_iter();
    let program = words_of_line.next().unwrap_or_default();
    let mut command = Command::new(program);
    command
        .args(words_of_line)
        .env_clear()
        .env(MARKER, &job.run)
        .stderr(Stdio::from(says));
    if !job.terminal {
        command.stdin(Stdio::null()).stdout(Stdio::null());
    }
    let inherited = move || {
        given
            .iter()
            .try_for_each(|given| child::inherit(given.as_fd()))
    };
    // SAFETY: between fork and exec this only changes the flags of descriptors.
    unsafe { command.pre_exec(inherited) };
    let started = command.spawn().map_err(|error| cannot_start(job, &error))?;
    let direct = Pid::from_child(&started);
    // Our copies of the far end and of the child's streams close: their ends must be seen.
    drop(command);
    let inbox = Inbox::new(near);
    child::leave_streams().map_err(internal)?;
    // Without one the proof has a row less: a machine without a loopback has no server to hide.
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok();
    let job = &told_of_server(job, server.as_ref());
    send(inbox.socket(), job).or_else(|error| gone_already(&inbox, error))?;
    Ok(Below {
        direct,
        inbox,
        words,
        rung: job.policy.rung,
        terminal: job.terminal,
        server,
    })
}

fn told_of_server(job: &Job, server: Option<&TcpListener>) -> Job {
    let mut job = job.clone();
    let at = server.and_then(|server| server.local_addr().ok());
    job.policy.outside.port = at.map_or(0, |at| at.port());
    job
}

/// Copies of our standard streams, which are the child's.
fn streams() -> rustix::io::Result<[OwnedFd; 3]> {
    let copy = |of: BorrowedFd<'_>| rustix::io::fcntl_dupfd_cloexec(of, 3);
    Ok([
        copy(rustix::stdio::stdin())?,
        copy(rustix::stdio::stdout())?,
        copy(rustix::stdio::stderr())?,
    ])
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
