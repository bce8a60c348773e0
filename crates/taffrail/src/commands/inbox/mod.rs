//! `taffrail inbox …`: what runs want to know of a person, listed and answered from any terminal (POL-07).

mod answer;
mod words;

use serde::Serialize;
use taffrail_app::external::questions::{self, Waiting};
use taffrail_app::memory::gate;
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::{InboxArgs, InboxCommand, InboxShowArgs};
use crate::output::{Envelope, Place, print_json, question_lines};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &InboxArgs) -> Ending {
    match &args.command {
        None => list_or_answer(invocation, args.json),
        Some(InboxCommand::Show(show)) => one(invocation, show),
        Some(InboxCommand::Answer(answer)) => answer::one(invocation, answer),
    }
}

/// Whether the answer, an error too, is to be JSON.
pub fn wants_json(args: &InboxArgs) -> bool {
    match &args.command {
        None => args.json,
        Some(InboxCommand::Show(show)) => show.json,
        Some(InboxCommand::Answer(_)) => false,
    }
}

#[derive(Serialize)]
struct Listed {
    questions: Vec<words::Listed>,
}

fn list_or_answer(invocation: &Invocation, json: bool) -> Ending {
    let app = invocation.open()?;
    let waiting = questions::waiting(&app)?;
    if json {
        let questions = waiting.iter().map(words::Listed::of).collect();
        print_json(&invocation.output, &Envelope::Data(Listed { questions }))?;
        return Ok(ExitCode::Done);
    }
    if waiting.is_empty() {
        invocation.output.say("nothing waits for you");
        return Ok(ExitCode::Done);
    }
    let list = words::list(&waiting, invocation.now());
    invocation.output.data(list.as_bytes())?;
    // Whoever may not answer may look.
    if !answer::is_person(invocation) || gate::person_only(&app).is_err() {
        return Ok(ExitCode::Done);
    }
    answer::all(invocation, &app, waiting)
}

fn one(invocation: &Invocation, args: &InboxShowArgs) -> Ending {
    let app = invocation.open()?;
    let waiting = questions::find(&app, &args.id)?;
    if args.json {
        print_json(
            &invocation.output,
            &Envelope::Data(words::Whole::of(&waiting)),
        )?;
    } else {
        show(invocation, &waiting)?;
    }
    Ok(ExitCode::Done)
}

/// Rows for a screen as wide as the terminal, or as wide as most where there is none.
fn show(invocation: &Invocation, waiting: &Waiting) -> std::io::Result<()> {
    const USUAL: usize = 100;
    let output = &invocation.output;
    let columns = output.columns().unwrap_or(USUAL);
    let place = Place::Inbox(&waiting.run_name);
    let rows = question_lines(&waiting.question, place, output.paint(), columns);
    let stands = words::stands(waiting, invocation.now());
    output.data(format!("{}\n{stands}\n", rows.join("\n")).as_bytes())
}
