//! `taffrail connect`: the entry of our MCP server in another program's configuration, and its undoing.

use serde::Serialize;
use taffrail_app::connect::{
    self, ConnectFault, Connection, FileReport, Outcome, Program, Standing, Wanted,
};
use taffrail_app::secrets::{self, Choice, Opener};
use taffrail_app::{App, AppError};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{ConnectArgs, ProgramChoice};
use crate::failure::Failure;
use crate::output::{Envelope, Moment, Table, ago, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ConnectArgs) -> Ending {
    let app = invocation.open()?;
    if args.list {
        return list(invocation, &app, args.json);
    }
    let undo = args.undo.map(ProgramChoice::program);
    let program = args.program.map(ProgramChoice::program).or(undo);
    // Clap lets nothing through that names neither.
    let Some(program) = program else {
        return list(invocation, &app, args.json);
    };
    let reports = match undo {
        Some(program) => connect::undo(&app, program, args.dry_run),
        None => {
            let wanted = Wanted {
                hooks: args.hooks,
                dry_run: args.dry_run,
            };
            connect::connect(&app, program, wanted)
        }
    };
    let reports = reports.map_err(|error| failure(&app, program, error))?;
    if args.json {
        let files = reports.iter().map(done).collect();
        let answer = Done {
            program,
            dry_run: args.dry_run,
            files,
        };
        print_json(&invocation.output, &Envelope::Data(answer))?;
        return Ok(ExitCode::Done);
    }
    if args.dry_run {
        return preview(invocation, &reports);
    }
    for report in &reports {
        invocation.output.say(&said(report));
    }
    if reports.iter().any(|report| is_news(report.outcome)) {
        let next = format!(
            "{} reads it when it starts next{}",
            title(program),
            place(program)
        );
        invocation.output.say(&next);
    }
    if undo.is_none() {
        warn_of_passphrase(invocation, &app)?;
    }
    Ok(ExitCode::Done)
}

/// What the program itself asks for before it starts a server.
const fn place(program: Program) -> &'static str {
    match program {
        Program::Gemini => ", in folders that it trusts",
        Program::Claude
        | Program::Codex
        | Program::Opencode
        | Program::Cursor
        | Program::Vscode
        | Program::Zed => "",
    }
}

/// Approvals are checked with what lies in the place of secrets, and a program that starts us cannot type.
fn warn_of_passphrase(invocation: &Invocation, app: &App) -> Result<(), Failure> {
    if secrets::chosen(app)? == Some(Choice::File(Opener::Passphrase)) {
        let output = &invocation.output;
        output.say(
            "note: the file of secrets opens with a passphrase, which no program can type: \
             what you approve cannot be checked there, and is not given to it",
        );
        output.say("hint: taffrail secret backend file --key-file PATH");
    }
    Ok(())
}

pub const fn wants_json(args: &ConnectArgs) -> bool {
    args.json
}

#[derive(Serialize)]
struct Line {
    program: Program,
    connected: bool,
    files: Vec<FileLine>,
}

#[derive(Serialize)]
struct FileLine {
    path: String,
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    written: Moment,
}

#[derive(Serialize)]
struct Done<'a> {
    program: Program,
    dry_run: bool,
    files: Vec<DoneFile<'a>>,
}

#[derive(Serialize)]
struct DoneFile<'a> {
    path: String,
    outcome: Outcome,
    /// Unified, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
}

fn done(report: &FileReport) -> DoneFile<'_> {
    DoneFile {
        path: report.path.to_string_lossy().into_owned(),
        outcome: report.outcome,
        diff: report.diff.as_deref(),
    }
}

