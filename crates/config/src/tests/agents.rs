//! CFG-02 and FA-03: entries, their merge, the built-in ones.

use super::{config, mistake, read};
use crate::{Origin, Transport, built_in, entry_for_command};

#[test]
fn cfg_02_a_users_keys_override_one_by_one() {
    let plain = config("");
    let text = r#"
[external_agents.claude]
command = "/opt/claude/bin/claude"
pass_env = ["ANTHROPIC_API_KEY", "AWS_PROFILE"]
[external_agents.claude.env]
IS_SANDBOX = "0"
MINE = "1"
"#;
    let merged = config(text);
    let (before, after) = (&plain.agents["claude"], &merged.agents["claude"]);
    assert_eq!(after.command, "/opt/claude/bin/claude");
    assert_eq!(after.origin("command"), Origin::File { line: 3 });
    assert_eq!(after.pass_env, ["ANTHROPIC_API_KEY", "AWS_PROFILE"]);
    assert_eq!(after.env["IS_SANDBOX"], "0");
    assert_eq!(after.env["MINE"], "1");
    assert_eq!(after.env["DISABLE_TELEMETRY"], "1");
    assert_eq!(after.origin("env.DISABLE_TELEMETRY"), Origin::BuiltIn);
    assert_eq!(after.origin("env.MINE"), Origin::File { line: 5 });
    assert_eq!(after.credential_files, before.credential_files);
    assert_eq!(after.origin("credential_files"), Origin::BuiltIn);
    assert_eq!(after.origin("mode"), Origin::Default);
    assert_eq!(merged.agents["codex"], plain.agents["codex"]);
}

#[test]
fn cfg_02_every_key_of_an_entry_is_read() {
    let text = r#"
[external_agents.mine]
enabled = false
test = true
transport = "acp"
command = "mine"
args = ["--acp"]
box_args = ["--no-sandbox"]
env = { A = "1" }
pass_env = ["MINE_KEY"]
auth_method = "key"
mode = "ask"
credential_files = [".mine/auth.json", ".mine/config.yaml"]
write_back = [".mine/auth.json"]
state_dirs = [".mine"]
hosts = ["api.example.com", "*.example.org"]
pin_hosts = true
loopback_ports = [4096]
pty = true
proc = true
version_args = ["version"]
version_pattern = 'mine ([0-9.]+)'
max_stderr_bytes = 1_048_576
tested = ["1.0", "1.2.9"]
initialize_timeout = "5m"
quirks = ["missing-file-is-empty", "never-asks"]
model_flag = "--model"
model_env = "MINE_MODEL"
auth_env = "MINE_KEY"
install = "i"
sign_in = "s"
sends_home = "h"
consent = "c"
notes = "n"
"#;
    let entry = config(text).agents["mine"].clone();
    for key in crate::AgentEntry::KEYS {
        let key = if *key == "env" { "env.A" } else { key };
        assert!(matches!(entry.origin(key), Origin::File { .. }), "{key}");
    }
    assert!(!entry.enabled && entry.test && entry.pty && entry.proc && entry.pin_hosts);
    assert_eq!(entry.transport, Some(Transport::Acp));
    assert_eq!(entry.stderr_budget(), 1 << 20);
    assert_eq!(entry.write_back, [".mine/auth.json"]);
}

#[test]
fn cfg_02_a_version_is_found_in_what_a_program_prints() {
    let entry = |lines: &str| {
        let text = format!("[external_agents.mine]\ncommand = \"mine\"\n{lines}");
        config(&text).agents["mine"].clone()
    };
    let plain = entry("");
    assert_eq!(
        plain.version_in("mine v1.20.3 (abc)\n").as_deref(),
        Some("1.20.3")
    );
    assert_eq!(plain.version_in("1.20"), None);
    assert_eq!(plain.tested_range(), None);
    let own =
        entry("version_pattern = 'r([0-9]+)'\ntested = [\"7\", \"9\"]\nquirks = [\"no-kind\"]");
    assert_eq!(own.version_in("mine r12").as_deref(), Some("12"));
    assert_eq!(own.tested_range(), Some(("7", "9")));
    assert!(own.has(crate::Quirk::NoKind) && !own.has(crate::Quirk::NeverAsks));
}

#[test]
fn fa_27_the_stderr_budget_follows_the_transport() {
    let budget = |transport: &str| {
        let text =
            format!("[external_agents.mine]\ncommand = \"mine\"\ntransport = \"{transport}\"");
        config(&text).agents["mine"].stderr_budget()
    };
    assert_eq!(budget("acp"), 16 << 20);
    assert_eq!(budget("line"), 256 << 20);
}

