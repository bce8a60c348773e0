//! `taffrail trust`: agree to what a project's own file wants to run, by content.

use serde::Serialize;
use taffrail_app::App;
use taffrail_app::trust::{self, Item, Standing};
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_text::Shown;

use super::Ending;
use super::ask_line;
use crate::cli::{TrustArgs, TrustCommand};
use crate::failure::Failure;
use crate::output::{Colour, Envelope, print_json, timestamp};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &TrustArgs) -> Ending {
    let app = invocation.open()?;
    match args.command {
        None => ask(invocation, &app),
        Some(TrustCommand::Show { json }) => show(invocation, &app, json),
        Some(TrustCommand::Revoke) => {
            let count = trust::revoke(&app)?;
            invocation.output.say(match count {
                0 => "there was no agreement to take back",
                _ => "the agreement is taken back",
            });
            Ok(ExitCode::Done)
        }
    }
}

#[derive(Serialize)]
struct Row<'a> {
    item: &'a str,
    content: &'a str,
    standing: &'static str,
}

fn show(invocation: &Invocation, app: &App, json: bool) -> Ending {
    let items = trust::items(app)?;
    if json {
        let rows: Vec<Row<'_>> = items.iter().map(row).collect();
        print_json(&invocation.output, &Envelope::Data(rows))?;
        return Ok(ExitCode::Done);
    }
    if items.is_empty() {
        invocation.output.say("this project wants to run nothing");
    }
    for item in &items {
        invocation
            .output
            .data(describe(invocation, item).as_bytes())?;
    }
    Ok(ExitCode::Done)
}

fn ask(invocation: &Invocation, app: &App) -> Ending {
    let open: Vec<Item> = trust::items(app)?
        .into_iter()
        .filter(|item| !agreed(item))
        .collect();
    if open.is_empty() {
        invocation.output.say("nothing waits for an agreement");
        return Ok(ExitCode::Done);
    }
    if !invocation.output.can_ask() {
        return Err(Failure::new(
            ErrorCode::NeedsTerminal,
            "a person at a terminal must agree",
        ));
    }
    for item in &open {
        invocation.output.say(describe(invocation, item).trim_end());
        let question = "it would run in the sandbox, before the command of a box. agree? type yes:";
        let answer = ask_line(&invocation.output, question)?.unwrap_or_default();
        if answer.trim() == "yes" {
            trust::agree(app, item)?;
            invocation.output.say("agreed, to exactly this text");
        } else {
            invocation.output.say("not agreed; nothing runs");
        }
    }
    Ok(ExitCode::Done)
}

fn describe(invocation: &Invocation, item: &Item) -> String {
    let paint = invocation.output.paint();
    let head = paint.with(Colour::Strong, item.name);
    let content = indented(&item.content, "  + ");
    match &item.standing {
        Standing::New => format!("{head} (new)\n{content}"),
        Standing::Agreed(at) => format!("{head} (agreed {})\n{content}", timestamp(*at)),
        Standing::Changed { was } => format!(
            "{head} (changed since you agreed)\n{}{content}",
            indented(was, "  - ")
        ),
    }
}

fn indented(text: &str, margin: &str) -> String {
    text.lines()
        .map(|line| format!("{margin}{}\n", Shown::line(line)))
        .collect()
}

fn agreed(item: &Item) -> bool {
    matches!(item.standing, Standing::Agreed(_))
}

fn row(item: &Item) -> Row<'_> {
    let standing = match item.standing {
        Standing::New => "new",
        Standing::Agreed(_) => "agreed",
        Standing::Changed { .. } => "changed",
    };
    Row {
        item: item.name,
        content: &item.content,
        standing,
    }
}
