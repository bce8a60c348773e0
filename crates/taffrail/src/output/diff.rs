//! A diff for a person: escaped, coloured where the terminal wants it, the same words without colour.

use std::io::{self, Write};

use taffrail_text::Shown;

use super::{Colour, Output, Paint};

/// A line is held up to this many bytes; the rest of a longer one is shown as the next.
const LONGEST_LINE: usize = 1 << 20;

/// Takes a git-format diff that was redacted before, by any chunks, and prints it line by line. Binary hunks are
/// shortened to a line.
pub struct DiffPrinter<'a> {
    output: &'a Output,
    paint: Paint,
    line: Vec<u8>,
    binary: bool,
    in_hunk: bool,
}

impl<'a> DiffPrinter<'a> {
    /// A printer to stdout.
    pub fn new(output: &'a Output) -> Self {
        Self {
            output,
            paint: output.paint(),
            line: Vec::new(),
            binary: false,
            in_hunk: false,
        }
    }

    /// Prints what is left of the last line.
    pub fn finish(mut self) -> io::Result<()> {
        if self.line.is_empty() {
            Ok(())
        } else {
            self.print()
        }
    }

    fn print(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        if line.starts_with(b"diff --git ") {
            (self.binary, self.in_hunk) = (false, false);
        }
        if self.binary {
            return Ok(());
        }
        self.in_hunk |= line.starts_with(b"@@ ");
        self.binary = !self.in_hunk && line == b"GIT binary patch";
        let shown = if self.binary {
            "binary content, not shown".to_owned()
        } else {
            Shown::bytes_line(&line).to_string()
        };
        let painted = match self.colour(&line) {
            Some(colour) => self.paint.with(colour, &shown),
            None => shown,
        };
        self.output.data(format!("{painted}\n").as_bytes())
    }

    fn colour(&self, line: &[u8]) -> Option<Colour> {
        match line {
            [b'+', ..] if self.in_hunk => Some(Colour::Added),
            [b'-', ..] if self.in_hunk => Some(Colour::Removed),
            [b'@', b'@', ..] => Some(Colour::Place),
            [b'+' | b'-', ..] | [b'd', b'i', b'f', b'f', b' ', ..] => Some(Colour::Strong),
            _ => None,
        }
    }
}

impl Write for DiffPrinter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' || self.line.len() >= LONGEST_LINE {
                self.print()?;
            }
            if *byte != b'\n' {
                self.line.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
