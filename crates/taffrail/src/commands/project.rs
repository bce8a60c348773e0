//! `taffrail project add|list|show|rename|rm`

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::projects::{self, Added, ProjectView};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_store::{Holdings, ProjectRow};
use taffrail_text::Shown;

use super::{Ending, ask_line};
use crate::cli::{ProjectArgs, ProjectCommand};
use crate::failure::Failure;
use crate::output::{Colour, Envelope, Moment, Table, ago, print_json, timestamp};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ProjectArgs) -> Ending {
    let app = invocation.open()?;
    match &args.command {
        ProjectCommand::Add { path, name, json } => {
            let added = projects::add(&app, path.as_deref(), name.as_deref())?;
            add(invocation, &added, *json)
        }
        ProjectCommand::List { json } => list(invocation, &app, *json),
        ProjectCommand::Show { name, json } => {
            let view = projects::show(&app, name.as_deref())?;
            show(invocation, &view, *json)
        }
        ProjectCommand::Rename { old, new } => {
            projects::rename(&app, old, new)?;
            let (old, new) = (Shown::line(old), Shown::line(new));
            invocation.output.say(&format!("{old} is now {new}"));
            Ok(ExitCode::Done)
        }
        ProjectCommand::Rm { name, yes } => remove(invocation, &app, name, *yes),
    }
}

pub const fn wants_json(args: &ProjectArgs) -> bool {
    match &args.command {
        ProjectCommand::Add { json, .. }
        | ProjectCommand::List { json }
        | ProjectCommand::Show { json, .. } => *json,
        ProjectCommand::Rename { .. } | ProjectCommand::Rm { .. } => false,
    }
}

#[derive(Serialize)]
struct Line<'a> {
    project: String,
    name: &'a str,
    roots: Vec<Root>,
    created: Moment,
}

#[derive(Serialize)]
struct Root {
    root: String,
    common_dir: Option<String>,
    gone: bool,
}

#[derive(Serialize)]
struct AddedLine<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    project: Line<'a>,
}

#[derive(Serialize)]
struct ViewLine<'a> {
    #[serde(flatten)]
    project: Line<'a>,
    memories: u64,
    notebook_revisions: u64,
    suggestions: u64,
    traces: u64,
    workspaces: u64,
    slates: u64,
}

fn add(invocation: &Invocation, added: &Added, json: bool) -> Ending {
    let (row, outcome, said) = match added {
        Added::New(row) => (row, "new", "is registered at"),
        Added::Known(row) => (row, "known", "is registered already, at"),
        Added::Moved { row, .. } => (row, "moved", "lies now at"),
    };
    if json {
        let project = line(row);
        print_json(
            &invocation.output,
            &Envelope::Data(AddedLine { outcome, project }),
        )?;
        return Ok(ExitCode::Done);
    }
    invocation.output.say(&format!(
        "{} {said} {}",
        Shown::line(&row.name),
        places(row)
    ));
    Ok(ExitCode::Done)
}

fn list(invocation: &Invocation, app: &App, json: bool) -> Ending {
    let rows = projects::list(app)?;
    if json {
        let lines: Vec<Line<'_>> = rows.iter().map(line).collect();
        print_json(&invocation.output, &Envelope::Data(lines))?;
        return Ok(ExitCode::Done);
    }
    if rows.is_empty() {
        invocation.output.say("there is no project yet");
        invocation.output.say("hint: taffrail project add");
        return Ok(ExitCode::Done);
    }
    let mut table = Table::new(["name", "project", "since", "where"]);
    for row in &rows {
        table.row([
            Shown::line(&row.name).to_string(),
            row.id.short(),
            ago(row.created_at, invocation.now()),
            places(row),
        ]);
    }
    invocation.output.data(table.render().as_bytes())?;
    Ok(ExitCode::Done)
}

