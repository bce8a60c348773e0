//! The terminal of a person, read a burst of keys at a time, and never for long: whoever waits here also hears that the
//! question is over.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios};
use rustix::termios::{tcflush, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};

/// How long one look for keys takes at most, in milliseconds.
pub const LOOK: u32 = 100;
/// Bytes of one look: more than any key, fewer than a paste.
const BURST: usize = 64;
/// What switches a special character off (`_POSIX_VDISABLE`).
const OFF: u8 = 0;

/// Rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

/// What one look brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// These bytes, typed at once.
    Bytes(Vec<u8>),
    /// Nothing within [`LOOK`].
    Nothing,
    /// The terminal is gone.
    Gone,
}

/// A terminal as a dialog needs it.
pub trait Device {
    /// Its size now.
    fn size(&self) -> Size;
    /// Writes.
    fn put(&mut self, text: &str) -> io::Result<()>;
    /// Takes the last so many rows away, in the last of which the cursor is.
    fn erase(&mut self, rows: usize) -> io::Result<()>;
    /// Drops what was typed and not read.
    fn forget(&mut self);
    /// Looks for keys.
    fn typed(&mut self) -> io::Result<Typed>;
    /// Lets [`LOOK`] go by.
    fn pause(&mut self);
}

/// The controlling terminal of this process (`/dev/tty`), whatever its standard streams are, in the mode for keys. As long as
/// it lives; it is as before when this is dropped.
///
/// Ctrl-C stays what it is: the interrupt of the program, whose handlers end the question. The keys that would stop it or make
/// it dump core are off, because either would leave the person without an echo.
pub struct Tty {
    terminal: File,
    original: Termios,
    /// It knows no sequences: what was shown stays.
    dumb: bool,
}

impl Tty {
    /// None where there is no terminal, or where another job has it: reading would stop this process.
    pub fn open(dumb: bool) -> Option<Self> {
        let terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()?;
        if tcgetpgrp(&terminal).ok()? != rustix::process::getpgrp() {
            return None;
        }
        let original = tcgetattr(&terminal).ok()?;
        let tty = Self {
            terminal,
            original,
            dumb,
        };
        tty.enter().ok()?;
        Some(tty)
    }

    /// Whether there is one that can be asked.
    pub fn is_there() -> bool {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
        terminal.is_ok_and(|terminal| {
            tcgetpgrp(terminal).is_ok_and(|group| group == rustix::process::getpgrp())
        })
    }

    /// Writes a line.
    pub fn tell(&mut self, line: &str) -> io::Result<()> {
        self.put(&format!("{line}\n"))
    }

    fn enter(&self) -> io::Result<()> {
        let mut keys = self.original.clone();
        keys.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        keys.special_codes[SpecialCodeIndex::VSUSP] = OFF;
        keys.special_codes[SpecialCodeIndex::VQUIT] = OFF;
        Ok(tcsetattr(&self.terminal, OptionalActions::Now, &keys)?)
    }

    fn is_readable(&self) -> io::Result<bool> {
        let mut watched = [PollFd::new(&self.terminal, PollFlags::IN)];
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(LOOK) * 1_000_000,
        };
        match poll(&mut watched, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            // A signal: the caller looks whether the question is over.
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// What takes the last so many rows away.
pub fn erasing(rows: usize) -> String {
    format!(
        "\r\x1b[2K{}",
        "\x1b[A\x1b[2K".repeat(rows.saturating_sub(1))
    )
}

impl Device for Tty {
    fn size(&self) -> Size {
        let size = tcgetwinsize(&self.terminal).map_or((0, 0), |size| (size.ws_row, size.ws_col));
        // A terminal that does not know its size is taken for the usual one.
        match size {
            (0, _) | (_, 0) => Size {
                rows: 24,
                columns: 80,
            },
            (rows, columns) => Size {
                rows: usize::from(rows),
                columns: usize::from(columns),
            },
        }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.terminal.write_all(text.as_bytes())?;
        self.terminal.flush()
    }

    fn erase(&mut self, rows: usize) -> io::Result<()> {
        if self.dumb {
            return self.put("\n");
        }
        self.put(&erasing(rows))
    }

    fn forget(&mut self) {
        // A terminal that cannot be flushed is gone, and the next look says so.
        tcflush(&self.terminal, QueueSelector::IFlush).unwrap_or_default();
    }

    fn typed(&mut self) -> io::Result<Typed> {
        if !self.is_readable()? {
            return Ok(Typed::Nothing);
        }
        let mut bytes = [0; BURST];
        match self.terminal.read(&mut bytes) {
            Ok(0) => Ok(Typed::Gone),
            Ok(count) => Ok(Typed::Bytes(
                bytes.get(..count).unwrap_or_default().to_vec(),
            )),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Typed::Nothing),
            // The terminal is closed.
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => Ok(Typed::Gone),
            Err(error) => Err(error),
        }
    }

    fn pause(&mut self) {
        std::thread::sleep(std::time::Duration::from_millis(u64::from(LOOK)));
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // A terminal that is gone has no mode to put back.
        tcsetattr(&self.terminal, OptionalActions::Now, &self.original).unwrap_or_default();
    }
}
