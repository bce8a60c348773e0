//! Promise: of the operator's own files a box gets copies of what its agent's entry names, and gives back nothing but a
//! refreshed credential that is still of its kind (FA-41).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use common::{boxed, committed, holds, taffrail, world};
use taffrail_testkit::{Hermetic, Ran, Repo};

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
    assert!(!ran.stderr.contains("auth.json"), "{}", ran.stderr);
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
