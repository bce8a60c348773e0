//! The public registry's copy: both of its forms, what is taken, what is refused by name.

use serde_json::json;

use super::*;

fn npx(package: &str) -> Value {
    json!({"npx": {"package": package, "args": ["--acp"]}})
}

fn whole(distribution: &Value) -> Vec<u8> {
    json!({
        "version": "1.0.0",
        "agents": [
            {"id": "other", "distribution": npx("other@1.0.0")},
            {"id": "some", "name": "Some", "version": "1.2.3", "description": "d", "distribution": distribution},
        ],
        "extensions": [],
    })
    .to_string()
    .into_bytes()
}

fn words(distribution: &Value) -> Result<Vec<String>, String> {
    read(&whole(distribution), "some", None).map(|draft| draft.command)
}

#[test]
fn fa_03_an_agent_of_either_form_becomes_a_command_that_a_person_can_read() {
    let draft = read(&whole(&npx("@scope/some@1.2.3")), "some", None).unwrap();
    assert_eq!(draft.id, "some-acp");
    assert_eq!(
        draft.command,
        ["npx", "--yes", "@scope/some@1.2.3", "--acp"]
    );
    let lines = draft.lines().join("\n");
    assert!(
        lines.contains("[external_agents.some-acp]")
            && lines.contains("initialize_timeout = \"5m\""),
        "{lines}"
    );
    let one = json!({"id": "some-acp", "distribution": {"uvx": {"package": "some-agent[acp]==2.0.1", "env": {"SOME_MODE": "acp"}}}});
    let draft = read(one.to_string().as_bytes(), "some-acp", None).unwrap();
    assert_eq!(draft.id, "some-acp");
    assert_eq!(draft.command, ["uvx", "some-agent[acp]==2.0.1"]);
    assert_eq!(draft.env, [("SOME_MODE".to_owned(), "acp".to_owned())]);
    let named = read(&whole(&npx("x@1.0.0")), "some", Some("mine")).unwrap();
    assert_eq!(named.id, "mine");
}

#[test]
fn fa_03_an_archive_is_told_of_and_never_loaded() {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let here = format!(
        "{}-{machine}",
        if system == "macos" { "darwin" } else { system }
    );
    let target =
        json!({"archive": "https://example.com/some.tar.gz", "cmd": "./some", "sha256": "ab12"});
    let why = words(&json!({"binary": {here.clone(): target}})).unwrap_err();
    for part in [
        "https://example.com/some.tar.gz",
        "ab12",
        "agents external add ID --command",
    ] {
        assert!(why.contains(part), "{why}");
    }
    let unsummed =
        json!({"binary": {here.clone(): {"archive": "https://e.com/a.zip", "cmd": "a"}}});
    assert!(words(&unsummed).unwrap_err().contains("names no sha256"));
    let why = words(&json!({"binary": {"plan9-sparc": {"archive": "x", "cmd": "y"}}})).unwrap_err();
    assert_eq!(
        why,
        format!("`some`: it has nothing for {here}; it has plan9-sparc")
    );
}

/// Packages that are refused.
fn packages() -> Vec<(Value, &'static str)> {
    [
        "some",
        "some@latest",
        "some@^1.0.0",
        "some@*",
        "--package=evil@1.0.0",
        "-c@1.0.0",
        "../evil@1.0.0",
        ".@1.0.0",
        "/tmp/evil@1.0.0",
        "git+https://evil.example/x@1.0.0",
        "https://evil.example/x.tgz@1.0.0",
        "file:evil@1.0.0",
        "github:evil/x@1.0.0",
        "npm:evil@1.0.0",
        "@scope@1.0.0",
        "@/x@1.0.0",
        "@scope/../x@1.0.0",
        "some@1.0.0 evil@1.0.0",
        "some@1.0.0;touch x",
        "some@1.0.0\n",
        "s\u{200b}ome@1.0.0",
        "\u{455}ome@1.0.0",
        "",
        "@1.0.0",
    ]
    .iter()
    .map(|package| (npx(package), "package"))
    .collect()
}

