//! The switch of all agents, offered once to a person at a terminal.

use taffrail_domain::ErrorCode;

use crate::external::registry::edit;
use crate::memory::gate::person_only;
use crate::{App, AppError};

/// Says that the person was asked: the switch is offered once per home.
const SETTING: &str = "external_agents_offered";

/// Whether an error is one that switching foreign agents on would take away, and nobody was asked for it yet.
///
/// # Errors
/// As for every read of the database.
pub fn may_offer(app: &App, error: &AppError) -> Result<bool, AppError> {
    let is_off = error.code() == ErrorCode::ExternalOff;
    Ok(is_off && app.store.setting(SETTING)?.is_none())
}

/// Puts on record that the person was asked, whatever they said.
///
/// # Errors
/// As for every write of the database.
pub fn offered(app: &App) -> Result<(), AppError> {
    Ok(app
        .store
        .set_setting(SETTING, &app.redactor.clean("asked"))?)
}

/// Switches foreign agents on in the user's file, and in this application. Only what a person typed at a terminal may
/// call this.
///
/// # Errors
/// `AgentPresent` where an agent stands above this process; `ConfigInvalid` where the file is written in a way that
/// nothing can be put into it safely; it is as it was then.
pub fn enable(app: &mut App) -> Result<(), AppError> {
    person_only(app)?;
    let config = edit::switch_on(app)?;
    app.config = config;
    Ok(())
}
