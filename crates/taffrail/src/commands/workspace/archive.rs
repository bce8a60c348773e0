//! `taffrail workspace archive`

use taffrail_app::workspaces;
use taffrail_domain::ExitCode;

use super::Ending;
use super::words::named;
use crate::cli::WorkspaceArchiveArgs;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &WorkspaceArchiveArgs) -> Ending {
    let app = invocation.open()?;
    let view = workspaces::archive(&app, &args.workspace, args.undo)?;
    let output = &invocation.output;
    let done = match args.undo {
        true => "takes proposals again",
        false => "is archived and takes no more proposals",
    };
    output.say(&format!("{} {done}", named(&view)));
    if !args.undo && view.row.waiting > 0 {
        let (count, id) = (view.row.waiting, view.row.id);
        output.say(&format!("{count} still to review"));
        output.say(&format!("hint: taffrail workspace review {id}"));
    }
    Ok(ExitCode::Done)
}
