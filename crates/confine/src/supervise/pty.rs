//! The person's terminal, and the one that the run gets instead of it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::{OptionalActions, Termios};

use crate::process::{may_fail, table};

/// The person's terminal. Put back as it was when dropped.
pub(super) struct Terminal {
    keyboard: OwnedFd,
    screen: OwnedFd,
    original: Termios,
    is_raw: bool,
}

impl Terminal {
    /// The terminal behind the standard streams; `None` if none of them is one.
    pub(super) fn of_stdio() -> io::Result<Option<Self>> {
        let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
        let streams = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
        let terminal = |order: [usize; 3]| {
            let streams = order.into_iter().filter_map(|at| streams.get(at));
            streams
                .copied()
                .find(|stream| rustix::termios::isatty(stream))
        };
        let (Some(keyboard), Some(screen)) = (terminal([0, 2, 1]), terminal([1, 2, 0])) else {
            return Ok(None);
        };
        Ok(Some(Self {
            original: rustix::termios::tcgetattr(screen)?,
            keyboard: own_description(keyboard)?,
            screen: own_description(screen)?,
            is_raw: false,
        }))
    }

    /// What the person types.
    pub(super) fn keyboard(&self) -> BorrowedFd<'_> {
        self.keyboard.as_fd()
    }

    /// What the person sees.
    pub(super) fn screen(&self) -> BorrowedFd<'_> {
        self.screen.as_fd()
    }

    /// Whether every byte is passed on as it is.
    pub(super) const fn is_raw(&self) -> bool {
        self.is_raw
    }

    /// Passes every byte on, if we are in the foreground of the terminal. Says whether it does now.
    pub(super) fn enter_raw(&mut self) -> bool {
        let foreground = rustix::termios::tcgetpgrp(&self.screen).ok();
        // A terminal that does not control us (no foreground group to ask for) is ours to use.
        self.is_raw = foreground.is_none_or(is_own_group) && self.set_raw().is_ok();
        self.is_raw
    }

    fn set_raw(&self) -> rustix::io::Result<()> {
        let mut raw = self.original.clone();
        raw.make_raw();
        rustix::termios::tcsetattr(&self.screen, OptionalActions::Now, &raw)
    }

    /// As it was before.
    pub(super) fn restore(&mut self) {
        if self.is_raw {
            self.is_raw = false;
            put_back(self.screen.as_fd(), &self.original);
        }
    }
}

/// The table and not `getpgrp`: a group that was made outside this pid namespace has the number 0 here, which the typed
/// call cannot say.
fn is_own_group(group: rustix::process::Pid) -> bool {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    table::entry(own).is_some_and(|entry| entry.group == group.as_raw_nonzero().get())
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.restore();
    }
}

/// Sets a terminal's modes. A terminal that was closed has none to set.
pub(super) fn put_back(terminal: BorrowedFd<'_>, modes: &Termios) {
    may_fail(rustix::termios::tcsetattr(
        terminal,
        OptionalActions::Now,
        modes,
    ));
}

/// Puts a terminal back that Taffrail left raw when it was killed. One that a shell has set meanwhile is left alone.
pub(super) fn put_back_if_raw(terminal: BorrowedFd<'_>, original: &Termios) {
    let mut raw = original.clone();
    raw.make_raw();
    let is_ours = rustix::termios::tcgetattr(terminal).is_ok_and(|now| {
        now.input_modes == raw.input_modes
            && now.output_modes == raw.output_modes
            && now.local_modes == raw.local_modes
    });
    if is_ours {
        put_back(terminal, original);
    }
}

/// Opens the terminal anew, so that not blocking is our own matter and not that of the shell we share it with. Where
/// that is refused (after `su`), the shared description is used and a slow terminal blocks us.
fn own_description(stream: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", stream.as_raw_fd());
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(opened) => Ok(opened),
        Err(_) => Ok(rustix::io::fcntl_dupfd_cloexec(stream, 3)?),
    }
}

/// The run's own terminal.
pub(super) struct Pty {
    /// Our side.
    pub master: OwnedFd,
    /// The child's side.
    pub slave: OwnedFd,
}

impl Pty {
    /// A new terminal with the size and modes of the person's.
    pub(super) fn like(terminal: &Terminal) -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = rustix::pty::openpt(flags)?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        let slave = rustix::pty::ioctl_tiocgptpeer(&master, flags)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        rustix::termios::tcsetattr(&slave, OptionalActions::Now, &terminal.original)?;
        copy_size(terminal, master.as_fd());
        Ok(Self { master, slave })
    }
}

/// Gives the run's terminal the size of the person's; the kernel tells the child.
pub(super) fn copy_size(from: &Terminal, master: BorrowedFd<'_>) {
    if let Ok(size) = rustix::termios::tcgetwinsize(&from.screen) {
        // Only a terminal that is gone refuses.
        may_fail(rustix::termios::tcsetwinsize(master, size));
    }
}
