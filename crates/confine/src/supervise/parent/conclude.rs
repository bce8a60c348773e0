//! The end of a run, as Taffrail has seen it.

use std::io;

use rustix::process::{Signal, WaitOptions};
use taffrail_domain::Ended;

use super::super::console::Console;
use super::super::ending::end_lost;
use super::super::wire::{Failure, Step};
use super::super::{Cause, LaunchError, Outcome};
use super::{Finished, Run};
use crate::process::{Swept, may_fail};

impl Run<'_> {
    /// What the caller is told, when nothing of the run is left.
    pub(super) fn conclude(mut self) -> Result<Outcome, LaunchError> {
        self.end_supervisor();
        let swept = if self.state.finished.is_none() {
            end_lost(&self.launch.run.short())
        } else {
            Swept::default()
        };
        self.console.iter_mut().for_each(Console::disconnect);
        if self.state.vetoed {
            return Err(LaunchError::Vetoed);
        }
        // What fails because we ended it before it was started is an ending, not a failure.
        let told =
            |failure: &Failure| self.state.cause.is_none() || matches!(failure, Failure::Broken(_));
        if let Some(failure) = self.state.failure.take_if(|failure| told(failure)) {
            return Err(self.failed(failure));
        }
        let finished = self.state.finished;
        let cause = self.state.cause.unwrap_or(match finished {
            Some(Finished { ended: Some(_), .. }) => Cause::Exit,
            Some(_) | None => Cause::SupervisorLost,
        });
        if cause == Cause::SupervisorLost && !self.state.started {
            let detail = "it ended before it reported a start".to_owned();
            return Err(LaunchError::Protocol { detail });
        }
        Ok(Outcome {
            ended: finished
                .and_then(|finished| finished.ended)
                .unwrap_or(Ended::Signalled(libc::SIGKILL)),
            cause,
            left: finished.map_or(swept.killed, |finished| finished.left),
            stuck: finished.map_or(swept.left, |finished| finished.stuck),
            bytes_out: self.console.as_ref().map_or(0, Console::bytes_out),
            lasted: self.begun.elapsed(),
        })
    }

    /// It has said its last word, or will not say it.
    fn end_supervisor(&mut self) {
        self.look_after_supervisor();
        if let Some(supervisor) = self.supervisor.take() {
            may_fail(rustix::process::kill_process(supervisor, Signal::KILL));
            may_fail(rustix::process::waitpid(
                Some(supervisor),
                WaitOptions::empty(),
            ));
        }
    }

    fn failed(&self, failure: Failure) -> LaunchError {
        let command = self.launch.program.display().to_string();
        match failure {
            Failure::Unavailable(why) => LaunchError::SandboxUnavailable { why },
            Failure::Broken(probe) => LaunchError::SandboxBroken { probe },
            Failure::Start(Step::Execute, libc::ENOENT) => LaunchError::CommandNotFound { command },
            Failure::Start(step, number) => start_failed(step, command, number),
            Failure::Internal(detail) => LaunchError::Protocol { detail },
        }
    }
}

fn start_failed(step: Step, command: String, number: i32) -> LaunchError {
    let source = io::Error::from_raw_os_error(number);
    let doing = match step {
        Step::Execute => return LaunchError::Spawn { command, source },
        Step::Fork => "start a process for the command",
        Step::Directory => "enter the working directory",
        Step::Terminal => "give the command its terminal",
    };
    LaunchError::Io { doing, source }
}
