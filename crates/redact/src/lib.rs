//! Finds secrets in text and puts fixed masks in their place; the only maker of [`Clean`] text.
//!
//! Pure: bytes in, bytes out. Linear time, bounded memory, the same answer whatever the chunk borders. It knows shapes
//! and names, not values: it is not told which secrets exist, and never asks a service whether one is live.
//!
//! How: one automaton finds keywords; at each, a detector looks at a window around it (512 bytes behind, 4 KiB ahead) and
//! decides; what is longer than a window (key blocks, endless tokens) is followed byte by byte.
#![forbid(unsafe_code)]

mod automaton;
mod clean;
mod compiled;
mod detect;
mod entropy;
mod family;
mod follow;
mod rules;
mod scan;
mod sequences;
mod sets;
mod shape;
mod stream;
mod sweep;
mod window;

use std::sync::Arc;

use crate::compiled::Compiled;
use crate::scan::{Part, Scan, Span};
use crate::sequences::Sequences;
use crate::stream::Writer;

pub use clean::Clean;
pub use family::Family;
pub use stream::Stream;

/// What to look for besides secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Also mask e-mail addresses, phone numbers, IBANs, cards and national ids.
    pub pii: bool,
}

/// One secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub family: Family,
    /// First byte in the input.
    pub start: usize,
    /// One past the last byte in the input.
    pub end: usize,
}

impl From<Span> for Finding {
    fn from(span: Span) -> Self {
        Self {
            family: span.family,
            start: span.start,
            end: span.end,
        }
    }
}

/// The redactor: compiled once per process, cheap to clone and share between threads.
#[derive(Debug, Clone)]
pub struct Redactor {
    compiled: Arc<Compiled>,
    options: Options,
}

impl Redactor {
    /// A redactor over the shared, compiled rules (the first one compiles them: a few milliseconds).
    pub fn new(options: Options) -> Self {
        Self {
            compiled: Compiled::shared(),
            options,
        }
    }

    /// The text with a mask in place of each secret. Clean text comes back unchanged.
    pub fn clean(&self, text: &str) -> Clean {
        if Sequences::may_be_in(text.as_bytes()) {
            let (mut stream, mut out) = (self.stream(), Vec::with_capacity(text.len()));
            stream.push(text.as_bytes(), &mut out);
            stream.finish(&mut out);
            return Clean::made(text_of(out));
        }
        let part = Part {
            bytes: text.as_bytes(),
            base: 0,
            last: true,
        };
        let mut scan = self.scan();
        scan.advance(&part);
        if scan.spans().is_empty() {
            return Clean::made(text.to_owned());
        }
        let mut out = Vec::with_capacity(text.len());
        let mut none = Sequences::default();
        Writer::default().write(&part, (scan.spans(), &mut none), text.len(), &mut out);
        Clean::made(text_of(out))
    }

    /// Like [`Redactor::clean`] for bytes in no particular encoding (what is not UTF-8 becomes U+FFFD).
    pub fn clean_bytes(&self, bytes: &[u8]) -> Clean {
        self.clean(&String::from_utf8_lossy(bytes))
    }

    /// The secrets of a text, in order, not overlapping; offsets in bytes of the input.
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        if !Sequences::may_be_in(text.as_bytes()) {
            return self.found(text.as_bytes());
        }
        let (mut sequences, mut plain) = (Sequences::default(), Vec::with_capacity(text.len()));
        sequences.take(text.as_bytes(), 0, &mut plain);
        sequences.give_back(&mut plain);
        let mut found = self.found(&plain);
        let mut shift = sequences.shifts();
        for finding in &mut found {
            finding.start += shift(finding.start);
            finding.end += shift(finding.end.saturating_sub(1));
        }
        found
    }

    fn found(&self, text: &[u8]) -> Vec<Finding> {
        let mut scan = self.scan();
        scan.advance(&Part {
            bytes: text,
            base: 0,
            last: true,
        });
        let mut spans = std::mem::take(scan.spans());
        spans.sort_unstable();
        spans.dedup_by(|next, last| {
            let joined = next.start < last.end;
            last.end = if joined {
                last.end.max(next.end)
            } else {
                last.end
            };
            joined
        });
        spans.into_iter().map(Finding::from).collect()
    }

    /// A redactor for text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(self.scan())
    }

    fn scan(&self) -> Scan {
        Scan::new(Arc::clone(&self.compiled), self.options.pii)
    }
}

/// Masks are ASCII and spans end on character borders, so valid text stays valid.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
