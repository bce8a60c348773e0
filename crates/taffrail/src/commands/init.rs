//! `taffrail init --local-state`

use taffrail_app::AppError;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation) -> Ending {
    let inputs = invocation.inputs();
    let home =
        taffrail_store::init_local_state(&inputs.cwd, &inputs.user_home).map_err(AppError::from)?;
    let place = home.root().display().to_string();
    invocation.output.say(&format!(
        "the state of this folder is kept in {}",
        Shown::line(&place)
    ));
    invocation
        .output
        .say("keep it out of git: echo .taffrail/ >> .git/info/exclude");
    Ok(ExitCode::Done)
}
