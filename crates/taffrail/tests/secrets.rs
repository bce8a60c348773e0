//! Promise: what is secret is in no record (RED-01) and in no child (CNF-04).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use common::{boxed, branch_of, committed, data, holds, land, review, taffrail, waiting, world};
use taffrail_testkit::Ran;

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat()
}

fn key() -> String {
    ["AKIA", "Q3EGXR7VJ2LMN5PT"].concat()
}

#[test]
fn red_01_s32_a_secret_on_the_command_line_is_in_no_record() {
    let world = world();
    let repo = committed(&world);
    let (token, key) = (token(), key());
    let script = format!("echo '{token}' >/dev/null; echo {key} > /dev/null; echo x > x");
    let ran = boxed(&world, &repo, &["--name", "b"], &script).go();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut seen = vec![ran];
    for args in [
        &["box", "list", "--all"][..],
        &["box", "list", "--json"],
        &["box", "review", "b"],
        &["box", "review", "--json", "b"],
        &["box", "review", "--record", "b"],
    ] {
        seen.push(taffrail(&world, &repo, args).success());
    }
    let said = land(&world, &repo, "b", &[]);
    let log = repo.git(&["log", "-1", "--format=%B", &branch_of(&said)]);
    for secret in [&token, &key] {
        for ran in &seen {
            assert!(
                !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
                "{}",
                ran.snapshot()
            );
        }
        assert!(!log.contains(secret), "{log}");
        assert_eq!(
            holds(&world.taffrail_home(), secret.as_bytes()),
            Vec::<PathBuf>::new()
        );
    }
    assert!(log.contains("[REDACTED:"), "{log}");
}

