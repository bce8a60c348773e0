//! `taffrail sessions export [RUN]`: the files of a run, made of its rows.

use serde::Serialize;
use taffrail_app::external::exports;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::{Ending, boxes};
use crate::cli::{SessionsArgs, SessionsCommand, SessionsExportArgs};
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

pub fn wants_json(args: &SessionsArgs) -> bool {
    let SessionsCommand::Export(export) = &args.command;
    export.json
}

pub fn run(invocation: &Invocation, args: &SessionsArgs) -> Ending {
    let SessionsCommand::Export(args) = &args.command;
    export(invocation, args)
}

fn export(invocation: &Invocation, args: &SessionsExportArgs) -> Ending {
    let app = boxes::open(invocation)?;
    let runs = match &args.run {
        Some(name) => vec![exports::find(&app, name)?],
        None => exports::exportable(&app)?,
    };
    let mut made = Vec::new();
    for run in runs {
        let exported = exports::export(&app, &run)?;
        let files = exported.files.iter().map(|path| path.display().to_string());
        made.push(Made {
            run: run.short(),
            files: files.collect(),
        });
    }
    if args.json {
        print_json(&invocation.output, &Envelope::Data(Answer { runs: made }))?;
        return Ok(ExitCode::Done);
    }
    let paths = made.iter().flat_map(|made| &made.files);
    let lines: String = paths
        .map(|path| format!("{}\n", Shown::line(path)))
        .collect();
    invocation.output.data(lines.as_bytes())?;
    if made.is_empty() {
        invocation.output.say("no run of an agent is on record");
    }
    Ok(ExitCode::Done)
}

#[derive(Serialize)]
struct Answer {
    runs: Vec<Made>,
}

#[derive(Serialize)]
struct Made {
    run: String,
    files: Vec<String>,
}
