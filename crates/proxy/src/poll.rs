//! Waiting for descriptors, with a limit.

use std::time::Instant;

use rustix::event::{PollFd, Timespec, poll};

/// Waits until one is ready or the time has come. A signal in between is no reason to stop waiting.
pub(crate) fn wait(set: &mut [PollFd<'_>], until: Instant) -> Ready {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        match poll(set, left.as_ref()) {
            Ok(0) => return Ready::Late,
            Ok(_) => return Ready::Some,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Ready::Late,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ready {
    /// At least one descriptor is ready.
    Some,
    /// The time has come.
    Late,
}

/// Whether something is to be seen at this place of the set.
pub(crate) fn is_ready(set: &[PollFd<'_>], at: usize) -> bool {
    set.get(at).is_some_and(|entry| !entry.revents().is_empty())
}