#[test]
fn red_01_a_secret_as_the_name_of_a_box_is_in_no_record() {
    let world = world();
    let repo = committed(&world);
    let token = token();
    boxed(&world, &repo, &["--name", &token], "echo x > x")
        .go()
        .success();
    let rows = data(&world, &repo, &["box", "list", "--all", "--json"]).to_string();
    assert!(!rows.contains(&token), "{rows}");
    assert_eq!(
        holds(&world.taffrail_home(), token.as_bytes()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn red_01_an_added_secret_is_flagged_masked_when_shown_and_exact_when_landed() {
    let world = world();
    let repo = committed(&world);
    let (token, key) = (token(), key());
    let file =
        format!("[default]\naws_access_key_id = {key}\ngithub = \"{token}\"\nplain = value\n");
    std::fs::write(world.root().join("content"), &file).unwrap();
    let lines: Vec<String> = file.lines().map(|line| format!("'{line}'")).collect();
    waiting(
        &world,
        &repo,
        "b",
        &format!(
            "printf '%s\\n' {} > settings.ini; echo x > plain.txt",
            lines.join(" ")
        ),
    );

    let answer = review(&world, &repo, "b");
    let changes = answer["change"]["changes"].as_array().unwrap();
    let flags = |name: &str| {
        changes
            .iter()
            .find(|change| change["path"] == name)
            .unwrap()["flags"]
            .to_string()
    };
    assert_eq!(flags("settings.ini"), "[\"secret\"]");
    assert_eq!(flags("plain.txt"), "[]");
    let shown = taffrail(&world, &repo, &["box", "review", "b"]).success();
    for ran in [
        &shown,
        &taffrail(&world, &repo, &["box", "review", "--json", "b"]),
    ] {
        assert!(
            !ran.stdout.contains(&token) && !ran.stdout.contains(&key),
            "{}",
            ran.stdout
        );
    }
    assert!(
        shown.stdout.contains("+github = \"[REDACTED:") && shown.stdout.contains("+plain = value"),
        "{}",
        shown.stdout
    );
    // Exact, private and nowhere else: the stored diff.
    let kept = holds(&world.taffrail_home(), token.as_bytes());
    let [patch] = kept.as_slice() else {
        panic!("{kept:?}")
    };
    assert!(patch.ends_with("change.patch"));
    assert_eq!(
        patch.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );

    let branch = branch_of(&land(&world, &repo, "b", &["secret"]));
    assert_eq!(repo.git(&["show", &format!("{branch}:settings.ini")]), file);
}

#[test]
fn red_01_a_discarded_secret_is_gone() {
    let world = world();
    let repo = committed(&world);
    let token = token();
    waiting(&world, &repo, "b", &format!("echo {token} > t"));
    assert_eq!(holds(&world.taffrail_home(), token.as_bytes()).len(), 1);
    taffrail(&world, &repo, &["box", "discard", "b"]).success();
    assert_eq!(
        holds(&world.taffrail_home(), token.as_bytes()),
        Vec::<PathBuf>::new()
    );
}

/// Forty names under which people keep secrets.
const SECRETS: [&str; 40] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
    "HF_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITLAB_TOKEN",
    "BITBUCKET_TOKEN",
    "NPM_TOKEN",
    "PYPI_TOKEN",
    "CARGO_REGISTRY_TOKEN",
    "DOCKER_AUTH_CONFIG",
    "KUBECONFIG",
    "VAULT_TOKEN",
    "STRIPE_API_KEY",
    "SLACK_TOKEN",
    "DISCORD_TOKEN",
    "TWILIO_AUTH_TOKEN",
    "SENDGRID_API_KEY",
    "DATABASE_URL",
    "PGPASSWORD",
    "MYSQL_PWD",
    "REDIS_URL",
    "SSH_AUTH_SOCK",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "LC_SECRET",
    "SUDO_ASKPASS",
];

/// CNF-04's list as far as this test sets it, and what a box sets itself.
const ALLOWED: [&str; 16] = [
    "COLORTERM",
    "GIT_CONFIG_NOSYSTEM",
    "HOME",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "PATH",
    "RES_OPTIONS",
    "SHELL",
    "TAFFRAIL_BROKER_DIR",
    "TAFFRAIL_BROKER_TOKEN",
    "TAFFRAIL_RUN",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
];

/// Where toolchains lie, for programs that would look below HOME.
const TOOLCHAINS: [&str; 7] = [
    "RUSTUP_HOME",
    "CARGO_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "JAVA_HOME",
    "GOROOT",
    "PNPM_HOME",
];

fn environment_of(ran: &Ran) -> BTreeSet<String> {
    ran.stdout
        .split('\0')
        .filter_map(|entry| Some(entry.split_once('=')?.0.to_owned()))
        .collect()
}

#[test]
fn cnf_04_s30_the_child_sees_the_allow_list_and_nothing_else() {
    let mut world = world();
    for name in SECRETS {
        world.set_env(name, format!("canary-{name}"));
    }
    for name in ["TERM", "SHELL", "USER", "LC_ALL", "COLORTERM"] {
        world.set_env(name, "C.UTF-8");
    }
    for name in [
        "LD_PRELOAD",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
        "EDITOR",
    ] {
        world.set_env(name, "");
    }
    let repo = committed(&world);
    let ran = taffrail(&world, &repo, &["box", "--", "cat", "/proc/self/environ"]);
    let names = match ran.code {
        0 => environment_of(&ran),
        // Without a process namespace there is no /proc to read.
        _ => environment_of(&taffrail(&world, &repo, &["box", "--", "env", "-0"]).success()),
    };
    let more: Vec<_> = names
        .iter()
        .filter(|name| !ALLOWED.contains(&name.as_str()))
        .collect();
    assert!(
        more.iter().all(|name| TOOLCHAINS.contains(&name.as_str())),
        "{more:?}"
    );
    assert!(
        [
            "HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"
        ]
        .iter()
        .all(|name| names.contains(*name))
    );
    assert!(!ran.stdout.contains("canary-"), "{}", ran.stdout);
}

#[test]
fn cnf_04_s30_twin_without_a_box_has_them_all() {
    let mut world = world();
    for name in SECRETS {
        world.set_env(name, format!("canary-{name}"));
    }
    let ran = world.program("env", &["-0"]).go().success();
    assert_eq!(ran.stdout.matches("canary-").count(), 40);
}
