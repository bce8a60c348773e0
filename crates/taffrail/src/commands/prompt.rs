//! `taffrail prompt show`

use serde::Serialize;
use taffrail_app::notebook::Standing;
use taffrail_app::{App, prompt};
use taffrail_domain::{ErrorCode, ExitCode, Millis};
use taffrail_memory::prompt::Prompt;
use taffrail_text::Shown;

use super::Ending;
use super::notebook::words;
use crate::cli::{PromptArgs, PromptCommand};
use crate::failure::Failure;
use crate::output::{Colour, Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &PromptArgs) -> Ending {
    let PromptCommand::Show {
        query,
        project,
        now,
        json,
    } = &args.command;
    let app = invocation.open()?;
    let now = match now {
        Some(text) => moment(text)?,
        None => invocation.now(),
    };
    let row = app.project_named(project.as_deref())?;
    let turn = prompt::show(&app, row.as_ref(), query.as_deref(), now)?;
    let shown = turn.prompt;
    let withheld = match &turn.standing {
        Some(Standing::Withheld { why }) => Some(why.as_str()),
        Some(Standing::Vouched | Standing::Unprotected) | None => None,
    };
    let project = row.as_ref().map(|row| row.name.as_str());
    if *json {
        let answer = Answer {
            project,
            sha256: shown.hash.to_string(),
            characters: shown.text.chars().count(),
            sections: sections(&app, &shown),
            notebook_withheld: withheld,
        };
        print_json(&invocation.output, &Envelope::Data(answer))?;
        return Ok(ExitCode::Done);
    }
    print(
        invocation,
        project,
        query.is_some(),
        &shown,
        &sections(&app, &shown),
    )?;
    let given = !shown.sections.is_empty();
    let standing = turn.standing.as_ref();
    // What could be done to a notebook that gives nothing is no news.
    let standing = standing.filter(|one| given || !matches!(one, Standing::Unprotected));
    if let Some(line) = standing.and_then(words::standing) {
        invocation.output.say(&line);
    }
    Ok(ExitCode::Done)
}

pub const fn wants_json(args: &PromptArgs) -> bool {
    let PromptCommand::Show { json, .. } = &args.command;
    *json
}

#[derive(Serialize)]
struct Answer<'a> {
    project: Option<&'a str>,
    /// Of the exact bytes, before anything is masked.
    sha256: String,
    characters: usize,
    sections: Vec<Section>,
    /// Why the notebook is in none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    notebook_withheld: Option<&'a str>,
}

#[derive(Serialize)]
struct Section {
    name: &'static str,
    characters: usize,
    masked: bool,
    text: String,
}

/// Masked where something is secret-shaped: a screen is no place for it.
fn sections(app: &App, prompt: &Prompt) -> Vec<Section> {
    let sections = prompt.sections.iter().map(|section| {
        let text = app.redactor.clean(&section.text).into_string();
        Section {
            name: section.name.name(),
            characters: section.characters,
            masked: text != section.text,
            text,
        }
    });
    sections.collect()
}

fn print(
    invocation: &Invocation,
    project: Option<&str>,
    asked: bool,
    prompt: &Prompt,
    sections: &[Section],
) -> std::io::Result<()> {
    let paint = invocation.output.paint();
    let mut out = String::new();
    for section in sections {
        let masked = if section.masked { ", masked here" } else { "" };
        let head = format!(
            "[{}] {} characters{masked}",
            section.name, section.characters
        );
        out.push_str(&format!(
            "{}\n{}\n\n",
            paint.with(Colour::Strong, &head),
            Shown::block(&section.text)
        ));
    }
    // The hash of nothing says nothing.
    if !sections.is_empty() {
        let characters = prompt.text.chars().count();
        out.push_str(&format!(
            "sha256 {}, {characters} characters\n",
            prompt.hash
        ));
    }
    invocation.output.data(out.as_bytes())?;
    match (project, sections.is_empty()) {
        (_, true) => invocation.output.say(&nothing(project, asked)),
        (None, false) => invocation.output.say("no project: personal memories only"),
        (Some(_), false) => {}
    }
    Ok(())
}

/// Recall needs words: without any only the notebook could have been given.
fn nothing(project: Option<&str>, asked: bool) -> String {
    let given = match project {
        Some(name) => format!("a turn in {} is given nothing", Shown::line(name)),
        None => "no project: a turn here is given nothing".to_owned(),
    };
    let hint = match asked {
        true => "",
        false => "\nhint: --query TEXT shows what would be recalled for a text",
    };
    format!("{given}{hint}")
}

fn moment(text: &str) -> Result<Millis, Failure> {
    let moment: jiff::Timestamp = text.parse().map_err(|_| {
        let what = format!("`{text}` is no moment of RFC 3339");
        Failure::new(ErrorCode::Usage, &what).hinting("--now 2026-11-29T20:15:00Z")
    })?;
    Ok(Millis(moment.as_millisecond()))
}