/// Each line goes into `[external_agents.mine]`, which has a command.
const MISTAKES: &[(&str, &str)] = &[
    ("comand = 1", "unknown key `external_agents.mine.comand`"),
    (
        "transport = \"http\"",
        "must be \"acp\" or \"line\", not `\"http\"`",
    ),
    (
        "args = \"--acp\"",
        "must be a list of strings, not `\"--acp\"`",
    ),
    ("env = { HOME = \"/x\" }", "`HOME` is set by the box itself"),
    (
        "env = { TAFFRAIL_HOME = \"/x\" }",
        "`TAFFRAIL_HOME` is set by the box itself",
    ),
    (
        "env = { \"A B\" = \"x\" }",
        "`A B` is not the name of a variable",
    ),
    (
        "env = { A = 1 }",
        "must be a table of strings, not one with `A` as something else in it",
    ),
    (
        "pass_env = [\"TMPDIR\"]",
        "`TMPDIR` is set by the box itself",
    ),
    ("pass_env = [\"\"]", "`` is not the name of a variable"),
    (
        "credential_files = [\"/etc/shadow\"]",
        "`/etc/shadow` is absolute",
    ),
    (
        "credential_files = [\"~/.mine/key\"]",
        "write it relative to the home, without `~`",
    ),
    (
        "credential_files = [\"../other/.ssh/id\"]",
        "has an empty part, `.` or `..`",
    ),
    (
        "credential_files = [\".taffrail/taffrail.db\"]",
        "`.taffrail` is never handed to an agent",
    ),
    ("state_dirs = [\"a//b\"]", "has an empty part"),
    (
        "credential_files = [\".m/a.json\"]\nwrite_back = [\".m/b.json\"]",
        "`.m/b.json` is not in `credential_files`",
    ),
    (
        "credential_files = [\".bashrc\"]\nwrite_back = [\".bashrc\"]",
        "`.bashrc` cannot be checked",
    ),
    (
        "credential_files = [\".m/a.yaml\"]\nwrite_back = [\".m/a.yaml\"]",
        "only .json and .toml files",
    ),
    (
        "credential_files = [\".claude/settings.json\"]\nwrite_back = [\".claude/settings.json\"]",
        "holds settings, which an agent never changes",
    ),
    (
        "credential_files = [\".claude.json\"]\nwrite_back = [\".claude.json\"]",
        "holds settings",
    ),
    (
        "credential_files = [\".codex/config.toml\"]\nwrite_back = [\".codex/config.toml\"]",
        "holds settings",
    ),
    ("hosts = [\"127.1\"]", "`127.1` is not a host"),
    ("hosts = [\"*.com\"]", "at least two labels"),
    (
        "hosts = [\"API.example.com\"]",
        "is written `api.example.com`",
    ),
    ("hosts = [\"example.com.\"]", "is not a host,"),
    ("hosts = [\"https://example.com\"]", "is not a host,"),
    ("hosts = [\"*\"]", "is not a host,"),
    ("hosts = [\"a\\u0000.com\"]", "is not a host,"),
    ("loopback_ports = [80]", "port 80 is below 1024"),
    (
        "version_pattern = \"[0-9]+\"",
        "it needs a group for the version",
    ),
    ("version_pattern = \"(\"", "it is not a regular expression"),
    (
        "version_pattern = \"(\\\\w{9999})\"",
        "the pattern is too large",
    ),
    (
        "tested = [\"1.0\"]",
        "it is the lowest and the highest version",
    ),
    (
        "tested = [\"1.0\", \"1.x\"]",
        "it is the lowest and the highest version",
    ),
    (
        "quirks = [\"can-fly\"]",
        "`can-fly` is not a quirk that taffrail knows",
    ),
    (
        "initialize_timeout = \"0s\"",
        "a limit of 0s would end every run at once",
    ),
    ("model_env = \"HOME\"", "`HOME` is set by the box itself"),
    ("auth_env = \"A-B\"", "`A-B` is not the name of a variable"),
    (
        "max_stderr_bytes = -1",
        "must be a whole number, 0 or more, not `-1`",
    ),
];

#[test]
fn cfg_02_what_an_entry_may_not_say() {
    for (line, expected) in MISTAKES {
        let text = format!("[external_agents.mine]\ncommand = \"mine\"\n{line}");
        let (message, _) = mistake(&text);
        assert!(message.contains(expected), "{line}\n{message}");
    }
    for (command, expected) in [
        ("mine --acp", "a command is one word"),
        ("bin/mine", "not an absolute path"),
        ("", "a name or an absolute path"),
    ] {
        let (message, _) = mistake(&format!("[external_agents.mine]\ncommand = \"{command}\""));
        assert!(message.contains(expected), "{command}\n{message}");
    }
}

