//! Lines of a batch door: from a file or standard input, bounded, and without waiting while answers are owed (CLI-06).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use taffrail_domain::ErrorCode;

use crate::failure::Failure;

/// A line of a batch may be this long, in bytes; of a longer one the rest is read and dropped.
pub const LINE_LIMIT: usize = taffrail_app::redaction::LINE_LIMIT;
/// One read fills this: some hundred lines, so that a file's lines can be taken many at a time.
const BUFFER: usize = 1 << 20;

/// The lines of an input, one after the other.
pub struct Lines {
    input: BufReader<Box<dyn Read>>,
}

impl Lines {
    /// Of a file that a person names; `-` is standard input.
    ///
    /// # Errors
    /// `Io` where the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let input: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(open(path)?)
        };
        Ok(Self {
            input: BufReader::with_capacity(BUFFER, input),
        })
    }

    /// The next line that is not blank, without its end; false at the end of the input. A line over [`LINE_LIMIT`] comes
    /// cut, and longer than the limit.
    ///
    /// # Errors
    /// `Io`.
    pub fn read(&mut self, line: &mut Vec<u8>) -> Result<bool, Failure> {
        loop {
            line.clear();
            let limit = LINE_LIMIT as u64 + 2;
            let mut bounded = self.input.by_ref().take(limit);
            if bounded.read_until(b'\n', line).map_err(unreadable)? == 0 {
                return Ok(false);
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            } else if line.len() > LINE_LIMIT {
                self.input.skip_until(b'\n').map_err(unreadable)?;
            }
            if !line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// Whether another whole line is here already, so that reading it waits for nobody.
    pub fn is_next_here(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }
}

#[allow(clippy::disallowed_methods)] // A file that a person names, neither of a project nor of the home.
fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| {
        Failure::new(
            ErrorCode::Io,
            &format!("cannot read {}: {error}", path.display()),
        )
    })
}

#[allow(clippy::needless_pass_by_value)] // the shape that map_err wants
pub fn unreadable(error: io::Error) -> Failure {
    Failure::new(ErrorCode::Io, &format!("cannot read the input: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8]) -> Lines {
        Lines {
            input: BufReader::new(Box::new(text)),
        }
    }

    #[test]
    fn cli_06_blank_lines_are_passed_over_and_the_last_needs_no_end() {
        let mut lines = lines(b"\n  \none\n\ntwo");
        let (mut line, mut all) = (Vec::new(), Vec::new());
        while lines.read(&mut line).unwrap() {
            all.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!(all, ["one", "two"]);
    }

    #[test]
    fn cli_06_a_part_of_a_line_is_not_waited_for() {
        let mut lines = lines(b"one\ntwo\nthr");
        let mut line = Vec::new();
        assert!(!lines.is_next_here(), "nothing was read yet");
        assert!(lines.read(&mut line).unwrap() && lines.is_next_here());
        assert!(lines.read(&mut line).unwrap() && !lines.is_next_here());
    }
}
