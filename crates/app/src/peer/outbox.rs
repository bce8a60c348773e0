//! What waits to be written to the client. Whoever decides never waits for it: a client that does not read is noticed, and
//! holds up only what tells it things.
#![allow(clippy::disallowed_methods)] // The monotonic clock, for a limit.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::PeerFault;

/// With more bytes than this waiting, a turn waits before it tells more.
const ROOM: usize = 1 << 20;
/// With more bytes than this waiting, the client is taken for one that does not read. 64 sessions may each have an edit of
/// the largest file under way.
const MOST: usize = 64 << 20;
/// Bytes of one write: progress is seen after each.
const PIECE: usize = 64 << 10;
/// A client that takes nothing for so long takes nothing any more.
const STALL: Duration = Duration::from_secs(60);
/// How often somebody who waits for room looks whether it is still to wait.
const LOOKED_UP: Duration = Duration::from_millis(50);

/// The lines that wait.
#[derive(Clone)]
pub(super) struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    lines: VecDeque<Vec<u8>>,
    /// Of all lines, the one that is being written included.
    bytes: usize,
    /// When the client last took something, or something began to wait.
    moved: Instant,
    failed: Option<String>,
}

impl Outbox {
    /// Starts the writing thread.
    ///
    /// # Errors
    /// [`PeerFault::Connection`] when the system gives no thread.
    pub fn start(output: impl Write + Send + 'static) -> Result<Self, PeerFault> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                lines: VecDeque::new(),
                bytes: 0,
                moved: Instant::now(),
                failed: None,
            }),
            changed: Condvar::new(),
        });
        let outbox = Self {
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new().name("client-input".into());
        let started = thread.spawn(move || shared.write(output));
        started.map_err(|error| PeerFault::Connection {
            why: error.to_string(),
        })?;
        Ok(outbox)
    }

    /// Puts a line last.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn push(&self, line: Vec<u8>) -> Result<(), PeerFault> {
        self.check()?;
        let mut state = self.shared.locked();
        if state.bytes == 0 {
            state.moved = Instant::now();
        }
        state.bytes += line.len();
        state.lines.push_back(line);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Whether the client still takes what it is told.
    ///
    /// # Errors
    /// [`PeerFault::Connection`] when its side is closed, when it takes nothing for a minute, or when 64 MiB wait.
    pub fn check(&self) -> Result<(), PeerFault> {
        let state = self.shared.locked();
        let why = if let Some(why) = &state.failed {
            why.clone()
        } else if state.bytes > MOST {
            format!("the client does not read: {} bytes wait", state.bytes)
        } else if state.bytes > 0 && state.moved.elapsed() > STALL {
            format!("the client has read nothing for {STALL:?}")
        } else {
            return Ok(());
        };
        Err(PeerFault::Connection { why })
    }

    /// Waits until little waits, or nobody is to wait any more.
    pub fn wait_for_room(&self, goes_on: &dyn Fn() -> bool) {
        let mut state = self.shared.locked();
        while state.bytes > ROOM && state.failed.is_none() && goes_on() {
            state = self.shared.wait(state, LOOKED_UP);
        }
    }

    /// Waits until everything is written, but no longer than `most`.
    pub fn drain(&self, most: Duration) {
        let until = Instant::now() + most;
        let mut state = self.shared.locked();
        while state.bytes > 0 && state.failed.is_none() && Instant::now() < until {
            state = self.shared.wait(state, LOOKED_UP);
        }
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, most);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn write(&self, mut output: impl Write) {
        loop {
            let mut state = self.locked();
            let line = loop {
                if let Some(line) = state.lines.pop_front() {
                    break line;
                }
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            if let Err(error) = self.write_line(&mut output, &line) {
                self.locked().failed = Some(error.to_string());
                self.changed.notify_all();
                return;
            }
        }
    }

    fn write_line(&self, output: &mut impl Write, line: &[u8]) -> std::io::Result<()> {
        for piece in line.chunks(PIECE) {
            output.write_all(piece)?;
            output.flush()?;
            let mut state = self.locked();
            state.bytes -= piece.len();
            state.moved = Instant::now();
            self.changed.notify_all();
        }
        Ok(())
    }
}
