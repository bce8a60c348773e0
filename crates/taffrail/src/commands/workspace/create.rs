//! `taffrail workspace create`

use taffrail_app::workspaces;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use super::words::{WorkspaceLine, named};
use crate::cli::WorkspaceCreateArgs;
use crate::commands::memory::owner;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &WorkspaceCreateArgs) -> Ending {
    let app = invocation.open()?;
    let view = workspaces::create(&app, &args.title, owner(&args.scope))?;
    if args.json {
        let line = WorkspaceLine::of(&view);
        print_json(&invocation.output, &Envelope::Data(line))?;
        return Ok(ExitCode::Done);
    }
    let whose = match &view.project {
        Some(project) => format!("of {}", Shown::line(project)),
        None => "personal".to_owned(),
    };
    invocation.output.say(&format!("{}, {whose}", named(&view)));
    Ok(ExitCode::Done)
}
