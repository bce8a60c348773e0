//! Head and tail of a long output, in bounded memory.

use std::collections::VecDeque;

/// Takes an output chunk by chunk and keeps its first and last bytes.
#[derive(Debug, Clone)]
pub struct Packer {
    head_limit: usize,
    tail_limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Packer {
    /// Keeps at most `head` bytes from the start and `tail` bytes from the end.
    pub fn new(head: usize, tail: usize) -> Self {
        Self {
            head_limit: head,
            tail_limit: tail,
            head: Vec::new(),
            tail: VecDeque::new(),
            dropped: 0,
        }
    }

    /// The next bytes, in any chunking: the result depends only on their sequence.
    pub fn push(&mut self, chunk: &[u8]) {
        let room = self.head_limit.saturating_sub(self.head.len());
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        let skipped = rest.len().saturating_sub(self.tail_limit);
        let kept = rest.get(skipped..).unwrap_or_default();
        let over = (self.tail.len() + kept.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..over);
        self.tail.extend(kept);
        self.dropped += (skipped + over) as u64;
    }

    /// Bytes seen so far, kept or not.
    pub fn total(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.dropped
    }

    /// What was kept. Where bytes were dropped in the middle of a UTF-8 character, the rest of it goes too.
    pub fn finish(self) -> Packed {
        let (mut head, mut tail) = (self.head, Vec::from(self.tail));
        let mut dropped = self.dropped;
        if dropped > 0 {
            let (cut_head, cut_tail) = (torn_end(&head), torn_start(&tail));
            head.truncate(head.len() - cut_head);
            tail.drain(..cut_tail);
            dropped += (cut_head + cut_tail) as u64;
        }
        Packed {
            head,
            tail,
            dropped,
        }
    }
}

/// The head and tail of an output and how much between them is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; they follow the head directly when nothing was dropped.
    pub tail: Vec<u8>,
    /// Bytes between head and tail that were not kept.
    pub dropped: u64,
}

impl Packed {
    /// Packs bytes that are already in memory.
    pub fn of(bytes: &[u8], head: usize, tail: usize) -> Self {
        let mut packer = Packer::new(head, tail);
        packer.push(bytes);
        packer.finish()
    }

    /// Head, then `note` where something was dropped, then tail.
    pub fn joined(&self, note: &str) -> Vec<u8> {
        let note = if self.dropped > 0 {
            note.as_bytes()
        } else {
            b""
        };
        [self.head.as_slice(), note, self.tail.as_slice()].concat()
    }
}

/// Bytes of an unfinished character at the end.
fn torn_end(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        Some(last) if (1..4).contains(&last.invalid().len()) && is_unfinished(last.invalid()) => {
            last.invalid().len()
        }
        _ => 0,
    }
}

fn is_unfinished(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

/// Continuation bytes at the start, at most three.
fn torn_start(bytes: &[u8]) -> usize {
    let torn = bytes
        .iter()
        .take_while(|byte| **byte & 0xc0 == 0x80)
        .count();
    if torn <= 3 { torn } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_all_of_a_short_output() {
        let packed = Packed::of(b"abcdef", 4, 4);
        assert_eq!(packed.dropped, 0);
        assert_eq!(packed.joined(" … "), b"abcdef");
    }

    #[test]
    fn keeps_both_ends_whatever_the_chunks() {
        let bytes: Vec<u8> = (0..200u8).map(|at| b'a' + at % 26).collect();
        let whole = Packed::of(&bytes, 10, 7);
        assert_eq!(whole.dropped, 183);
        for size in 1..=bytes.len() {
            let mut packer = Packer::new(10, 7);
            bytes.chunks(size).for_each(|chunk| packer.push(chunk));
            assert_eq!(packer.total(), 200);
            assert_eq!(packer.finish(), whole, "chunks of {size}");
        }
    }

    #[test]
    fn never_tears_a_character() {
        let text = "日本語".repeat(20);
        for head in 0..8 {
            for tail in 0..8 {
                let packed = Packed::of(text.as_bytes(), head, tail);
                let shown = String::from_utf8(packed.joined("|")).expect("whole characters");
                assert_eq!(
                    packed.head.len() as u64 + packed.tail.len() as u64 + packed.dropped,
                    180,
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn memory_stays_bounded() {
        let mut packer = Packer::new(16, 16);
        for _ in 0..10_000 {
            packer.push(&[7; 1000]);
        }
        assert!(packer.tail.capacity() < 4096);
        assert_eq!(packer.finish().dropped, 10_000_000 - 32);
    }
}
