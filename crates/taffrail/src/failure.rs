//! The one table from an error to what a person and a script see: message, hint, exit code (ERR-01).

use std::io;
use std::process::ExitCode;

use taffrail_app::ops::full;
use taffrail_app::{AppError, secrets};
use taffrail_domain::{ErrorCode, UnboundState};
use taffrail_store::{ArchiveError, StoreError};
use taffrail_text::Shown;

use crate::output::{Colour, Envelope, Output, print_json};

/// Why a command did not come to its end.
#[derive(Debug)]
pub struct Failure {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    broken_pipe: bool,
    /// A script was told on stdout already, in a form of its own.
    told: bool,
}

impl Failure {
    /// A failure with the hint of its code.
    pub fn new(code: ErrorCode, message: &str) -> Self {
        Self {
            code,
            message: message.to_owned(),
            hint: None,
            broken_pipe: false,
            told: false,
        }
    }

    /// The same where stdout has told a script of it already: only people hear more.
    #[must_use]
    pub fn told(self) -> Self {
        Self { told: true, ..self }
    }

    /// With a hint of its own.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With the help of the command that was typed, where nothing nearer helps.
    #[must_use]
    pub fn of_command(self, help: impl FnOnce() -> String) -> Self {
        match (self.code, &self.hint) {
            (ErrorCode::Usage, None) => self.hinting(help()),
            _ => self,
        }
    }

    /// Says what happened, on stderr for people or on stdout for scripts.
    pub fn report(&self, output: &Output, json: bool) -> ExitCode {
        if self.broken_pipe {
            return ExitCode::SUCCESS;
        }
        if json && !self.told {
            let envelope = Envelope::<()>::Error {
                code: self.code.row().name,
                message: self.message.clone(),
                hint: self.hint().to_owned(),
            };
            // A reader that is gone needs no answer; an output that takes none is told of where people look.
            if print_json(output, &envelope).is_err() {
                self.say(output);
            }
        } else {
            self.say(output);
        }
        self.exit()
    }

    /// Says it to a person where the command goes on.
    pub fn tell(&self, output: &Output) {
        self.say(output);
    }

    fn say(&self, output: &Output) {
        let paint = output.paint_talk();
        let message = Shown::block(&self.message);
        output.say(&format!(
            "{} {message}",
            paint.with(Colour::Removed, "error:")
        ));
        if !self.hint().is_empty() {
            let hint = Shown::line(self.hint());
            output.say(&format!("{} {hint}", paint.with(Colour::Place, "hint:")));
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
        let failure = Self::new(error.code(), &error.to_string());
        match &error {
            AppError::Config(mistake) => Self {
                hint: mistake.hint(),
                ..failure
            },
            AppError::Secrets(error) => Self {
                hint: secrets::hint(error).map(str::to_owned),
                ..failure
            },
            AppError::Secret(error) => Self {
                hint: error.hint().map(str::to_owned),
                ..failure
            },
            AppError::Gate(fault) => Self {
                hint: fault.hint(),
                ..failure
            },
            AppError::Store(StoreError::UnboundDecided {
                id,
                state: UnboundState::Dismissed,
            }) => failure.hinting(format!("taffrail workspace dismiss {id} --undo")),
            AppError::Editor { .. } => failure.hinting("VISUAL or EDITOR names the editor"),
            AppError::Archive(ArchiveError::NotEmpty { .. }) => {
                let helps = "taffrail restore FILE --force moves what is there to backups/ first";
                failure.hinting(helps)
            }
            // Another place may be named by the error itself; the code's own hint stands otherwise.
            other => Self {
                hint: full::advice(other),
                ..failure
            },
        }
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
