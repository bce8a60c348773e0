//! `taffrail box enter NAME [-- CMD…]`

use taffrail_app::App;
use taffrail_app::boxes::{enter, review};
use taffrail_domain::{Ended, ExitCode};

use super::words;
use crate::cli::EnterArgs;
use crate::commands::Ending;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, app: &App, args: &EnterArgs) -> Ending {
    let output = &invocation.output;
    let reviewed = review::find(app, &args.name)?;
    let entered = enter::enter(app, &reviewed, &args.command, &mut |enforcement| {
        words::enforced(enforcement, output.paint_talk())
            .iter()
            .for_each(|line| output.say(line));
    });
    output.plain_screen();
    let entered = entered?;
    output.say(&format!(
        "box {}: {}",
        words::name(&reviewed.row.name),
        words::totals(&entered.change)
    ));
    words::changes(&entered.change, output.paint_talk(), false)
        .iter()
        .for_each(|line| output.say(line));
    output.say(&format!(
        "hint: taffrail box review {}",
        words::name(&reviewed.row.name)
    ));
    Ok(if entered.ended == Ended::Exited(0) {
        ExitCode::Done
    } else {
        ExitCode::Failure
    })
}
