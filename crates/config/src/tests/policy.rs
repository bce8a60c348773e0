//! `[policy]` and `[[policy.rule]]`.

use taffrail_domain::{Answer, Mode, Risk};

use super::{config, mistake};
use crate::{Origin, PolicyMode, show};

const RULES: &str = "[policy]\nmode = \"trust\"\n\n[[policy.rule]]\nanswer = \"allow\"\ncommand = [\"cargo\", \"test\"]\n\
                     match = [\"cargo test\"]\nnot_match = [\"cargo run\"]\n\n[[policy.rule]]\nanswer = \"deny\"\n\
                     path = \"infra/**\"\nrisk = \"write\"\nforeign = true\ndestructive = true\nmatch = [\"infra/a\"]\n";

#[test]
fn pol_04_rules_are_read_in_the_order_of_the_file() {
    let config = config(RULES);
    assert_eq!(*config.policy.mode, PolicyMode::Trust);
    assert_eq!(Mode::from(*config.policy.mode), Mode::Trust);
    let [first, second] = config.rules.as_slice() else {
        panic!("{:?}", config.rules)
    };
    assert_eq!(first.answer, Answer::Allow);
    assert_eq!(first.command, ["cargo", "test"]);
    assert_eq!(first.matches, ["cargo test"]);
    assert_eq!(first.not_matches, ["cargo run"]);
    assert_eq!(first.origin, Origin::File { line: 4 });
    assert_eq!(second.path.as_deref(), Some("infra/**"));
    assert_eq!(second.risk, Some(Risk::Write));
    assert!(second.foreign && second.destructive && !first.foreign && !first.destructive);
}

#[test]
fn pol_04_rules_are_shown() {
    let rows = show(&config(RULES));
    let value = |key: &str| {
        rows.iter()
            .find(|row| row.key == key)
            .unwrap()
            .value
            .clone()
    };
    assert_eq!(value("policy.mode"), "\"trust\"");
    assert_eq!(value("policy.rule.1"), "allow command \"cargo\" \"test\"");
    assert_eq!(
        value("policy.rule.2"),
        "deny path \"infra/**\" risk \"write\""
    );
}

#[test]
fn pol_04_without_a_section_the_mode_is_ask_and_there_are_no_rules() {
    let config = config("");
    assert_eq!(*config.policy.mode, PolicyMode::Ask);
    assert!(config.rules.is_empty());
}

#[test]
fn pol_04_a_rule_of_unknown_risk_is_refused() {
    let (message, _) = mistake("[[policy.rule]]\nanswer = \"deny\"\nrisk = \"fun\"");
    assert!(
        message.starts_with("config.toml:3:8: `policy.rule.risk`: `fun` is not a risk:"),
        "{message}"
    );
}
