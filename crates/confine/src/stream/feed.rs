//! What is written to a child, without waiting for it to read.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::PollFlags;
use thiserror::Error;

use super::{Collar, Leash, goes_on, ignore_broken_pipe, leash, unblock};

/// Why something will not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FeedError {
    /// The child does not read: so much waits for it already.
    #[error("{waiting} bytes wait to be read by it already, and no more than {limit} are kept")]
    Full {
        /// Bytes that wait.
        waiting: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The child closed its input, or has ended.
    #[error("it reads no more")]
    Gone,
}

/// Writes to a child in a thread of its own, in the order in which it was told.
///
/// Dropped, it closes the child's input at once, whatever still waits.
pub struct Feed {
    shared: Arc<Shared>,
    ended: Receiver<()>,
    leash: Option<Leash>,
    thread: Option<JoinHandle<()>>,
    limit: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    pieces: VecDeque<Vec<u8>>,
    /// Bytes of the pieces, and of the one that is being written.
    waiting: usize,
    /// No more comes.
    is_closed: bool,
    /// No more can be written.
    is_gone: bool,
}

impl Feed {
    /// Begins. At most `limit` bytes wait.
    ///
    /// # Errors
    /// The system's own: no descriptor or thread is left.
    pub fn start(to: impl Into<OwnedFd>, limit: usize) -> io::Result<Self> {
        let to = to.into();
        unblock(&to)?;
        let (leash, collar) = leash()?;
        let shared = Arc::<Shared>::default();
        let (says_end, ended) = sync_channel(1);
        let writer = Writer {
            to,
            collar,
            shared: Arc::clone(&shared),
            _says_end: says_end,
        };
        let thread = std::thread::Builder::new().name("feed".into());
        let thread = thread.spawn(move || writer.write())?;
        Ok(Self {
            shared,
            ended,
            leash: Some(leash),
            thread: Some(thread),
            limit,
        })
    }

    /// Gives the child these bytes when it reads. Returns at once.
    ///
    /// # Errors
    /// `Full`, `Gone`; then nothing of them is written.
    pub fn send(&self, bytes: Vec<u8>) -> Result<(), FeedError> {
        let mut queue = self.shared.queue();
        if queue.is_gone {
            return Err(FeedError::Gone);
        }
        if queue.waiting.saturating_add(bytes.len()) > self.limit {
            return Err(FeedError::Full {
                waiting: queue.waiting,
                limit: self.limit,
            });
        }
        queue.waiting += bytes.len();
        queue.pieces.push_back(bytes);
        drop(queue);
        self.shared.changed.notify_one();
        Ok(())
    }

    /// Bytes that wait to be read.
    pub fn waiting(&self) -> usize {
        self.shared.queue().waiting
    }

    /// Closes the child's input when it has read what waits, at the latest after this long. Returns how many bytes were
    /// not taken.
    pub fn close(mut self, patience: Duration) -> usize {
        self.shared.close();
        // Nothing is ever sent: the thread's end closes the channel.
        self.ended.recv_timeout(patience).ok();
        self.leash = None;
        // The thread does nothing that panics.
        drop(self.thread.take().map(JoinHandle::join));
        self.shared.queue().waiting
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.shared.queue().pieces.clear();
        self.shared.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits is forgotten but counted.
    fn end(&self) {
        let mut queue = self.queue();
        queue.is_gone = true;
        queue.pieces = VecDeque::new();
    }

    fn close(&self) {
        self.queue().is_closed = true;
        self.changed.notify_one();
    }

    /// The next piece; none when no more comes.
    fn next(&self) -> Option<Vec<u8>> {
        let queue = self.queue();
        let is_idle = |queue: &mut Queue| queue.pieces.is_empty() && !queue.is_closed;
        let waited = self.changed.wait_while(queue, is_idle);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
        queue.pieces.pop_front()
    }
}

struct Writer {
    to: OwnedFd,
    collar: Collar,
    shared: Arc<Shared>,
    _says_end: SyncSender<()>,
}

impl Writer {
    fn write(self) {
        ignore_broken_pipe();
        while let Some(piece) = self.shared.next() {
            if !self.write_piece(&piece) {
                self.shared.end();
                return;
            }
        }
    }

    /// False: nobody reads any more, or nobody waits for it.
    fn write_piece(&self, mut rest: &[u8]) -> bool {
        while !rest.is_empty() {
            if !self.collar.wait(self.to.as_fd(), PollFlags::OUT) {
                return false;
            }
            match rustix::io::write(&self.to, rest) {
                Ok(count) => {
                    rest = rest.get(count..).unwrap_or_default();
                    self.shared.queue().waiting -= count;
                }
                Err(errno) if goes_on(errno) => {}
                Err(_) => return false,
            }
        }
        true
    }
}
