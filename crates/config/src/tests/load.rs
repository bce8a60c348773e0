//! CFG-01: keys, mistakes, precedence, what is shown.

use super::{config, mistake, read, with_env};
use crate::{NetMode, Origin, Place, Require, show};
use proptest::prelude::*;
use taffrail_domain::{Net, Rung};

#[test]
fn cfg_01_without_a_file_the_defaults_hold() {
    let config = crate::load(None, &|_| None).unwrap();
    assert!(!*config.external_agents.enabled);
    assert_eq!(config.external_agents.timeout.to_string(), "1h");
    assert_eq!(config.external_agents.inactivity.to_string(), "5m");
    assert_eq!(config.sandbox.ports.value, [443, 80, 53]);
    assert_eq!(*config.sandbox.require, Require::Partial);
    assert!(!*config.record.raw);
    let sections = show(&config).into_iter();
    let sections = sections.filter(|row| row.key.split('.').count() == 2);
    assert!(sections.clone().count() >= 13);
    for row in sections {
        assert_eq!(row.origin, Origin::Default, "{}", row.key);
    }
}

#[test]
fn cfg_01_every_key_is_read() {
    let config = config(
        r#"
[external_agents]
enabled = true
write_in_checkout = "allow"
timeout = "90s"
inactivity = "12h"

[checkout]
carry = ["node_modules", "web/.venv"]
setup = "npm ci"
kind = "clone"

[sandbox]
net = "on"
ports = [443]
read = ["/opt/toolchains", "/home/me/.cargo/registry"]
bwrap = "/usr/local/bin/bwrap"
require = "full"

[record]
raw = true
"#,
    );
    assert!(*config.external_agents.enabled);
    assert_eq!(
        config.external_agents.enabled.origin,
        Origin::File { line: 3 }
    );
    assert_eq!(config.external_agents.write_in_checkout.name(), "allow");
    assert_eq!(config.external_agents.timeout.get().as_secs(), 90);
    assert_eq!(config.external_agents.inactivity.get().as_secs(), 43_200);
    assert_eq!(config.checkout.carry.value, ["node_modules", "web/.venv"]);
    assert_eq!(config.checkout.setup.as_deref(), Some("npm ci"));
    assert_eq!(*config.sandbox.net, NetMode::On);
    assert_eq!(config.sandbox.read.len(), 2);
    assert_eq!(
        config.sandbox.bwrap.as_ref().unwrap().as_os_str(),
        "/usr/local/bin/bwrap"
    );
    assert_eq!(*config.sandbox.require, Require::Full);
    assert_eq!(config.record.raw.origin, Origin::File { line: 21 });
}

