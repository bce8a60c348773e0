//! `taffrail memory add`

use std::io::Read;

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::memory::queue;
use taffrail_app::memory::write::{self, Owner, Said};
use taffrail_domain::{ErrorCode, ExitCode, SourceRef};
use taffrail_store::Outcome;
use taffrail_text::Shown;

use super::{Ending, owner, review};
use crate::cli::AddArgs;
use crate::failure::Failure;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

/// Bytes read from standard input: far above what the guardrails take, so that they say the size.
const INPUT_LIMIT: u64 = 1 << 20;

pub fn run(invocation: &Invocation, args: &AddArgs) -> Ending {
    if args.confirm {
        review::require_person(invocation)?;
    }
    let text = match &args.text {
        Some(text) => text.clone(),
        None => from_stdin(invocation)?,
    };
    let source_refs = args
        .source_ref
        .iter()
        .map(|text| source_ref(text))
        .collect::<Result<Vec<_>, _>>()?;
    let app = invocation.open()?;
    let said = Said {
        text: &text,
        kind: args.kind,
        summary: args.summary.as_deref(),
        owner: owner(&args.scope),
        source_refs,
        confidence: args.confidence,
        stale_after_days: args.stale_after_days,
        run: args.run.as_deref(),
    };
    let personal = write::scope(&app, said.owner)? == taffrail_memory::draft::Scope::Personal;
    let written = write::add(&app, &said)?;
    if args.json {
        print_json(&invocation.output, &Envelope::Data(answer(&written)))?;
    } else {
        tell(
            invocation,
            &app,
            &written,
            personal && said.owner == Owner::Current && args.run.is_none(),
        )?;
    }
    if args.confirm {
        return review::confirm_now(invocation, &app, &written.memory);
    }
    Ok(ExitCode::Done)
}

fn from_stdin(invocation: &Invocation) -> Result<String, Failure> {
    if invocation.output.stdin_is_terminal {
        invocation.output.say("the text, then Ctrl-D:");
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(INPUT_LIMIT)
        .read_to_end(&mut bytes);
    read.map_err(crate::commands::lines::unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::new(ErrorCode::Usage, "standard input is not UTF-8 text"))?;
    // The line end of a pipe is the pipe's, not the text's.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn source_ref(text: &str) -> Result<SourceRef, Failure> {
    let (kind, uri) = text
        .split_once('=')
        .filter(|(kind, uri)| !kind.is_empty() && !uri.is_empty())
        .ok_or_else(|| {
            let message = format!("`{text}` is not a source ref: it is KIND=URI");
            Failure::new(ErrorCode::Usage, &message).hinting("--source-ref file=src/main.rs")
        })?;
    Ok(SourceRef {
        kind: kind.to_owned(),
        uri: uri.to_owned(),
        title: None,
        timestamp: None,
    })
}

#[derive(Serialize)]
struct Answer {
    memory: String,
    status: &'static str,
}

fn answer(written: &taffrail_store::Written) -> Answer {
    Answer {
        memory: written.memory.short(),
        status: match written.outcome {
            Outcome::New => "new",
            Outcome::Repeat { .. } => "repeat",
        },
    }
}

/// Why a new memory stands apart from the others, where it does.
fn apart(app: &App, id: &str) -> Result<Option<String>, Failure> {
    Ok(queue::find(app, id)?.quarantined)
}

fn said_by(witnesses: u64) -> String {
    match witnesses {
        0 | 1 => String::new(),
        many => format!("; {many} said it independently"),
    }
}

fn tell(
    invocation: &Invocation,
    app: &App,
    written: &taffrail_store::Written,
    fell_to_personal: bool,
) -> Result<(), Failure> {
    let id = written.memory.short();
    let line = match written.outcome {
        Outcome::New => match apart(app, &id)? {
            Some(why) => format!(
                "{id} waits in quarantine, it {}: taffrail memory review --quarantine",
                Shown::line(&why)
            ),
            None => format!("{id} waits for a review: taffrail memory review"),
        },
        Outcome::Repeat { witnesses } => {
            format!("{id} says this already{}", said_by(witnesses))
        }
    };
    invocation.output.say(&line);
    if fell_to_personal {
        invocation
            .output
            .say("the folder belongs to no project: it is a personal memory, seen in all of them");
    }
    Ok(())
}
