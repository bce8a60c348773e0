//! How an id stands, after what somebody began and did not end is ended.

use taffrail_domain::CloseTrigger;
use taffrail_slate::external::{ExternalId, Slate};
use taffrail_store::{Held, Live};

use super::{Desk, close};
use crate::{App, AppError};

/// What lies under a held id.
pub(super) enum Standing {
    /// An open slate whose generation has no outcome yet.
    Open(Slate),
    /// Nothing.
    Free,
    /// A file that is no slate.
    Damaged {
        /// What is wrong with it.
        why: String,
    },
}

/// Looks at the file of a held id. One whose outcome is on record is moved away first, even where its file does not say so: a
/// seed that went into it would belong to no outcome. Kills and restored backups leave such files.
pub(super) fn standing(
    desk: &Desk,
    app: &App,
    held: &Held<'_>,
    id: &ExternalId,
) -> Result<Standing, AppError> {
    match held.read()? {
        Live::None => Ok(Standing::Free),
        Live::Malformed { why } => Ok(Standing::Damaged { why }),
        Live::Closed(slate) => {
            close::finish(desk, app, held, &slate)?;
            Ok(Standing::Free)
        }
        Live::Open(slate) => {
            let known = app.store.closure_of(desk.project(), id, slate.generation)?;
            if known.is_none() {
                return Ok(Standing::Open(slate));
            }
            close::settle(desk, app, held, slate, CloseTrigger::Close)?;
            Ok(Standing::Free)
        }
    }
}
