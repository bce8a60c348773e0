//! A diff for a person: escaped, coloured where the terminal wants it, the same words without colour.

use std::io::{self, Write};

use taffrail_text::Shown;

use super::{Colour, Output, Paint};

/// A line is held up to this many bytes; the rest of a longer one is shown below it, marked.
const LONGEST_LINE: usize = 1 << 20;
/// What the rest of a long line begins with, so that it cannot pass for a line of its own.
const CONTINUED: &str = "… ";

/// Takes a git-format diff that was redacted before, by any chunks, and prints it line by line. Binary hunks are
/// shortened to a line.
pub struct DiffPrinter<'a> {
    output: &'a Output,
    paint: Paint,
    line: Vec<u8>,
    binary: bool,
    in_hunk: bool,
    /// What comes is the rest of a line: whatever it looks like, it is content.
    is_rest: bool,
    longest: usize,
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
            is_rest: false,
            longest: LONGEST_LINE,
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
        match self.text(&line) {
            Some(text) => self.output.data(format!("{text}\n").as_bytes()),
            None => Ok(()),
        }
    }

    /// What a person sees of a line, or of a part of a long one; nothing of a binary hunk.
    fn text(&mut self, line: &[u8]) -> Option<String> {
        if self.is_rest {
            let rest = format!("{CONTINUED}{}", Shown::bytes_line(line));
            return (!self.binary).then_some(rest);
        }
        if line.starts_with(b"diff --git ") {
            (self.binary, self.in_hunk) = (false, false);
        }
        if self.binary {
            return None;
        }
        self.in_hunk |= line.starts_with(b"@@ ");
        self.binary = !self.in_hunk && line == b"GIT binary patch";
        let shown = if self.binary {
            "binary content, not shown".to_owned()
        } else {
            Shown::bytes_line(line).to_string()
        };
        Some(match self.colour(line) {
            Some(colour) => self.paint.with(colour, &shown),
            None => shown,
        })
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
            if *byte == b'\n' || self.line.len() >= self.longest {
                self.print()?;
                self.is_rest = *byte != b'\n';
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a person sees of these parts; `true` where a part is the rest of the line before.
    fn seen(parts: &[(&str, bool)]) -> Vec<String> {
        let output = Output::new(true, None);
        let mut printer = DiffPrinter::new(&output);
        let mut lines = Vec::new();
        for (part, is_rest) in parts {
            printer.is_rest = *is_rest;
            lines.extend(printer.text(part.as_bytes()));
        }
        lines
    }

    #[test]
    fn fa_31_the_rest_of_a_long_line_is_content_whatever_it_looks_like() {
        let lines = |is_rest| {
            seen(&[
                ("diff --git a/x b/x", false),
                ("@@ -0,0 +1,3 @@", false),
                ("+////", false),
                ("diff --git a/y b/y", is_rest),
                ("+////", false),
                ("GIT binary patch", is_rest),
                ("+payload()", false),
            ])
        };
        let shown = lines(true);
        assert_eq!(shown.last().unwrap(), "+payload()");
        assert!(
            shown.contains(&"… diff --git a/y b/y".to_owned()),
            "{shown:?}"
        );
        // The twin: taken for lines of their own, they hide what comes after.
        assert!(!lines(false).contains(&"+payload()".to_owned()));
    }

    #[test]
    fn fa_31_a_long_line_is_cut_and_its_parts_are_marked() {
        let output = Output::new(true, None);
        let mut printer = DiffPrinter::new(&output);
        printer.longest = 4;
        printer.write_all(b"+123").unwrap();
        assert!(!printer.is_rest);
        printer.write_all(b"4").unwrap();
        assert!(printer.is_rest);
        printer.write_all(b"\n+x").unwrap();
        assert!(!printer.is_rest && !printer.binary);
    }
}
