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
    /// Where in the text without them they stood, and how long they are.
    taken: VecDeque<(usize, usize)>,
    /// Their bytes, one after the other.
    bytes: VecDeque<u8>,
}

impl Default for Sequences {
    fn default() -> Self {
        Self {
            credit: CREDIT,
            begun: Vec::new(),
            taken: VecDeque::new(),
            bytes: VecDeque::new(),
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
        while let (false, Some((byte, rest))) = (self.begun.is_empty(), chunk.split_first()) {
            if self.goes_on(*byte, base, text) {
                chunk = rest;
            }
        }
        let (mut plain, mut from) = (0, 0);
        while let Some(at) = chunk
            .get(from..)
            .and_then(|rest| memchr::memchr(ESCAPE, rest))
        {
            let at = from + at;
            let rest = chunk.get(at..).unwrap_or_default();
            from = match length(rest) {
                Some(0) => at + 1,
                Some(length) => {
                    self.plain(chunk.get(plain..at), text);
                    self.settle(rest.get(..length).unwrap_or_default(), base, text);
                    plain = at + length;
                    plain
                }
                None => {
                    self.plain(chunk.get(plain..at), text);
                    return self.begun.extend_from_slice(rest);
                }
            };
        }
        self.plain(chunk.get(plain..), text);
    }

    fn plain(&mut self, plain: Option<&[u8]>, text: &mut Vec<u8>) {
        let plain = plain.unwrap_or_default();
        text.extend_from_slice(plain);
        self.credit = (self.credit + plain.len()).min(CREDIT);
    }

    /// Takes the next byte of one that has begun; false where it is none, so that the byte is looked at again.
    fn goes_on(&mut self, byte: u8, base: usize, text: &mut Vec<u8>) -> bool {
        let length = self.begun.len();
        let ends = length > 1 && length < LONGEST && is_last(byte);
        let goes_on = match length {
            1 => byte == b'[',
            _ => length < LONGEST && is_inner(byte),
        };
        if !goes_on && !ends {
            self.give_back(text);
            return false;
        }
        self.begun.push(byte);
        if ends {
            let sequence = std::mem::take(&mut self.begun);
            self.settle(&sequence, base, text);
        }
        true
    }

    /// What has begun and does not end is text.
    pub(crate) fn give_back(&mut self, text: &mut Vec<u8>) {
        let given = std::mem::take(&mut self.begun);
        self.plain(Some(&given), text);
    }

    /// Keeps a whole one, as far as there is room.
    fn settle(&mut self, sequence: &[u8], base: usize, text: &mut Vec<u8>) {
        if self.credit < sequence.len() {
            return text.extend_from_slice(sequence);
        }
        self.credit -= sequence.len();
        self.bytes.extend(sequence);
        let offset = base + text.len();
        match self.taken.back_mut() {
            Some((last, length)) if *last == offset => *length += sequence.len(),
            _ => self.taken.push_back((offset, sequence.len())),
        }
    }

    /// The offset of the next one, at `until` at the latest.
    pub(crate) fn next_before(&self, until: usize) -> Option<usize> {
        let (offset, _) = self.taken.front()?;
        (*offset <= until).then_some(*offset)
    }

    /// Puts the next one back.
    pub(crate) fn put_back(&mut self, out: &mut Vec<u8>) {
        if let Some((_, length)) = self.taken.pop_front() {
            out.extend(self.bytes.drain(..length.min(self.bytes.len())));
        }
    }

    /// What is to be added to an offset, for each of some offsets in order, to find it in the text with them. One that
    /// stands at the very offset lies before it.
    pub(crate) fn shifts(&self) -> impl FnMut(usize) -> usize {
        let mut rest = self.taken.iter().copied();
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

/// How long the one is that may begin here: 0 where none does, nothing where that is not in these bytes.
fn length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1) {
        Some(b'[') => {}
        Some(_) => return Some(0),
        None => return None,
    }
    let inner = bytes.iter().skip(2).take(LONGEST - 2);
    let end = 2 + inner.take_while(|byte| is_inner(**byte)).count();
    match bytes.get(end) {
        Some(byte) if end < LONGEST && is_last(*byte) => Some(end + 1),
        None if end < LONGEST => None,
        _ => Some(0),
    }
}

/// A number, or what stands between numbers.
fn is_inner(byte: u8) -> bool {
    (0x20..0x40).contains(&byte)
}

/// A bracket is the end of none that is in use, and begins a mask.
fn is_last(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'@' | b'`' | b'~')
}
