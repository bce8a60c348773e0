//! What is said to an agent whose final text holds no result document: once, and bounded (FA-05).

use super::ResultFault;
use crate::external::prompt::RESULT_SCHEMA;

/// Characters of a reason that are said back.
const WHY: usize = 200;

/// The prompt of the one repair turn.
pub fn repair_prompt(fault: &ResultFault) -> String {
    let why: String = fault.to_string().chars().take(WHY).collect();
    let why = taffrail_text::Shown::line(&why).into_string();
    format!(
        "Your last message cannot be taken as the result of the task: {why}.\n\
         Do no further work and call no tools. Answer with one JSON object and nothing after it:\n\n{RESULT_SCHEMA}"
    )
}
