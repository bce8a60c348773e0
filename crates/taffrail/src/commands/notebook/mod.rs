//! `taffrail notebook show|edit|append|suggestions|tidy|undo|history|restore`

mod suggestions;
pub mod words;

use serde::Serialize;
use taffrail_app::memory::gate;
use taffrail_app::notebook::{self, Changed, Edited, NewEntry, Standing};
use taffrail_app::{App, AppError};
use taffrail_domain::{Channel, ErrorCode, ExitCode, Source};
use taffrail_store::ProjectRow;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{NotebookArgs, NotebookCommand};
use crate::failure::Failure;
use crate::output::{Envelope, Moment, Table, print_json, timestamp};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &NotebookArgs) -> Ending {
    let app = invocation.open()?;
    let project = app.required_project(args.project.as_deref())?;
    let at = At {
        invocation,
        app: &app,
        project: &project,
    };
    match &args.command {
        NotebookCommand::Show { view, json } => at.show(*view, *json),
        NotebookCommand::Edit => at.edit(),
        NotebookCommand::Append {
            text,
            section,
            json,
        } => at.append(section, text, *json),
        NotebookCommand::Suggestions { json } => suggestions::run(&at, *json),
        NotebookCommand::Tidy => at.tidy(),
        NotebookCommand::Undo => {
            at.person()?;
            let changed = notebook::undo(at.app, at.project)?;
            at.changed(&changed, "there is no change to take back")
        }
        NotebookCommand::History { limit, json } => at.history(*limit, *json),
        NotebookCommand::Restore { version } => {
            at.person()?;
            let restored = notebook::restore(at.app, at.project, *version);
            let changed = restored.map_err(no_such_version)?;
            at.changed(&changed, "that is how it is already")
        }
    }
}

pub const fn wants_json(args: &NotebookArgs) -> bool {
    match &args.command {
        NotebookCommand::Show { json, .. }
        | NotebookCommand::Append { json, .. }
        | NotebookCommand::Suggestions { json }
        | NotebookCommand::History { json, .. } => *json,
        NotebookCommand::Edit
        | NotebookCommand::Tidy
        | NotebookCommand::Undo
        | NotebookCommand::Restore { .. } => false,
    }
}

/// A revision that is not there is found in the history.
fn no_such_version(error: AppError) -> Failure {
    let is_missing = error.code() == ErrorCode::NotFound;
    let failure = Failure::from(error);
    if is_missing {
        failure.hinting("taffrail notebook history")
    } else {
        failure
    }
}

/// One command on the notebook of one project.
struct At<'a> {
    invocation: &'a Invocation,
    app: &'a App,
    project: &'a ProjectRow,
}

#[derive(Serialize)]
struct Document<'a> {
    project: &'a str,
    version: u64,
    at: Option<Moment>,
    content: &'a str,
    view: &'a str,
    injected_characters: usize,
    budget: usize,
    left_out: usize,
    left_out_characters: usize,
    /// Why no turn is given the text, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'a str>,
}

#[derive(Serialize)]
struct Appended {
    entered: bool,
    version: Option<u64>,
    suggestion: Option<String>,
}

#[derive(Serialize)]
struct Revision {
    version: u64,
    made_by: &'static str,
    bytes: u64,
    at: Moment,
}

