//! The stream of events of one run: numbered without a gap, and closed by its result (EVT-01).

use std::cell::Cell;

use taffrail_domain::{RunId, RunStatus};

use super::events::{Ended, Envelope, RunEvent, VERSION};
use super::{Surface, text};
use crate::{App, AppError};

/// Tells a surface what happens in a run, up to the result and nothing behind it.
pub(super) struct Teller<'a> {
    app: &'a App,
    surface: &'a dyn Surface,
    seq: Cell<u64>,
    is_over: Cell<bool>,
}

impl<'a> Teller<'a> {
    pub fn new(app: &'a App, surface: &'a dyn Surface) -> Self {
        Self {
            app,
            surface,
            seq: Cell::new(0),
            is_over: Cell::new(false),
        }
    }

    /// Tells of something.
    pub fn tell(&self, event: RunEvent) {
        if self.is_over.get() {
            return;
        }
        self.is_over.set(matches!(event, RunEvent::Result(_)));
        self.seq.set(self.seq.get() + 1);
        self.surface.event(&Envelope {
            v: VERSION,
            seq: self.seq.get(),
            ts: text::when(self.app.inputs.clock.now()),
            event,
        });
    }

    /// Tells what went wrong; the result has to follow.
    pub fn error(&self, error: &AppError) {
        let message = self.app.redactor.clean(&error.to_string());
        self.tell(RunEvent::Error {
            code: error.code().row().name.to_owned(),
            message: message.into_string(),
        });
    }

    /// Ends the stream of a run of which nothing more is known than why it failed. Nothing where it has ended.
    pub fn fail(&self, run: &RunId, error: &AppError, refused: Vec<String>) {
        self.error(error);
        let detail = self.app.redactor.clean(&error.to_string());
        self.tell(RunEvent::Result(Box::new(Ended {
            run: run.short(),
            status: RunStatus::Error.name(),
            reason: error.code().row().name.to_owned(),
            detail: Some(detail.into_string()),
            session_dir: self.app.home.session(run).display().to_string(),
            patch: None,
            patch_hash: None,
            result: None,
            refused,
            wrote_without_asking: Vec::new(),
            candidates: 0,
        })));
    }
}
