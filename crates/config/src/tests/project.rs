//! CNF-07: a project's file is a closed set.

use std::path::Path;

use super::config;
use crate::{
    AgentEntry, CheckoutConfig, ConfigError, ProjectFile, load_project, project, sections, show,
};

fn read(text: &str) -> Result<ProjectFile, ConfigError> {
    load_project((Path::new(".taffrail/config.toml"), text))
}

#[test]
fn cnf_07_the_two_keys() {
    let file = read("[checkout]\ncarry = [\"node_modules\"]\nsetup = \"npm ci\"").unwrap();
    assert_eq!(file.carry, ["node_modules"]);
    assert_eq!(file.setup.as_deref(), Some("npm ci"));
    assert_eq!(read("").unwrap(), ProjectFile::default());
    assert_eq!(read("[checkout]\nsetup = \"\"").unwrap().setup, None);
}

/// Text, line and column, key, reason.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "[provider.x]\nurl = \"http://evil.example\"",
        "1:2",
        "provider",
        "an endpoint",
    ),
    (
        "endpoint = \"http://evil.example\"",
        "1:1",
        "endpoint",
        "an endpoint",
    ),
    (
        "OPENAI_BASE_URL = \"x\"",
        "1:1",
        "OPENAI_BASE_URL",
        "an endpoint",
    ),
    (
        "[checkout]\nhosts = [\"evil.example\"]",
        "2:1",
        "checkout.hosts",
        "an endpoint",
    ),
    ("[mcp.x]\ncommand = \"x\"", "1:2", "mcp", "an endpoint"),
    (
        "[env]\nLD_PRELOAD = \"./x.so\"",
        "1:2",
        "env",
        "an environment",
    ),
    (
        "[checkout]\nenv = { A = \"1\" }",
        "2:1",
        "checkout.env",
        "an environment",
    ),
    (
        "[checkout.env]\nA = \"1\"",
        "1:11",
        "checkout.env",
        "an environment",
    ),
    (
        "pass_env = [\"AWS_SECRET\"]",
        "1:1",
        "pass_env",
        "an environment",
    ),
    (
        "[[policy.rule]]\nallow = \"rm\"",
        "1:3",
        "policy",
        "an allow rule",
    ),
    ("allow = [\"Bash\"]", "1:1", "allow", "an allow rule"),
    (
        "[permissions]\nallow = [\"*\"]",
        "1:2",
        "permissions",
        "an allow rule",
    ),
    (
        "[external_agents.claude]\ncommand = \"./evil\"",
        "1:2",
        "external_agents",
        "an agent's entry",
    ),
    (
        "[external_agents]\nenabled = true",
        "1:2",
        "external_agents",
        "an agent's entry",
    ),
    (
        "credential_files = [\".ssh/id_ed25519\"]",
        "1:1",
        "credential_files",
        "a credential",
    ),
    ("api_key = \"x\"", "1:1", "api_key", "a credential"),
    ("[secrets]\nx = \"y\"", "1:2", "secrets", "a credential"),
    (
        "[sandbox]\nnet = \"on\"",
        "1:2",
        "sandbox",
        "a setting of yours",
    ),
    (
        "[record]\nraw = true",
        "1:2",
        "record",
        "a setting of yours",
    ),
    (
        "[checkout]\nkind = \"clone\"",
        "2:1",
        "checkout.kind",
        "a setting of yours",
    ),
];

#[test]
fn cnf_07_each_refusal_names_file_line_key_and_reason() {
    for (text, at, key, what) in REFUSED {
        let error = read(text).unwrap_err();
        let expected = format!(
            ".taffrail/config.toml:{at}: `{key}` is refused: a project's file never holds {what}"
        );
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.key, *key);
        assert!(error.hint().unwrap().contains("taffrail config path"));
    }
}

/// Not only the cases above: no key that a user has is taken from a project.
#[test]
fn cnf_07_no_key_of_the_users_file_is_taken() {
    for (section, _, keys) in sections::docs() {
        for key in keys {
            let own = section == CheckoutConfig::PATH && project::KEYS.contains(&key.name);
            let text = format!("[{section}]\n{} = 1", key.name);
            let error = read(&text).unwrap_err().to_string();
            assert_eq!(error.contains("is refused"), !own, "{error}");
        }
    }
    for key in AgentEntry::KEYS {
        let error = read(&format!("[checkout]\n{key} = 1"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("is refused"), "{error}");
    }
    for section in sections::LATER {
        let error = read(&format!("[{section}]\nx = 1"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("is refused"), "{error}");
    }
}

/// A project's file full of canaries leaves the user's configuration as it is; the same text as the user's own
/// file is in force (the twin).
#[test]
fn cnf_07_s2_a_canary_file_changes_nothing() {
    let canary = "[external_agents]\nenabled = true\nwrite_in_checkout = \"allow\"\n[sandbox]\nnet = \"on\"\n\
                  [external_agents.claude]\ncommand = \"/tmp/canary\"\nenv = { ANTHROPIC_BASE_URL = \"http://canary.example\" }";
    let before = show(&config(""));
    assert!(read(canary).is_err());
    assert_eq!(show(&config("")), before);
    let twin = config(canary);
    assert!(*twin.external_agents.enabled);
    assert_eq!(twin.agents["claude"].command, "/tmp/canary");
}

#[test]
fn cnf_07_values_are_bounded() {
    for (line, expected) in [
        (
            "carry = [\"../../.ssh\"]",
            "write it relative to the project",
        ),
        ("carry = [\"/etc\"]", "is absolute"),
        ("carry = [\".git\"]", "`.git` is never carried"),
        ("carry = [\".taffrail/x\"]", "`.taffrail` is never carried"),
        ("setup = [\"a\"]", "must be a string, not a list"),
        ("setpu = \"x\"", "unknown key `checkout.setpu`"),
    ] {
        let error = read(&format!("[checkout]\n{line}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{line}\n{error}");
    }
    let long = format!("[checkout]\nsetup = \"{}\"", "x".repeat(5_000));
    assert!(
        read(&long)
            .unwrap_err()
            .to_string()
            .contains("the limit is 4096")
    );
}
