//! What a long call and the connection tell each other: how far it is, and that nobody waits for it any more.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use crate::host::Watch;

/// Shared between the thread of the call, which writes, and the connection, which looks now and then.
#[derive(Debug)]
pub(crate) struct Meter {
    cancelled: CancellationToken,
    done: AtomicU64,
    /// [`NONE`] where it is not known.
    total: AtomicU64,
}

const NONE: u64 = u64::MAX;

impl Meter {
    pub(crate) fn new(cancelled: CancellationToken) -> Self {
        Self {
            cancelled,
            done: AtomicU64::new(0),
            total: AtomicU64::new(NONE),
        }
    }

    /// So much of so much.
    pub(crate) fn reading(&self) -> (u64, Option<u64>) {
        let total = self.total.load(Ordering::Relaxed);
        (
            self.done.load(Ordering::Relaxed),
            (total != NONE).then_some(total),
        )
    }
}

impl Watch for Meter {
    fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    fn progress(&self, done: u64, total: Option<u64>) {
        self.total.store(total.unwrap_or(NONE), Ordering::Relaxed);
        // The protocol wants a number that only grows.
        self.done.fetch_max(done, Ordering::Relaxed);
    }
}
