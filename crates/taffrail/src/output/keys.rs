//! One key at a time from a person's terminal.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios};
use rustix::termios::{tcflush, tcgetattr, tcsetattr};

use super::Output;

/// What a person pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Ctrl-C.
    Interrupt,
    /// The terminal is gone, or Ctrl-D.
    End,
}

/// Asks, and waits for one key, without Enter and without an echo. What was typed before the question is dropped, so that
/// no old key answers it; the terminal is as before when this returns.
pub fn ask_key(output: &Output, question: &str) -> io::Result<Key> {
    let stdin = io::stdin();
    let mode = KeyMode::enter()?;
    tcflush(&stdin, QueueSelector::IFlush)?;
    output.say(question);
    let key = next_key(&mut byte_of_terminal);
    drop(mode);
    key
}

/// One character, byte by byte past any buffer: what lies in a buffer of ours no flush of the terminal would drop.
fn next_key(read: &mut dyn FnMut() -> io::Result<Option<u8>>) -> io::Result<Key> {
    let mut bytes = Vec::with_capacity(4);
    while let Some(byte) = read()? {
        bytes.push(byte);
        match std::str::from_utf8(&bytes) {
            Ok(text) => return Ok(text.chars().next().map_or(Key::End, meaning)),
            Err(error) if error.error_len().is_some() => return Ok(Key::Char('\u{fffd}')),
            Err(_) => {}
        }
    }
    Ok(Key::End)
}

fn byte_of_terminal() -> io::Result<Option<u8>> {
    let mut byte = [0];
    loop {
        match rustix::io::read(io::stdin(), &mut byte) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(byte.first().copied()),
            Err(rustix::io::Errno::INTR) => {}
            // The terminal is closed.
            Err(rustix::io::Errno::IO) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

const fn meaning(char: char) -> Key {
    match char {
        '\x03' => Key::Interrupt,
        '\x04' => Key::End,
        other => Key::Char(other),
    }
}

/// The terminal in the mode for keys. Signals from keys are off in it: a Ctrl-C that killed us here would leave the person
/// without an echo.
struct KeyMode(Termios);

impl KeyMode {
    fn enter() -> io::Result<Self> {
        let original = tcgetattr(io::stdin())?;
        let mut keys = original.clone();
        keys.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &keys)?;
        Ok(Self(original))
    }
}

impl Drop for KeyMode {
    fn drop(&mut self) {
        // A terminal that is gone has no mode to put back.
        tcsetattr(io::stdin(), OptionalActions::Now, &self.0).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_script_are_whole() {
        let of = |text: &str| {
            let mut bytes = text.bytes();
            next_key(&mut || Ok(bytes.next())).unwrap()
        };
        assert_eq!(of("c"), Key::Char('c'));
        assert_eq!(of("\x03"), Key::Interrupt);
        assert_eq!(of("箱"), Key::Char('箱'));
        assert_eq!(of(""), Key::End);
    }
}