/// Every mistake, as a person reads it: text, message, hint.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "[sandbox]\nnett = \"off\"",
        "config.toml:2:1: unknown key `sandbox.nett`",
        "did you mean `net`?",
    ),
    (
        "[sandbox]\nreqiure = \"full\"",
        "config.toml:2:1: unknown key `sandbox.reqiure`",
        "did you mean `require`?",
    ),
    (
        "[sandbx]\nnet = \"off\"",
        "config.toml:1:2: unknown key `sandbx`",
        "did you mean `sandbox`?",
    ),
    (
        "net = \"off\"",
        "config.toml:1:1: unknown key `net`",
        "`net` belongs in [sandbox]",
    ),
    (
        "[checkout]\ntimeout = \"1m\"",
        "config.toml:2:1: unknown key `checkout.timeout`",
        "`timeout` belongs in [external_agents]",
    ),
    (
        "[record]\nraw = false\nexternal_agents.enabled = true",
        "config.toml:3:1: unknown key `record.external_agents`",
        "write it below [external_agents], or above the first section of the file",
    ),
    (
        "[record]\nzzz = 1",
        "config.toml:2:1: unknown key `record.zzz`",
        "known here: raw, diffs_mib",
    ),
    (
        "[policy]\nmode = \"yolo\"",
        "config.toml:2:8: `policy.mode` must be \"ask\", \"trust\" or \"auto\", not `\"yolo\"`",
        "",
    ),
    (
        "[policy]\nmodus = \"ask\"",
        "config.toml:2:1: unknown key `policy.modus`",
        "known here: mode, rule",
    ),
    (
        "[[policy.rule]]\ncommand = [\"rm\"]",
        "config.toml:1:1: `policy.rule.answer` is missing",
        "",
    ),
    (
        "[[policy.rule]]\nanswer = \"perhaps\"",
        "config.toml:2:10: `policy.rule.answer`: `perhaps` is not an answer: allow, ask, deny",
        "",
    ),
    (
        "[[policy.rule]]\nanswer = \"deny\"\ncomand = [\"rm\"]",
        "config.toml:3:1: unknown key `policy.rule.comand`",
        "did you mean `command`?",
    ),
    (
        "[policy]\nrule = 1",
        "config.toml:2:1: `policy.rule` must be written as [[policy.rule]], not `1`",
        "",
    ),
    (
        "[web]\nport = 1",
        "config.toml:1:2: `[web]` is not supported in this version",
        "",
    ),
    (
        "[provider.local]\nurl = \"x\"",
        "config.toml:1:2: `[provider]` is not supported in this version",
        "",
    ),
    (
        "[checkout]\nkind = \"worktree\"",
        "config.toml:2:8: `checkout.kind = \"worktree\"` is not supported in this version",
        "",
    ),
    (
        "[sandbox]\nhosts = [\"127.1\"]",
        "config.toml:2:9: `sandbox.hosts`: `127.1` is not a host, such as `api.example.com`, `*.example.com` or \
         `10.0.0.5:8080`: it ends in a number and is not an address in its usual form",
        "",
    ),
    (
        "[sandbox]\nnet = \"open\"",
        "config.toml:2:7: `sandbox.net` must be \"auto\", \"off\", \"on\", \"ask\" or \"ports\", not `\"open\"`",
        "",
    ),
    (
        "[sandbox]\nnet = true",
        "config.toml:2:7: `sandbox.net` must be \"auto\", \"off\", \"on\", \"ask\" or \"ports\", not `true`",
        "",
    ),
    (
        "[sandbox]\nrequire = \"none\"",
        "config.toml:2:11: `sandbox.require` must be \"full\" or \"partial\", not `\"none\"`",
        "",
    ),
    (
        "[sandbox]\nports = 443",
        "config.toml:2:9: `sandbox.ports` must be a list of ports from 1 to 65535, not `443`",
        "",
    ),
    (
        "[sandbox]\nports = [443, 70000]",
        "config.toml:2:9: `sandbox.ports` must be a list of ports from 1 to 65535, not one with `70000` in it",
        "",
    ),
    (
        "[sandbox]\nports = [0]",
        "config.toml:2:9: `sandbox.ports` must be a list of ports from 1 to 65535, not one with `0` in it",
        "",
    ),
    (
        "[sandbox]\nread = [\"~/x\"]",
        "config.toml:2:8: `sandbox.read`: `~/x` is not an absolute path without `..`",
        "",
    ),
    (
        "[sandbox]\nread = [\"/opt/../etc\"]",
        "config.toml:2:8: `sandbox.read`: `/opt/../etc` is not an absolute path without `..`",
        "",
    ),
    (
        "[sandbox]\nread = [\"/home/\"]",
        "config.toml:2:8: `sandbox.read`: `/home/` is too wide: it would undo the sandbox",
        "",
    ),
    (
        "[sandbox]\nbwrap = \"bwrap\"",
        "config.toml:2:9: `sandbox.bwrap`: `bwrap` is not an absolute path without `..`",
        "",
    ),
    (
        "[external_agents]\nenabled = \"yes\"",
        "config.toml:2:11: `external_agents.enabled` must be true or false, not `\"yes\"`",
        "",
    ),
    (
        "[external_agents]\ntimeout = 90",
        "config.toml:2:11: `external_agents.timeout` must be a duration such as \"90s\", \"60m\" or \"12h\", not `90`",
        "",
    ),
    (
        "[external_agents]\ntimeout = \"0s\"",
        "config.toml:2:11: `external_agents.timeout`: a limit of 0s would end every run at once",
        "",
    ),
    (
        "[external_agents]\ntimeout = \"1 day\"",
        "config.toml:2:11: `external_agents.timeout`: `1 day` is not a duration: write a whole number and `ms`, `s`, `m` or `h`, at most 8760h",
        "",
    ),
    (
        "[external_agents]\nenable = true",
        "config.toml:2:1: unknown key `external_agents.enable`",
        "did you mean `enabled`?",
    ),
    (
        "[external_agents.timeout]\nx = 1",
        "config.toml:1:1: `external_agents.timeout` must be a duration such as \"90s\", \"60m\" or \"12h\", not a table",
        "",
    ),
    (
        "checkout = 3",
        "config.toml:1:12: `checkout` must be a section, not `3`",
        "",
    ),
    (
        "[checkout]\ncarry = [\"../x\"]",
        "config.toml:2:9: `checkout.carry`: `../x` has an empty part, `.` or `..`; write it relative to the project",
        "",
    ),
    (
        "[checkout]\ncarry = [\"~/x\"]",
        "config.toml:2:9: `checkout.carry`: `~/x`: write it relative to the project, without `~`",
        "",
    ),
    (
        "[checkout]\ncarry = [\".git/hooks\"]",
        "config.toml:2:9: `checkout.carry`: `.git` is never carried",
        "",
    ),
    (
        "[checkout]\ncarry = [1]",
        "config.toml:2:9: `checkout.carry` must be a list of strings, not one with `1` in it",
        "",
    ),
    (
        "\n  \"a\\u001bb\" = 1",
        "config.toml:2:3: unknown key `\"a\\u001Bb\"`",
        "known here: external_agents, checkout, sandbox, record, memory, recall, slate, mcp, review, policy",
    ),
];

