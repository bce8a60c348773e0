//! The run's own time: it stands still while a person is asked (FA-26).

use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The last time that was told.
    last: Duration,
    /// How long the run ran, without the pauses.
    ran: Duration,
    paused: bool,
    /// It does not stand still any more: the run is on its way to its end.
    released: bool,
}

impl Clock {
    /// It is `now`. A time before the last one counts as that.
    pub(super) fn advance(&mut self, now: Duration) {
        if !self.paused {
            self.ran += now.saturating_sub(self.last);
        }
        self.last = self.last.max(now);
    }

    pub(super) fn ran(&self) -> Duration {
        self.ran
    }

    pub(super) fn pause(&mut self, paused: bool) {
        self.paused = paused && !self.released;
    }

    /// From now on it runs.
    pub(super) fn release(&mut self) {
        self.released = true;
        self.paused = false;
    }

    /// When it will have run for `deadline`; none while it stands still.
    pub(super) fn when(&self, deadline: Duration) -> Option<Duration> {
        (!self.paused).then(|| self.last + deadline.saturating_sub(self.ran))
    }
}
