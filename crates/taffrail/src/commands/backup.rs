//! `taffrail backup`: the home in one archive, read back and checked.

use std::path::Path;

use serde::Serialize;
use taffrail_app::ops::backup;
use taffrail_domain::ExitCode;
use taffrail_store::{Manifest, human};
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{BackupArgs, BackupCommand};
use crate::output::{Envelope, Meter, Moment, print_json, timestamp};
use crate::startup::Invocation;

#[derive(Serialize)]
struct ArchiveFacts {
    path: String,
    files: usize,
    bytes: u64,
    made_at: Moment,
    schema: i64,
    journal_entries: u64,
    seal_key: bool,
    missing: Vec<String>,
}

fn facts(path: &Path, manifest: &Manifest, missing: &[String]) -> ArchiveFacts {
    ArchiveFacts {
        path: path.display().to_string(),
        files: manifest.files.len(),
        bytes: manifest.bytes(),
        made_at: manifest.made_at.into(),
        schema: manifest.schema,
        journal_entries: manifest.journal_entries,
        seal_key: manifest.has_seal_key(),
        missing: missing.to_vec(),
    }
}

/// Whether the answer of `backup` is to be JSON.
pub fn wants_json(args: &BackupArgs) -> bool {
    match &args.command {
        Some(BackupCommand::Verify { json, .. }) => *json,
        None => args.json,
    }
}

pub fn run(invocation: &Invocation, args: &BackupArgs) -> Ending {
    if let Some(BackupCommand::Verify { file, json }) = &args.command {
        return verify(invocation, file, *json);
    }
    let app = invocation.open()?;
    let meter = Meter::new(invocation.output.can_animate() && !args.with_seal_key);
    meter.say("copying and checking".to_owned());
    let made = backup::make(&app, args.path.as_deref(), args.with_seal_key);
    meter.done();
    let made = made?;
    let facts = facts(&made.path, &made.manifest, &made.missing);
    if args.json {
        print_json(&invocation.output, &Envelope::Data(&facts))?;
        return Ok(ExitCode::Done);
    }
    let path = Shown::line(&facts.path).to_string();
    invocation.output.data(format!("{path}\n").as_bytes())?;
    invocation.output.say(&format!(
        "{} files, {}, checked; {} in the archive",
        facts.files,
        human(facts.bytes),
        human(made.bytes)
    ));
    for session in &facts.missing {
        let line = format!("the diff of {session} is on record and not on disk");
        invocation.output.say(Shown::line(&line).as_ref());
    }
    if !facts.seal_key {
        invocation
            .output
            .say("without the seal key: on another machine approvals are pending again");
    }
    Ok(ExitCode::Done)
}

fn verify(invocation: &Invocation, file: &Path, json: bool) -> Ending {
    let manifest = backup::verify(&invocation.inputs(), file)?;
    let facts = facts(file, &manifest, &[]);
    if json {
        print_json(&invocation.output, &Envelope::Data(&facts))?;
    } else {
        let line = format!(
            "whole: {} files, {}, schema {}, {} journal entries, made {}\n",
            facts.files,
            human(facts.bytes),
            facts.schema,
            facts.journal_entries,
            timestamp(facts.made_at.0)
        );
        invocation.output.data(line.as_bytes())?;
    }
    Ok(ExitCode::Done)
}
