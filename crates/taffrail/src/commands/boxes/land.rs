//! `taffrail box land NAME`: a person at a terminal types the hash and the name of each flag.

use std::collections::BTreeSet;

use taffrail_app::boxes::decide::{self, LandRequest};
use taffrail_app::boxes::review::{self, Reviewed};
use taffrail_app::{App, AppError};
use taffrail_domain::{ExitCode, Flag};

use super::{ask, words};
use crate::cli::LandArgs;
use crate::commands::Ending;
use crate::failure::Failure;
use crate::output::Colour;
use crate::startup::Invocation;

/// What was said on the command line.
#[derive(Default)]
pub struct Wishes {
    confirmed: BTreeSet<Flag>,
    branch: Option<String>,
    message: Option<String>,
}

pub fn run(invocation: &Invocation, app: &App, args: &LandArgs) -> Ending {
    let wishes = Wishes {
        confirmed: args.confirm.iter().copied().collect(),
        branch: args.branch.clone(),
        message: args.message.clone(),
    };
    with_questions(invocation, app, &args.name, &wishes)?;
    Ok(ExitCode::Done)
}

/// Shows what would land, asks, lands.
pub fn with_questions(
    invocation: &Invocation,
    app: &App,
    name: &str,
    wishes: &Wishes,
) -> Result<(), Failure> {
    let output = &invocation.output;
    let reviewed = review::find(app, name)?;
    let request = LandRequest {
        typed: String::new(),
        confirmed: wishes.confirmed.clone(),
        branch: wishes.branch.clone(),
        message: wishes.message.clone(),
    };
    decide::may_be_asked(app, &reviewed).map_err(|error| look(&reviewed, error))?;
    if !output.can_ask() {
        return Err(AppError::NeedsTerminal.into());
    }
    let Some(report) = reviewed.report() else {
        return Ok(());
    };
    let warning = words::unfinished(&reviewed.row);
    warning.iter().for_each(|line| {
        output.say(&output.paint_talk().with(Colour::Warn, line));
    });
    output.say(&words::totals(&report));
    words::changes(&report, output.paint_talk(), true)
        .iter()
        .for_each(|line| output.say(line));
    let Some(change) = &reviewed.change else {
        return Ok(());
    };
    let open = decide::unconfirmed(change, &request.confirmed);
    let confirmed = ask::flags(output, &open)?;
    let missing: Vec<_> = open
        .into_iter()
        .filter(|flag| !confirmed.contains(flag))
        .collect();
    if !missing.is_empty() {
        return Err(look(&reviewed, decide::not_confirmed(change, missing)));
    }
    let typed = ask::confirmation(output, &report.hash.confirmation())?;
    let request = LandRequest {
        typed,
        confirmed: request.confirmed.union(&confirmed).copied().collect(),
        ..request
    };
    let landed = decide::land(app, &reviewed, &request).map_err(|error| look(&reviewed, error))?;
    let commit: String = landed.commit.as_str().chars().take(10).collect();
    output.say(&format!(
        "landed as branch {} at {commit}",
        words::name(&landed.branch)
    ));
    output.say(&format!(
        "hint: git log -p -1 {0}, then git merge {0}",
        words::name(&landed.branch)
    ));
    Ok(())
}

/// A refusal that points at the run's own review, where what was refused is seen.
fn look(reviewed: &Reviewed, error: AppError) -> Failure {
    let seen = matches!(
        error,
        AppError::HashMismatch { .. }
            | AppError::Binary(_)
            | AppError::Flagged(_)
            | AppError::ChangeRefused(_)
    );
    let failure = Failure::from(error);
    if seen {
        let row = &reviewed.row;
        return failure.hinting(words::command(row.kind, "review", &row.name));
    }
    failure
}
