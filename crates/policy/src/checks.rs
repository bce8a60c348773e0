//! Whether a rule holds together: what it says, and what it says of its examples (POL-04).

use taffrail_domain::{Action, Answer, Risk};
use thiserror::Error;

use crate::assess::assess;
use crate::reason::Reason;
use crate::rules::{RuleSpec, covering, in_no_tree, is_caught};

/// Why rules do not load. Names the rule, and the example where it is about one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// It says nothing that could match.
    #[error("{rule} matches everything: give it a command, a path, a host or a risk")]
    Empty {
        /// The rule.
        rule: String,
    },
    /// Command, path and host speak of different actions.
    #[error("{rule} speaks of more than one of command, path and host")]
    Mixed {
        /// The rule.
        rule: String,
    },
    /// It says how far an `allow` holds, and is none.
    #[error(
        "{rule} is {answer}, which holds for every agent and for what destroys: `{key}` is only for allow"
    )]
    Inert {
        /// The rule.
        rule: String,
        /// What it answers.
        answer: Answer,
        /// The key that says nothing.
        key: &'static str,
    },
    /// No example shows what it is for.
    #[error("{rule} has no example in `match`")]
    NoExample {
        /// The rule.
        rule: String,
    },
    /// Two rules cannot be told apart.
    #[error("{rule} is there twice")]
    Twice {
        /// The name.
        rule: String,
    },
    /// It does not match what it says that it does.
    #[error("{rule} does not match its example `{}`{why}", short(.example))]
    Misses {
        /// The rule.
        rule: String,
        /// The example in `match`.
        example: String,
        /// Why, behind a colon; empty where nothing is to be said.
        why: String,
    },
    /// It matches what it says that it does not.
    #[error("{rule} matches its counter-example `{}`", short(.example))]
    Catches {
        /// The rule.
        rule: String,
        /// The example in `not_match`.
        example: String,
    },
}

/// Whether it says one thing.
///
/// # Errors
/// What it says too much or too little.
pub fn check_form(rule: &RuleSpec) -> Result<(), RuleError> {
    let named = || rule.name.clone();
    let kinds = [
        !rule.command.is_empty(),
        rule.path.is_some(),
        rule.host.is_some(),
    ];
    match kinds.iter().filter(|is_there| **is_there).count() {
        0 if rule.risk.is_none() => return Err(RuleError::Empty { rule: named() }),
        0 | 1 => {}
        _ => return Err(RuleError::Mixed { rule: named() }),
    }
    let keys = [("destructive", rule.destructive), ("foreign", rule.foreign)];
    let said = keys.iter().find(|(_, is_said)| *is_said);
    if let Some((key, _)) = said.filter(|_| rule.answer != Answer::Allow) {
        return Err(RuleError::Inert {
            rule: named(),
            answer: rule.answer,
            key,
        });
    }
    if rule.matches.is_empty() {
        return Err(RuleError::NoExample { rule: named() });
    }
    Ok(())
}

/// Whether it decides about its examples as it says.
///
/// # Errors
/// The first example that contradicts it.
pub fn check_examples(rule: &RuleSpec) -> Result<(), RuleError> {
    for example in &rule.matches {
        if !is_matched(rule, example) {
            return Err(RuleError::Misses {
                rule: rule.name.clone(),
                example: example.clone(),
                why: why_missed(rule, example),
            });
        }
    }
    for example in &rule.not_matches {
        if is_matched(rule, example) {
            return Err(RuleError::Catches {
                rule: rule.name.clone(),
                example: example.clone(),
            });
        }
    }
    Ok(())
}

/// An example as an action: a path is written, a host reached, a command run.
pub fn action_of(rule: &RuleSpec, example: &str) -> Action {
    let bytes = example.as_bytes().to_vec();
    if rule.path.is_some() {
        Action::Write {
            paths: vec![bytes],
            removes: Vec::new(),
        }
    } else if rule.host.is_some() {
        Action::Network {
            host: example.to_owned(),
        }
    } else {
        Action::Shell {
            command: bytes,
            paths: Vec::new(),
        }
    }
}

/// Whether a rule decides about an example, by itself and in an ordinary folder.
fn is_matched(rule: &RuleSpec, example: &str) -> bool {
    let action = action_of(rule, example);
    let context = in_no_tree();
    let found = assess(&action, &context);
    match rule.answer {
        Answer::Allow => {
            (rule.destructive || !found.destructive)
                && covering(&[rule], &action, &found, &context).is_some()
        }
        Answer::Ask | Answer::Deny => is_caught(rule, &action, &found, &context),
    }
}

/// Why a rule does not match its example, where that is one of the usual mistakes.
fn why_missed(rule: &RuleSpec, example: &str) -> String {
    let found = assess(&action_of(rule, example), &in_no_tree());
    let of_form = rule
        .command
        .iter()
        .find_map(|word| about_word(word))
        .or_else(|| rule.path.as_deref().and_then(about_path))
        .or_else(|| rule.host.as_deref().and_then(about_host));
    if let Some(why) = of_form {
        return why;
    }
    if let Some(wanted) = rule.risk.filter(|wanted| *wanted != found.risk) {
        return format!(": its risk is {}, not {wanted}", found.risk);
    }
    let reason = |reasons: &[Reason]| reasons.last().map(ToString::to_string);
    match rule.answer {
        Answer::Ask | Answer::Deny => String::new(),
        Answer::Allow => {
            if let Some(floor) = reason(&found.floors) {
                format!(": no rule lets it through ({floor})")
            } else if found.destructive && !rule.destructive {
                let about = reason(&found.reasons).unwrap_or_default();
                format!(": it destroys ({about}), and the rule does not say `destructive = true`")
            } else if found.is_plain && !found.asks && found.risk == Risk::Read {
                ": it only reads, and is let through without a rule".to_owned()
            } else if !found.is_plain {
                let about = found.reasons.first().map(ToString::to_string);
                format!(
                    ": no rule lets a line through that is not plain ({})",
                    about.unwrap_or_default()
                )
            } else {
                String::new()
            }
        }
    }
}

fn about_word(word: &str) -> Option<String> {
    let (first, rest) = word.split_once(' ')?;
    Some(format!(
        ": `{}` is one word of `command`; two are [\"{}\", \"{}\"]",
        short(word),
        short(first),
        short(rest)
    ))
}

fn about_path(pattern: &str) -> Option<String> {
    let starts = ["/", "./", "../", "~"];
    let is_elsewhere =
        starts.iter().any(|start| pattern.starts_with(start)) || pattern.contains("/../");
    let why = if is_elsewhere {
        "is no path from the root of the project, such as `src/**`"
    } else if pattern.contains(['[', ']', '{', '}', '!']) {
        "is taken letter by letter: only `*`, `**` and `?` stand for others"
    } else {
        return None;
    };
    Some(format!(": `{}` {why}", short(pattern)))
}

fn about_host(pattern: &str) -> Option<String> {
    let is_more = pattern.contains(['/', ':', '@']);
    is_more.then(|| {
        format!(
            ": `{}` is more than a host, which has no scheme and no port",
            short(pattern)
        )
    })
}

/// A value in a message.
pub fn short(value: &str) -> String {
    let cut: String = value.chars().take(LONGEST_SHOWN).collect();
    if cut.len() < value.len() {
        cut + "…"
    } else {
        cut
    }
}

/// So many characters of a value stand in a message.
const LONGEST_SHOWN: usize = 120;
