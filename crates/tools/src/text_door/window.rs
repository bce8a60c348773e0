//! Lines of a text file, byte for byte.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// Which lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    /// Lines before the first.
    pub before: u64,
    /// How many at most.
    pub most: u64,
}

/// Why there is no text.
#[derive(Debug)]
pub(super) enum NoText {
    /// The lines have more bytes than one answer takes.
    TooLarge,
    /// They begin further into the file than is looked.
    TooFar,
    /// They are not text.
    NotText(&'static str),
    /// The system's error.
    Io(io::Error),
}

/// These lines of a file, with their ends as they are. Fewer or none where the file has no more. Of what comes before
/// them nothing is kept; what comes after them is not read.
pub(super) fn lines(file: File, ask: Lines, largest: u64, furthest: u64) -> Result<String, NoText> {
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let (mut at_line, mut seen, mut kept) = (0_u64, 0_u64, Vec::new());
    let end = ask.before.saturating_add(ask.most);
    while at_line < end {
        let chunk = match reader.fill_buf() {
            Ok([]) => break,
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(NoText::Io(error)),
        };
        // One line, or as much of it as is there.
        let found = memchr::memchr(b'\n', chunk);
        let piece = found.map_or(chunk, |at| chunk.get(..=at).unwrap_or(chunk));
        let length = piece.len();
        seen += length as u64;
        if at_line >= ask.before {
            kept.extend_from_slice(piece);
            if kept.len() as u64 > largest {
                return Err(NoText::TooLarge);
            }
        } else if seen > furthest {
            return Err(NoText::TooFar);
        }
        at_line += u64::from(found.is_some());
        reader.consume(length);
    }
    crate::read_file::text_of(kept).map_err(NoText::NotText)
}
