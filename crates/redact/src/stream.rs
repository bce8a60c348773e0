//! Redaction of text that comes in pieces.

use crate::family::Family;
use crate::scan::{Part, Scan, Span};
use crate::sequences::Sequences;

/// New bytes that are collected before the next walk.
const BLOCK: usize = 16 << 10;

/// Redacts text that comes in pieces: what comes out depends on the text, not on where it was cut.
///
/// Memory stays below about 100 KiB whatever the length of a line. The last few KiB are held back until they are settled
/// or [`Stream::finish`] is called.
#[derive(Debug)]
pub struct Stream {
    scan: Scan,
    buffer: Vec<u8>,
    /// Offset of the buffer's first byte in the text.
    base: usize,
    fresh: usize,
    writer: Writer,
    sequences: Sequences,
}

impl Stream {
    pub(crate) fn new(scan: Scan) -> Self {
        Self {
            scan,
            buffer: Vec::new(),
            base: 0,
            fresh: 0,
            writer: Writer::default(),
            sequences: Sequences::default(),
        }
    }

    /// Takes the next bytes and appends to `out` what is settled.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        for piece in chunk.chunks(BLOCK) {
            let before = self.buffer.len();
            self.sequences.take(piece, self.base, &mut self.buffer);
            self.fresh += self.buffer.len() - before;
            if self.fresh >= BLOCK {
                self.walk(false, out);
            }
        }
    }

    /// Appends the rest to `out`.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.sequences.give_back(&mut self.buffer);
        self.walk(true, out);
    }

    fn walk(&mut self, last: bool, out: &mut Vec<u8>) {
        self.fresh = 0;
        let part = Part {
            bytes: &self.buffer,
            base: self.base,
            last,
        };
        self.scan.advance(&part);
        let until = if last {
            self.base + self.buffer.len()
        } else {
            self.scan.settled()
        };
        let found = (self.scan.spans(), &mut self.sequences);
        self.writer.write(&part, found, until, out);
        let drop = until.saturating_sub(self.base).min(self.buffer.len());
        self.buffer.drain(..drop);
        self.base += drop;
    }
}

/// Writes text with masks in place of spans.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// Everything before this offset was written or masked.
    written: usize,
}

impl Writer {
    /// Writes all before `until`, taking the spans that start there. Overlapping spans get one mask, the first one's.
    pub(crate) fn write(
        &mut self,
        part: &Part<'_>,
        (spans, sequences): (&mut Vec<Span>, &mut Sequences),
        until: usize,
        out: &mut Vec<u8>,
    ) {
        spans.sort_unstable();
        let count = spans.partition_point(|span| span.start < until);
        for span in spans.drain(..count) {
            if span.start >= self.written {
                self.copy((part, sequences), span.start, out);
                out.extend_from_slice(Family::mask(span.family).as_bytes());
            }
            self.written = self.written.max(span.end);
        }
        self.copy((part, sequences), until, out);
    }

    /// What was taken out inside of a span stands behind its mask.
    fn copy(
        &mut self,
        (part, sequences): (&Part<'_>, &mut Sequences),
        until: usize,
        out: &mut Vec<u8>,
    ) {
        while let Some(next) = sequences.next_before(until) {
            self.plain(part, next, out);
            sequences.put_back(out);
        }
        self.plain(part, until, out);
    }

    fn plain(&mut self, part: &Part<'_>, until: usize, out: &mut Vec<u8>) {
        if until > self.written {
            let from = self.written - part.base;
            out.extend_from_slice(part.bytes.get(from..until - part.base).unwrap_or_default());
            self.written = until;
        }
    }
}