fn show(invocation: &Invocation, view: &ProjectView, json: bool) -> Ending {
    let Holdings {
        memories,
        notebook_revisions,
        suggestions,
        traces,
        workspaces,
        slates,
    } = view.holds;
    if json {
        let line = ViewLine {
            project: line(&view.row),
            memories,
            notebook_revisions,
            suggestions,
            traces,
            workspaces,
            slates,
        };
        print_json(&invocation.output, &Envelope::Data(line))?;
        return Ok(ExitCode::Done);
    }
    let paint = invocation.output.paint();
    let name = Shown::line(&view.row.name);
    let mut text = format!(
        "{} {}\nsince  {}\n",
        paint.with(Colour::Strong, name.as_str()),
        view.row.id,
        timestamp(view.row.created_at)
    );
    for root in &view.row.roots {
        let state = if view.gone.contains(&root.root) {
            "  (gone)"
        } else {
            ""
        };
        text.push_str(&format!("root   {}{state}\n", shown_path(&root.root)));
    }
    text.push_str(&format!("holds  {}\n", held(&view.holds)));
    invocation.output.data(text.as_bytes())?;
    if !view.gone.is_empty() {
        let hint = "a folder is gone: taffrail project add PATH --name";
        invocation.output.say(&format!("hint: {hint} {name}"));
    }
    Ok(ExitCode::Done)
}

fn remove(invocation: &Invocation, app: &App, name: &str, yes: bool) -> Ending {
    let view = projects::show(app, Some(name))?;
    let shown = Shown::line(&view.row.name);
    if !yes {
        if !invocation.output.can_ask() {
            return Err(Failure::new(
                ErrorCode::NeedsTerminal,
                "a person at a terminal must type the project's name",
            )
            .hinting(format!("taffrail project rm {shown} --yes")));
        }
        invocation.output.say(&format!(
            "goes with {shown}: {}; its folder stays as it is",
            held(&view.holds)
        ));
        let question = format!("type {shown} to take it away, all of it:");
        let answer = ask_line(&invocation.output, &question)?.unwrap_or_default();
        if answer.trim() != view.row.name {
            invocation.output.say("nothing is taken away");
            return Ok(ExitCode::Failure);
        }
    }
    let (held_then, is_rewritten) = projects::remove(app, &view.row.id)?;
    invocation
        .output
        .say(&format!("{shown} is gone, with {}", held(&held_then)));
    if !is_rewritten {
        let why = "another process has the database open: its text may still lie in the file";
        invocation.output.say(why);
        invocation.output.say("hint: taffrail doctor --repair");
    }
    Ok(ExitCode::Done)
}

fn line(row: &ProjectRow) -> Line<'_> {
    let roots = row.roots.iter().map(|root| Root {
        root: root.root.display().to_string(),
        common_dir: root
            .common_dir
            .as_ref()
            .map(|path| path.display().to_string()),
        gone: !root.root.is_dir(),
    });
    Line {
        project: row.id.short(),
        name: &row.name,
        roots: roots.collect(),
        created: row.created_at.into(),
    }
}

fn places(row: &ProjectRow) -> String {
    let places = row.roots.iter().map(|root| {
        let gone = if root.root.is_dir() { "" } else { " (gone)" };
        format!("{}{gone}", shown_path(&root.root))
    });
    places.collect::<Vec<_>>().join(", ")
}

fn shown_path(path: &std::path::Path) -> Shown {
    use std::os::unix::ffi::OsStrExt;
    Shown::bytes_line(path.as_os_str().as_bytes())
}

/// `3 memories, 1 notebook revision, 2 suggestions, 0 traces, 1 workspace, 4 closed slates`
fn held(holds: &Holdings) -> String {
    let counted = [
        (holds.memories, "memory", "memories"),
        (
            holds.notebook_revisions,
            "notebook revision",
            "notebook revisions",
        ),
        (holds.suggestions, "suggestion", "suggestions"),
        (holds.traces, "trace", "traces"),
        (holds.workspaces, "workspace", "workspaces"),
        (holds.slates, "closed slate", "closed slates"),
    ];
    let words = counted.map(|(count, one, many)| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    });
    words.join(", ")
}
