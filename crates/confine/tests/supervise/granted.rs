//! Time that the machine grants. A bound of two seconds is a promise where processes get to run; on two cores that fifteen
//! others want, a process that has to take five steps in 200 ms may get none. What a thread that only sleeps comes too
//! late is not counted.

use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Short against every bound that is measured, long against what waking takes on an idle machine (0.1 ms).
const TICK: Duration = Duration::from_millis(5);

/// When the thread woke, and how late it was in all until then.
static WOKE: Mutex<Vec<(Instant, Duration)>> = Mutex::new(Vec::new());

/// Begins to measure; once for a process.
pub fn measure() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        std::thread::spawn(|| {
            let mut late = Duration::ZERO;
            loop {
                let asked = Instant::now();
                std::thread::sleep(TICK);
                let woke = Instant::now();
                late += woke.duration_since(asked).saturating_sub(TICK);
                let mut all = WOKE.lock().unwrap_or_else(PoisonError::into_inner);
                all.push((woke, late));
            }
        });
    });
}

/// How much time was granted since then.
pub fn granted(since: Instant) -> Duration {
    let all = WOKE.lock().unwrap_or_else(PoisonError::into_inner);
    let until_now = all.last().map_or(Duration::ZERO, |(_, late)| *late);
    let before = all.partition_point(|(woke, _)| *woke <= since);
    let until_then = before.checked_sub(1).map_or(Duration::ZERO, |at| all[at].1);
    since.elapsed().saturating_sub(until_now - until_then)
}
