//! Keeps the beginning and the end of a stream of unknown length within a limit.

use std::collections::VecDeque;

/// The first and the last bytes of a stream, half the limit each, and how many came between.
pub(super) struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    left_out: u64,
}

impl HeadTail {
    /// Keeps at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            half: limit / 2,
            left_out: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    /// Head and tail, with one line between them when something was left out.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        if self.left_out > 0 {
            let line = format!("\n[{} bytes left out]\n", self.left_out);
            bytes.extend_from_slice(line.as_bytes());
        }
        bytes.extend(self.tail);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_ends() {
        let mut kept = HeadTail::new(8);
        for byte in b'a'..=b'z' {
            kept.push(&[byte]);
        }
        assert_eq!(kept.into_bytes(), b"abcd\n[18 bytes left out]\nwxyz");
        let mut short = HeadTail::new(8);
        short.push(b"abcdefgh");
        assert_eq!(short.into_bytes(), b"abcdefgh");
    }
}
