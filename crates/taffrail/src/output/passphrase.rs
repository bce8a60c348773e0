//! A passphrase or a value from a person's terminal, without an echo (SEC-01).

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;

use rustix::termios::{LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios};
use rustix::termios::{tcflush, tcgetattr, tcsetattr};
use taffrail_app::AppError;
use taffrail_app::secrets::{AskPassphrase, Nobody, Secret, SecretFault};
use taffrail_text::Shown;

/// Longest line: a terminal's own limit in its line mode.
const LONGEST: usize = 4096;

/// The person at the terminal of this process.
pub struct Person;

impl AskPassphrase for Person {
    /// Somebody who typed the command: programs that start us have no terminal on both.
    fn is_person_here(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn passphrase(&self, question: &str) -> Result<Secret, AppError> {
        ask_hidden(question).map_err(|error| match error {
            AppError::NeedsTerminal => AppError::Locked,
            other => other,
        })
    }

    fn tell(&self, line: &str) {
        tell(line);
    }

    fn new_passphrase(&self, question: &str) -> Result<Secret, AppError> {
        let first = ask_hidden(question)?;
        if first.is_empty() {
            return Err(SecretFault::PassphraseEmpty.into());
        }
        if first != ask_hidden("once more:")? {
            return Err(SecretFault::PassphrasesDiffer.into());
        }
        Ok(first)
    }
}

/// A program that started us and reads our protocol: nobody to ask, and talk goes to its log.
pub struct Listener;

impl AskPassphrase for Listener {
    fn is_person_here(&self) -> bool {
        Nobody.is_person_here()
    }

    fn passphrase(&self, question: &str) -> Result<Secret, AppError> {
        Nobody.passphrase(question)
    }

    fn new_passphrase(&self, question: &str) -> Result<Secret, AppError> {
        Nobody.new_passphrase(question)
    }

    fn tell(&self, line: &str) {
        tell(line);
    }
}

/// As with all talk, what cannot be written is lost: there is nobody to tell.
fn tell(line: &str) {
    drop(writeln!(io::stderr(), "{}", Shown::line(line)));
}

/// Asks and reads a line that the terminal does not show. Works where stdin is a pipe: the terminal is asked itself.
///
/// # Errors
/// `NeedsTerminal` where there is none; `Interrupted` on Ctrl-C.
pub fn ask_hidden(question: &str) -> Result<Secret, AppError> {
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map_err(|_| AppError::NeedsTerminal)?;
    let hidden = Hidden::enter(&terminal).map_err(|_| AppError::NeedsTerminal)?;
    let mut lines = &terminal;
    let asked = write!(lines, "{question} ").and_then(|()| read_line(&mut lines));
    let ended = lines.write_all(b"\r\n");
    drop(hidden);
    ended.map_err(AppError::Output)?;
    asked
        .map_err(AppError::Output)?
        .ok_or(AppError::Interrupted)
}

/// Reads to Enter; none on Ctrl-C, or on Ctrl-D before anything was typed.
fn read_line(input: &mut impl Read) -> io::Result<Option<Secret>> {
    // Of its full size at once: a buffer that grows leaves copies of its bytes behind.
    let mut typed = Typed(Vec::with_capacity(LONGEST));
    // One byte at a time: what comes after Enter belongs to whoever asks next.
    let mut byte = [0];
    loop {
        match input.read_exact(&mut byte) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        match byte {
            [b'\r' | b'\n'] => return Ok(Some(typed.into_secret())),
            [b'\x03'] => return Ok(None),
            [b'\x04'] if typed.0.is_empty() => return Ok(None),
            [b'\x04'] => return Ok(Some(typed.into_secret())),
            [b'\x08' | b'\x7f'] => typed.erase(),
            [b'\x15'] => typed.0.clear(),
            [byte] if typed.0.len() < LONGEST => typed.0.push(byte),
            _ => {}
        }
    }
}

/// What was typed so far; zeroed when it goes.
struct Typed(Vec<u8>);

impl Typed {
    /// Takes the last character back, with all bytes of it.
    fn erase(&mut self) {
        while let Some(byte) = self.0.pop() {
            if !(0x80..0xc0).contains(&byte) {
                break;
            }
        }
    }

    fn into_secret(mut self) -> Secret {
        Secret::new(std::mem::take(&mut self.0))
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        drop(Secret::new(std::mem::take(&mut self.0)));
    }
}

/// The terminal without an echo. Signals from keys are off in it: a Ctrl-C that killed us here would leave the person
/// without an echo.
struct Hidden<'a> {
    terminal: &'a File,
    original: Termios,
}

impl<'a> Hidden<'a> {
    fn enter(terminal: &'a File) -> io::Result<Self> {
        let original = tcgetattr(terminal)?;
        let mut hidden = original.clone();
        hidden
            .local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
        hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &hidden)?;
        // Keys typed before the question answer nothing.
        tcflush(terminal.as_fd(), QueueSelector::IFlush)?;
        Ok(Self { terminal, original })
    }
}

impl Drop for Hidden<'_> {
    fn drop(&mut self) {
        // A terminal that is gone has no mode to put back.
        tcsetattr(self.terminal, OptionalActions::Now, &self.original).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_01_a_line_is_what_was_meant() {
        let of = |keys: &str| {
            let read = read_line(&mut keys.as_bytes()).unwrap();
            read.map(|secret| String::from_utf8(secret.expose().to_vec()).unwrap())
        };
        assert_eq!(of("word\r").as_deref(), Some("word"));
        assert_eq!(of("wors\x7fd\n").as_deref(), Some("word"));
        assert_eq!(of("wö\x7förd\n").as_deref(), Some("wörd"));
        assert_eq!(of("wrong\x15word\n").as_deref(), Some("word"));
        assert_eq!(of("\x7f\x7fa\n").as_deref(), Some("a"));
        assert_eq!(of("\n").as_deref(), Some(""));
        assert_eq!(of("wo\x03rd\n"), None);
        assert_eq!(of("\x04"), None);
        assert_eq!(of("cut off"), None);
        assert_eq!(
            of(&format!("{}\n", "x".repeat(LONGEST + 9))).unwrap().len(),
            LONGEST
        );
    }
}
