//! Colours and cursor movements of terminals, taken out of a text before it is looked at and put back where they stood.
//!
//! A coloured log has one between a name and its value, or before a token, and `grep --color` in the middle of one. Only
//! control sequences that begin with `ESC [` are taken: they hold numbers, so that none of them can hide a secret.

use std::collections::VecDeque;

const ESCAPE: u8 = 0x1b;
/// A longer one is none.
const LONGEST: usize = 64;
/// So many bytes of sequences are held while the text before them is not settled. Each byte of text gives one back; what
/// is beyond it stays in the text as it is.
const CREDIT: usize = 16 << 10;

/// Takes sequences out and remembers them. What it takes depends on the text, not on where it was cut.
#[derive(Debug)]
pub(crate) struct Sequences {
    credit: usize,
    begun: Vec<u8>,
    /// Where in the text without them they stood, and what they were.
    taken: VecDeque<(usize, Vec<u8>)>,
}

impl Default for Sequences {
    fn default() -> Self {
        Self {
            credit: CREDIT,
            begun: Vec::new(),
            taken: VecDeque::new(),
        }
    }
}

impl Sequences {
    /// Whether a text can hold one.
    pub(crate) fn may_be_in(text: &[u8]) -> bool {
        memchr::memchr(ESCAPE, text).is_some()
    }

    /// Appends the text without them to `text`, whose first byte has this offset.
    pub(crate) fn take(&mut self, mut chunk: &[u8], base: usize, text: &mut Vec<u8>) {
        while let Some(byte) = chunk.first() {
            if !self.begun.is_empty() {
                if self.goes_on(*byte, base, text) {
                    chunk = chunk.get(1..).unwrap_or_default();
                }
                continue;
            }
            let end = memchr::memchr(ESCAPE, chunk).unwrap_or(chunk.len());
            let (plain, rest) = chunk.split_at(end);
            text.extend_from_slice(plain);
            self.credit = (self.credit + plain.len()).min(CREDIT);
            chunk = rest;
            if let Some((escape, rest)) = chunk.split_first() {
                self.begun.push(*escape);
                chunk = rest;
            }
        }
    }

    /// Takes the next byte of one that has begun; false where it is none, so that the byte is looked at again.
    fn goes_on(&mut self, byte: u8, base: usize, text: &mut Vec<u8>) -> bool {
        let is_inner = match self.begun.len() {
            1 => byte == b'[',
            length => length < LONGEST && (0x20..0x40).contains(&byte),
        };
        // A bracket is the end of none that is in use, and begins a mask.
        let is_last = byte.is_ascii_alphabetic() || matches!(byte, b'@' | b'`' | b'~');
        let ends = self.begun.len() > 1 && is_last;
        if !is_inner && !ends {
            self.give_back(text);
            return false;
        }
        self.begun.push(byte);
        if ends && self.credit < self.begun.len() {
            self.give_back(text);
        } else if ends {
            self.keep(base + text.len());
        }
        true
    }

    /// What has begun and does not end is text.
    pub(crate) fn give_back(&mut self, text: &mut Vec<u8>) {
        text.append(&mut self.begun);
    }

    fn keep(&mut self, offset: usize) {
        self.credit -= self.begun.len();
        match self.taken.back_mut() {
            Some((last, taken)) if *last == offset => taken.append(&mut self.begun),
            _ => self
                .taken
                .push_back((offset, std::mem::take(&mut self.begun))),
        }
    }

    /// The offset of the next one, at `until` at the latest.
    pub(crate) fn next_before(&self, until: usize) -> Option<usize> {
        let (offset, _) = self.taken.front()?;
        (*offset <= until).then_some(*offset)
    }

    /// Puts the next one back.
    pub(crate) fn put_back(&mut self, out: &mut Vec<u8>) {
        if let Some((_, mut taken)) = self.taken.pop_front() {
            out.append(&mut taken);
        }
    }

    /// What is to be added to an offset, for each of some offsets in order, to find it in the text with them. One that
    /// stands at the very offset lies before it.
    pub(crate) fn shifts(&self) -> impl FnMut(usize) -> usize {
        let mut rest = self
            .taken
            .iter()
            .map(|(offset, taken)| (*offset, taken.len()));
        let mut next = rest.next();
        let mut shift = 0;
        move |offset| {
            while let Some((_, length)) = next.filter(|(at, _)| *at <= offset) {
                shift += length;
                next = rest.next();
            }
            shift
        }
    }
}
