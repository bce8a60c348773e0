//! What another program's session is given at its start, and what is done at its end.
//!
//! The program tells of its session as JSON on standard input, and puts what it is answered before its model. So only what
//! a person approved is in the answer, framed as data; and whatever goes wrong here must not be felt there.

mod start;
mod told;

use taffrail_store::Closure;

use crate::context::find_home;
use crate::{App, AppError, AppInputs};

pub use start::CONTEXT_CHARACTERS;
pub use told::{TOLD_BYTES, Told};

/// What is put before the model of a session that begins here; none where this machine has no home of ours yet: a hook
/// makes none.
///
/// # Errors
/// What opening the home and reading it can give. A hook says so to nobody but its own error stream.
pub fn session_start(inputs: AppInputs, told: &Told) -> Result<Option<String>, AppError> {
    match open(inputs, told)? {
        Some(app) => start::context(&app, told.session_id.as_deref()).map(Some),
        None => Ok(None),
    }
}

/// Closes the slate that the session has open under its own id; none where it has none.
///
/// # Errors
/// What opening the home and closing can give.
pub fn session_end(inputs: AppInputs, told: &Told) -> Result<Option<Closure>, AppError> {
    let Some(session) = told.session_id.as_deref() else {
        return Ok(None);
    };
    match open(inputs, told)? {
        Some(app) => app.close_slate_of_session(session),
        None => Ok(None),
    }
}

/// The application in the folder of the session, which the program may name better than its own process does.
fn open(mut inputs: AppInputs, told: &Told) -> Result<Option<App>, AppError> {
    if !find_home(&inputs)?.root().is_dir() {
        return Ok(None);
    }
    let folder = told.cwd.as_ref().and_then(|cwd| cwd.canonicalize().ok());
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        inputs.cwd = folder;
    }
    App::open(inputs).map(Some)
}
