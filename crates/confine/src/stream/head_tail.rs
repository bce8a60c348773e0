//! Keeps the beginning and the end of a stream of unknown length within a limit.

use std::collections::VecDeque;

/// The first and the last bytes of a stream, and how many came between.
#[derive(Debug, Clone)]
pub(crate) struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    left_out: u64,
}

impl HeadTail {
    /// Keeps at most so many bytes of each end.
    pub(crate) const fn new(head: usize, tail: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit: head,
            tail_limit: tail,
            left_out: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = self.head_limit.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        // What would be pushed out again at once is never taken in.
        let over = rest.len().saturating_sub(self.tail_limit);
        let (passed, rest) = rest.split_at(over);
        let full = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..full);
        self.tail.extend(rest);
        self.left_out += (passed.len() + full) as u64;
    }

    /// The first bytes.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, of those that are not among the first.
    pub(crate) fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// Head and tail, with one line between them when something was left out.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        with_gap(self.head, self.left_out, self.tail)
    }
}

/// Two ends of a stream, with one line between them that counts what was left out, if anything was.
pub(super) fn with_gap(
    head: Vec<u8>,
    left_out: u64,
    tail: impl IntoIterator<Item = u8>,
) -> Vec<u8> {
    let mut bytes = head;
    if left_out > 0 {
        bytes.extend_from_slice(format!("\n[{left_out} bytes left out]\n").as_bytes());
    }
    bytes.extend(tail);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_ends() {
        let mut kept = HeadTail::new(4, 4);
        for byte in b'a'..=b'z' {
            kept.push(&[byte]);
        }
        assert_eq!(kept.into_bytes(), b"abcd\n[18 bytes left out]\nwxyz");
        let mut short = HeadTail::new(4, 4);
        short.push(b"abcdefgh");
        assert_eq!(short.into_bytes(), b"abcdefgh");
    }

    #[test]
    fn the_pieces_in_which_a_stream_comes_change_nothing() {
        let stream: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        for (head, tail) in [(3, 9), (0, 5), (5, 0), (0, 0), (600, 600)] {
            let mut whole = HeadTail::new(head, tail);
            whole.push(&stream);
            for size in [1, 2, 7, 9, 400] {
                let mut kept = HeadTail::new(head, tail);
                stream.chunks(size).for_each(|piece| kept.push(piece));
                assert_eq!(kept.head(), &stream[..head.min(1_000)]);
                assert_eq!(
                    kept.left_out as usize + kept.head.len() + kept.tail.len(),
                    1_000
                );
                assert_eq!(
                    kept.into_bytes(),
                    whole.clone().into_bytes(),
                    "{head} {tail} {size}"
                );
            }
        }
    }
}
