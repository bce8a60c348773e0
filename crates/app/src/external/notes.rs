//! The odd things of a conversation, as a person reads them: in the run's lines, its record and its events.

use taffrail_acp::{Facts, Note, NoteKind};

/// What was odd, in a sentence.
pub(super) fn sentence(note: &Note) -> String {
    let what = match note.kind {
        NoteKind::Junk => "the agent printed a line that is no message",
        NoteKind::Dropped => "of a message of the agent only the envelope was read",
        NoteKind::Mended => "a message of the agent was no valid text",
        NoteKind::UnknownAnswer => "the agent answered what nobody asked",
        NoteKind::UnknownNotification => "the agent told of something that is not known",
        NoteKind::UnknownUpdate => "the agent sent an update of a kind that is not known",
        NoteKind::OddUpdate => "the agent sent an update that lacks what it must have",
        NoteKind::OtherSession => "the agent sent an update of another session",
        NoteKind::OutsideTurn => "the agent sent an update when nothing went on",
        NoteKind::ChildSession => "the agent opened a session of its own",
        NoteKind::RequestWithdrawn => "the agent withdrew a request",
        NoteKind::ToolCut => "a tool call grew past what is kept of it",
        NoteKind::OddUsage => "the agent told tokens or a cost that cannot be",
        NoteKind::AuthNotOffered => "the agent does not offer this way to sign in",
        NoteKind::SettingFailed => "the agent does not have the setting that was asked for",
        NoteKind::ModeChanged => "the agent changed its mode",
        NoteKind::LateEvent => "something was decided when nobody waited for it any more",
    };
    match note.detail.as_str() {
        "" => what.to_owned(),
        detail => format!("{what}: {detail}"),
    }
}

/// That an agent with several modes was left in the one that it chose; none where it has one, or was told which.
pub(super) fn own_mode(facts: &Facts) -> Option<String> {
    let now = facts.mode.effective.as_deref()?;
    let several = facts.mode.requested.is_none() && facts.modes.len() > 1;
    several.then(|| {
        format!(
            "the agent is in its own mode {now}, of {}: `mode` in its entry names the one that asks the most",
            facts.modes.join(", ")
        )
    })
}
