//! JSON lines for a reader that may be slow, or read nothing at all: the run does not wait for it.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What a reader gets to take the rest, once a person has ended the run.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lines on their way to standard output. What waits is bounded by what a run may say (FA-27).
pub struct Stream {
    lines: Sender<Vec<u8>>,
    ended: Mutex<Receiver<()>>,
}

impl Stream {
    /// Begins. Without a thread nothing is written.
    pub fn start() -> Self {
        let (lines, take) = channel::<Vec<u8>>();
        let (says_end, ended) = channel();
        let write = move || {
            let mut stdout = std::io::stdout();
            while let Ok(line) = take.recv() {
                // A reader that went away is told nothing more.
                if stdout
                    .write_all(&line)
                    .and_then(|()| stdout.flush())
                    .is_err()
                {
                    break;
                }
            }
            drop(says_end);
        };
        let thread = thread::Builder::new().name("events".into()).spawn(write);
        drop(thread);
        Self {
            lines,
            ended: Mutex::new(ended),
        }
    }

    /// Adds a line, its newline included.
    pub fn add(&self, line: Vec<u8>) {
        // Whoever does not read any more does not want it.
        self.lines.send(line).unwrap_or_default();
    }

    /// Waits until everything is written; not for long where a person has ended the run.
    pub fn finish(self, interrupted: bool) {
        drop(self.lines);
        let ended = self
            .ended
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // Nothing is ever sent: the thread's end closes the channel.
        if interrupted {
            ended.recv_timeout(PATIENCE).unwrap_or_default();
        } else {
            ended.recv().unwrap_or_default();
        }
    }
}
