//! The end of a tree of processes, from outside of it.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::process::table::{self, Entry};
use crate::process::{self, Swept};

/// How long killing goes on: a killed process leaves within milliseconds unless the kernel holds it.
const LIMIT: Duration = Duration::from_secs(2);
/// Processes that are waited for at once, well below the usual limit of 1024 descriptors.
const MOST_HANDLES: usize = 256;
/// The longest wait for those that are not told of: one that was forked meanwhile is found after it.
const ROUND: Duration = Duration::from_millis(20);

/// Everything below a process.
pub(super) struct Tree {
    /// The top, which stays.
    pub root: i32,
    /// What holds the tree up and is not what the child left: bubblewrap and the warden.
    pub chain: BTreeSet<i32>,
}

impl Tree {
    /// What runs below, without the chain.
    pub(super) fn left(&self) -> Vec<Entry> {
        let mut all = table::descendants(self.root);
        all.retain(|entry| !self.chain.contains(&entry.pid));
        all
    }

    /// Sends a signal to each, and wakes the stopped ones so that they see it.
    pub(super) fn signal(&self, to: &[Entry], signal: Signal) {
        for entry in to {
            table::signal(entry, signal);
            table::signal(entry, Signal::CONT);
        }
    }

    /// Something to poll for the end of each.
    pub(super) fn handles(&self, of: &[Entry]) -> Vec<OwnedFd> {
        let open = |entry: &Entry| handle(entry.pid);
        of.iter().take(MOST_HANDLES).filter_map(open).collect()
    }

    /// Kills everything below until `reap` says that there are no children any more: whatever a process does to get
    /// away, its orphans come to the subreaper. Returns how many the kernel did not let go of.
    pub(super) fn kill(&self, reap: impl Fn() -> bool) -> usize {
        let end = Instant::now() + LIMIT;
        while !reap() {
            let below = table::descendants(self.root);
            if Instant::now() > end {
                return below.len();
            }
            if below.is_empty() {
                // Between its end and our taking note of it.
                std::thread::yield_now();
                continue;
            }
            // First all are stopped, so that none forks while the others die.
            for signal in [Signal::STOP, Signal::KILL] {
                for entry in &below {
                    table::signal(entry, signal);
                }
            }
            let handles = self.handles(&below);
            let mut set: Vec<PollFd<'_>> = handles
                .iter()
                .map(|handle| PollFd::new(handle, PollFlags::IN))
                .collect();
            poll_until(&mut set, Some(Instant::now() + ROUND));
        }
        0
    }
}

/// Something to poll for the end of a process.
pub(super) fn handle(pid: i32) -> Option<OwnedFd> {
    rustix::process::pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()
}

/// Polls until something is ready or the moment has come. Nothing ready also after a signal.
pub(super) fn poll_until(set: &mut [PollFd<'_>], until: Option<Instant>) -> bool {
    let wait = until.map(|until| until.saturating_duration_since(Instant::now()));
    let wait = wait.map(|wait| Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    });
    poll(set, wait.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Kills what a run left when its supervisor was killed: what carries its mark, and what came to us as the next
/// subreaper, which is recognised by a session that is not ours.
pub(super) fn end_lost(run: &str) -> Swept {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    // As the table shows it: 0 where our session began outside this pid namespace, which the typed call cannot say.
    let session = table::entry(own).map_or(0, |entry| entry.session);
    let is_lost = |entry: &Entry| {
        let mark = process::mark_of(entry.pid);
        entry.session != session && mark.is_none_or(|mark| mark == run)
    };
    process::kill_until_gone(LIMIT, || {
        let mut lost = process::marked(run);
        let came = table::descendants(own);
        lost.extend(came.into_iter().filter(is_lost));
        lost
    })
}
