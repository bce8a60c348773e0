//! `taffrail agents external show RUN`: the record of a run.

use crate::cli::{ExternalShowArgs, ReviewArgs};
use crate::commands::{Ending, boxes};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalShowArgs) -> Ending {
    let review = ReviewArgs {
        name: args.run.clone(),
        stat: false,
        record: !args.json,
        json: args.json,
    };
    boxes::review(invocation, &review)
}
