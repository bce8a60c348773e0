//! From a [`Launch`] to a running supervisor.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use super::console::Console;
use super::pty::Terminal;
use super::streams::Ends;
use super::wire::{Inbox, Job, SUPERVISE};
use super::{Door, Launch, LaunchError, Streams, child};
use crate::process::MARKER;

/// The person's terminal joined to one for the run, and the child's side of that; nothing where no stream is one.
pub(super) fn console(launch: &Launch) -> Result<(Option<Console>, Option<OwnedFd>), LaunchError> {
    let opened = || -> io::Result<_> {
        let terminal = if matches!(launch.streams, Streams::Terminal) {
            Terminal::of_stdio()?
        } else {
            None
        };
        terminal.map(Console::join).transpose()
    };
    let joined = opened().map_err(LaunchError::io("open a terminal for the run"))?;
    Ok(joined.unzip())
}

/// What the supervisor is told.
pub(super) fn job(launch: &Launch, terminal: bool) -> Job {
    let env = launch.env.clone().set(MARKER, launch.run.short());
    Job {
        policy: launch.policy.clone(),
        exe: launch.exe.clone().into(),
        program: launch.program.clone().into(),
        argv: launch.argv.clone(),
        env: env.to_pairs(),
        cwd: launch.cwd.clone().into(),
        run: launch.run.short(),
        terminal,
    }
}

/// Starts the supervisor with the child's standard streams and returns our end of its socket.
pub(super) fn start(
    launch: &Launch,
    console: Option<&Console>,
    slave: Option<OwnedFd>,
    pipes: Option<Ends>,
) -> Result<(Pid, Inbox), LaunchError> {
    let failed = LaunchError::io("start the supervisor");
    let started = || -> io::Result<_> {
        let (near, far) = UnixStream::pair()?;
        let person = console.map(|console| console.person().try_clone_to_owned());
        let door = launch.door.as_ref().and_then(Door::take);
        let given = [Some(OwnedFd::from(far)), person.transpose()?, door];
        let numbers: Vec<OsString> = given.iter().map(number).collect();
        let mut command = Command::new(&launch.exe);
        command
            .arg(SUPERVISE)
            .args(numbers)
            .env_clear()
            .env(MARKER, launch.run.short());
        if let Some(slave) = slave {
            replace_terminals(&mut command, &slave)?;
        }
        if let Some(ends) = pipes {
            command
                .stdin(ends.stdin)
                .stdout(ends.stdout)
                .stderr(ends.stderr);
        }
        let prepare = move || {
            rustix::process::setsid()?;
            given
                .iter()
                .flatten()
                .try_for_each(|given| child::inherit(given.as_fd()))
        };
        // SAFETY: between fork and exec this makes a session and changes the flags of descriptors; both are system
        // calls and nothing else.
        unsafe { command.pre_exec(prepare) };
        let supervisor = Pid::from_child(&command.spawn()?);
        Ok((supervisor, Inbox::new(near)))
    };
    started().map_err(failed)
}

/// A descriptor as an argument; `-` for one that is not there.
fn number(given: &Option<OwnedFd>) -> OsString {
    match given {
        Some(given) => given.as_raw_fd().to_string().into(),
        None => "-".into(),
    }
}

/// Each standard stream that is a terminal becomes the run's own; the others go through as they are.
fn replace_terminals(command: &mut Command, slave: &OwnedFd) -> io::Result<()> {
    let stream = || slave.try_clone().map(Stdio::from);
    if rustix::termios::isatty(io::stdin()) {
        command.stdin(stream()?);
    }
    if rustix::termios::isatty(io::stdout()) {
        command.stdout(stream()?);
    }
    if rustix::termios::isatty(io::stderr()) {
        command.stderr(stream()?);
    }
    Ok(())
}
