//! `taffrail demo`

use taffrail_app::demo::{self, Shown};
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::DemoArgs;
use crate::output::Colour;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &DemoArgs) -> Ending {
    let (output, paint) = (&invocation.output, invocation.output.paint());
    let mut written = Ok(());
    let played = demo::play(&invocation.inputs(), &mut |shown| {
        let sent = match shown {
            Shown::Line(line) => {
                output.data(format!("{}\n", paint.with(Colour::Strong, line)).as_bytes())
            }
            Shown::Terminal(bytes) => output.data(bytes),
        };
        if written.is_ok() {
            written = sent;
        }
    })?;
    written?;
    if args.clean {
        demo::clean(&played)?;
        output.data(b"\nthe throw-away project and home are removed again\n")?;
        return Ok(ExitCode::Done);
    }
    let (project, home, folder) = (
        played.project.display(),
        played.home.display(),
        played.folder.display(),
    );
    let run = &played.run;
    let text = format!(
        "\nwhere everything lies\n\
         \x20 project   {project}  (its files, HEAD and index are as they were; the branch is new)\n\
         \x20 branch    git -C {project} log -p --branches=external\n\
         \x20 record    TAFFRAIL_HOME={home} taffrail agents external show {run}\n\
         \x20 memory    TAFFRAIL_HOME={home} taffrail memory list --all\n\
         \x20 journal   TAFFRAIL_HOME={home} taffrail audit show\n\
         \x20 database  {home}/taffrail.db\n\
         \x20 remove    rm -r {folder}\n"
    );
    output.data(text.as_bytes())?;
    Ok(ExitCode::Done)
}
