//! `[policy]` and its rules (POL-04). What a rule matches, and whether it fits its examples, is the policy's to say: here it
//! is read.

use std::ops::Range;

use taffrail_domain::{Answer, Risk};
use toml::de::DeTable;

use crate::checks;
use crate::error::Problem;
use crate::message::found;
use crate::reader::{Reader, View};
use crate::setting::quoted;
use crate::show::Row;
use crate::value::Origin;

/// The key of the rules inside of `[policy]`.
pub(crate) const RULE: &str = "rule";
/// The keys of one rule, each with what it must be and what it means.
pub(crate) const KEYS: &[(&str, &str, &str)] = &[
    (
        "answer",
        "\"allow\", \"ask\" or \"deny\"",
        "What it answers. Must be there.",
    ),
    (
        "command",
        "a list of strings",
        "The words that a command begins with.",
    ),
    (
        "path",
        "a string",
        "A pattern over paths of the project: `*` within a folder, `**` across folders.",
    ),
    ("host", "a string", "A pattern over host names."),
    ("risk", "the name of a risk", "Only what has this risk."),
    (
        "destructive",
        "true or false",
        "Whether an `allow` holds for what destroys too.",
    ),
    (
        "foreign",
        "true or false",
        "Whether an `allow` holds for agents of other vendors too.",
    ),
    (
        "match",
        "a list of strings",
        "Examples that it matches; at least one.",
    ),
    (
        "not_match",
        "a list of strings",
        "Examples that it must not match.",
    ),
];

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    /// What it answers.
    pub answer: Answer,
    /// A command begins with these words.
    pub command: Vec<String>,
    /// A path fits this pattern.
    pub path: Option<String>,
    /// A host fits this pattern.
    pub host: Option<String>,
    /// The risk is this one.
    pub risk: Option<Risk>,
    /// An `allow` holds for what destroys too.
    pub destructive: bool,
    /// An `allow` holds for foreign agents too.
    pub foreign: bool,
    /// Examples that it matches.
    pub matches: Vec<String>,
    /// Examples that it does not match.
    pub not_matches: Vec<String>,
    /// Where it stands.
    pub origin: Origin,
}

/// The rules of the section, in the order of the file.
pub(crate) fn read_rules(reader: &Reader<'_>, section: Option<&View<'_>>) -> Vec<PolicyRule> {
    let Some((section, (key, value))) =
        section.and_then(|section| Some((section, section.table.get_key_value(RULE)?)))
    else {
        return Vec::new();
    };
    let Some(array) = value.get_ref().as_array() else {
        let problem = Problem::WrongType {
            expected: "written as [[policy.rule]]",
            found: found(value.get_ref()),
        };
        reader.note(&key.span(), section.key(RULE), problem);
        return Vec::new();
    };
    let mut rules = Vec::new();
    for item in array {
        match item.get_ref().as_table() {
            Some(table) => rules.extend(read_rule(reader, section.key(RULE), table, item.span())),
            None => {
                let problem = Problem::WrongType {
                    expected: "a table",
                    found: found(item.get_ref()),
                };
                reader.note(&item.span(), section.key(RULE), problem);
            }
        }
    }
    rules
}

fn read_rule(
    reader: &Reader<'_>,
    path: String,
    table: &DeTable<'_>,
    span: Range<usize>,
) -> Option<PolicyRule> {
    let view = View { path, table, span };
    let names: Vec<&str> = KEYS.iter().map(|(name, _, _)| *name).collect();
    reader.known_keys(Some(&view), &names);
    let words = |name| setting::<Vec<String>>(reader, &view, name).unwrap_or_default();
    let text = |name| setting::<Option<String>>(reader, &view, name).flatten();
    let is = |name| setting::<bool>(reader, &view, name).unwrap_or_default();
    if !view.table.contains_key("answer") {
        let problem = Problem::Missing { help: None };
        reader.note(&view.span, view.key("answer"), problem);
    }
    let answer = reader.setting::<String>(&view, "answer", checks::answer)?;
    let risk = reader.setting::<String>(&view, "risk", checks::risk);
    Some(PolicyRule {
        answer: answer.value.parse().ok()?,
        command: words("command"),
        path: text("path"),
        host: text("host"),
        risk: risk.and_then(|risk| risk.value.parse().ok()),
        destructive: is("destructive"),
        foreign: is("foreign"),
        matches: words("match"),
        not_matches: words("not_match"),
        origin: reader.origin(&view.span),
    })
}

fn setting<T: crate::setting::Setting>(
    reader: &Reader<'_>,
    view: &View<'_>,
    name: &str,
) -> Option<T> {
    reader
        .setting::<T>(view, name, |_| Ok(()))
        .map(|value| value.value)
}

impl PolicyRule {
    pub(crate) fn row(&self, place: usize) -> Row {
        let mut value = self.answer.name().to_owned();
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        if !words.is_empty() {
            value.push_str(&format!(" command {}", words.join(" ")));
        }
        let risk = self.risk.map(|risk| risk.name().to_owned());
        for (name, text) in [("path", &self.path), ("host", &self.host), ("risk", &risk)] {
            if let Some(text) = text {
                value.push_str(&format!(" {name} {}", quoted(text)));
            }
        }
        Row {
            key: format!("policy.rule.{}", place + 1),
            value,
            origin: self.origin,
        }
    }
}
