//! What a child writes, read to its end and kept within limits.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::PollFlags;

use super::head_tail::{HeadTail, with_gap};
use super::{Collar, Leash, goes_on, leash, unblock};

/// Bytes of one read: as many as a pipe holds.
const CHUNK: usize = 64 << 10;

/// How much of a stream is kept, and how much may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainLimits {
    /// Bytes kept from the beginning.
    pub head: usize,
    /// Bytes kept from the end.
    pub tail: usize,
    /// Bytes that may come before [`Drain::start`]'s callback is called. What comes after them is only counted.
    pub budget: u64,
}

impl DrainLimits {
    /// Standard error of an agent on ACP (FA-27): 16 KiB and 48 KiB of 16 MiB.
    pub const STDERR: Self = Self {
        head: 16 << 10,
        tail: 48 << 10,
        budget: 16 << 20,
    };
}

/// What is kept of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes within the budget, of those that are not among the first.
    pub tail: Vec<u8>,
    /// Bytes that came in all.
    pub total: u64,
    /// Whether more came than the budget.
    pub over_budget: bool,
}

impl Kept {
    /// Bytes that came and are not kept.
    pub const fn left_out(&self) -> u64 {
        self.total
            .saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    /// Head and tail, with one line between them that counts what was left out.
    pub fn into_bytes(self) -> Vec<u8> {
        let left_out = self.left_out();
        with_gap(self.head, left_out, self.tail)
    }
}

/// Reads a stream to its end in a thread of its own, whatever comes. A child whose output is drained never waits.
///
/// Dropped, it reads no further.
pub struct Drain {
    seen: Arc<Mutex<Seen>>,
    ended: Receiver<()>,
    leash: Leash,
    thread: JoinHandle<()>,
}

struct Seen {
    kept: HeadTail,
    total: u64,
    over_budget: bool,
}

impl Drain {
    /// Begins to read. `on_budget` is called once, in that thread, when more has come than the budget; reading goes on
    /// when it returns.
    ///
    /// # Errors
    /// The system's own: no descriptor or thread is left.
    pub fn start(
        from: impl Into<OwnedFd>,
        limits: DrainLimits,
        on_budget: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let from = from.into();
        unblock(&from)?;
        let (leash, collar) = leash()?;
        let seen = Arc::new(Mutex::new(Seen {
            kept: HeadTail::new(limits.head, limits.tail),
            total: 0,
            over_budget: false,
        }));
        let (says_end, ended) = sync_channel(1);
        let reader = Reader {
            from,
            collar,
            seen: Arc::clone(&seen),
            budget: limits.budget,
            _says_end: says_end,
        };
        let thread = std::thread::Builder::new().name("drain".into());
        let thread = thread.spawn(move || reader.read(on_budget))?;
        Ok(Self {
            seen,
            ended,
            leash,
            thread,
        })
    }

    /// What came so far.
    pub fn so_far(&self) -> Kept {
        locked(&self.seen).kept()
    }

    /// Waits for the stream's end, this long at most, then reads no further: what holds the other end may be beyond
    /// anybody's power to end.
    pub fn finish(self, patience: Duration) -> Kept {
        // Nothing is ever sent: the thread's end closes the channel.
        self.ended.recv_timeout(patience).ok();
        drop(self.leash);
        // A callback that panicked has said so already; what was read stays.
        drop(self.thread.join());
        locked(&self.seen).kept()
    }
}

impl Seen {
    /// Takes the next bytes. True: with them the budget is used up, and was not before.
    fn take(&mut self, bytes: &[u8], budget: u64) -> bool {
        if !self.over_budget {
            let room = usize::try_from(budget.saturating_sub(self.total)).unwrap_or(usize::MAX);
            self.kept.push(bytes.get(..room).unwrap_or(bytes));
        }
        self.total = self.total.saturating_add(bytes.len() as u64);
        let was_over = std::mem::replace(&mut self.over_budget, self.total > budget);
        self.over_budget && !was_over
    }

    fn kept(&self) -> Kept {
        Kept {
            head: self.kept.head().to_vec(),
            tail: self.kept.tail(),
            total: self.total,
            over_budget: self.over_budget,
        }
    }
}

struct Reader {
    from: OwnedFd,
    collar: Collar,
    seen: Arc<Mutex<Seen>>,
    budget: u64,
    _says_end: SyncSender<()>,
}

impl Reader {
    fn read(self, on_budget: impl FnOnce()) {
        let mut on_budget = Some(on_budget);
        let mut chunk = vec![0; CHUNK];
        while self.collar.wait(self.from.as_fd(), PollFlags::IN) {
            match rustix::io::read(&self.from, &mut *chunk) {
                Ok(0) => return,
                Ok(count) => {
                    let bytes = chunk.get(..count).unwrap_or_default();
                    let is_used_up = locked(&self.seen).take(bytes, self.budget);
                    if let Some(tell) = on_budget.take_if(|_| is_used_up) {
                        tell();
                    }
                }
                Err(errno) if goes_on(errno) => {}
                Err(_) => return,
            }
        }
    }
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