/// Distributions that are refused, and a part of why.
fn forms() -> Vec<(Value, &'static str)> {
    let with_args = |args: Value| json!({"npx": {"package": "some@1.0.0", "args": args}});
    vec![
        (json!({"npx": {"package": "x".repeat(400)}}), "package"),
        (json!({"npx": {"package": 3}}), "names no `package`"),
        (json!({"npx": "some@1.0.0"}), "names no `package`"),
        (json!({"uvx": {"package": "some"}}), "not pinned"),
        (
            json!({"uvx": {"package": "some@git+https://e.com/x"}}),
            "not the name",
        ),
        (json!({"uvx": {"package": "--from=x==1.0"}}), "not the name"),
        (
            json!({"uvx": {"package": "some[../x]==1.0"}}),
            "not the name",
        ),
        (with_args(json!(["a\u{1b}[2J"])), "control or invisible"),
        (with_args(json!(["a\u{0}"])), "control or invisible"),
        (with_args(json!(["a\nb"])), "control or invisible"),
        (
            with_args(json!(["--x=\u{202e}cod"])),
            "control or invisible",
        ),
        (with_args(json!(["\u{200b}"])), "control or invisible"),
        (with_args(json!(["x".repeat(2_000)])), "2000 bytes"),
        (with_args(json!(vec!["x"; 65])), "65 arguments"),
        (with_args(json!([1])), "something else than text"),
        (with_args(json!("--acp")), "is no list"),
        (environment(&json!([])), "is no object"),
        (environment(&json!({"A": 1})), "something else than text"),
        (environment(&json!({"A": "x\u{7}"})), "control or invisible"),
        (json!({}), "no `npx`, `uvx` or `binary`"),
        (json!([]), "no `distribution`"),
    ]
}

fn environment(env: &Value) -> Value {
    json!({"npx": {"package": "some@1.0.0", "env": env}})
}

/// Variables that are refused.
fn variables() -> Vec<(Value, &'static str)> {
    let refused = [
        "PATH",
        "Path",
        "LD_PRELOAD",
        "ld_library_path",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "NODE_EXTRA_CA_CERTS",
        "NPM_CONFIG_REGISTRY",
        "npm_config_registry",
        "PYTHONPATH",
        "UV_INDEX_URL",
        "PIP_INDEX_URL",
        "BASH_ENV",
        "GIT_SSH_COMMAND",
        "HTTPS_PROXY",
        "https_proxy",
        "SSL_CERT_FILE",
        "ANTHROPIC_BASE_URL",
        "OPENAI_HOST",
        "OPENAI_API_BASE",
        "TAFFRAIL_HOME",
        "TAFFRAIL_EXTERNAL_DEPTH",
        "",
        "A B",
        "A=B",
        "A\u{0}",
        "\u{c4}",
    ];
    let each = refused.iter().map(|name| {
        let why = "which a registry may not";
        (environment(&json!({*name: "x"})), why)
    });
    each.collect()
}

#[test]
fn fa_03_a_hostile_registry_is_refused_by_name() {
    for (distribution, why) in [packages(), forms(), variables()].concat() {
        let shown = distribution.to_string();
        let error = words(&distribution).unwrap_err();
        assert!(
            error.starts_with("`some`: ") && error.contains(why),
            "{shown}\n{error}"
        );
        assert!(error.len() < 1_000, "{}", error.len());
    }
    // The twin: what a registry really holds is taken.
    for package in [
        "@google/gemini-cli@0.61.0",
        "pi-acp@0.0.34",
        "@agentclientprotocol/codex-acp@2.6.0",
        "x@1.0.0-rc.1+b.2",
    ] {
        assert!(words(&npx(package)).is_ok(), "{package}");
    }
}

#[test]
fn fa_03_what_is_no_registry_is_refused() {
    let entry = json!({"id": "some", "distribution": npx("some@1.0.0")});
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (text, why) in [
        (String::new(), "it is no JSON"),
        ("nonsense".into(), "it is no JSON"),
        ("[]".into(), "it is no JSON object"),
        (deep, "it is no JSON"),
        (r#"{"agents": {}}"#.into(), "its `agents` is no list"),
        (r#"{"agents": []}"#.into(), "it has no agent `some`"),
        (
            json!({"agents": [entry, entry]}).to_string(),
            "it has `some` twice",
        ),
        (
            json!({"agents": [{"id": "some"}]}).to_string(),
            "`some`: it has no `distribution`",
        ),
    ] {
        let error = read(text.as_bytes(), "some", None).unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }
    for id in [
        "",
        "Some",
        "some/../x",
        "-some",
        "some\u{1b}",
        &"x".repeat(40),
    ] {
        assert!(
            read(&whole(&npx("some@1.0.0")), id, None)
                .unwrap_err()
                .contains("is no id"),
            "{id}"
        );
    }
}
