//! Puts a question on record.

use taffrail_domain::{Millis, QuestionId, RunId};
use taffrail_policy::{Fingerprinted, action_bytes, fingerprint};
use taffrail_store::NewQuestion;

use super::{Asking, Question, UNATTENDED_WAIT, View};
use crate::context::random;
use crate::{App, AppError};

/// Puts a question on record, open. `somebody_sits_there`: an approver will show it, so that it waits without limit; else
/// it expires after [`UNATTENDED_WAIT`], and only the inbox can answer it.
///
/// # Errors
/// `Random`; `NoProcessTable`; what the store can give.
pub fn put(
    app: &App,
    run: &RunId,
    asking: &Asking,
    somebody_sits_there: bool,
) -> Result<Question, AppError> {
    let now = app.inputs.clock.now();
    let question = Question {
        id: QuestionId::new(now.0.unsigned_abs(), random()?),
        run: *run,
        fingerprint: print(run, asking, random()?),
        risk: asking.risk,
        destructive: asking.destructive,
        may_grant: asking.may_grant,
        view: View::of(asking),
    };
    let clean = question.view.clean(&app.redactor);
    app.store.ask_question(&NewQuestion {
        id: question.id,
        run: question.run,
        fingerprint: question.fingerprint,
        risk: question.risk,
        destructive: question.destructive,
        may_grant: question.may_grant,
        shown: &app.redactor.clean(&clean.text()),
        details: &question.view.to_row(&app.redactor),
        expires_at: (!somebody_sits_there).then(|| later(now)),
        owner: &App::owner()?,
    })?;
    Ok(question)
}

/// The end of the wait for somebody who may not be there.
pub(super) fn later(now: Millis) -> Millis {
    let wait = i64::try_from(UNATTENDED_WAIT.as_millis()).unwrap_or(i64::MAX);
    Millis(now.0.saturating_add(wait))
}

fn print(run: &RunId, asking: &Asking, nonce: [u8; 16]) -> [u8; 32] {
    let details = details(asking);
    let details: Vec<&[u8]> = details.iter().map(Vec::as_slice).collect();
    let offered: &[&str] = match asking.may_grant {
        true => &["yes", "edits", "no"],
        false => &["yes", "no"],
    };
    fingerprint(&Fingerprinted {
        session: run.bytes(),
        request: &asking.request,
        risk: asking.risk,
        destructive: asking.destructive,
        action: &action_bytes(&asking.action),
        details: &details,
        cwd: &asking.cwd,
        offered,
        nonce,
    })
}

/// What else is shown. A text that is missing is told from an empty one by its first byte.
fn details(asking: &Asking) -> Vec<Vec<u8>> {
    let some = |text: &str| [b"+", text.as_bytes()].concat();
    let maybe = |text: Option<&str>| text.map_or_else(|| b"-".to_vec(), some);
    let mut details = vec![
        some(&asking.agent),
        maybe(asking.title.as_deref()),
        maybe(asking.kind.as_deref()),
        // Edits and what follows them are one list: this says where the one ends.
        asking.edits.len().to_string().into_bytes(),
    ];
    for edit in &asking.edits {
        details.push(some(&edit.path));
        details.push(maybe(edit.old.as_deref()));
        details.push(some(&edit.new));
    }
    details.extend(asking.beside.iter().map(|call| some(call)));
    details
}
