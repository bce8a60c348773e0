//! `taffrail workspace dismiss`

use taffrail_app::workspaces;
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::DismissArgs;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &DismissArgs) -> Ending {
    let app = invocation.open()?;
    let row = workspaces::dismiss(&app, &args.unbound, args.undo)?;
    let (output, id) = (&invocation.output, row.id);
    if args.undo {
        output.say(&format!("{id} waits again"));
        output.say(&format!("hint: taffrail workspace bind {id}"));
    } else {
        output.say(&format!("{id} is dismissed; its seeds are kept"));
        output.say(&format!("hint: taffrail workspace dismiss {id} --undo"));
    }
    Ok(ExitCode::Done)
}
