//! `taffrail memory import`: Markdown, other programs' files, a Keelson database, JSON lines. All of it pending.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use taffrail_app::App;
use taffrail_app::exchange::{self, BATCH, Import, Item, KeelsonReport, Report, Skipped};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_memory::pieces::Program;
use taffrail_text::Shown;

use super::{Ending, owner};
use crate::cli::{FromProgram, ImportArgs};
use crate::commands::lines::Lines;
use crate::failure::Failure;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

/// Bytes of lines that are held at once, so that a batch of long lines is a small one.
const BATCH_BYTES: usize = 8 << 20;

pub fn run(invocation: &Invocation, args: &ImportArgs) -> Ending {
    if let Some(path) = &args.jsonl {
        return lines(invocation, args, path);
    }
    let app = invocation.open()?;
    match (args.from, &args.path) {
        (Some(FromProgram::Keelson), Some(path)) => keelson(invocation, &app, path, args),
        (Some(FromProgram::Keelson), None) => {
            Err(usage("--from keelson needs the path of the database"))
        }
        (Some(_), Some(_)) => Err(usage("a program's files are found without a path")),
        (Some(program), None) => {
            let report = exchange::import_program(&app, of(program)?, args.dry_run)?;
            told(invocation, args.json, args.dry_run, &report)
        }
        (None, Some(folder)) => {
            let report = exchange::import_folder(&app, folder, owner(&args.scope), args.dry_run)?;
            told(invocation, args.json, args.dry_run, &report)
        }
        (None, None) => Err(usage("say what to import: a folder, --from, or --jsonl")),
    }
}

fn usage(message: &str) -> Failure {
    Failure::new(ErrorCode::Usage, message)
}

fn of(program: FromProgram) -> Result<Program, Failure> {
    Ok(match program {
        FromProgram::Claude => Program::Claude,
        FromProgram::Codex => Program::Codex,
        FromProgram::Gemini => Program::Gemini,
        FromProgram::Cursor => Program::Cursor,
        FromProgram::AgentsMd => Program::AgentsMd,
        FromProgram::Keelson => return Err(usage("a database of keelson is no program's file")),
    })
}

/// Takes as many lines as are here, up to a batch, and answers them before it waits for more.
fn lines(invocation: &Invocation, args: &ImportArgs, path: &Path) -> Ending {
    let mut input = Lines::open(path)?;
    let app = invocation.open()?;
    let mut import = Import::new(&app, args.create_projects, args.run.as_deref());
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut batch, mut bytes, mut refused) = (Vec::new(), 0, false);
    loop {
        let mut line = Vec::new();
        let more = input.read(&mut line)?;
        if more {
            bytes += line.len();
            batch.push(line);
        }
        let full = batch.len() >= BATCH || bytes >= BATCH_BYTES;
        if more && !full && input.is_next_here() {
            continue;
        }
        for answer in import.answer(&batch) {
            refused |= answer.is_refusal();
            serde_json::to_writer(&mut out, &answer).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        batch.clear();
        bytes = 0;
        if !more {
            break;
        }
    }
    import.finish()?;
    Ok(if refused {
        ExitCode::Failure
    } else {
        ExitCode::Done
    })
}

fn told(invocation: &Invocation, json: bool, dry_run: bool, report: &Report) -> Ending {
    let output = &invocation.output;
    if json {
        print_json(output, &Envelope::Data(report))?;
        return Ok(ExitCode::Done);
    }
    let mut text = String::new();
    for item in &report.items {
        let status = item.memory.as_deref().or(item.status).unwrap_or("-");
        // A text that is on record already, from elsewhere, is nothing new to anybody.
        let change = if item.status == Some("repeat") {
            "known"
        } else {
            item.change
        };
        text += &format!(
            "{:8} {:14} {}  {}\n",
            change,
            status,
            Shown::line(&item.place),
            Shown::line(&item.summary)
        );
        if let Some(reason) = &item.reason {
            text += &format!("         {}\n", Shown::line(reason));
        }
    }
    output.data(text.as_bytes())?;
    skipped(invocation, &report.skipped);
    output.say(&summed(report, dry_run));
    Ok(ExitCode::Done)
}

fn summed(report: &Report, dry_run: bool) -> String {
    if report.items.is_empty() && report.same == 0 {
        return "nothing was found there to bring in".to_owned();
    }
    let counted = |wanted: &dyn Fn(&Item) -> bool| {
        let met = report.items.iter();
        met.filter(|item| wanted(item)).count()
    };
    if dry_run {
        let would = counted(&|item| matches!(item.change, "new" | "changed"));
        return format!(
            "{would} would come in, {} as they were; nothing was written",
            report.same
        );
    }
    let came = counted(&|item| item.status == Some("new"));
    let known = counted(&|item| item.status == Some("repeat"));
    let line = format!(
        "{came} wait for a review, {} as they were",
        report.same + known
    );
    match came {
        0 => line,
        _ => format!("{line}: taffrail memory review"),
    }
}

fn skipped(invocation: &Invocation, skipped: &[Skipped]) {
    for skipped in skipped {
        let line = format!("not read: {}: {}", skipped.place, skipped.why);
        invocation.output.say(Shown::line(&line).as_str());
    }
}

fn keelson(invocation: &Invocation, app: &App, path: &Path, args: &ImportArgs) -> Ending {
    if args.dry_run {
        return Err(usage("--dry-run is for a folder or a program's files"));
    }
    let report = exchange::import_keelson(app, path)?;
    if args.json {
        print_json(&invocation.output, &Envelope::Data(&report))?;
        return Ok(ExitCode::Done);
    }
    invocation.output.data(keelson_told(&report).as_bytes())?;
    skipped(invocation, &report.skipped);
    Ok(ExitCode::Done)
}

fn keelson_told(report: &KeelsonReport) -> String {
    let mut text = String::new();
    for (name, status) in &report.projects {
        text += &format!("project  {status:6} {}\n", Shown::line(name));
    }
    for item in &report.blocked {
        let reason = item.reason.as_deref().unwrap_or_default();
        text += &format!(
            "blocked  {}  {}\n",
            Shown::line(&item.place),
            Shown::line(reason)
        );
    }
    if report.is_newer {
        text += &format!(
            "its schema {} is newer than what is known: what it added was not read\n",
            report.schema
        );
    }
    text + &format!(
        "{} memories and {} entries of notebooks wait for a review; {} memories were here already, {} blocked, {} rows not read\n",
        report.new,
        report.suggestions,
        report.repeat,
        report.blocked.len(),
        report.unread
    )
}
