//! Bytes on their way from one descriptor to another, in one fixed buffer.

use std::os::fd::AsFd;

use rustix::io::Errno;

/// Bytes held per direction at most: a child that writes faster than the terminal shows is made to wait.
pub(super) const CAPACITY: usize = 64 << 10;

/// One direction.
pub(super) struct Relay {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

/// What one read or write came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// This many bytes.
    Bytes(usize),
    /// Nothing for now.
    Blocked,
    /// The other side is gone.
    Gone,
}

impl Relay {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; CAPACITY].into_boxed_slice(),
            start: 0,
            end: 0,
        }
    }

    /// Nothing waits to be written.
    pub(super) const fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// There is space to read into.
    pub(super) const fn has_space(&self) -> bool {
        self.end < CAPACITY
    }

    /// Reads once.
    pub(super) fn fill(&mut self, from: impl AsFd) -> Moved {
        let Some(space) = self.bytes.get_mut(self.end..) else {
            return Moved::Blocked;
        };
        let moved = moved(rustix::io::read(from, space));
        if let Moved::Bytes(count) = moved {
            self.end += count;
        }
        moved
    }

    /// Writes once.
    pub(super) fn empty(&mut self, to: impl AsFd) -> Moved {
        let waiting = self.bytes.get(self.start..self.end).unwrap_or_default();
        let moved = moved(rustix::io::write(to, waiting));
        match moved {
            Moved::Bytes(count) => self.start += count,
            Moved::Gone => self.start = self.end,
            Moved::Blocked => {}
        }
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        moved
    }
}

fn moved(outcome: rustix::io::Result<usize>) -> Moved {
    match outcome {
        Ok(0) => Moved::Gone,
        Ok(count) => Moved::Bytes(count),
        Err(Errno::AGAIN | Errno::INTR) => Moved::Blocked,
        // EIO: the last program closed its side, or the terminal hung up.
        Err(_) => Moved::Gone,
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::pipe::{PipeFlags, pipe_with};

    /// Closed in every child that another test starts, once that is the program that it becomes.
    fn pipe() -> (OwnedFd, OwnedFd) {
        pipe_with(PipeFlags::CLOEXEC).unwrap()
    }

    #[test]
    fn fa_06_bytes_come_out_as_they_went_in_whatever_the_pieces() {
        let (out_read, out_write) = pipe();
        let mut relay = Relay::new();
        let mut sent = Vec::new();
        let mut got = vec![0; 70_000];
        let mut received = Vec::new();
        for size in [1, 4_096, 65_000, 3] {
            let (read, write) = pipe();
            let piece: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            rustix::io::write(&write, &piece).unwrap();
            drop(write);
            sent.extend_from_slice(&piece);
            while relay.fill(&read) != Moved::Gone {
                assert!(matches!(relay.empty(&out_write), Moved::Bytes(_)));
                let count = rustix::io::read(&out_read, &mut got).unwrap();
                received.extend_from_slice(&got[..count]);
            }
        }
        assert!(relay.is_empty() && relay.has_space());
        assert_eq!(received, sent);
    }

    #[test]
    fn fa_06_a_full_buffer_reads_no_more() {
        let (read, write) = pipe();
        let mut relay = Relay::new();
        while relay.has_space() {
            rustix::io::write(&write, &[7; 4_096]).unwrap();
            assert!(matches!(relay.fill(&read), Moved::Bytes(_)));
        }
        assert!(!relay.is_empty());
        drop(read);
        // Until no child is just being started that got a copy.
        let mut set = [PollFd::new(&write, PollFlags::empty())];
        rustix::io::retry_on_intr(|| poll(&mut set, None)).unwrap();
        assert_eq!(
            relay.empty(&write),
            Moved::Gone,
            "what cannot be delivered is dropped"
        );
        assert!(relay.is_empty());
    }
}
