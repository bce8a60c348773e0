//! What is put into the user's file, and that nothing else of it changes.

use proptest::prelude::*;

use super::*;

/// A file and what it is with the switch on.
const SWITCHED: &[(&str, &str)] = &[
    ("", "[external_agents]\nenabled = true\n"),
    ("# mine\n", "# mine\n\n[external_agents]\nenabled = true\n"),
    (
        "[sandbox]\nnet = \"off\"",
        "[sandbox]\nnet = \"off\"\n\n[external_agents]\nenabled = true\n",
    ),
    ("# a\n\n", "# a\n\n[external_agents]\nenabled = true\n"),
    (
        "# a\r\n[sandbox] # b\r\nnet = 'off'\r\n",
        "# a\r\n[sandbox] # b\r\nnet = 'off'\r\n\r\n[external_agents]\r\nenabled = true\r\n",
    ),
    (
        "[external_agents] # why\ntimeout = \"5m\"\n",
        "[external_agents] # why\nenabled = true\ntimeout = \"5m\"\n",
    ),
    ("[external_agents]", "[external_agents]\nenabled = true"),
    (
        "[external_agents]\nenabled = false # not yet\n",
        "[external_agents]\nenabled = true # not yet\n",
    ),
    (
        "[external_agents]\n# enabled = true\nenabled   =   false\n[sandbox]\n",
        "[external_agents]\n# enabled = true\nenabled   =   true\n[sandbox]\n",
    ),
    (
        "[external_agents.mine]\ncommand = \"mine\"\n",
        "[external_agents.mine]\ncommand = \"mine\"\n\n[external_agents]\nenabled = true\n",
    ),
    (
        "# head\nexternal_agents.timeout = \"5m\"\n",
        "# head\nexternal_agents.enabled = true\nexternal_agents.timeout = \"5m\"\n",
    ),
    (
        "external_agents.enabled = false\n",
        "external_agents.enabled = true\n",
    ),
    (
        "external_agents = { timeout = \"5m\" }\n",
        "external_agents = { enabled = true, timeout = \"5m\" }\n",
    ),
    (
        "external_agents = {}\n",
        "external_agents = { enabled = true }\n",
    ),
    (
        "\u{feff}[external_agents]\nenabled = false\n",
        "\u{feff}[external_agents]\nenabled = true\n",
    ),
    (
        "x = '''\n[external_agents]\nenabled = false\n'''\n",
        "x = '''\n[external_agents]\nenabled = false\n'''\n\n[external_agents]\nenabled = true\n",
    ),
];

#[test]
fn fa_02_the_switch_goes_where_a_person_would_write_it() {
    for (before, after) in SWITCHED {
        assert_eq!(&switched_on(before).unwrap(), after, "of {before:?}");
        let document = Document::parse(after.trim_start_matches(MARK)).unwrap();
        let value = document["external_agents"]["enabled"].as_bool();
        assert_eq!(value, Some(true), "{after:?}");
    }
}

#[test]
fn fa_02_what_cannot_be_changed_safely_is_refused() {
    for (text, why) in [
        (
            "external_agents = 3\n",
            "has `external_agents` as something else than a table",
        ),
        (
            "[[external_agents]]\n",
            "has `external_agents` as something else than a table",
        ),
        ("a = 1\na = 2\n", "is no TOML"),
        ("[external_agents", "is no TOML"),
    ] {
        let error = switched_on(text).unwrap_err();
        assert!(error.starts_with(why), "{text:?}: {error}");
    }
}

fn keys() -> Vec<(&'static str, Value)> {
    let args = ["--acp", "a \"b\" \\ c", "tab\there"];
    vec![
        ("transport", Value::from("acp")),
        ("command", Value::from("mine")),
        (
            "args",
            Value::Array(args.iter().map(|arg| Value::from(*arg)).collect()),
        ),
    ]
}

#[test]
fn fa_03_an_entry_goes_to_the_end_and_is_read_back_as_it_was_given() {
    for before in [
        "",
        "# mine\n",
        "[sandbox]\nnet = 'off'",
        "[external_agents]\nenabled = true\r\n",
    ] {
        let after = with_entry(before, "mine", &keys()).unwrap();
        assert!(after.starts_with(before), "{after}");
        let document = Document::parse(after.as_str()).unwrap();
        let entry = &document["external_agents"]["mine"];
        assert_eq!(entry["command"].as_str(), Some("mine"));
        let args: Vec<_> = entry["args"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(args, ["--acp", "a \"b\" \\ c", "tab\there"]);
    }
    let taken = "[external_agents.mine]\ncommand = \"other\"\n";
    assert_eq!(
        with_entry(taken, "mine", &keys()).unwrap_err(),
        "has an entry `mine` already"
    );
}

proptest! {
    /// However a file is written: the switch is on afterwards, and the lines that were there are there, in their order.
    #[test]
    fn fa_02_every_other_line_stays(
        head in "(# [a-z ]{0,8}\n|\n|a[0-9] = 1\n){0,3}",
        comment in "( # [a-z]{0,6})?",
        inside in "(timeout = \"5m\"\n|# [a-z]{0,5}\n|\n){0,1}",
        tail in "(\n|\\[sandbox\\]\n|# [a-z ]{0,8}\n){0,1}",
        end in any::<bool>(),
    ) {
        let mut text = format!("{head}[external_agents]{comment}\n{inside}{tail}");
        if end {
            text.truncate(text.trim_end_matches('\n').len());
        }
        prop_assume!(parse(&text).is_ok());
        let after = switched_on(&text).unwrap();
        let document = Document::parse(after.as_str()).unwrap();
        prop_assert_eq!(document["external_agents"]["enabled"].as_bool(), Some(true));
        let mut left = after.lines();
        for line in text.lines() {
            prop_assert!(left.any(|found| found == line), "{line:?} of {text:?} is gone: {after:?}");
        }
        prop_assert_eq!(after.lines().count(), text.lines().count() + 1);
    }
}
