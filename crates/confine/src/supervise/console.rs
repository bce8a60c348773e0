//! The person's terminal joined to the run's: bytes both ways, size, raw mode.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};

use super::GRACE_SCREEN;
use super::ending::poll_until;
use super::pty::{Pty, Terminal, copy_size};
use super::relay::{Moved, Relay};
use super::signals::NoTerminalStop;

/// Both terminals. The person's is put back when this is dropped.
pub(super) struct Console {
    // Fields drop in this order: the terminal is put back while that still cannot stop us.
    terminal: Terminal,
    master: OwnedFd,
    typed: Relay,
    shown: Relay,
    /// Nobody holds the child's side any more.
    is_closed: bool,
    /// The person's terminal is gone.
    is_hung_up: bool,
    bytes_out: u64,
    _no_stop: NoTerminalStop,
}

impl Console {
    /// Joins a terminal to a new one like it, and returns the child's side.
    pub(super) fn join(terminal: Terminal) -> io::Result<(Self, OwnedFd)> {
        let pty = Pty::like(&terminal)?;
        let console = Self {
            terminal,
            master: pty.master,
            typed: Relay::new(),
            shown: Relay::new(),
            is_closed: false,
            is_hung_up: false,
            bytes_out: 0,
            _no_stop: NoTerminalStop::begin(),
        };
        Ok((console, pty.slave))
    }

    /// The person's terminal, for the supervisor to put back if we are killed.
    pub(super) fn person(&self) -> BorrowedFd<'_> {
        self.terminal.screen()
    }

    /// Bytes that came from the child.
    pub(super) const fn bytes_out(&self) -> u64 {
        self.bytes_out
    }

    /// The person's terminal is gone, or nobody can type on it any more.
    pub(super) const fn is_hung_up(&self) -> bool {
        self.is_hung_up
    }

    /// Keys do not pass yet, because we are in the background; nobody tells when that ends.
    pub(super) const fn waits_for_foreground(&self) -> bool {
        !self.terminal.is_raw() && !self.is_hung_up
    }

    /// Lets every key pass, if we are in the foreground, and gives the run's terminal the right size.
    pub(super) fn connect(&mut self) {
        self.resize();
        if !self.is_hung_up {
            self.terminal.enter_raw();
        }
    }

    /// The size of the person's terminal changed.
    pub(super) fn resize(&self) {
        copy_size(&self.terminal, self.master.as_fd());
    }

    /// Shows what is still under way, then puts the person's terminal back. At most two seconds.
    pub(super) fn disconnect(&mut self) {
        self.show_rest();
        self.terminal.restore();
    }

    /// What to poll: the child, the keyboard, the screen. An empty wish is still told of a hang-up, so nothing that
    /// is not wished for is in the set.
    pub(super) fn wishes(&self) -> Vec<PollFd<'_>> {
        let mut set = Vec::with_capacity(3);
        let child = self.child_wishes();
        if !child.is_empty() {
            set.push(PollFd::new(&self.master, child));
        }
        if self.terminal.is_raw() && self.typed.has_space() && !self.is_hung_up {
            set.push(PollFd::from_borrowed_fd(
                self.terminal.keyboard(),
                PollFlags::IN,
            ));
        }
        if !self.shown.is_empty() && !self.is_hung_up {
            set.push(PollFd::from_borrowed_fd(
                self.terminal.screen(),
                PollFlags::OUT,
            ));
        }
        set
    }

    fn child_wishes(&self) -> PollFlags {
        let mut wishes = PollFlags::empty();
        if !self.is_closed {
            wishes.set(PollFlags::IN, self.shown.has_space());
            wishes.set(PollFlags::OUT, !self.typed.is_empty());
        }
        wishes
    }

    /// Moves what can be moved without waiting. Nothing here blocks, so it need not be told what is ready.
    pub(super) fn relay(&mut self) {
        self.read_child();
        self.write_screen();
        if self.terminal.is_raw() && !self.is_hung_up {
            self.read_keyboard();
        }
        if !self.typed.is_empty() && !self.is_closed {
            self.typed.empty(&self.master);
        }
    }

    /// Whether everything is shown that a child which has ended had written. Where it is not, the screen is what is
    /// waited for: the child's side may never become ready again.
    pub(super) fn is_all_shown(&mut self) -> bool {
        while self.shown.is_empty() {
            if !self.read_child() {
                return true;
            }
            self.write_screen();
        }
        false
    }

    fn read_child(&mut self) -> bool {
        if self.is_closed || !self.shown.has_space() {
            return false;
        }
        match self.shown.fill(&self.master) {
            Moved::Bytes(count) => {
                self.bytes_out += count as u64;
                true
            }
            Moved::Blocked => false,
            Moved::Gone => {
                self.is_closed = true;
                false
            }
        }
    }

    fn write_screen(&mut self) {
        if !self.shown.is_empty() {
            let moved = self.shown.empty(self.terminal.screen());
            self.is_hung_up |= moved == Moved::Gone;
        }
    }

    fn read_keyboard(&mut self) {
        if self.typed.has_space() {
            let moved = self.typed.fill(self.terminal.keyboard());
            self.is_hung_up |= moved == Moved::Gone;
        }
    }

    /// Shows what the child wrote before now: the kernel hands on all of it before it says that there is nothing.
    fn show_rest(&mut self) {
        let end = Instant::now() + GRACE_SCREEN;
        loop {
            let came = self.read_child();
            self.write_screen();
            if self.is_hung_up || (!came && self.shown.is_empty()) || Instant::now() > end {
                return;
            }
            if !self.shown.is_empty() {
                let screen = PollFd::from_borrowed_fd(self.terminal.screen(), PollFlags::OUT);
                poll_until(&mut [screen], Some(end));
            }
        }
    }
}
