//! How results reach a person or a script: data on stdout, talk on stderr, colour only where a terminal wants it.

mod diff;
mod fold;
mod json;
mod keys;
mod paint;
mod passphrase;
mod progress;
mod question;
mod stream;
mod table;
mod when;

pub use diff::DiffPrinter;
pub use fold::MARGIN;
pub use json::{Envelope, print_json};
pub use keys::{Key, ask_key};
pub use paint::{Colour, Paint};
pub use passphrase::{Listener, Person, ask_hidden};
pub use progress::Meter;
pub use question::{Choice, Dialog, Offers, Place, Screen, Tty, question_lines};
pub use stream::Stream;
pub use table::Table;
pub use when::{Moment, ago, timestamp};

use std::io::{self, IsTerminal, Write};

/// Brings a screen back to where text is shown as it is written, wherever a program left it: out of a sequence or string
/// that was never ended (CAN, ST), out of the other screen, then colours, character sets, margins, insert and reverse
/// mode, line wrap, the cursor, reports of mouse, focus and paste, and the palette. The cursor stays where it is: `1049`
/// would move it, and so would margins without saving it.
const PLAIN_SCREEN: &[u8] = b"\x18\x1b\\\x1b[?1047l\x1b[?47l\x1b[!p\x1b[0m\x1b(B\x0f\x1b7\x1b[r\x1b8\x1b[4l\x1b[?5l\x1b[?7h\x1b[?25h\
    \x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\";

/// The two streams of one invocation and whether they are terminals.
pub struct Output {
    /// Whether stdout is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether stderr is a terminal.
    pub stderr_is_terminal: bool,
    /// Whether stdin is a terminal.
    pub stdin_is_terminal: bool,
    no_color: bool,
    dumb: bool,
}

impl Output {
    /// Looks at the three streams once. `no_color` and `term` are the values of the environment.
    pub fn new(no_color: bool, term: Option<&str>) -> Self {
        Self {
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            stdin_is_terminal: io::stdin().is_terminal(),
            no_color,
            dumb: term == Some("dumb"),
        }
    }

    /// Paint for stdout.
    pub fn paint(&self) -> Paint {
        Paint::new(self.stdout_is_terminal && !self.no_color && !self.dumb)
    }

    /// Paint for stderr.
    pub fn paint_talk(&self) -> Paint {
        Paint::new(self.stderr_is_terminal && !self.no_color && !self.dumb)
    }

    /// Paint for the terminal itself, whatever the streams are.
    pub fn paint_tty(&self) -> Paint {
        Paint::new(!self.no_color && !self.dumb)
    }

    /// Whether the terminal knows no sequences.
    pub fn is_dumb(&self) -> bool {
        self.dumb
    }

    /// Whether a line that moves can be shown on stderr.
    pub fn can_animate(&self) -> bool {
        self.stderr_is_terminal && !self.dumb
    }

    /// Whether a person can be asked: questions go to stderr, answers come from stdin.
    pub fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }

    /// After a command that had the terminal: nothing that it left there hides or repaints what comes next.
    pub fn plain_screen(&self) {
        if self.dumb || !self.stderr_is_terminal {
            return;
        }
        // As with talk, what cannot be written is lost: there is nobody to tell.
        drop(io::stderr().lock().write_all(PLAIN_SCREEN));
    }

    /// Writes data to stdout. A reader that went away is reported as such; `main` ends quietly then.
    pub fn data(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Writes one line of talk to stderr. Talk that cannot be written is lost: there is nobody to tell.
    pub fn say(&self, line: &str) {
        let mut stderr = io::stderr().lock();
        let written = stderr
            .write_all(line.as_bytes())
            .and_then(|()| stderr.write_all(b"\n"));
        drop(written);
    }
}
