//! `taffrail secret set|list|rm|backend|seal-key`. A value comes in from the terminal or a pipe, and never goes out.

use std::io::{self, Read};

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::secrets::{self, Choice, Listed, Name, NewPlace, Opener, Secret, SecretFault};
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::{BackendArgs, PlaceChoice, SealKeyCommand, SecretArgs, SecretCommand};
use crate::failure::Failure;
use crate::output::{Envelope, Moment, Table, ask_hidden, print_json, timestamp};
use crate::startup::Invocation;

/// Longest value in bytes: a private key in PEM is a twentieth of it.
const LONGEST: usize = 64 << 10;

pub fn run(invocation: &Invocation, args: &SecretArgs) -> Ending {
    match &args.command {
        SecretCommand::Set { name } => set(invocation, name),
        SecretCommand::List { json } => list(invocation, *json),
        SecretCommand::Rm { name } => remove(invocation, name),
        SecretCommand::Backend(args) => backend(invocation, args),
        SecretCommand::SealKey { command } => seal_key(invocation, command),
    }
}

pub fn wants_json(args: &SecretArgs) -> bool {
    match &args.command {
        SecretCommand::List { json } | SecretCommand::Backend(BackendArgs { json, .. }) => *json,
        SecretCommand::Set { .. } | SecretCommand::Rm { .. } | SecretCommand::SealKey { .. } => {
            false
        }
    }
}

fn set(invocation: &Invocation, name: &str) -> Ending {
    let name = parse(name)?;
    let app = invocation.open()?;
    let value = if invocation.output.stdin_is_terminal {
        ask_hidden(&format!("value of {name}:"))?
    } else {
        piped()?
    };
    secrets::set(&app, &name, &value)?;
    let place = app.secrets()?.facts();
    invocation
        .output
        .say(&format!("{name} is kept in the {}", place.kind.word()));
    Ok(ExitCode::Done)
}

fn parse(name: &str) -> Result<Name, Failure> {
    name.parse::<Name>()
        .map_err(|error| taffrail_app::AppError::from(error).into())
}

/// All of standard input but one line end, which a shell adds.
fn piped() -> Result<Secret, Failure> {
    // Of its full size at once: a buffer that grows leaves copies of its bytes behind.
    let mut bytes = Vec::with_capacity(LONGEST + 4);
    let read = io::stdin()
        .lock()
        .take(LONGEST as u64 + 3)
        .read_to_end(&mut bytes);
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    let is_too_long = bytes.len() > LONGEST;
    let value = Secret::new(bytes);
    read?;
    if is_too_long {
        let error = SecretFault::ValueTooLong { limit: LONGEST };
        return Err(taffrail_app::AppError::from(error).into());
    }
    Ok(value)
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    since: Option<Moment>,
    backend: &'static str,
    reserved: bool,
}

fn list(invocation: &Invocation, json: bool) -> Ending {
    let app = invocation.open()?;
    let listed = secrets::list(&app)?;
    if json {
        let lines: Vec<Line<'_>> = listed.iter().map(line).collect();
        print_json(&invocation.output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    if listed.is_empty() {
        invocation
            .output
            .say("nothing is kept yet: taffrail secret set NAME");
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["name", "since", "kept in"]);
    for secret in &listed {
        let since = secret.since.map_or_else(|| "unknown".to_owned(), timestamp);
        table.row([
            secret.name.to_string(),
            since,
            secret.place.word().to_owned(),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
}

fn line(secret: &Listed) -> Line<'_> {
    Line {
        name: secret.name.as_str(),
        since: secret.since.map(Moment),
        backend: secret.place.word(),
        reserved: secret.name.is_reserved(),
    }
}

fn remove(invocation: &Invocation, name: &str) -> Ending {
    let name = parse(name)?;
    secrets::remove(&invocation.open()?, &name)?;
    invocation.output.say(&format!("{name} is gone"));
    Ok(ExitCode::Done)
}

fn backend(invocation: &Invocation, args: &BackendArgs) -> Ending {
    if args.place == Some(PlaceChoice::Keyring) && (args.passphrase || args.key_file.is_some()) {
        let why = "only the file opens with a passphrase or a key file";
        return Err(Failure::new(taffrail_domain::ErrorCode::Usage, why)
            .hinting("taffrail secret backend keyring"));
    }
    let app = invocation.open()?;
    let moved = match args.place {
        None => Vec::new(),
        Some(place) => choose(invocation, &app, place, args)?,
    };
    show(invocation, &app, &moved, args.json)
}

fn choose(
    invocation: &Invocation,
    app: &App,
    place: PlaceChoice,
    args: &BackendArgs,
) -> Result<Vec<Name>, Failure> {
    let choice = match (place, &args.key_file) {
        (PlaceChoice::Keyring, _) => Choice::Keyring,
        (PlaceChoice::File, None) => Choice::File(Opener::Passphrase),
        (PlaceChoice::File, Some(path)) => Choice::File(Opener::KeyFile(app.inputs.cwd.join(path))),
    };
    let wanted = NewPlace {
        choice,
        renews: args.passphrase,
        leaves: args.leave,
    };
    let done = secrets::choose(app, &wanted)?;
    for name in &done.moved {
        invocation.output.say(&format!("{name} was brought over"));
    }
    Ok(done.moved)
}

#[derive(Serialize)]
struct Shown<'a> {
    backend: &'static str,
    opens_with: Option<&'static str>,
    chosen: bool,
    moved: Vec<&'a str>,
}

fn show(invocation: &Invocation, app: &App, moved: &[Name], json: bool) -> Ending {
    let chosen = secrets::chosen(app)?;
    let choice = chosen.clone().unwrap_or(Choice::Keyring);
    if json {
        let shown = Shown {
            backend: choice.kind().word(),
            opens_with: opens_with(&choice),
            chosen: chosen.is_some(),
            moved: moved.iter().map(Name::as_str).collect(),
        };
        print_json(&invocation.output, &Envelope::Data(shown))?;
        return Ok(ExitCode::Done);
    }
    let text = match chosen {
        Some(choice) => choice.to_text(),
        // Whether it answers is asked, so that nobody finds out later.
        None => {
            let facts = app.secrets()?.facts();
            format!(
                "{} (nothing was chosen): {}",
                facts.kind.word(),
                facts.about
            )
        }
    };
    let text = taffrail_text::Shown::line(&text);
    invocation.output.data(format!("{text}\n").as_bytes())?;
    Ok(ExitCode::Done)
}

fn opens_with(choice: &Choice) -> Option<&'static str> {
    match choice {
        Choice::Keyring => None,
        Choice::File(Opener::Passphrase) => Some("passphrase"),
        Choice::File(Opener::KeyFile(_)) => Some("key-file"),
    }
}

fn seal_key(invocation: &Invocation, command: &SealKeyCommand) -> Ending {
    let app = invocation.open()?;
    let (file, done) = match command {
        SealKeyCommand::Export { file } => {
            secrets::export(&app, &app.inputs.cwd.join(file))?;
            (file, "the seal key is in")
        }
        SealKeyCommand::Restore { file, replace } => {
            secrets::restore(&app, &app.inputs.cwd.join(file), *replace)?;
            (file, "approvals are sealed with the key of")
        }
    };
    let line = format!("{done} {}", file.display());
    let line = taffrail_text::Shown::line(&line);
    invocation.output.say(line.as_ref());
    Ok(ExitCode::Done)
}