#[test]
fn cfg_02_an_entry_needs_an_id_and_a_command() {
    assert_eq!(
        mistake("[external_agents.cladue]\npty = true"),
        (
            "config.toml:1:18: `external_agents.cladue.command` is missing".to_owned(),
            "did you mean the built-in `claude`?".to_owned()
        )
    );
    for bad in ["Mine", "9x", "\"a b\"", "a_b", "\"\""] {
        let (message, _) = mistake(&format!("[external_agents.{bad}]\ncommand = \"mine\""));
        assert!(
            message.contains("an id is a lower-case letter"),
            "{bad}: {message}"
        );
    }
}

#[test]
fn fa_41_a_shorter_list_of_files_shortens_what_comes_back() {
    let none = config("[external_agents.claude]\ncredential_files = []");
    assert!(none.agents["claude"].write_back.is_empty());
    // The twin: untouched, a refreshed sign-in comes back.
    let plain = config("");
    assert_eq!(
        plain.agents["claude"].write_back,
        [".claude/.credentials.json"]
    );
}

#[test]
fn fa_03_every_built_in_entry_is_complete() {
    let entries = built_in::entries().unwrap();
    let ids: Vec<_> = entries.keys().map(String::as_str).collect();
    assert_eq!(
        ids,
        [
            "antigravity-cli",
            "claude",
            "claude-acp",
            "claude-cli",
            "cline-acp",
            "codex",
            "codex-acp",
            "codex-cli",
            "copilot",
            "copilot-acp",
            "fast-agent-acp",
            "gemini",
            "gemini-acp",
            "goose",
            "goose-acp",
            "hermes-acp",
            "kimi-acp",
            "opencode",
            "opencode-acp",
            "openhands-acp",
            "pi-acp",
            "qwen",
            "qwen-acp",
            "taffrail-acp",
            "vibe-acp"
        ]
    );
    for (id, entry) in &entries {
        assert!(entry.enabled, "{id}");
        assert!(!entry.test, "{id}: only the user marks one as a test's");
        for text in [&entry.install, &entry.sign_in, &entry.sends_home] {
            assert!(text.len() >= 8, "{id}: {text}");
        }
        for path in &entry.write_back {
            assert!(entry.credential_files.contains(path), "{id}: {path}");
        }
    }
}

#[test]
fn fa_06_every_entry_for_boxes_is_complete() {
    let entries = built_in::entries().unwrap();
    let boxed: Vec<_> = entries
        .iter()
        .filter(|(_, entry)| entry.transport.is_none())
        .collect();
    assert_eq!(boxed.len(), 7);
    for (id, entry) in boxed {
        assert_eq!(&entry.command, id);
        assert!(!entry.pass_env.is_empty() && !entry.hosts.is_empty());
        assert!(!entry.credential_files.is_empty() && !entry.state_dirs.is_empty());
        assert!(entry.version_pattern.is_some());
        for text in [
            &entry.install,
            &entry.sign_in,
            &entry.sends_home,
            &entry.notes,
        ] {
            assert!(text.len() > 20, "{id}: {text}");
        }
    }
}

#[test]
fn fa_03_every_driven_entry_says_how_it_is_driven() {
    let entries = built_in::entries().unwrap();
    let driven: Vec<_> = entries
        .values()
        .filter(|entry| entry.transport.is_some())
        .collect();
    assert_eq!(driven.len(), 18);
    for entry in driven {
        let end = match entry.transport {
            Some(Transport::Acp) => "-acp",
            Some(Transport::Line) | None => "-cli",
        };
        assert!(entry.id.ends_with(end), "{}", entry.id);
        assert!(
            !entry.args.is_empty()
                || entry.command.ends_with("-acp")
                || entry.command == "claude-agent-acp"
        );
        assert!(
            !entry.consent.is_empty() && !entry.notes.is_empty(),
            "{}",
            entry.id
        );
        assert!(entry.version_pattern.is_some(), "{}", entry.id);
    }
    let gemini = &entries["gemini-acp"];
    assert!(gemini.has(crate::Quirk::MissingFileIsEmpty));
    assert_eq!(gemini.auth_method.as_deref(), Some("gemini-api-key"));
    assert_eq!(gemini.auth_env.as_deref(), Some("GEMINI_API_KEY"));
    // Those that ask for nothing in the mode in which they start are put into one that asks.
    for (id, mode) in [
        ("claude-acp", "default"),
        ("codex-acp", "read-only"),
        ("gemini-acp", "default"),
        ("goose-acp", "approve"),
        ("openhands-acp", "always-ask"),
        ("vibe-acp", "ask"),
        ("qwen-acp", "default"),
    ] {
        assert_eq!(entries[id].mode.as_deref(), Some(mode), "{id}");
    }
    assert_eq!(entries["goose-acp"].env["GOOSE_MODE"], "approve");
    assert!(entries["opencode-acp"].env["OPENCODE_CONFIG_CONTENT"].contains("\"bash\":\"ask\""));
}

