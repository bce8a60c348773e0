//! `taffrail memory export`: approved memories as Markdown (REC-12).

use taffrail_app::exchange::{self, Export};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::{Ending, owner};
use crate::cli::ExportArgs;
use crate::output::{Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExportArgs) -> Ending {
    let app = invocation.open()?;
    let export = exchange::export(&app, args.folder.as_deref(), owner(&args.scope))?;
    let output = &invocation.output;
    if args.json {
        print_json(output, &Envelope::Data(export))?;
    } else {
        output.data(told(&export).as_bytes())?;
        for skipped in &export.skipped {
            let line = format!("left out {}: {}", skipped.place, skipped.why);
            output.say(Shown::line(&line).as_str());
        }
    }
    Ok(ExitCode::Done)
}

fn told(export: &Export) -> String {
    let mut text = String::new();
    for name in &export.written {
        text += &format!("written  {}\n", Shown::line(name));
    }
    for name in &export.removed {
        text += &format!("removed  {}\n", Shown::line(name));
    }
    let folder = export.folder.display().to_string();
    text + &format!(
        "{} written, {} removed, {} as they were, in {}\n",
        export.written.len(),
        export.removed.len(),
        export.same,
        Shown::line(&folder)
    )
}
