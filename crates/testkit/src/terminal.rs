//! The operator's terminal, played by a test: a pseudoterminal whose other end is a screen model.
//!
//! The program gets a session of its own with the terminal as its controlling one, through `setsid --ctty` of
//! util-linux, so that this crate needs no `unsafe`.

use std::fs::OpenOptions;
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use tempfile::NamedTempFile;

use crate::run::{Run, code_of, eventually};

mod reader;
mod screen;

use reader::Reader;
use screen::Shared;

/// Rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Rows, at least 1.
    pub rows: u16,
    /// Columns, at least 1.
    pub columns: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self {
            rows: 24,
            columns: 80,
        }
    }
}

impl TerminalSize {
    fn window(self) -> Winsize {
        Winsize {
            ws_row: self.rows,
            ws_col: self.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        }
    }

    fn model(self) -> (NonZeroU16, NonZeroU16) {
        let at_least_one = |n: u16| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
        (at_least_one(self.rows), at_least_one(self.columns))
    }
}

/// A key as a person presses it; the bytes are xterm's in its normal modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// The key that removes the character to the left.
    Backspace,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow right.
    Right,
    /// Arrow left.
    Left,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Control and a letter.
    Control(char),
}

impl Key {
    fn bytes(self) -> Vec<u8> {
        let text = match self {
            Self::Enter => "\r",
            Self::Escape => "\x1b",
            Self::Tab => "\t",
            Self::Backspace => "\x7f",
            Self::Up => "\x1b[A",
            Self::Down => "\x1b[B",
            Self::Right => "\x1b[C",
            Self::Left => "\x1b[D",
            Self::PageUp => "\x1b[5~",
            Self::PageDown => "\x1b[6~",
            Self::Control(letter) => return vec![(letter.to_ascii_lowercase() as u8) & 0x1f],
        };
        text.as_bytes().to_vec()
    }
}

/// A terminal with one program on it. Dropped, it hangs up and kills the program.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    /// Where the exit code of a program is told that is not our child.
    orphan: Option<NamedTempFile>,
    line: String,
    master: Option<Arc<OwnedFd>>,
    reader: Option<Reader>,
    shared: Arc<Shared>,
}

impl Terminal {
    /// Starts `run`'s program with the terminal as its input, output, error and controlling terminal. Input and limit
    /// of `run` play no part.
    ///
    /// # Panics
    /// When there is no pseudoterminal, no `setsid`, or the program cannot be started.
    pub fn spawn(run: Run, size: TerminalSize) -> Self {
        let (arguments, env, directory) = run.into_parts();
        let line = format!("{arguments:?}");
        let mut command = Command::new(setsid());
        command.arg("--ctty").args(&arguments);
        command.env_clear().envs(&env).current_dir(&directory);
        Self::start(command, line, None, size)
    }

    /// The same, below nobody: the program's only ancestors are a shell and the first process. Whatever runs the tests,
    /// an agent for one, is none of them. [`Self::pid`] is not the program's.
    ///
    /// # Panics
    /// As [`Self::spawn`].
    pub fn spawn_orphan(run: Run, size: TerminalSize) -> Self {
        let (arguments, env, directory) = run.into_parts();
        let line = format!("{arguments:?}");
        let status = NamedTempFile::new().expect("a file for the exit code");
        // What goes to the background is given to the first process when the shell ends. A shell would give it
        // /dev/null to read from, so the terminal is handed on by another number.
        let script = r#"exec 3<&0; ("$1" --ctty "${@:2}" <&3 3<&-; echo $? >"$0") &"#;
        let mut command = Command::new("bash");
        command
            .args(["-c", script])
            .arg(status.path())
            .arg(setsid());
        command.args(&arguments);
        command.env_clear().envs(&env).current_dir(&directory);
        Self::start(command, line, Some(status), size)
    }

    fn start(
        mut command: Command,
        line: String,
        orphan: Option<NamedTempFile>,
        size: TerminalSize,
    ) -> Self {
        crate::run::heed_signals();
        let (master, slave) = pair(size);
        let stdio = || slave.try_clone().expect("the terminal's descriptor");
        let child = command
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {line}: {error}"));
        // It holds the terminal too, and the end is known by nobody holding it.
        drop((slave, command));
        let master = Arc::new(master);
        let shared = Arc::new(Shared::new(size.model()));
        let reader = Reader::start(Arc::clone(&master), Arc::clone(&shared));
        Self {
            child,
            orphan,
            line,
            master: Some(master),
            reader: Some(reader),
            shared,
        }
    }

    /// The program's id; it leads its session and its process group.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Types `text`.
    ///
    /// # Panics
    /// When the terminal is closed, or does not take it within a minute.
    pub fn send(&self, text: impl AsRef<[u8]>) {
        let master = self.master.as_ref().expect("the terminal is closed");
        write_all(master, text.as_ref());
    }

    /// Presses `key`.
    pub fn key(&self, key: Key) {
        self.send(key.bytes());
    }

    /// Changes the size of the window; the foreground process group gets SIGWINCH.
    pub fn resize(&self, size: TerminalSize) {
        let master = self.master.as_ref().expect("the terminal is closed");
        self.shared.resize(size.model());
        tcsetwinsize(master, size.window()).expect("the window's new size");
    }