#[test]
fn cfg_01_a_mistake_names_line_key_and_what_helps() {
    for (text, message, hint) in MISTAKES {
        assert_eq!(
            mistake(text),
            ((*message).to_owned(), (*hint).to_owned()),
            "{text}"
        );
    }
}

#[test]
fn cfg_01_the_first_mistake_by_line_is_reported() {
    let (message, _) =
        mistake("[sandbox]\nrequire = 1\n[checkout]\nkind = 2\n[external_agents]\nx = 1");
    assert!(
        message.starts_with("config.toml:2:11: `sandbox.require`"),
        "{message}"
    );
}

#[test]
fn cfg_01_broken_toml_has_its_place() {
    let error = read("[sandbox]\nnet = \"off\nports = [1]").unwrap_err();
    let Place::File { line, .. } = error.place else {
        panic!("{error}")
    };
    assert_eq!(line, 2);
    assert!(error.to_string().contains("not valid TOML"), "{error}");
    assert!(
        read("[sandbox]\nnet = \"off\"\nnet = \"on\"").is_err(),
        "a key twice"
    );
}

#[test]
fn cfg_01_a_file_is_a_page() {
    let large = format!("# {}", "x".repeat(1 << 20));
    let (message, _) = mistake(&large);
    assert!(message.contains("the limit is 1048576"), "{message}");
    let deep = format!("x = {}", "[".repeat(100_000));
    assert!(read(&deep).is_err());
}

#[test]
fn cfg_01_flag_over_environment_over_file_over_default() {
    let file = "[sandbox]\nnet = \"off\"\nrequire = \"full\"";
    let set = with_env(file, &[("TAFFRAIL_NET", "on"), ("TAFFRAIL_REQUIRE", "")]).unwrap();
    assert_eq!(set.sandbox.net.origin, Origin::Environment("TAFFRAIL_NET"));
    assert_eq!(*set.sandbox.net, NetMode::On);
    assert_eq!(
        set.sandbox.require.origin,
        Origin::File { line: 3 },
        "an empty variable is none"
    );
    assert_eq!(set.sandbox.ports.origin, Origin::Default);
    let net = set.sandbox.net.clone().or_flag(Some(NetMode::Off));
    assert_eq!((net.value, net.origin), (NetMode::Off, Origin::Flag));
    assert_eq!(set.sandbox.net.clone().or_flag(None), set.sandbox.net);
}

