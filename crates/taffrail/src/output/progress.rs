//! Progress of long work, on a terminal only (CLI-03).

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line on stderr that says what is going on; nothing where stderr is no terminal.
pub struct Meter {
    bar: ProgressBar,
}

impl Meter {
    /// A meter that shows itself when `visible`.
    pub fn new(visible: bool) -> Self {
        let target = if visible {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    /// Says what is going on now. The text must be escaped before.
    pub fn say(&self, text: String) {
        self.bar.set_message(text);
    }

    /// Takes the line away while something else writes to the terminal, then brings it back.
    pub fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Takes the line away.
    pub fn done(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