    /// The text on the screen, rows ended by newlines, blanks at their ends cut.
    pub fn screen(&self) -> String {
        self.look(vt100::Screen::contents)
    }

    /// What `look` sees in the screen model now: cells, cursor, modes.
    pub fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        self.shared.look(look)
    }

    /// Waits until the screen shows `text` within one row.
    ///
    /// # Panics
    /// With the screen when that does not happen within `limit`.
    pub fn wait_for(&self, text: &str, limit: Duration) {
        let seen = self.wait_until(limit, |screen| screen::find(screen, text).is_some());
        assert!(
            seen,
            "`{text}` not shown in {limit:?} by {}:\n{}",
            self.line,
            self.screen()
        );
    }

    /// Waits until `condition` holds for the screen; whether it did within `limit`.
    pub fn wait_until(
        &self,
        limit: Duration,
        condition: impl FnMut(&vt100::Screen) -> bool,
    ) -> bool {
        self.shared.wait_until(limit, condition)
    }

    /// Waits until the program has written nothing for `quiet`; whether that came within `limit`. For full-screen
    /// programs that take a key right after text for a paste (gemini: 30 ms).
    pub fn wait_quiet(&self, quiet: Duration, limit: Duration) -> bool {
        self.shared.wait_quiet(quiet, limit)
    }

    /// Row and column, from 0, of the first cell of `text` on the screen.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        self.look(|screen| screen::find(screen, text))
    }

    /// Foreground and background of the first cell of `text` on the screen.
    pub fn colours_of(&self, text: &str) -> Option<(vt100::Color, vt100::Color)> {
        self.look(|screen| {
            let (row, column) = screen::find(screen, text)?;
            let cell = screen.cell(row, column)?;
            Some((cell.fgcolor(), cell.bgcolor()))
        })
    }

    /// The last title that the program gave the window.
    pub fn title(&self) -> String {
        self.shared.title()
    }

    /// What the program put into the clipboard by escape sequence, still in base64, in order.
    pub fn clipboard(&self) -> Vec<String> {
        self.shared.clipboard()
    }

    /// Every byte that the program wrote.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.raw()
    }

    /// Whether the line discipline echoes and edits lines, as a shell expects to find it again.
    pub fn is_cooked(&self) -> bool {
        let master = self.master.as_ref().expect("the terminal is closed");
        let modes = tcgetattr(master).expect("the terminal's modes").local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    /// Closes the window: the session gets SIGHUP. What was on the screen stays readable.
    pub fn hang_up(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.stop();
        }
        self.master = None;
    }

    /// Waits for the program's end; its exit code, or 128 and the signal's number. All it wrote is on the screen then.
    ///
    /// # Panics
    /// With the screen when it does not end within `limit`.
    pub fn wait_exit(&mut self, limit: Duration) -> i32 {
        let mut code = None;
        eventually(limit, || {
            code = self.exit_code();
            code.is_some()
        });
        let Some(code) = code else {
            panic!("not ended in {limit:?}: {}\n{}", self.line, self.screen());
        };
        if self.master.is_some() {
            // A descendant may keep the terminal open: then what is there after this time is all there is.
            self.shared.wait_ended(Duration::from_secs(10));
        }
        code
    }

    fn exit_code(&mut self) -> Option<i32> {
        let Some(file) = &self.orphan else {
            let status = self.child.try_wait().expect("the state of a child");
            return status.map(code_of);
        };
        let told = std::fs::read_to_string(file.path()).expect("the exit code");
        told.strip_suffix('\n').and_then(|code| code.parse().ok())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.hang_up();
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            // Both fail only when there is nothing left to kill or to reap.
            rustix::process::kill_process_group(Pid::from_child(&self.child), Signal::KILL).ok();
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

fn pair(size: TerminalSize) -> (OwnedFd, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("a pseudoterminal");
    grantpt(&master).expect("the other end granted");
    unlockpt(&master).expect("the other end unlocked");
    let name = ptsname(&master, Vec::new()).expect("the other end's name");
    let slave = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
        .open(name.to_str().expect("a plain name"))
        .expect("the other end");
    tcsetwinsize(&slave, size.window()).expect("the window's size");
    rustix::io::ioctl_fionbio(&master, true).expect("a terminal that does not block");
    (master, slave.into())
}

fn setsid() -> PathBuf {
    let places = [
        "/usr/bin/setsid",
        "/bin/setsid",
        "/run/current-system/sw/bin/setsid",
    ];
    places
        .into_iter()
        .map(PathBuf::from)
        .find(|place| place.exists())
        .unwrap_or_else(|| panic!("a terminal needs setsid of util-linux; looked at {places:?}"))
}

pub(crate) fn write_all(fd: &impl AsFd, mut bytes: &[u8]) {
    let end = Instant::now() + Duration::from_secs(60);
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::AGAIN) => {
                assert!(Instant::now() < end, "the terminal did not take it in 60 s");
                let second = Timespec {
                    tv_sec: 1,
                    tv_nsec: 0,
                };
                poll(&mut [PollFd::new(fd, PollFlags::OUT)], Some(&second)).expect("a poll");
            }
            Err(error) => panic!("cannot type: {error}"),
        }
    }
}

#[cfg(test)]
mod tests;
