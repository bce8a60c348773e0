//! How a run ends: each ending has one named reason (FA-26).

use std::time::Duration;

use serde_json::json;
use taffrail_domain::{EndReason, Ended};

use super::Effect;
use super::machine::{CallKind, Client, Phase};
use crate::v1::notification;

impl Client {
    /// The last word. What waits is answered first.
    pub(super) fn end(&mut self, reason: EndReason, detail: &str) {
        if self.ended() {
            return;
        }
        self.withdraw_all("the run is over");
        self.tell(Effect::CloseInput);
        self.tell(Effect::Ended(reason, detail.to_owned()));
        self.phase = Phase::Over;
        self.call = None;
    }

    /// Ends the run at once for a limit; a run that is being cancelled keeps the reason of that.
    pub(super) fn break_off(&mut self, reason: EndReason, detail: &str) {
        match self.phase.clone() {
            Phase::Cancelling { reason, .. } => self.end(ignored(reason), detail),
            _ => self.end(reason, detail),
        }
    }

    /// Cancels the turn, and gives the agent a moment to say so; without a turn the run ends at once.
    pub(super) fn cancel(&mut self, reason: EndReason, detail: &str) {
        match (&self.phase, self.facts.session.clone()) {
            (Phase::Turn, Some(session)) => {
                let line = notification("session/cancel", json!({"sessionId": session}));
                self.tell(Effect::Send(line));
                self.withdraw_all("the turn was cancelled");
                self.clock.release();
                self.phase = Phase::Cancelling {
                    reason,
                    detail: detail.to_owned(),
                    until: self.clock.ran() + self.plan.deadlines.grace,
                };
            }
            (Phase::Cancelling { .. }, _) => {}
            _ => self.end(reason, detail),
        }
    }

    /// The agent closed its output, or its process ended: the other of the two is waited for, because the last lines and the
    /// exit code come in either order.
    pub(super) fn left(&mut self) {
        if self.phase == Phase::Between {
            // The turn is answered: how the run ends is the driver's to say.
            return;
        }
        self.clock.release();
        if self.gone.closed && self.gone.ended.is_some() {
            return self.end_gone();
        }
        let grace = self.clock.ran() + self.plan.deadlines.grace;
        self.gone.until.get_or_insert(grace);
    }

    pub(super) fn end_gone(&mut self) {
        if let Phase::Cancelling { reason, detail, .. } = self.phase.clone() {
            return self.end(reason, &detail);
        }
        match self.gone.ended {
            Some(ended @ Ended::Exited(_)) => self.end(EndReason::Exited, &ended.to_string()),
            Some(ended @ Ended::Signalled(_)) => self.end(EndReason::Signalled, &ended.to_string()),
            None => self.end(EndReason::OutputClosed, "the agent closed its output"),
        }
    }

    /// The nearest of all deadlines that hold now, on the run's clock.
    pub(super) fn next_deadline(&self) -> Duration {
        let call = self.call.as_ref().and_then(|call| call.until);
        let end = match &self.phase {
            Phase::Cancelling { until, .. } => *until,
            _ => self.plan.deadlines.total,
        };
        let all = [Some(end), call, self.gone.until, self.silence()];
        all.into_iter().flatten().min().unwrap_or(end)
    }

    pub(super) fn check_deadlines(&mut self) {
        let ran = self.clock.ran();
        let passed = |deadline: Option<Duration>| deadline.is_some_and(|deadline| ran >= deadline);
        let call = self.call.as_ref();
        if let Phase::Cancelling {
            reason,
            detail,
            until,
        } = &self.phase
        {
            if passed(Some(*until)) {
                let (reason, detail) = (ignored(*reason), detail.clone());
                self.end(reason, &detail);
            } else if passed(self.gone.until) {
                self.end_gone();
            }
        } else if self.ended() {
        } else if passed(self.gone.until) {
            self.end_gone();
        } else if let (true, Some(call)) = (passed(call.and_then(|call| call.until)), call) {
            let (reason, what) = overdue(call.kind);
            self.end(reason, &format!("no answer to {what}"));
        } else if passed(Some(self.plan.deadlines.total)) {
            self.cancel(EndReason::Timeout, "the run took too long");
        } else if passed(self.silence()) {
            self.cancel(EndReason::Inactivity, "nothing was heard for too long");
        }
    }

    /// When silence ends the turn. While something waits for our answer, the silence is ours.
    fn silence(&self) -> Option<Duration> {
        let counts = self.phase == Phase::Turn && self.pending.len() == 0;
        counts.then(|| self.heard + self.plan.deadlines.silence)
    }
}

/// A person's wish that was not followed has a name of its own; any other reason stays what it was.
fn ignored(reason: EndReason) -> EndReason {
    if reason == EndReason::Cancelled {
        EndReason::CancelIgnored
    } else {
        reason
    }
}

fn overdue(kind: CallKind) -> (EndReason, &'static str) {
    match kind {
        CallKind::Initialize => (EndReason::InitializeTimeout, "initialize"),
        CallKind::Authenticate => (EndReason::SessionTimeout, "authenticate"),
        CallKind::NewSession => (EndReason::SessionTimeout, "session/new"),
        CallKind::ModeOption | CallKind::Model => {
            (EndReason::SessionTimeout, "session/set_config_option")
        }
        CallKind::Mode => (EndReason::SessionTimeout, "session/set_mode"),
        CallKind::Prompt => (EndReason::Inactivity, "session/prompt"),
    }
}
