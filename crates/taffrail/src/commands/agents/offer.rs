//! The gates at a terminal: the switch of all agents is offered once to the person who sits there.

use taffrail_app::App;
use taffrail_app::external::gates::{self, Asked, Passed};
use taffrail_text::Shown;

use crate::commands::ask_line;
use crate::failure::Failure;
use crate::startup::Invocation;

/// Goes through the gates. Where only the switch of all agents is in the way, a person at a terminal is asked for it,
/// once per home, and what they say yes to is written into their own file.
///
/// # Errors
/// The first gate that is shut.
pub fn pass(
    invocation: &Invocation,
    app: &mut App,
    id: &str,
    asked: &Asked,
) -> Result<Passed, Failure> {
    let error = match gates::pass(app, id, asked) {
        Ok(passed) => return Ok(passed),
        Err(error) => error,
    };
    let can_offer = invocation.output.can_ask() && !asked.unattended;
    if !can_offer || !gates::may_offer(app, &error)? || !wants(invocation, app)? {
        return Err(error.into());
    }
    gates::enable(app)?;
    let file = app.home.config().display().to_string();
    let line = format!("external_agents.enabled = true in {}", Shown::line(&file));
    invocation.output.say(&line);
    Ok(gates::pass(app, id, asked)?)
}

/// The question and its answer; only `y` and `yes` are a yes. That it was asked is on record first.
fn wants(invocation: &Invocation, app: &App) -> Result<bool, Failure> {
    gates::offered(app)?;
    let output = &invocation.output;
    output.say("foreign agents are switched off in your configuration");
    output.say("they run in a disposable checkout, sandboxed, and ask you before they act");
    let answer = ask_line(output, "switch them on? [y/N]")?.unwrap_or_default();
    let answer = answer.trim().to_ascii_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}
