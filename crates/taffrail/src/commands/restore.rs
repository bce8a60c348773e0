//! `taffrail restore`: a home from an archive.

use serde::Serialize;
use taffrail_app::ops::restore::{self, Approvals, Report};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::{Ending, ask_line};
use crate::cli::RestoreArgs;
use crate::output::{Envelope, Moment, print_json, timestamp};
use crate::startup::Invocation;

#[derive(Serialize)]
struct Restored {
    files: usize,
    journal_entries: u64,
    made_at: Moment,
    moved_to: Option<String>,
    seal_key_left: bool,
    approvals: &'static str,
}

pub fn run(invocation: &Invocation, args: &RestoreArgs) -> Ending {
    let request = restore::Request {
        archive: &args.file,
        replace: args.force,
        with_seal_key: args.with_seal_key,
    };
    let (app, report) = restore::restore(invocation.inputs(), &request)?;
    if args.json {
        print_json(&invocation.output, &Envelope::Data(&restored(&report)))?;
        return Ok(ExitCode::Done);
    }
    say_restored(invocation, &report);
    if report.approvals == Approvals::Older && invocation.output.can_ask() {
        let question = "the backup is older than the last review here. take the older approvals as they are? type older:";
        let answer = ask_line(&invocation.output, question)?.unwrap_or_default();
        if answer.trim() == "older" {
            restore::accept_older(&app)?;
            invocation.output.say("the approvals of the backup count");
        }
    }
    Ok(ExitCode::Done)
}

fn restored(report: &Report) -> Restored {
    Restored {
        files: report.manifest.files.len(),
        journal_entries: report.manifest.journal_entries,
        made_at: report.manifest.made_at.into(),
        moved_to: report
            .moved_to
            .as_ref()
            .map(|path| path.display().to_string()),
        seal_key_left: report.seal_key_left,
        approvals: match report.approvals {
            Approvals::Hold => "hold",
            Approvals::Older => "older",
            Approvals::NoKey => "no_key",
        },
    }
}

fn say_restored(invocation: &Invocation, report: &Report) {
    let output = &invocation.output;
    let (files, made) = (
        report.manifest.files.len(),
        timestamp(report.manifest.made_at),
    );
    output.say(&format!("restored {files} files from {made}"));
    if let Some(path) = &report.moved_to {
        let path = path.display().to_string();
        output.say(&format!("what was there is in {}", Shown::line(&path)));
    }
    if report.seal_key_left {
        output.say(
            "the archive holds a seal key, which was not taken: taffrail restore --with-seal-key",
        );
    }
    match report.approvals {
        Approvals::Hold => {}
        Approvals::Older => {
            output.say("no approval counts yet: the backup is older than the last review here")
        }
        Approvals::NoKey => {
            output.say("the key of the approvals is not on this machine: they are pending again")
        }
    }
}