impl At<'_> {
    /// What changes the document is done by a person at a terminal.
    fn person(&self) -> Result<(), Failure> {
        if !self.at_terminal() {
            let what = "only a person at a terminal changes a notebook";
            return Err(Failure::new(ErrorCode::NeedsTerminal, what));
        }
        Ok(gate::person_only(self.app)?)
    }

    const fn at_terminal(&self) -> bool {
        self.invocation.output.stdin_is_terminal && self.invocation.output.stdout_is_terminal
    }

    fn say(&self, line: &str) {
        self.invocation.output.say(line);
    }

    fn show(&self, view: bool, json: bool) -> Ending {
        let shown = notebook::show(self.app, self.project)?;
        let withheld = match &shown.standing {
            Standing::Withheld { why } => Some(why.as_str()),
            Standing::Vouched | Standing::Unprotected => None,
        };
        if json {
            let document = Document {
                project: &self.project.name,
                version: shown.row.version,
                at: shown.row.at.map(Moment),
                content: &shown.row.content,
                view: &shown.view.text,
                injected_characters: shown.injected,
                budget: shown.budget,
                left_out: shown.view.left_out,
                left_out_characters: shown.view.left_out_characters,
                withheld,
            };
            print_json(&self.invocation.output, &Envelope::Data(document))?;
            return Ok(ExitCode::Done);
        }
        let text = if view {
            &shown.view.text
        } else {
            &shown.row.content
        };
        self.document(text)?;
        self.say(&words::state(&self.project.name, &shown));
        if let Some(line) = words::standing(&shown.standing) {
            self.say(&line);
        }
        Ok(ExitCode::Done)
    }

    /// Escaped on a terminal, as it is for a program.
    fn document(&self, text: &str) -> std::io::Result<()> {
        let mut out = if self.invocation.output.stdout_is_terminal {
            Shown::block(text).into_string()
        } else {
            text.to_owned()
        };
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        self.invocation.output.data(out.as_bytes())
    }

    fn edit(&self) -> Ending {
        self.person()?;
        let shown = notebook::show(self.app, self.project)?;
        if let Standing::Withheld { why } = &shown.standing {
            let why = Shown::line(why);
            self.say(&format!("read all of it before you save it: {why}"));
        }
        match notebook::edit(self.app, self.project)? {
            Edited::Unchanged => self.say("nothing was changed"),
            Edited::Vouched(version) => self.say(&format!(
                "version {version} is taken as you saw it, and given to turns again"
            )),
            Edited::Saved(version) => self.say(&format!("saved as version {version}")),
            Edited::Stale { found, yours, kept } => {
                let both = words::both(&self.invocation.output.paint(), &found.content, &yours);
                self.invocation.output.data(both.as_bytes())?;
                let kept = kept.display();
                let what = format!(
                    "the notebook was changed meanwhile, it is at version {}; your text is kept in {kept}",
                    found.version
                );
                let hint = "taffrail notebook edit, then bring in what is yours";
                return Err(Failure::new(ErrorCode::Conflict, &what).hinting(hint));
            }
        }
        Ok(ExitCode::Done)
    }

    fn append(&self, section: &str, text: &str, json: bool) -> Ending {
        let by_person = self.at_terminal() && gate::person_only(self.app).is_ok();
        let answer = if by_person {
            let version = notebook::append(self.app, self.project, section, text)?;
            Appended {
                entered: true,
                version: Some(version),
                suggestion: None,
            }
        } else {
            Appended {
                entered: false,
                version: None,
                suggestion: Some(self.suggest(section, text)?),
            }
        };
        if json {
            print_json(&self.invocation.output, &Envelope::Data(answer))?;
            return Ok(ExitCode::Done);
        }
        match answer.suggestion {
            Some(id) => {
                self.say(&format!(
                    "no person at a terminal: the entry waits as {id}, in no prompt until a person accepts it"
                ));
                self.say("hint: taffrail notebook suggestions");
            }
            None => self.say(&format!(
                "saved as version {}",
                answer.version.unwrap_or_default()
            )),
        }
        Ok(ExitCode::Done)
    }

    /// Who is at the other end cannot be told, so it is no operator's door.
    fn suggest(&self, section: &str, entry: &str) -> Result<String, Failure> {
        let source = Source {
            runtime: "cli".to_owned(),
            ..Source::default()
        };
        let new = NewEntry {
            section,
            entry,
            channel: Channel::External,
            source: &source,
        };
        Ok(notebook::suggest(self.app, self.project, &new)?.short())
    }

    fn tidy(&self) -> Ending {
        self.person()?;
        let (moved, changed) = notebook::tidy(self.app, self.project)?;
        if let Changed::To(version) = changed {
            let entries = words::entries(moved);
            self.say(&format!(
                "{entries} moved to the archive, saved as version {version}"
            ));
            self.say("hint: taffrail notebook undo takes it back");
        } else {
            self.say(
                "nothing to move: what a turn is given fits, or only the newest entries are left",
            );
        }
        Ok(ExitCode::Done)
    }

    fn changed(&self, changed: &Changed, nothing: &str) -> Ending {
        match changed {
            Changed::To(version) => self.say(&format!("saved as version {version}")),
            Changed::Nothing => self.say(nothing),
        }
        Ok(ExitCode::Done)
    }

    fn history(&self, limit: u32, json: bool) -> Ending {
        let rows = notebook::history(self.app, self.project, limit)?;
        if json {
            let lines = rows.iter().map(|row| Revision {
                version: row.version,
                made_by: row.made_by.name(),
                bytes: row.bytes,
                at: row.at.into(),
            });
            let lines: Vec<Revision> = lines.collect();
            print_json(&self.invocation.output, &Envelope::Data(lines))?;
            return Ok(ExitCode::Done);
        }
        if rows.is_empty() {
            self.say("nobody has written in this notebook yet");
            return Ok(ExitCode::Done);
        }
        let mut table = Table::new(["version", "made by", "bytes", "when"]);
        for row in &rows {
            table.row([
                row.version.to_string(),
                row.made_by.name().to_owned(),
                row.bytes.to_string(),
                timestamp(row.at),
            ]);
        }
        self.invocation.output.data(table.render().as_bytes())?;
        Ok(ExitCode::Done)
    }
}
