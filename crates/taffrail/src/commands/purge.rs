//! `taffrail purge`: what a person erases is gone, byte for byte.

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::ops::purge::{self, Asked, Plan};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{PurgeCounts, Purged};
use taffrail_text::Shown;

use super::{Ending, ask_line};
use crate::cli::PurgeArgs;
use crate::failure::Failure;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &PurgeArgs) -> Ending {
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
    workspaces: u64,
    slates: u64,
    unbound: u64,
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
        workspaces: counts.workspaces,
        slates: counts.slates,
        unbound: counts.unbound,
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
        (counts.workspaces, "workspace", "workspaces"),
        (counts.slates, "closed slate", "closed slates"),
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
    if counts.unbound > 0 {
        output.say(&format!(
            "  {} of the closed slates hold seeds that nobody decided on",
            counts.unbound
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
