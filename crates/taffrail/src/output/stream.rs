//! What a run tells a reader that may be slow, or read nothing at all: the run does not wait for it.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What a reader gets to take the rest, once a person has ended the run.
const PATIENCE: Duration = Duration::from_secs(2);

/// Pieces on their way to standard output and standard error, in the order in which they were added. What waits is bounded
/// by what a run may say (FA-27).
pub struct Stream {
    pieces: Sender<Piece>,
    ended: Mutex<Receiver<()>>,
}

enum Piece {
    Data(Vec<u8>),
    Talk(Vec<u8>),
}

impl Stream {
    /// Begins. Without a thread nothing is written.
    pub fn start() -> Self {
        let (pieces, take) = channel::<Piece>();
        let (says_end, ended) = channel();
        let write = move || {
            write_all(&take);
            drop(says_end);
        };
        let thread = thread::Builder::new().name("events".into()).spawn(write);
        drop(thread);
        Self {
            pieces,
            ended: Mutex::new(ended),
        }
    }

    /// Adds to standard output.
    pub fn data(&self, bytes: Vec<u8>) {
        self.add(Piece::Data(bytes));
    }

    /// Adds to standard error.
    pub fn talk(&self, bytes: Vec<u8>) {
        self.add(Piece::Talk(bytes));
    }

    fn add(&self, piece: Piece) {
        // Without a thread there is nobody to write it.
        self.pieces.send(piece).unwrap_or_default();
    }

    /// Waits until everything is written; not for long where a person has ended the run. Whether it was.
    pub fn finish(self, interrupted: bool) -> bool {
        drop(self.pieces);
        let ended = self
            .ended
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // Nothing is ever sent: the thread's end closes the channel.
        if interrupted {
            let waited = ended.recv_timeout(PATIENCE);
            return waited != Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        }
        ended.recv().unwrap_or_default();
        true
    }
}

/// A reader that went away is told nothing more; one of the other stream is.
fn write_all(take: &Receiver<Piece>) {
    let (mut stdout, mut stderr) = (Some(std::io::stdout()), Some(std::io::stderr()));
    while let Ok(piece) = take.recv() {
        match piece {
            Piece::Data(bytes) => stdout = stdout.filter(|out| told(out, &bytes)),
            Piece::Talk(bytes) => stderr = stderr.filter(|err| told(err, &bytes)),
        }
    }
}

/// Whether a reader took it.
fn told<W>(mut to: &W, bytes: &[u8]) -> bool
where
    for<'a> &'a W: Write,
{
    to.write_all(bytes).and_then(|()| to.flush()).is_ok()
}
