//! Promise: what is secret is in no record (RED-01), in no child (CNF-04), and of the operator's own files a box gets
//! copies of what its agent's entry names, and gives back nothing but a refreshed credential (FA-41).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use common::{boxed, branch_of, committed, data, holds, land, review, taffrail, waiting, world};
use taffrail_testkit::{Hermetic, Ran, Repo};

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat()
}

fn key() -> String {
    ["AKIA", "Q3EGXR7VJ2LMN5PT"].concat()
}

#[test]
fn red_01_a_secret_on_the_command_line_is_in_no_record() {
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
const ALLOWED: [&str; 14] = [
    "COLORTERM",
    "GIT_CONFIG_NOSYSTEM",
    "HOME",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "PATH",
    "RES_OPTIONS",
    "SHELL",
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
fn cnf_04_the_child_sees_the_allow_list_and_nothing_else() {
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
fn cnf_04_the_twin_without_a_box_has_them_all() {
    let mut world = world();
    for name in SECRETS {
        world.set_env(name, format!("canary-{name}"));
    }
    let ran = world.program("env", &["-0"]).go().success();
    assert_eq!(ran.stdout.matches("canary-").count(), 40);
}

/// The operator's home as an agent's user has it, and an entry for that agent.
struct Desk {
    world: Hermetic,
    repo: Repo,
}

const SIGNED_IN: &str = r#"{"token":"old","expires":1}"#;

impl Desk {
    fn new() -> Self {
        let mut world = world();
        world
            .set_env("FAKE_KEY", "passed")
            .set_env("OTHER_KEY", "kept-back");
        let repo = committed(&world);
        let desk = Self { world, repo };
        desk.own(".fake/auth.json", SIGNED_IN);
        desk.own(".fake/settings.json", r#"{"hooks":[]}"#);
        desk.own(".fake/history", "private\n");
        desk.own(".ssh/id_ed25519", "private key\n");
        desk.own(".bashrc", "# mine\n");
        desk.world.config(
            "[external_agents.fake]\ncommand = \"fake-agent\"\npass_env = [\"FAKE_KEY\"]\n\
             credential_files = [\".fake/auth.json\", \".fake/settings.json\", \".fake/missing.json\"]\n\
             write_back = [\".fake/auth.json\"]\nstate_dirs = [\".fake\", \".cache/fake\"]\n\
             env = { FAKE_MODE = \"box\" }\n",
        );
        desk
    }

    fn own(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.home().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The agent's work, done by a shell.
    fn agent(&self, script: &str) -> Ran {
        boxed(
            &self.world,
            &self.repo,
            &["--agent", "fake", "--net", "off"],
            script,
        )
        .go()
    }

    /// After the agent's work the sign-in is as it was, and the person is told why.
    #[track_caller]
    fn assert_kept(&self, script: &str, why: &str) {
        let ran = self.agent(script);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(self.read(".fake/auth.json"), SIGNED_IN, "{script}");
        assert!(
            ran.stderr.contains("~/.fake/auth.json was left as it was") && ran.stderr.contains(why),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn fa_41_home_is_the_runs_own_and_holds_what_the_entry_names() {
    let desk = Desk::new();
    let ran = desk.agent(
        "cd; pwd; find . -type f | sort; cat .fake/auth.json; echo; stat -c '%a %n' .fake/auth.json
         test -d .cache/fake && echo state; echo $FAKE_KEY-$OTHER_KEY-$FAKE_MODE",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let [home, files @ .., auth, mode, state, passed] = lines.as_slice() else {
        panic!("{}", ran.stdout)
    };
    assert!(
        home.starts_with(desk.world.taffrail_home().to_str().unwrap()) && home.ends_with("/home"),
        "{home}"
    );
    assert_eq!(
        files,
        ["./.fake/auth.json", "./.fake/settings.json", "./.gitconfig"]
    );
    assert_eq!(
        (*auth, *mode, *state, *passed),
        (SIGNED_IN, "600 .fake/auth.json", "state", "passed--box")
    );
}

#[test]
fn fa_41_any_other_command_gets_no_credential() {
    let desk = Desk::new();
    let ran = boxed(
        &desk.world,
        &desk.repo,
        &[],
        "cd; find . -type f; echo $FAKE_KEY-$FAKE_MODE",
    )
    .go()
    .success();
    assert_eq!(ran.stdout, "./.gitconfig\n-\n");
}

#[test]
fn fa_41_the_operators_home_cannot_be_reached_by_its_path() {
    let desk = Desk::new();
    let home = desk.world.home().display().to_string();
    let tries = format!(
        "for f in .ssh/id_ed25519 .fake/history .bashrc .fake/auth.json; do cat '{home}/'$f && echo READ; done
         for f in .bashrc .fake/settings.json .fake/new; do echo hook >> '{home}/'$f && echo WROTE; done; ls '{home}' && echo LISTED; :"
    );
    let before = taffrail_testkit::digest(&desk.world.home());
    let ran = desk.agent(&tries);
    assert!(
        !ran.stdout.contains("READ") && !ran.stdout.contains("WROTE"),
        "{}",
        ran.stdout
    );
    assert_eq!(taffrail_testkit::digest(&desk.world.home()), before);
    // The twin: nothing but the sandbox is in the way.
    let twin = boxed(
        &desk.world,
        &desk.repo,
        &["--agent", "fake", "--no-sandbox"],
        &tries,
    )
    .go();
    assert_eq!(
        twin.stdout.matches("READ").count(),
        4,
        "{}",
        twin.snapshot()
    );
    assert_eq!(
        twin.stdout.matches("WROTE").count(),
        3,
        "{}",
        twin.snapshot()
    );
}

#[test]
fn fa_41_a_refreshed_sign_in_comes_back() {
    let desk = Desk::new();
    let ran = desk.agent(r#"printf '{"token":"new","expires":2}' > ~/.fake/auth.json"#);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        desk.read(".fake/auth.json"),
        r#"{"token":"new","expires":2}"#
    );
    assert_eq!(
        desk.path(".fake/auth.json").metadata().unwrap().mode() & 0o777,
        0o600
    );
    assert!(
        ran.stderr
            .contains("~/.fake/auth.json now holds the refreshed token"),
        "{}",
        ran.stderr
    );
    // By a rename, as careful programs write.
    desk.agent(r#"cd ~/.fake; printf '{"token":"newer","expires":3}' > t; mv t auth.json"#);
    assert!(desk.read(".fake/auth.json").contains("newer"));
    // Untouched: nothing is said, nothing written.
    let before = desk.path(".fake/auth.json").metadata().unwrap();
    let ran = desk.agent("cat ~/.fake/auth.json >/dev/null");
    let after = desk.path(".fake/auth.json").metadata().unwrap();
    assert_eq!(
        (before.ino(), before.mtime_nsec()),
        (after.ino(), after.mtime_nsec())
    );
    assert!(!ran.stderr.contains("note:"), "{}", ran.stderr);
}

#[test]
fn fa_41_what_is_no_longer_of_its_kind_does_not_come_back() {
    let cases = [
        ("rm ~/.fake/auth.json", "removed"),
        (
            "cd ~/.fake; rm auth.json; ln -s settings.json auth.json",
            "plain file",
        ),
        (
            "cd ~/.fake; rm auth.json; ln -s /etc/passwd auth.json",
            "plain file",
        ),
        ("cd ~/.fake; rm auth.json; mkdir auth.json", "plain file"),
        ("cd ~/.fake; rm auth.json; mkfifo auth.json", "plain file"),
        (
            "cd ~/.fake; printf '{\"token\":\"new\"}' > auth.json; ln auth.json other",
            "plain file",
        ),
        (
            "printf 'not json' > ~/.fake/auth.json",
            "no longer a JSON object",
        ),
        (
            "printf '[1]' > ~/.fake/auth.json",
            "no longer a JSON object",
        ),
        (
            "printf '{\"token\":\"new\",\"hooks\":\"evil\"}' > ~/.fake/auth.json",
            "a key that yours does not have",
        ),
        (
            "dd if=/dev/zero of=$HOME/.fake/auth.json bs=1048576 count=17 2>/dev/null",
            "16 MiB",
        ),
    ];
    for (script, why) in cases {
        Desk::new().assert_kept(script, why);
    }
}

#[test]
fn fa_41_what_the_operator_changed_meanwhile_wins() {
    let desk = Desk::new();
    let go = r#"touch "$TMPDIR/../wt/ready"; until [ -e go ]; do sleep 0.02; done; rm go ready
                printf '{"token":"new","expires":2}' > ~/.fake/auth.json"#;
    let running = boxed(
        &desk.world,
        &desk.repo,
        &["--agent", "fake", "--net", "off"],
        go,
    )
    .start();
    let ready = common::wait_for_file(&desk.world, "ready");
    desk.own(".fake/auth.json", r#"{"token":"mine","expires":9}"#);
    std::fs::write(ready.with_file_name("go"), "").unwrap();
    let ran = running.wait().success();
    assert!(desk.read(".fake/auth.json").contains("mine"));
    assert!(
        ran.stderr.contains("changed by another program"),
        "{}",
        ran.stderr
    );
}

#[test]
fn fa_41_settings_never_come_back() {
    let desk = Desk::new();
    let before: Vec<String> = [".fake/settings.json", ".fake/history", ".bashrc"]
        .map(|name| desk.read(name))
        .into();
    let ran = desk.agent(
        r#"cd; printf '{"hooks":["evil"]}' > .fake/settings.json; echo evil > .fake/history; echo evil > .bashrc
           echo evil > .fake/new; mkdir -p .config/fake; echo evil > .config/fake/mcp.json"#,
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let after: Vec<String> = [".fake/settings.json", ".fake/history", ".bashrc"]
        .map(|name| desk.read(name))
        .into();
    assert_eq!(after, before);
    assert!(!desk.path(".fake/new").exists() && !desk.path(".config").exists());
}

#[test]
fn fa_41_a_linked_dotfile_is_refreshed_where_it_lies() {
    let desk = Desk::new();
    let real = desk.path("dotfiles/auth.json");
    desk.own("dotfiles/auth.json", SIGNED_IN);
    std::fs::remove_file(desk.path(".fake/auth.json")).unwrap();
    std::os::unix::fs::symlink(&real, desk.path(".fake/auth.json")).unwrap();
    let ran = desk.agent(r#"printf '{"token":"new","expires":2}' > ~/.fake/auth.json"#);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        desk.path(".fake/auth.json").is_symlink(),
        "the link is still one"
    );
    assert!(std::fs::read_to_string(real).unwrap().contains("new"));
}

#[test]
fn fa_41_a_cancelled_or_killed_agent_leaves_the_sign_in_whole() {
    let desk = Desk::new();
    let script =
        r#"printf '{"token":"new","expires":2}' > ~/.fake/auth.json; touch ready; exec sleep 300"#;
    let flags = ["--agent", "fake", "--net", "off"];
    let running = boxed(&desk.world, &desk.repo, &flags, script).start();
    common::wait_for_file(&desk.world, "ready");
    running.signal(rustix::process::Signal::TERM);
    running.wait().expect_code(130);
    assert!(
        desk.read(".fake/auth.json").contains("new"),
        "a refreshed token is not lost with the run"
    );
    let running = boxed(
        &desk.world,
        &desk.repo,
        &flags,
        &script.replace("new", "newer"),
    )
    .start();
    common::wait_for_file(&desk.world, "ready");
    common::kill_nine(running);
    taffrail(&desk.world, &desk.repo, &["box", "list"]).success();
    assert_eq!(
        desk.read(".fake/auth.json"),
        r#"{"token":"new","expires":2}"#
    );
    assert_no_copy(&desk, "newer");
}

/// A lent credential is not part of what changed.
fn assert_no_copy(desk: &Desk, text: &str) {
    let sessions = desk.world.taffrail_home().join("sessions");
    assert_eq!(
        holds(Path::new(&sessions), text.as_bytes()),
        Vec::<PathBuf>::new()
    );
}
