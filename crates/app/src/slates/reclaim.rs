//! Slates that nobody writes to any more are closed on the next call of their project; there is no timer (XSL-11).

use taffrail_domain::CloseTrigger;
use taffrail_slate::external::ExternalId;
use taffrail_store::Live;

use super::{Desk, close, now};
use crate::{App, AppError};

/// Closes the idle ones but the one that the call addresses. One that somebody else holds is left to the next call, and
/// one that cannot be closed never breaks the call of another id.
pub(super) fn idle_ones(desk: &Desk, app: &App, except: &ExternalId) -> Result<(), AppError> {
    let ttl = app.config.slate.idle_ttl.value.get().as_millis();
    let ttl = i64::try_from(ttl).unwrap_or(i64::MAX);
    let folder = desk.folder();
    let stems = folder.idle(&mut desk.cache(), now(app), ttl, except)?;
    for stem in stems {
        let closed = close_one(desk, app, &stem, ttl);
        if let Err(error) = closed {
            let told = format!("note: the idle slate {stem} could not be closed: {error}");
            app.inputs.ask.tell(&told);
        }
    }
    Ok(())
}

fn close_one(desk: &Desk, app: &App, stem: &str, ttl: i64) -> Result<(), AppError> {
    let folder = desk.folder();
    let Some(held) = folder.try_lock_stem(stem)? else {
        return Ok(());
    };
    match held.read()? {
        // Looked at again under its lock: somebody may have written meanwhile.
        Live::Open(slate) if slate.is_idle(now(app), ttl) => {
            close::settle(desk, app, &held, slate, CloseTrigger::Idle).map(drop)
        }
        Live::Closed(slate) => close::finish(desk, app, &held, &slate).map(drop),
        Live::Open(_) | Live::None | Live::Malformed { .. } => Ok(()),
    }
}
