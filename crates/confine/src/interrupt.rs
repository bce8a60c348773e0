//! The wish of a person to end, noted while something goes on that must not be torn: making a checkout, capturing.
//!
//! The first SIGINT, SIGTERM or SIGHUP is noted and asked for with [`Interrupt::came`]; the second ends the program as
//! it would any other. A signal that was ignored at the start (`nohup`) stays ignored. A command that is started while one
//! is noted ends as if the signal had come a moment later: SIGTERM of a service manager and SIGHUP of a closed terminal
//! come once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Notes signals as long as it lives; before and after it they end the program. One at a time.
pub struct Interrupt(&'static Flags);

static FLAGS: OnceLock<Flags> = OnceLock::new();

/// What the handlers look at. They stay for good: signal-hook hands a signal back to nobody, and one that nobody answers
/// would be lost, so that Ctrl-C did nothing at a question.
struct Flags {
    /// The signal that came last; 0: none.
    came: Arc<AtomicUsize>,
    /// Whether the next signal ends the program.
    ends: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to note. A signal that cannot be noted keeps its usual effect.
    pub fn note() -> Self {
        let flags = FLAGS.get_or_init(Flags::listening);
        flags.came.store(0, Ordering::SeqCst);
        flags.ends.store(false, Ordering::SeqCst);
        Self(flags)
    }

    /// Whether one of them came.
    pub fn came(&self) -> bool {
        self.0.came.load(Ordering::SeqCst) != 0
    }
}

/// The signal that is noted just now, where somebody notes.
#[cfg(target_os = "linux")]
pub(crate) fn noted() -> Option<i32> {
    let came = FLAGS.get()?.came.load(Ordering::SeqCst);
    i32::try_from(came).ok().filter(|signal| *signal != 0)
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::SeqCst);
        self.0.came.store(0, Ordering::SeqCst);
    }
}

impl Flags {
    fn listening() -> Self {
        // Until the first one notes, a signal ends the program: one that came now would be forgotten by `note`.
        let flags = Self {
            came: Arc::default(),
            ends: Arc::new(AtomicBool::new(true)),
        };
        let ignored = ignored();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if ignored & bit(signal) != 0 {
                continue;
            }
            // In this order: nothing is set yet when the first one asks.
            let number = signal.unsigned_abs() as usize;
            let registered = flag::register_conditional_default(signal, Arc::clone(&flags.ends))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&flags.came), number))
                .and_then(|_| flag::register(signal, Arc::clone(&flags.ends)));
            // One that cannot be registered keeps its usual effect.
            drop(registered);
        }
        flags
    }
}

/// The mask of ignored signals; empty where `/proc` does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
