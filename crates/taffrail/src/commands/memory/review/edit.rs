//! Changing a memory's text in the person's editor. The new text waits for its own confirmation.

use taffrail_app::memory::{Candidate, edit as texts, text_to_review};
use taffrail_domain::ErrorCode;
use taffrail_memory::review::{Key, Surface};
use taffrail_text::Shown;

use super::{GoOn, Session};
use crate::failure::Failure;

/// Opens the text; the changed one is shown again before anything is decided on it.
pub fn edit(session: &mut Session<'_>, candidate: &Candidate) -> Result<Option<GoOn>, Failure> {
    let text = text_to_review(&candidate.row);
    let Some(changed) = texts::in_editor(session.app, text)? else {
        session.say("the text is as it was");
        return Ok(None);
    };
    match session
        .reviewer
        .edit(candidate, &changed, Key::pressed(Surface::Terminal))
    {
        Ok(()) => {
            session.say("the new text waits for your decision");
            Ok(Some(GoOn::Again))
        }
        Err(error) if matches!(error.code(), ErrorCode::MemoryBlocked | ErrorCode::Conflict) => {
            session.say(Shown::line(&error.to_string()).as_str());
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