fn list(invocation: &Invocation, app: &App, json: bool) -> Ending {
    let connections = connect::list(app)?;
    if json {
        let lines: Vec<Line> = connections.iter().map(line).collect();
        print_json(&invocation.output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    if connections.iter().all(|one| one.files.is_empty()) {
        invocation.output.say("no program is connected yet");
        invocation.output.say("hint: taffrail connect claude");
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["program", "standing", "since", "where"]);
    for (program, file) in connections
        .iter()
        .flat_map(|one| one.files.iter().map(|file| (one.program, file)))
    {
        table.row([
            program.name().to_owned(),
            file.standing.name().to_owned(),
            ago(file.written_at, invocation.now()),
            Shown::line(&file.path.to_string_lossy()).to_string(),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
}

fn line(one: &Connection) -> Line {
    let files = one.files.iter().map(|file| FileLine {
        path: file.path.to_string_lossy().into_owned(),
        standing: file.standing,
        why: file.why.clone(),
        written: Moment(file.written_at),
    });
    Line {
        program: one.program,
        connected: one
            .files
            .iter()
            .any(|file| file.standing == Standing::Connected),
        files: files.collect(),
    }
}

fn preview(invocation: &Invocation, reports: &[FileReport]) -> Ending {
    for report in reports {
        match &report.diff {
            Some(diff) => {
                let diff = format!("{}\n", Shown::block(diff.trim_end_matches('\n')));
                invocation.output.data(diff.as_bytes())?;
            }
            None => invocation.output.say(&said(report)),
        }
    }
    invocation.output.say("nothing was written");
    Ok(ExitCode::Done)
}

fn said(report: &FileReport) -> String {
    let path = Shown::line(&report.path.to_string_lossy()).to_string();
    let what = match report.outcome {
        Outcome::Written => "has our entry now",
        Outcome::Updated => "has our entry as it is today",
        Outcome::Already => "has our entry already",
        Outcome::Same => "has the same already, from somebody else: --undo leaves it there",
        Outcome::Left => "is not as taffrail wrote it, and stays as it is",
        Outcome::Restored => "is to the byte what it was",
        Outcome::Gone => "was made for it, and is gone again",
        Outcome::Removed => "was changed since: only our entry is taken out",
        Outcome::Missing => "has no entry of ours any more",
        Outcome::Unwritten => "was never written, or taken back by hand",
    };
    format!("{path} {what}")
}

const fn is_news(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Written
        | Outcome::Updated
        | Outcome::Restored
        | Outcome::Gone
        | Outcome::Removed => true,
        Outcome::Already
        | Outcome::Same
        | Outcome::Left
        | Outcome::Missing
        | Outcome::Unwritten => false,
    }
}

const fn title(program: Program) -> &'static str {
    match program {
        Program::Claude => "Claude Code",
        Program::Codex => "Codex",
        Program::Gemini => "Gemini CLI",
        Program::Opencode => "opencode",
        Program::Cursor => "Cursor",
        Program::Vscode => "VS Code",
        Program::Zed => "Zed",
    }
}

/// What stands in the way is shown, with secrets masked; what helps is said.
fn failure(app: &App, program: Program, error: AppError) -> Failure {
    let hint = match &error {
        AppError::Connect(ConnectFault::Unfit {
            shown: Some(shown), ..
        }) => {
            let shown = app.redactor.clean(shown).into_string();
            let words: Vec<&str> = shown.split_whitespace().collect();
            Some(format!(
                "it is {}; take it out or give it another name, then run this again",
                words.join(" ")
            ))
        }
        AppError::Connect(ConnectFault::Unfit { .. }) => {
            let name = program.name();
            Some(format!(
                "put it right, then run taffrail connect {name} again"
            ))
        }
        AppError::Connect(ConnectFault::NotConnected { .. }) => {
            Some("taffrail connect --list shows what is connected".to_owned())
        }
        AppError::Connect(ConnectFault::NoHooks { .. }) => {
            let name = program.name();
            Some(format!("taffrail connect {name} without --hooks"))
        }
        _ => None,
    };
    let failure = Failure::from(error);
    match hint {
        Some(hint) => failure.hinting(hint),
        None => failure,
    }
}
