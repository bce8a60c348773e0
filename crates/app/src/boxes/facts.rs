//! What a run's row says about it for reading: the command line, and facts about the preparation as JSON.

use std::ffi::OsString;

use serde::Serialize;
use taffrail_redact::{Clean, Redactor};

use super::plan::{BoxRequest, Plan};
use super::view;

#[derive(Serialize)]
struct Facts<'a> {
    version: &'static str,
    carry: &'a [String],
    include_uncommitted: bool,
    setup: Option<&'a str>,
    quirk_args: &'a [String],
    sandbox_asked: bool,
    bubblewrap: String,
}

/// The facts of a plan.
pub(crate) fn facts(redactor: &Redactor, request: &BoxRequest, plan: &Plan) -> Clean {
    let facts = Facts {
        version: env!("CARGO_PKG_VERSION"),
        carry: &plan.carry,
        include_uncommitted: request.include_uncommitted,
        setup: plan.setup.as_ref().map(|setup| setup.command.as_str()),
        quirk_args: view::quirk_args(plan),
        sandbox_asked: request.sandboxed,
        bubblewrap: plan
            .ladder
            .bwrap
            .as_ref()
            .map_or_else(Clone::clone, |path| path.display().to_string()),
    };
    clean_json(redactor, &facts)
}

/// JSON for a row. What cannot be written as JSON is a fault of ours and shows as `null`.
pub(crate) fn clean_json<T: Serialize>(redactor: &Redactor, value: &T) -> Clean {
    redactor.clean(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
}

/// The command as a person would type it.
pub(crate) fn command_line(redactor: &Redactor, command: &[OsString]) -> Clean {
    let words: Vec<String> = command
        .iter()
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    redactor.clean(&words.join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |at: char| at.is_alphanumeric() || "-_=/.,:@%+".contains(at);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
