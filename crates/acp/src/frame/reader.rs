//! Lines of any length from pieces of any length.

use memchr::memchr;

use super::classify::{envelope_only, line_frame};
use super::scan::Scan;
use super::{Frame, Incoming, Limits};

/// How much one buffer of an unfinished line holds: a line grows by these and is never copied while it grows.
const SEGMENT: usize = 64 << 10;

/// Turns pieces of a stream into frames.
#[derive(Debug)]
pub struct Frames {
    limits: Limits,
    /// The unfinished line, while it may still be parsed.
    segments: Vec<Vec<u8>>,
    /// What is left of it once it may not.
    passed: Option<Passed>,
    /// How long it is so far.
    length: u64,
    dead: bool,
}

/// A line that is too long to be parsed: its beginning, and the scan of the rest.
#[derive(Debug)]
struct Passed {
    head: Vec<u8>,
    scan: Scan,
}

impl Frames {
    /// A reader at the beginning of a stream.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            segments: Vec::new(),
            passed: None,
            length: 0,
            dead: false,
        }
    }

    /// The frames that end in `bytes`. Blank lines are none. Hand it pieces of 64 KiB or so: what comes back is parsed.
    /// Nothing comes any more after [`Incoming::LineTooLong`].
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !self.dead && !rest.is_empty() {
            let (piece, after, ends) = match memchr(b'\n', rest) {
                Some(at) => {
                    let (line, after) = rest.split_at(at);
                    (line, after.get(1..).unwrap_or_default(), true)
                }
                None => (rest, &[][..], false),
            };
            rest = after;
            frames.extend(self.take(piece, ends));
        }
        frames
    }

    /// The stream ended: what was left without a newline.
    pub fn finish(&mut self) -> Option<Frame> {
        if self.dead { None } else { self.end_line() }
    }

    /// How many bytes are held of a line that has not ended. [`Limits::parsed`] at most.
    pub fn held(&self) -> usize {
        self.segments.iter().map(Vec::capacity).sum::<usize>()
            + self.passed.as_ref().map_or(0, |passed| passed.head.len())
    }

    fn take(&mut self, piece: &[u8], ends: bool) -> Option<Frame> {
        let length = self.length + piece.len() as u64;
        if length > self.limits.line {
            return Some(self.die(length));
        }
        if ends && self.length == 0 && piece.len() <= self.limits.parsed {
            return line_frame(piece.to_vec(), &self.limits);
        }
        self.length = length;
        self.append(piece);
        if ends { self.end_line() } else { None }
    }

    fn append(&mut self, piece: &[u8]) {
        if self.passed.is_none() && self.length <= self.limits.parsed as u64 {
            return self.hold(piece);
        }
        let passed = self.passed.get_or_insert_with(|| {
            let held = std::mem::take(&mut self.segments);
            Passed::begin(&held, piece, self.limits.head)
        });
        passed.scan.feed(piece);
    }

    fn hold(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let room = match self.segments.last() {
                Some(last) if last.len() < SEGMENT => SEGMENT - last.len(),
                _ => {
                    self.segments.push(Vec::new());
                    SEGMENT
                }
            };
            let (now, later) = piece.split_at(room.min(piece.len()));
            if let Some(last) = self.segments.last_mut() {
                last.extend_from_slice(now);
            }
            piece = later;
        }
    }

    fn end_line(&mut self) -> Option<Frame> {
        let bytes = std::mem::take(&mut self.length);
        let segments = std::mem::take(&mut self.segments);
        match self.passed.take() {
            Some(passed) => Some(envelope_only(passed.scan, passed.head, bytes)),
            None => line_frame(joined(segments), &self.limits),
        }
    }

    fn die(&mut self, bytes: u64) -> Frame {
        self.dead = true;
        let head = self.passed.take().map_or_else(
            || {
                let mut line = joined(std::mem::take(&mut self.segments));
                line.truncate(self.limits.head);
                line
            },
            |passed| passed.head,
        );
        self.segments = Vec::new();
        Frame {
            incoming: Incoming::LineTooLong { bytes },
            line: head,
            bytes,
        }
    }
}

impl Passed {
    fn begin(held: &[Vec<u8>], piece: &[u8], limit: usize) -> Self {
        let mut scan = Scan::default();
        let mut head = Vec::new();
        for segment in held {
            scan.feed(segment);
        }
        for part in held.iter().map(Vec::as_slice).chain([piece]) {
            let room = limit.saturating_sub(head.len());
            head.extend_from_slice(part.get(..room).unwrap_or(part));
        }
        Self { head, scan }
    }
}

fn joined(mut segments: Vec<Vec<u8>>) -> Vec<u8> {
    if segments.len() == 1 {
        return segments.pop().unwrap_or_default();
    }
    segments.concat()
}
