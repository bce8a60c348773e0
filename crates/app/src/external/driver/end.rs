//! How a run ends: what is known of it while it goes on, and the one reason at last (FA-26).

use std::time::Duration;

use taffrail_acp::Event;
use taffrail_acp::v1::StopReason;
use taffrail_confine::stream::Kept;
use taffrail_confine::supervise::{Cause, LaunchError, Outcome};
use taffrail_domain::{EndReason, Enforcement};

use super::{Driven, Driver};
use crate::AppError;
use crate::external::result;

/// Bytes at most of what was said in a turn that did not end: the last of it. All of it is on record as it came, and copies
/// of 16 MiB are more than a run may hold (FA-27).
const PARTIAL: usize = 256 << 10;

/// How the run ends, as far as it is known.
#[derive(Default)]
pub struct End {
    /// The machine's last word.
    pub(super) said: Option<(EndReason, String)>,
    pub(super) outcome: Option<Result<Outcome, LaunchError>>,
    pub(super) output_closed: bool,
    /// When the rest of the output is waited for no longer.
    pub(super) rest_until: Option<Duration>,
    pub(super) enforcement: Option<Enforcement>,
    pub(super) failed: Option<AppError>,
    pub(super) failure_is_told: bool,
    pub(super) final_text: String,
    pub(super) result: Option<Result<result::ResultDocument, result::ResultFault>>,
    pub(super) repair_asked: bool,
    pub(super) cancel_sent: bool,
    pub allowed_paths: Vec<Vec<u8>>,
    pub commands_allowed: bool,
}

impl Driver<'_, '_, '_, '_> {
    /// The turn's text is kept; without a valid result document the agent is asked for one, once (FA-05).
    pub(super) fn turn_ended(&mut self, stop: &StopReason, text: String) -> Event {
        self.edits.clear();
        let kept = self.record.turn(&text);
        self.kept(kept);
        let found = result::find(&text);
        let ended = *stop == StopReason::EndTurn || self.was_refused_out(stop);
        let asks = ended && !self.end.repair_asked;
        self.end.final_text = text;
        match (&found, asks) {
            (Err(fault), true) => {
                let prompt = result::repair_prompt(fault);
                self.end.repair_asked = true;
                self.end.result = Some(found);
                self.record.note("asked once more for a result document");
                Event::Prompt(prompt)
            }
            _ => {
                self.end.result = Some(found);
                Event::Finish
            }
        }
    }

    /// The turn was ended by a refusal, as the agent's entry says that it does.
    fn was_refused_out(&self, stop: &StopReason) -> bool {
        self.setup.refusal_ends_turn
            && *stop == StopReason::Cancelled
            && !self.record.refusals().is_empty()
    }

    /// Puts the last of the conversation on record, and says what came of the run.
    pub(super) fn conclude(mut self) -> Result<Driven, AppError> {
        for call in self.client.tool_calls() {
            let kept = self.record.tool(call, call.updates);
            if let Err(error) = kept {
                self.end.failed.get_or_insert(error);
                break;
            }
        }
        // What the agent said last and no turn ended with.
        let rest = self.record.turn("");
        let mut end = self.end;
        if end.final_text.is_empty() {
            let said = self.client.text();
            let from = said.ceil_char_boundary(said.len().saturating_sub(PARTIAL));
            end.final_text = said.get(from..).unwrap_or_default().to_owned();
        }
        let (reason, detail) = reason(&end);
        // Some agents say nothing but the word that the reason is.
        let detail = if detail == reason.name() {
            String::new()
        } else {
            detail
        };
        let detail = self
            .record
            .with_printed(detail, reason, self.client.facts());
        let failed = end.failed.or(rest.err());
        let outcome = match (failed, end.outcome) {
            (Some(error), _) => Err(error),
            (None, Some(outcome)) => outcome.map_err(AppError::from),
            (None, None) => Err(LaunchError::Protocol {
                detail: "the run has no ending".to_owned(),
            }
            .into()),
        };
        Ok(Driven {
            outcome,
            enforcement: end.enforcement,
            reason,
            detail,
            facts: self.client.facts().clone(),
            result: end.result,
            final_text: end.final_text,
            repair_asked: end.repair_asked,
            cancel_sent: end.cancel_sent,
            stderr: Kept {
                head: Vec::new(),
                tail: Vec::new(),
                total: 0,
                over_budget: false,
            },
            allowed_paths: end.allowed_paths,
            commands_allowed: end.commands_allowed,
        })
    }
}

/// The one reason: what ended the process from outside of the conversation comes first.
fn reason(end: &End) -> (EndReason, String) {
    let cause = end
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.as_ref().ok());
    match cause.map(|outcome| outcome.cause) {
        Some(Cause::Cancelled(signal)) => {
            return (
                EndReason::Cancelled,
                format!("signal {signal} reached taffrail"),
            );
        }
        Some(Cause::SupervisorLost) => {
            return (
                EndReason::SupervisorLost,
                "the supervisor of the run was killed".to_owned(),
            );
        }
        Some(Cause::Exit | Cause::Stopped | Cause::Timeout) | None => {}
    }
    let (reason, detail) = end
        .said
        .clone()
        .unwrap_or((EndReason::Exited, String::new()));
    match (&end.result, reason) {
        (Some(Ok(_)), EndReason::EndTurn) => (reason, detail),
        (Some(Err(fault)), EndReason::EndTurn) => (EndReason::InvalidResult, fault.to_string()),
        (None, EndReason::EndTurn) => (EndReason::InvalidResult, "no result document".to_owned()),
        _ => (reason, detail),
    }
}
