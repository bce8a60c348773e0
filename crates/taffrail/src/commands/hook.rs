//! `taffrail hook`: what another program calls at the start and the end of its sessions. Whatever happens here, that
//! program goes on: an error is said on standard error, and the exit code is 0.

use std::io::{IsTerminal, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use taffrail_app::connect::Program;
use taffrail_app::hooks::{self, TOLD_BYTES, Told};
use taffrail_app::secrets::Nobody;
use taffrail_app::{AppError, AppInputs};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{HookArgs, HookCommand, ProgramChoice, SessionArgs};
use crate::failure::Failure;
use crate::startup::Invocation;

/// A program waits for us before it answers its person.
const BOUND: Duration = Duration::from_secs(5);
/// A program that tells of its session does so at once; one that keeps the stream open tells nothing.
const TELLING: Duration = Duration::from_secs(1);

pub fn run(invocation: &Invocation, args: &HookArgs) -> Ending {
    let (session, done) = match &args.command {
        HookCommand::SessionStart(session) => (session, start(invocation, session)),
        HookCommand::SessionEnd(session) => (session, end(invocation, session)),
    };
    match done {
        Ok(()) => Ok(ExitCode::Done),
        Err(failure) if session.strict => Err(failure),
        Err(failure) => {
            failure.tell(&invocation.output);
            Ok(ExitCode::Done)
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    hook_specific_output: Specific<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    additional_context: &'a str,
}

fn start(invocation: &Invocation, args: &SessionArgs) -> Result<(), Failure> {
    let inputs = inputs(invocation, args)?;
    let Some(context) = bounded(move |told| hooks::session_start(inputs, &told))? else {
        return Ok(());
    };
    // Both programs take the same answer.
    let answer = Answer {
        hook_specific_output: Specific {
            hook_event_name: "SessionStart",
            additional_context: &context,
        },
    };
    let line = serde_json::to_string(&answer)
        .map_err(|error| Failure::new(ErrorCode::Internal, &error.to_string()))?;
    invocation.output.data(format!("{line}\n").as_bytes())?;
    Ok(())
}

fn end(invocation: &Invocation, args: &SessionArgs) -> Result<(), Failure> {
    let inputs = inputs(invocation, args)?;
    if let Some(closure) = bounded(move |told| hooks::session_end(inputs, &told))? {
        let id = Shown::line(closure.external_id.as_str()).to_string();
        invocation.output.say(&format!(
            "the slate {id} is closed; taffrail workspace catch-up shows what waits"
        ));
    }
    Ok(())
}

/// Nobody may be asked anything: the terminal is the other program's.
fn inputs(invocation: &Invocation, args: &SessionArgs) -> Result<AppInputs, Failure> {
    match args.client.program() {
        Program::Claude | Program::Gemini => Ok(invocation.serving(Arc::new(Nobody))),
        Program::Codex | Program::Opencode | Program::Cursor | Program::Vscode | Program::Zed => {
            let name = ProgramChoice::program(args.client).name();
            let message = format!("{name} calls no hooks of taffrail");
            Err(Failure::new(ErrorCode::Usage, &message)
                .hinting("--client claude, or --client gemini"))
        }
    }
}

/// Does it within the time that the other program can spare. What is not done by then ends with this process.
fn bounded<T: Send + 'static>(
    work: impl FnOnce(Told) -> Result<T, AppError> + Send + 'static,
) -> Result<T, Failure> {
    let done = on_a_thread(move || work(told()));
    match done.recv_timeout(BOUND) {
        Ok(done) => Ok(done?),
        Err(_) => Err(Failure::new(
            ErrorCode::Timeout,
            "no answer within 5 s; the session goes on without it",
        )),
    }
}

fn told() -> Told {
    if std::io::stdin().is_terminal() {
        return Told::default();
    }
    let bytes = on_a_thread(|| {
        let mut bytes = Vec::new();
        // What cannot be read tells nothing.
        drop(std::io::stdin().take(TOLD_BYTES).read_to_end(&mut bytes));
        bytes
    });
    Told::read(&bytes.recv_timeout(TELLING).unwrap_or_default())
}

fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // A receiver that is gone has waited long enough.
    thread::spawn(move || drop(sender.send(work())));
    receiver
}
