//! The one table from an error to what a person and a script see: message, hint, exit code (ERR-01).

use std::io::{self, Write};
use std::process::ExitCode;

use taffrail_app::AppError;
use taffrail_domain::ErrorCode;
use taffrail_text::Shown;

use crate::output::{Colour, Envelope, print_json};
use crate::startup::Invocation;

/// Why a command did not come to its end.
#[derive(Debug)]
pub struct Failure {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    /// A failure with the hint of its code.
    pub fn new(code: ErrorCode, message: &str) -> Self {
        Self {
            code,
            message: message.to_owned(),
            hint: None,
            broken_pipe: false,
        }
    }

    /// With a hint of its own.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says what happened, on stderr for people or on stdout for scripts.
    pub fn report(&self, invocation: &Invocation, json: bool) -> ExitCode {
        if self.broken_pipe {
            return ExitCode::SUCCESS;
        }
        if json {
            let envelope = Envelope::<()>::Error {
                code: self.code.row().name,
                message: self.message.clone(),
                hint: self.hint().to_owned(),
            };
            // A reader that is gone needs no answer; the exit code still tells.
            drop(print_json(&invocation.output, &envelope));
        } else {
            self.say(invocation);
        }
        self.exit()
    }

    /// Before the streams were looked at.
    pub fn report_plainly(&self) -> ExitCode {
        let line = format!("error: {}\n", Shown::line(&self.message));
        drop(io::stderr().write_all(line.as_bytes()));
        self.exit()
    }

    fn say(&self, invocation: &Invocation) {
        let paint = invocation.output.paint_talk();
        let message = Shown::block(&self.message);
        invocation.output.say(&format!(
            "{} {message}",
            paint.with(Colour::Removed, "error:")
        ));
        if !self.hint().is_empty() {
            let hint = Shown::line(self.hint());
            invocation
                .output
                .say(&format!("{} {hint}", paint.with(Colour::Place, "hint:")));
        }
    }

    fn hint(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.row().hint)
    }

    fn exit(&self) -> ExitCode {
        ExitCode::from(self.code.row().exit as u8)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        if let AppError::Output(source) = error {
            return source.into();
        }
        Self::new(error.code(), &error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            broken_pipe,
            ..Self::new(ErrorCode::Io, &format!("cannot write the output: {error}"))
        }
    }
}

/// What clap has to say: help and version are no failures.
pub fn of_usage(error: &clap::Error) -> ExitCode {
    drop(error.print());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