#[test]
fn cfg_01_a_variable_is_checked_like_a_key() {
    let message = |name, value| {
        let error = with_env("", &[(name, value)]).unwrap_err();
        assert_eq!(error.place, Place::Environment(name));
        error.to_string()
    };
    assert_eq!(
        message("TAFFRAIL_NET", "maybe"),
        "environment variable TAFFRAIL_NET: `sandbox.net` must be \"auto\", \"off\", \"on\", \"ask\" or \"ports\", not `maybe`"
    );
    assert!(message("TAFFRAIL_PORTS", "443,x").contains("a list of ports"));
    assert!(message("TAFFRAIL_BWRAP", "bwrap").contains("absolute path"));
    assert!(message("TAFFRAIL_TIMEOUT", "0s").contains("0s"));
    let ports = with_env("", &[("TAFFRAIL_PORTS", "443, 8443")])
        .unwrap()
        .sandbox
        .ports;
    assert_eq!(ports.value, [443, 8443]);
}

#[test]
fn cfg_01_consent_has_no_variable() {
    let all_yes = |name: &str| {
        name.starts_with("TAFFRAIL_").then(|| match name {
            "TAFFRAIL_NET" | "TAFFRAIL_REQUIRE" | "TAFFRAIL_PORTS" | "TAFFRAIL_BWRAP" => {
                String::new()
            }
            "TAFFRAIL_TIMEOUT" | "TAFFRAIL_INACTIVITY" => "1h".to_owned(),
            _ => "true".to_owned(),
        })
    };
    let config = crate::load(None, &all_yes).unwrap();
    assert!(!*config.external_agents.enabled);
    assert_eq!(config.external_agents.write_in_checkout.name(), "ask");
    assert!(!*config.record.raw);
}

#[test]
fn cnf_08_the_network_of_a_command() {
    let base = config("[sandbox]\nports = [443]");
    let claude = base.agents.get("claude");
    let on = Net::Ports(vec![443]);
    let by_host = |allowed: &[String], ask| Net::Hosts {
        allowed: allowed.to_vec(),
        ask,
        loopback: Vec::new(),
    };
    let own = &claude.unwrap().hosts;
    assert_eq!(base.net_for(None, None).value, Net::Off);
    assert_eq!(base.net_for(None, claude).value, by_host(own, false));
    assert_eq!(
        base.net_for(Some(NetMode::Ask), claude).value,
        by_host(own, true)
    );
    assert_eq!(base.net_for(Some(NetMode::Ports), claude).value, on);
    assert_eq!(base.net_for(Some(NetMode::On), None).value, on);
    assert_eq!(
        base.net_for(Some(NetMode::Ask), None).value,
        by_host(&[], true)
    );
    let more = config("[sandbox]\nhosts = [\"*.example.com\", \"api.anthropic.com\"]");
    let names = ["*.example.com".to_owned(), "api.anthropic.com".to_owned()];
    assert_eq!(
        more.net_for(Some(NetMode::On), None).value,
        by_host(&names, false)
    );
    let both = [&own[..], &names[..1]].concat();
    assert_eq!(more.net_for(None, claude).value, by_host(&both, false));
    assert_eq!(base.net_for(Some(NetMode::Off), claude).value, Net::Off);
    assert_eq!(
        base.net_for(Some(NetMode::Off), claude).origin,
        Origin::Flag
    );
    let off = config("[sandbox]\nnet = \"off\"");
    assert_eq!(off.net_for(None, off.agents.get("claude")).value, Net::Off);
}

#[test]
fn cnf_03_what_is_required() {
    for (require, rung, met) in [
        (Require::Full, Rung::Full, true),
        (Require::Full, Rung::Partial, false),
        (Require::Full, Rung::None, false),
        (Require::Partial, Rung::Full, true),
        (Require::Partial, Rung::Partial, true),
        (Require::Partial, Rung::None, false),
    ] {
        assert_eq!(require.is_met_by(rung), met, "{require:?} {rung:?}");
    }
}