/// A driven agent is lent what the same program is lent in a box, and no more.
#[test]
fn fa_41_a_driven_agent_is_lent_what_a_box_lends_it() {
    let entries = built_in::entries().unwrap();
    let pairs = [
        ("claude", "claude-acp"),
        ("claude", "claude-cli"),
        ("codex", "codex-acp"),
        ("codex", "codex-cli"),
        ("copilot", "copilot-acp"),
        ("gemini", "gemini-acp"),
        ("goose", "goose-acp"),
        ("opencode", "opencode-acp"),
        ("qwen", "qwen-acp"),
    ];
    for (boxed, driven) in pairs {
        let (boxed, driven) = (&entries[boxed], &entries[driven]);
        assert_eq!(
            boxed.credential_files, driven.credential_files,
            "{}",
            driven.id
        );
        assert_eq!(boxed.write_back, driven.write_back, "{}", driven.id);
        assert_eq!(boxed.state_dirs, driven.state_dirs, "{}", driven.id);
        assert_eq!(boxed.hosts, driven.hosts, "{}", driven.id);
        let more = driven
            .pass_env
            .iter()
            .find(|name| !boxed.pass_env.contains(name));
        assert_eq!(more, None, "{}", driven.id);
    }
}

#[test]
fn fa_03_what_the_sandbox_facts_ask_for() {
    let entries = built_in::entries().unwrap();
    assert!(entries["gemini"].pty && entries["qwen"].pty);
    assert_eq!(entries["opencode"].loopback_ports, [4096]);
    assert_eq!(entries["goose"].env["GOOSE_DISABLE_KEYRING"], "1");
    assert_eq!(entries["claude"].env["IS_SANDBOX"], "1");
    assert_eq!(
        entries["codex"].box_args[..2],
        ["-c", "sandbox_mode=\"danger-full-access\""]
    );
}

#[test]
fn cnf_04_no_built_in_entry_passes_a_wide_key_on() {
    for entry in built_in::entries().unwrap().values() {
        for name in &entry.pass_env {
            assert!(
                !name.starts_with("AWS_")
                    && !["GH_TOKEN", "GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"]
                        .contains(&name.as_str()),
                "{}: {name}",
                entry.id
            );
        }
        for path in &entry.credential_files {
            assert!(
                !path.starts_with(".ssh") && !path.starts_with(".config/gh"),
                "{path}"
            );
        }
    }
}

/// A user can paste a built-in file into the own one, and nothing changes but the origins.
#[test]
fn cfg_02_built_in_files_have_a_users_structure() {
    let plain = config("");
    for (name, text) in built_in::FILES {
        let pasted = config(text);
        for (id, entry) in &pasted.agents {
            let rows = |rows: Vec<crate::Row>| -> Vec<_> {
                rows.into_iter().map(|row| (row.key, row.value)).collect()
            };
            assert_eq!(rows(entry.rows()), rows(plain.agents[id].rows()), "{name}");
            assert_eq!(entry.notes, plain.agents[id].notes);
        }
    }
}

#[test]
fn fa_06_the_entry_of_a_command() {
    let id = |text: &str, program: &str| {
        let config = config(text);
        entry_for_command(&config, program).map(|entry| entry.id.clone())
    };
    assert_eq!(id("", "codex").as_deref(), Some("codex"));
    assert_eq!(id("", "bash"), None);
    assert_eq!(id("", ""), None);
    assert_eq!(
        id("[external_agents.codex]\nenabled = false", "codex"),
        None
    );
    let mine = "[external_agents.mine]\ncommand = \"/opt/mine/bin/mine-cli\"";
    assert_eq!(id(mine, "mine-cli").as_deref(), Some("mine"));
    let two = "[external_agents.a-acp]\ncommand = \"x\"\ntransport = \"acp\"\n[external_agents.b-box]\ncommand = \"x\"";
    assert_eq!(
        id(two, "x").as_deref(),
        Some("b-box"),
        "one for boxes before one that is driven"
    );
    assert_eq!(
        id(&format!("{two}\n[external_agents.b-box.env]\n"), "x").as_deref(),
        Some("b-box")
    );
    let off = format!("{two}\nenabled = false");
    assert_eq!(
        id(&off, "x"),
        None,
        "what is switched off for boxes stays off"
    );
    let loaded = "[external_agents.some-acp]\ncommand = \"npx\"\ntransport = \"acp\"";
    assert_eq!(id(loaded, "npx"), None, "a loader runs anything");
    let same = "[external_agents.a-codex]\ncommand = \"codex\"";
    assert_eq!(
        id(same, "codex").as_deref(),
        Some("codex"),
        "the one that is called like it"
    );
}

#[test]
fn cfg_02_a_key_that_is_no_entry_is_refused() {
    assert!(read("[external_agents]\nclaude = true").is_err());
    assert!(
        read("external_agents.claude.pty = true").is_ok(),
        "dotted keys are the same"
    );
}
