//! `taffrail box …`

mod ask;
mod ending;
mod enter;
mod land;
mod list;
mod review;
mod run;
mod words;

pub use ask::ask as ask_line;
pub use ending::{Over, ending};
pub use words::{
    changes as change_lines, checkout as checkout_words, enforced as enforced_lines, network,
    totals,
};

use taffrail_app::App;
use taffrail_app::boxes::{discard, sweep};
use taffrail_domain::ExitCode;

use super::Ending;
use crate::cli::{BoxArgs, BoxCommand, LandArgs, NamedArgs, ReviewArgs};
use crate::failure::Failure;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &BoxArgs) -> Ending {
    let app = open(invocation)?;
    match &args.command {
        None => run::run(invocation, &app, &args.run),
        Some(BoxCommand::List { all, json }) => list::run(invocation, &app, *all, *json),
        Some(BoxCommand::Enter(enter)) => enter::run(invocation, &app, enter),
        Some(BoxCommand::Review(review)) => review::run(invocation, &app, review),
        Some(BoxCommand::Land(land)) => land::run(invocation, &app, land),
        Some(BoxCommand::Discard(named)) => throw_away(invocation, &app, named),
    }
}

/// What a run changed, of a box or of an agent that was driven.
pub fn review(invocation: &Invocation, args: &ReviewArgs) -> Ending {
    review::run(invocation, &open(invocation)?, args)
}

/// Makes a branch of what a run changed, of a box or of an agent that was driven.
pub fn land(invocation: &Invocation, args: &LandArgs) -> Ending {
    land::run(invocation, &open(invocation)?, args)
}

/// Throws away what a run changed, of a box or of an agent that was driven.
pub fn discard(invocation: &Invocation, args: &NamedArgs) -> Ending {
    throw_away(invocation, &open(invocation)?, args)
}

/// Opens the home and says what a killed taffrail had left there.
pub fn open(invocation: &Invocation) -> Result<App, Failure> {
    let app = invocation.open()?;
    for swept in sweep::sweep(&app)? {
        invocation.output.say(&words::swept(&swept));
    }
    Ok(app)
}

fn throw_away(invocation: &Invocation, app: &App, args: &NamedArgs) -> Ending {
    let reviewed = discard::by_name(app, &args.name)?;
    invocation
        .output
        .say(&format!("{} is discarded", words::name(&reviewed.row.name)));
    Ok(ExitCode::Done)
}
