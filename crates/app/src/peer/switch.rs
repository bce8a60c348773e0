//! What ends a turn from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use taffrail_confine::piped::Piped;

/// Whether a turn is to end, and the program of its that has to end with it.
#[derive(Default)]
pub(super) struct Switch {
    is_off: AtomicBool,
    program: Mutex<Option<Piped>>,
}

impl Switch {
    /// The turn goes on.
    pub fn goes_on(&self) -> bool {
        !self.is_off.load(Ordering::SeqCst)
    }

    /// Ends the turn's program, and the turn as soon as it looks.
    pub fn turn_off(&self) {
        self.is_off.store(true, Ordering::SeqCst);
        self.end_program();
    }

    /// Ends the program alone.
    pub fn end_program(&self) {
        let program = self.program().take();
        drop(program);
    }

    /// Keeps a program until it has to end; at once for a turn that is to end already.
    pub fn keep(&self, program: Piped) {
        *self.program() = Some(program);
        if !self.goes_on() {
            self.end_program();
        }
    }

    fn program(&self) -> MutexGuard<'_, Option<Piped>> {
        self.program.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
