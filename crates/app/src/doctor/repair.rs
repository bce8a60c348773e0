//! `taffrail doctor --repair`: mends what can be mended, after a copy, and says what it did.

use taffrail_store::{Mended, Peek, mend_modes};

use crate::context::find_home;
use crate::{App, AppError, AppInputs};

/// Mends the home of this user. Texts and the journal are never changed.
///
/// # Errors
/// `Store`: what cannot even be copied is restored from a backup, not mended.
pub fn repair(inputs: AppInputs) -> Result<Mended, AppError> {
    let home = find_home(&inputs)?;
    let mut mended = Mended::default();
    // First of all: a home that others can reach is not opened.
    let modes = mend_modes(&home)?;
    if modes > 0 {
        mended.done.push(format!(
            "took {modes} file(s) and folder(s) away from others"
        ));
    }
    if Peek::open(&home)?.is_none() {
        return Ok(mended);
    }
    let app = App::open(inputs)?;
    let more = app.store.repair(&app.home)?;
    mended.copy = more.copy;
    mended.done.extend(more.done);
    Ok(mended)
}
