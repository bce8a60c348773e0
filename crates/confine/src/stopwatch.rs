//! Time that goes by while something is under way, without the time that we were stopped.

use std::time::{Duration, Instant};

/// Measures from when it was made, by a clock that never goes back.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    start: Instant,
    stood: Duration,
}

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            stood: Duration::ZERO,
        }
    }

    /// The time since the start, without what it stood still for.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.stood)
    }

    /// Takes this much away from what has gone by: a person had us stopped meanwhile.
    pub fn stood_still(&mut self, time: Duration) {
        self.stood = self.stood.saturating_add(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fa_26_the_time_that_it_stood_still_does_not_count() {
        let mut watch = Stopwatch::start();
        watch.stood_still(Duration::from_secs(3_600));
        assert_eq!(watch.elapsed(), Duration::ZERO);
    }
}
