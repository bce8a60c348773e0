//! What an agent announced beside a question that says nothing by itself: some ask for a yes to all that they are about to do,
//! under an id and a title that no call has. A person sees the calls; the policy still takes the question as it is.

use serde_json::Value;
use taffrail_acp::ToolCall;
use taffrail_domain::Action;

use super::wishes::Wish;

/// Calls that are shown, the last ones.
const CALLS: usize = 8;
/// Bytes of one of them.
const CALL: usize = 2 << 10;
/// Bytes of what the question's own call is given.
const OWN: usize = 16 << 10;
/// The kind of a command.
const EXECUTE: &str = "execute";
/// The states in which a call is over.
const OVER: [&str; 2] = ["completed", "failed"];

/// What the call of a question that cannot be looked into is given, as of a tool that nobody but the agent knows; and, where
/// the question says nothing at all, the calls that were announced and have not ended. One text each.
pub(super) fn beside<'a>(wish: &Wish, calls: impl Iterator<Item = &'a ToolCall>) -> Vec<String> {
    let calls: Vec<&ToolCall> = calls.collect();
    let mut beside = own(wish, &calls);
    beside.extend(others(wish, &calls));
    beside
}

fn own(wish: &Wish, calls: &[&ToolCall]) -> Vec<String> {
    let is_it = |call: &&&ToolCall| {
        wish.tool_call.as_deref() == Some(&call.id) && !call.raw_input.is_null()
    };
    match &wish.action {
        Action::Unknown { .. } if wish.edits.is_empty() => calls
            .iter()
            .find(is_it)
            .map(|call| told(call, OWN))
            .into_iter()
            .collect(),
        Action::Unknown { .. }
        | Action::Read { .. }
        | Action::Write { .. }
        | Action::Shell { .. }
        | Action::Network { .. }
        | Action::Delegate { .. }
        | Action::OwnTool { .. } => Vec::new(),
    }
}

fn others(wish: &Wish, calls: &[&ToolCall]) -> Vec<String> {
    let is_its_own = |call: &&ToolCall| wish.tool_call.as_deref() == Some(&call.id);
    if !says_nothing(wish) || calls.iter().copied().filter(is_its_own).any(tells) {
        return Vec::new();
    }
    let is_over = |call: &&ToolCall| {
        let status = call.status.as_deref().unwrap_or_default();
        OVER.contains(&status) || is_its_own(call)
    };
    let open: Vec<&ToolCall> = calls
        .iter()
        .copied()
        .filter(|call| !is_over(call))
        .collect();
    let first = open.len().saturating_sub(CALLS);
    let last = open.into_iter().skip(first);
    last.map(|call| told(call, CALL))
        .filter(|told| !told.is_empty())
        .collect()
}

/// Whether a question has no more than a title. That of a command is the command, as some tell it.
fn says_nothing(wish: &Wish) -> bool {
    match &wish.action {
        Action::Unknown { paths, .. } => {
            paths.is_empty() && wish.edits.is_empty() && wish.kind.as_deref() != Some(EXECUTE)
        }
        Action::Read { .. }
        | Action::Write { .. }
        | Action::Shell { .. }
        | Action::Network { .. }
        | Action::Delegate { .. }
        | Action::OwnTool { .. } => false,
    }
}

/// Whether a call was told with more than its title.
fn tells(call: &ToolCall) -> bool {
    let told = [&call.raw_input, &call.content, &call.locations];
    told.into_iter().any(|value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    })
}

/// Its title, and what it is called with.
fn told(call: &ToolCall, most: usize) -> String {
    let input = match call.raw_input.is_null() {
        true => String::new(),
        false => call.raw_input.to_string(),
    };
    let all = format!("{}\n{input}", call.title);
    let told = super::text::begin(all.trim(), most);
    match told.len() < all.trim().len() {
        true => format!("{told}…"),
        false => told.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use taffrail_acp::RequestKey;
    use taffrail_domain::Millis;
    use taffrail_store::DecisionSource;

    use super::*;

    fn wish(action: Action) -> Wish {
        Wish {
            request: RequestKey(1),
            source: DecisionSource::Permission,
            action,
            tool_call: Some("confirmation".to_owned()),
            title: Some("Confirm".to_owned()),
            kind: Some("other".to_owned()),
            edits: Vec::new(),
            allow: None,
            reject: None,
            asked_at: Millis(0),
            content: None,
            lines: (None, None),
        }
    }

    fn call(id: &str, status: &str, title: &str, raw_input: Value) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            title: title.to_owned(),
            status: Some(status.to_owned()),
            raw_input,
            ..ToolCall::default()
        }
    }

    fn nothing() -> Action {
        Action::Unknown {
            what: "Confirm".to_owned(),
            paths: Vec::new(),
        }
    }

    #[test]
    fn pol_07_a_question_that_says_nothing_is_shown_with_the_calls_that_are_open() {
        let calls = [
            call("1", "completed", "cat a", Value::Null),
            call("2", "in_progress", "rm a", json!({"command": "rm a"})),
            call("confirmation", "pending", "Confirm", Value::Null),
        ];
        assert_eq!(
            beside(&wish(nothing()), calls.iter()),
            ["rm a\n{\"command\":\"rm a\"}"]
        );
        // One that says what it is about stands alone.
        let command = Action::Shell {
            command: b"ls".to_vec(),
            paths: Vec::new(),
        };
        assert!(beside(&wish(command), calls.iter()).is_empty());
        // So does one whose title is its command: what was refused before stays open beside it, as with gemini.
        let mut titled = wish(nothing());
        titled.kind = Some("execute".to_owned());
        assert!(beside(&titled, calls.iter()).is_empty());
    }

    #[test]
    fn pol_07_what_is_shown_of_open_calls_has_bounds() {
        let long = "\u{e9}".repeat(CALL);
        let calls: Vec<ToolCall> = (0..20)
            .map(|at| {
                call(
                    &at.to_string(),
                    "pending",
                    &format!("{at} {long}"),
                    Value::Null,
                )
            })
            .collect();
        let shown = beside(&wish(nothing()), calls.iter());
        assert_eq!(shown.len(), CALLS);
        assert!(shown.iter().all(|text| text.len() <= CALL + 3), "{shown:?}");
        assert!(shown.last().unwrap().starts_with("19 "), "{shown:?}");
    }

    /// As cline asks for its edits, and every agent for a tool of a server that the person gave it.
    #[test]
    fn pol_08_what_the_call_of_a_question_is_given_is_shown() {
        let input = json!({"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"});
        let calls = [
            call("confirmation", "pending", "apply_patch", input),
            call("other", "pending", "shell", json!({"command": "make"})),
        ];
        let with_paths = Action::Unknown {
            what: "apply_patch".to_owned(),
            paths: vec![b"a".to_vec()],
        };
        for action in [nothing(), with_paths] {
            let shown = beside(&wish(action), calls.iter());
            assert_eq!(shown.len(), 1, "{shown:?}");
            assert!(shown[0].contains("+x"), "{shown:?}");
        }
        let command = Action::Shell {
            command: b"make".to_vec(),
            paths: Vec::new(),
        };
        assert!(beside(&wish(command), calls.iter()).is_empty());
    }
}
