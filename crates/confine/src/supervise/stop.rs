//! A handle that ends a run from outside of it.

#[cfg(target_os = "linux")]
use std::io::Read;
use std::io::{self, PipeReader, PipeWriter, Write};
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Ends a run from any thread, also before it has begun. Clones are the same handle. For one run.
#[derive(Debug, Clone)]
pub struct Stop(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    // The pipe only wakes: what is asked for stands in `asked`.
    heard: PipeReader,
    wakes: PipeWriter,
    asked: Mutex<Asked>,
}

/// What was asked for so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// When the orderly end begins, unless the child has ended by itself.
    pub at: Option<Instant>,
    /// KILL at once.
    pub kill: bool,
}

impl Stop {
    /// A handle to give to one run.
    ///
    /// # Errors
    /// The system's own: no descriptor is left.
    pub fn new() -> io::Result<Self> {
        let (heard, wakes) = io::pipe()?;
        let asked = Mutex::new(Asked::default());
        Ok(Self(Arc::new(Shared {
            heard,
            wakes,
            asked,
        })))
    }

    /// Ends the run in order: TERM, [`GRACE`](super::GRACE), KILL. Asked for again it changes nothing.
    pub fn stop(&self) {
        self.stop_after(Duration::ZERO);
    }

    /// As [`stop`](Self::stop), but the child first gets this long to end by itself, as one does whose input was
    /// closed; then its ending is [`Cause::Exit`](super::Cause::Exit). The earliest moment asked for counts.
    pub fn stop_after(&self, grace: Duration) {
        let at = Instant::now() + grace;
        self.ask(|asked| Asked {
            at: Some(asked.at.map_or(at, |before| before.min(at))),
            ..asked
        });
    }

    /// Ends the run at once: KILL.
    pub fn kill(&self) {
        self.ask(|asked| Asked {
            kill: true,
            ..asked
        });
    }

    /// The reading end wakes once for each change, and only for a change: its pipe never fills.
    fn ask(&self, change: impl FnOnce(Asked) -> Asked) {
        let mut asked = self.now();
        let changed = change(*asked);
        if changed != *asked {
            *asked = changed;
            // The reading end lives as long as we do.
            drop((&self.0.wakes).write_all(&[0]));
        }
    }

    fn now(&self) -> MutexGuard<'_, Asked> {
        self.0.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the wake-up back and says what is asked for by now.
    #[cfg(target_os = "linux")]
    pub(super) fn hear(&self) -> Asked {
        let asked = self.now();
        // Called when the pipe is ready, and then it does not block.
        drop((&self.0.heard).read(&mut [0; 64]));
        *asked
    }
}

#[cfg(target_os = "linux")]
impl AsFd for Stop {
    /// Ready when there is something to hear.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.heard.as_fd()
    }
}
