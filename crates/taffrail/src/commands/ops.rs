//! `taffrail backup`, `restore`, `export`, `purge`

use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use taffrail_app::ops::purge::{self, Asked, Plan};
use taffrail_app::ops::restore::{self, Approvals, Report};
use taffrail_app::ops::{backup, export as everything};
use taffrail_app::{App, AppError};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{Manifest, PurgeCounts, Purged, files, human};
use taffrail_text::Shown;

use super::{Ending, ask_line};
use crate::cli::{BackupArgs, BackupCommand, ExportAllArgs, PurgeArgs, RestoreArgs};
use crate::failure::Failure;
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
pub fn backup_wants_json(args: &BackupArgs) -> bool {
    match &args.command {
        Some(BackupCommand::Verify { json, .. }) => *json,
        None => args.json,
    }
}

/// `taffrail backup`
pub fn backup(invocation: &Invocation, args: &BackupArgs) -> Ending {
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

#[derive(Serialize)]
struct Restored {
    files: usize,
    journal_entries: u64,
    made_at: Moment,
    moved_to: Option<String>,
    seal_key_left: bool,
    approvals: &'static str,
}

/// `taffrail restore`
pub fn restore(invocation: &Invocation, args: &RestoreArgs) -> Ending {
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

/// `taffrail export --all`
pub fn export(invocation: &Invocation, args: &ExportAllArgs) -> Ending {
    let app = invocation.open()?;
    let exported = match &args.file {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let exported = everything::all(&app, &mut out)?;
            out.flush()?;
            exported
        }
        Some(path) => {
            let path = app.inputs.cwd.join(path);
            let file = files::create_private_writer(&path).map_err(AppError::from)?;
            let mut out = BufWriter::new(file);
            let exported = everything::all(&app, &mut out)?;
            out.flush()?;
            files::finish_writer(out.get_ref(), &path).map_err(AppError::from)?;
            exported
        }
    };
    if let Some(path) = &args.file {
        let path = path.display().to_string();
        let count = exported.lines;
        invocation
            .output
            .say(&format!("{count} lines in {}", Shown::line(&path)));
    }
    if exported.masked > 0 {
        let count = exported.masked;
        invocation.output.say(&format!(
            "{count} text(s) held something secret-shaped and are masked"
        ));
    }
    Ok(ExitCode::Done)
}

/// `taffrail purge`
pub fn purge(invocation: &Invocation, args: &PurgeArgs) -> Ending {
    let asked = asked(args)?;
    let app = invocation.open()?;
    let plan = purge::plan(&app, asked)?;
    if !args.json {
        say_plan(invocation, &plan);
    }
    if args.dry_run {
        if args.json {
            print_json(&invocation.output, &Envelope::Data(&counted(&plan.counts)))?;
        }
        return Ok(ExitCode::Done);
    }
    if !args.yes && !confirmed(invocation)? {
        invocation.output.say("nothing was erased");
        return Ok(ExitCode::Failure);
    }
    let purged = purge::carry_out(&app, &plan, args.backups)?;
    report(invocation, &app, &purged, args.json)
}

fn asked(args: &PurgeArgs) -> Result<Asked<'_>, Failure> {
    let named = args.project.as_deref().map(Asked::Project);
    let named = named.or(args.session.as_deref().map(Asked::Session));
    if let Some(named) = named.or(args.memory.as_deref().map(Asked::Memory)) {
        return Ok(named);
    }
    let text = args.before.as_deref().unwrap_or_default();
    let day = format!("{text}T00:00:00Z");
    let whole = if text.len() == 10 { &day } else { text };
    taffrail_app::exchange::rfc3339(whole)
        .map(Asked::Before)
        .map_err(|why| {
            Failure::new(ErrorCode::Usage, &why).hinting("taffrail purge --before 2026-08-01")
        })
}

fn confirmed(invocation: &Invocation) -> Result<bool, Failure> {
    if !invocation.output.can_ask() {
        let why = "what is erased does not come back: a person must confirm it";
        return Err(Failure::new(ErrorCode::NeedsTerminal, why)
            .hinting("run it in a terminal, or give --yes"));
    }
    let answer = ask_line(&invocation.output, "it does not come back. type erase:")?;
    Ok(answer.unwrap_or_default().trim() == "erase")
}

#[derive(Serialize)]
struct Counted {
    projects: u64,
    memories: u64,
    approved: u64,
    sessions: u64,
    undecided: u64,
    notebook_revisions: u64,
    suggestions: u64,
    traces: u64,
    derived: Vec<String>,
}

fn counted(counts: &PurgeCounts) -> Counted {
    Counted {
        projects: counts.projects,
        memories: counts.memories,
        approved: counts.approved,
        sessions: counts.sessions,
        undecided: counts.undecided,
        notebook_revisions: counts.notebook_revisions,
        suggestions: counts.suggestions,
        traces: counts.traces,
        derived: counts.derived.iter().map(|id| id.short()).collect(),
    }
}

fn say_plan(invocation: &Invocation, plan: &Plan) {
    let counts = &plan.counts;
    let output = &invocation.output;
    output.say(&format!("erase {}:", Shown::line(&plan.what)));
    let kinds = [
        (counts.projects, "project", "projects"),
        (counts.memories, "memory", "memories"),
        (counts.sessions, "session", "sessions"),
        (
            counts.notebook_revisions,
            "notebook revision",
            "notebook revisions",
        ),
        (counts.suggestions, "suggestion", "suggestions"),
        (counts.traces, "trace of a recall", "traces of recalls"),
    ];
    if kinds.iter().all(|(count, ..)| *count == 0) {
        output.say("  nothing");
    }
    for (count, one, many) in kinds {
        match count {
            0 => {}
            1 => output.say(&format!("  {count:>6} {one}")),
            _ => output.say(&format!("  {count:>6} {many}")),
        }
    }
    if counts.approved > 0 {
        output.say(&format!(
            "  {} of the memories are approved",
            counts.approved
        ));
    }
    if counts.undecided > 0 {
        output.say(&format!(
            "  {} of the sessions have a change that nobody decided on",
            counts.undecided
        ));
    }
    for id in &counts.derived {
        output.say(&format!("  stays, and may repeat it: {id}"));
    }
}

#[derive(Serialize)]
struct Erased {
    erased: Counted,
    folders: u64,
    backups: Vec<String>,
    backups_removed: usize,
    log_is_cut: bool,
}

fn report(invocation: &Invocation, app: &App, purged: &Purged, json: bool) -> Ending {
    let output = &invocation.output;
    let backups: Vec<String> = purged
        .backups
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    if json {
        let erased = Erased {
            erased: counted(&purged.counts),
            folders: purged.files,
            backups,
            backups_removed: purged.backups_removed.len(),
            log_is_cut: purged.log_is_cut,
        };
        print_json(output, &Envelope::Data(&erased))?;
    } else {
        output.say("erased; the journal keeps that it was");
        for path in &backups {
            output.say(&format!(
                "still holds what was there before: {}",
                Shown::line(path)
            ));
        }
        if !purged.backups_removed.is_empty() {
            output.say(&format!(
                "removed {} earlier copies",
                purged.backups_removed.len()
            ));
        }
        output.say("copies that you made elsewhere are yours to remove");
    }
    if purged.log_is_cut {
        return Ok(ExitCode::Done);
    }
    let path = app.store.path().display().to_string();
    let why = format!("another process reads `{path}`: its log still holds what was erased");
    Err(Failure::new(ErrorCode::StoreBusy, &why)
        .hinting("end it, then run the same purge again, or taffrail doctor --repair"))
}
