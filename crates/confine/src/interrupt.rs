//! The wish of a person to end, noted while something goes on that must not be torn: making a checkout, capturing.
//!
//! The first SIGINT, SIGTERM or SIGHUP is noted and asked for with [`Interrupt::came`]; the second ends the program as
//! it would any other. A signal that was ignored at the start (`nohup`) stays ignored.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

/// Notes signals as long as it lives.
pub struct Interrupt {
    came: Arc<AtomicBool>,
    actions: Vec<SigId>,
}

impl Interrupt {
    /// Begins to note. A signal that cannot be noted keeps its usual effect.
    pub fn note() -> Self {
        let came = Arc::new(AtomicBool::new(false));
        let ignored = ignored();
        let noted = [SIGINT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| ignored & bit(*signal) == 0);
        let actions = noted.flat_map(|signal| {
            // In this order: the flag is not set yet when the first one asks.
            let second = flag::register_conditional_default(signal, Arc::clone(&came));
            let first = flag::register(signal, Arc::clone(&came));
            second.into_iter().chain(first)
        });
        let actions = actions.collect();
        Self { came, actions }
    }

    /// Whether one of them came.
    pub fn came(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for action in self.actions.drain(..) {
            low_level::unregister(action);
        }
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