#[test]
fn cfg_01_show_prints_every_value_with_its_origin() {
    let text = "[external_agents]\ntimeout = \"90s\"\n[external_agents.claude]\npty = true\n";
    let config = with_env(text, &[("TAFFRAIL_NET", "off")]).unwrap();
    let rows = show(&config);
    let line = |key: &str| {
        let row = rows.iter().find(|row| row.key == key);
        let row = row.unwrap_or_else(|| panic!("no row for {key}"));
        format!("{} ({})", row.value, row.origin)
    };
    assert_eq!(
        line("external_agents.timeout"),
        "\"90s\" (config.toml line 2)"
    );
    assert_eq!(line("sandbox.net"), "\"off\" (environment TAFFRAIL_NET)");
    assert_eq!(line("checkout.setup"), "unset (default)");
    assert_eq!(
        line("external_agents.claude.pty"),
        "true (config.toml line 4)"
    );
    assert_eq!(
        line("external_agents.claude.command"),
        "\"claude\" (built in)"
    );
    assert_eq!(
        line("external_agents.claude.env.IS_SANDBOX"),
        "\"1\" (built in)"
    );
    assert_eq!(line("external_agents.claude.args"), "[] (default)");
    let mut keys: Vec<_> = rows.iter().map(|row| &row.key).collect();
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all, "a key twice");
}

#[test]
fn cfg_01_show_hides_what_looks_secret() {
    let text = r#"
[external_agents.mine]
command = "mine"
args = ["--token=ghp_0123456789abcdefghij"]
env = { MY_API_KEY = "open sesame", PLAIN = "yes", URL = "https://me:canary@host.example/", BLOB = "c4n4ryc4n4ryc4n4ryc4n4ry", SSH_AUTH = "1" }
[checkout]
setup = "NPM_TOKEN=npm_c4n4ryc4n4ryc4n4ryc4n4ry npm ci"
"#;
    let config = config(text);
    let rows = show(&config);
    let shown = |key: &str| {
        rows.iter()
            .find(|row| row.key.ends_with(key))
            .unwrap()
            .value
            .clone()
    };
    for hidden in [
        ".args",
        ".env.MY_API_KEY",
        ".env.URL",
        ".env.BLOB",
        "checkout.setup",
    ] {
        let value = match hidden {
            ".args" => shown("mine.args"),
            other => shown(other),
        };
        assert_eq!(value, "(not shown)", "{hidden}");
    }
    assert_eq!(shown(".env.PLAIN"), "\"yes\"");
    assert_eq!(shown(".env.SSH_AUTH"), "\"1\"");
    // The twin: the value itself is in force, only not shown.
    assert_eq!(config.agents["mine"].env["MY_API_KEY"], "open sesame");
}

#[test]
fn cfg_01_a_message_repeats_no_secret() {
    for text in [
        "[external_agents.mine]\ncommand = \"mine\"\nenv = { K = 12345 }",
        "[external_agents.mine]\ncommand = \"mine\"\nenv = \"sk-12345\"",
        "[external_agents.mine]\ncommand = \"mine\"\npty = \"sk-12345\"",
    ] {
        let (message, _) = mistake(text);
        assert!(!message.contains("12345"), "{message}");
    }
}

proptest! {
    #[test]
    fn cfg_01_arbitrary_text_never_panics(text in "\\PC*", value in any::<String>()) {
        let loaded = with_env(&text, &[("TAFFRAIL_NET", &value), ("TAFFRAIL_PORTS", &value)]);
        if let Err(error) = loaded {
            prop_assert!(!error.to_string().chars().any(char::is_control));
        }
        let _ignored = crate::load_project((std::path::Path::new("p"), &text)).is_ok();
    }

    /// Text that is nearly a configuration reaches deeper than noise.
    #[test]
    fn cfg_01_near_misses_never_panic(
        section in prop::sample::select(vec!["sandbox", "checkout", "external_agents", "external_agents.claude", "external_agents.\"é\\u0000\"", "record"]),
        key in prop::sample::select(vec!["net", "ports", "carry", "env", "timeout", "hosts", "write_back", "version_pattern", "command", "\"\\u001b\""]),
        value in prop::sample::select(vec!["1", "-1", "1e9", "\"\"", "[[]]", "{}", "{a = {b = 1}}", "1979-05-27", "[\"\\u0000\"]", "\"(((\"", "[\"*.\"]", "99999999999999999999", "0xff"]),
    ) {
        let text = format!("[{section}]\n{key} = {value}\n");
        if let Ok(config) = read(&text) {
            prop_assert!(!show(&config).is_empty());
        }
        let _ignored = crate::load_project((std::path::Path::new("p"), &text)).is_ok();
    }
}
