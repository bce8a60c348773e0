//! Promise: exit codes, streams, messages and JSON are a contract (CLI-02, CLI-03, ERR-01), and starting costs no state
//! (CLI-05).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::{PATIENCE, boxed, committed, taffrail, waiting, world};
use taffrail_testkit::{Hermetic, Ran, Repo, Terminal, TerminalSize, Times, executable, manifest};

const TAFFRAIL: &str = env!("CARGO_BIN_EXE_taffrail");

#[test]
fn cli_02_exit_codes() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "waits", "echo x > x");
    let plain = world.directory("plain");
    let table: &[(&[&str], i32)] = &[
        (&["box", "--", "true"], 0),
        (&["box", "--", "sh", "-c", "exit 42"], 1),
        (&["box", "--", "sh", "-c", "kill -9 $$"], 1),
        (&["box", "--nonsense", "--", "true"], 2),
        (&["box"], 2),
        (&["box", "--"], 2),
        (&["nonsense"], 2),
        (&[], 2),
        (&["box", "--timeout", "soon", "--", "true"], 2),
        (&["box", "--agent", "nobody", "--", "true"], 2),
        (&["box", "--name", "waits", "--", "true"], 2),
        (&["box", "land", "waits"], 3),
        (&["box", "land", "waits", "--confirm", "nonsense"], 2),
        (&["trust"], 0),
        (&["box", "--carry", "../out", "--", "true"], 3),
        (&["box", "--timeout", "250ms", "--", "sleep", "300"], 5),
        (&["box", "review", "nothing"], 7),
        (&["box", "land", "nothing"], 7),
        (&["box", "discard", "nothing"], 7),
        (&["box", "enter", "nothing"], 7),
        (&["box", "enter", "waits"], 7),
        (&["box", "--", "no-such-command"], 7),
        (&["redact", "--batch", "/nowhere"], 1),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["config", "path"], 0),
        (&["--version"], 0),
        (&["box", "--help"], 0),
    ];
    for (args, code) in table {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(ran.code, *code, "{args:?}: {}", ran.snapshot());
        assert_message(&ran, args);
    }
    let outside = world.taffrail_in(&plain, &["box", "--", "true"]);
    assert_eq!(outside.code, 1, "{}", outside.snapshot());
    assert_message(&outside, &["box outside of git"]);
}

/// What failed says so in the house style, on stderr only: `error:`, lower case, no full stop, then a `hint:`.
#[track_caller]
fn assert_message(ran: &Ran, what: &[&str]) {
    let Some(line) = ran.stderr.lines().find(|line| line.starts_with("error: ")) else {
        // A command that itself failed in its box is told by its summary.
        assert!(
            ran.code == 0 || ran.stderr.contains("box "),
            "{what:?}: {}",
            ran.snapshot()
        );
        return;
    };
    let message = line.trim_start_matches("error: ");
    let begins = message.chars().next().unwrap_or(' ');
    // A path or a quoted word begins as it is.
    assert!(!begins.is_uppercase() && begins != ' ', "{what:?}: {line}");
    assert!(!message.ends_with('.'), "{what:?}: {line}");
    assert_eq!(ran.stdout, "", "{what:?}: data beside an error");
    assert!(ran.code != 0, "{what:?}");
}

#[test]
fn cli_03_errors_name_the_command_that_helps() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "waits", "echo x > x");
    world.config("[sandbox]\nnett = \"on\"\n");
    let bad = taffrail(&world, &repo, &["box", "--", "true"]);
    assert_eq!(bad.code, 2);
    for part in ["nett", "net`", "config.toml", ":2", "hint: did you mean"] {
        assert!(bad.stderr.contains(part), "{part}: {}", bad.stderr);
    }
    world.config("[sandbox]\nnet = 3\n");
    let bad = taffrail(&world, &repo, &["box", "--", "true"]);
    assert!(
        bad.stderr.contains("hint: taffrail config path"),
        "{}",
        bad.stderr
    );
    world.config("[external_agents.absent]\ncommand = \"no-such-agent\"\ninstall = \"read on\"\n");
    for (args, hint) in [
        (&["box", "review", "nothing"][..], "hint: taffrail box list"),
        (
            &["box", "--name", "waits", "--", "true"],
            "hint: taffrail box list",
        ),
        (&["box", "land", "waits"], "hint: run it in a terminal"),
        (&["nonsense"], "hint: taffrail --help"),
        (&["box", "--nonsense"], "hint: taffrail box --help"),
        (&["box", "true"], "hint: taffrail box -- true"),
        (&["box", "--", "no-such-agent"], "hint: install it: read on"),
    ] {
        let ran = taffrail(&world, &repo, args);
        assert!(ran.stderr.contains(hint), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn err_01_errors_are_json_where_json_was_asked_for() {
    let world = world();
    let repo = committed(&world);
    for (args, code, exit) in [
        (&["box", "review", "--json", "nothing"][..], "not-found", 7),
        (
            &["box", "--json", "--", "no-such-command"],
            "command_not_found",
            7,
        ),
        (
            &["box", "--json", "--carry", "/etc", "--", "true"],
            "carry_refused",
            3,
        ),
        (
            &["box", "--json", "--agent", "nobody", "--", "true"],
            "usage",
            2,
        ),
        (&["box", "list", "--json", "--nonsense"], "usage", 2),
        (&["doctor", "--json", "extra"], "usage", 2),
    ] {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(ran.code, exit, "{args:?}: {}", ran.snapshot());
        let answer = ran.json();
        assert_eq!(answer["error"]["code"], code, "{args:?}: {answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{answer}"
        );
        assert!(
            answer["error"]["hint"].is_string() && answer.as_object().unwrap().len() == 1,
            "{answer}"
        );
        assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    }
    // What follows `--` is the command's own.
    let ran = taffrail(&world, &repo, &["box", "--nonsense", "--", "x", "--json"]);
    assert!(
        ran.code == 2 && ran.stdout.is_empty() && ran.stderr.starts_with("error: "),
        "{}",
        ran.snapshot()
    );
    world.config("[nonsense]\n");
    let ran = taffrail(&world, &repo, &["config", "show", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()["error"]["code"]),
        (2, &"config_invalid".into())
    );
}

#[test]
fn cli_01_listings_are_one_envelope() {
    let world = world();
    let repo = committed(&world);
    waiting(&world, &repo, "waits", "echo x > x");
    for (args, key) in [
        (&["box", "list", "--json"][..], "name"),
        (&["config", "show", "--json"], "origin"),
        (&["doctor", "--json"], "weight"),
    ] {
        let ran = taffrail(&world, &repo, args);
        assert_eq!(
            ran.stdout.lines().count(),
            1,
            "{args:?}: {}",
            ran.snapshot()
        );
        let rows = ran.json()["data"].as_array().cloned().unwrap_or_default();
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row.get(key).is_some()),
            "{args:?}: {rows:?}"
        );
    }
    assert_eq!(
        taffrail(&world, &repo, &["trust", "show", "--json"]).json()["data"],
        serde_json::json!([])
    );
    let answer = taffrail(&world, &repo, &["box", "review", "--json", "waits"]).json();
    for key in [
        "run",
        "name",
        "project",
        "command",
        "status",
        "base",
        "enforcement",
        "change",
        "events",
        "facts",
    ] {
        assert!(!answer["data"][key].is_null(), "{key}: {answer}");
    }
}

#[test]
fn cli_02_a_box_answers_in_json_after_its_commands_output() {
    let world = world();
    let repo = committed(&world);
    let ran = boxed(
        &world,
        &repo,
        &["--json", "--name", "b"],
        "echo data; echo talk >&2; echo x > x; exit 3",
    )
    .go();
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    let (output, answer) = ran.stdout.split_once('\n').unwrap();
    assert_eq!(output, "data");
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    assert_eq!(answer["data"]["status"], "error");
    assert_eq!(answer["data"]["ended"], serde_json::json!({"exited": 3}));
    assert_eq!(answer["data"]["change"]["changes"][0]["path"], "x");
    assert!(ran.stderr.contains("talk\n"));
}

#[test]
fn cli_02_data_is_on_stdout_and_talk_on_stderr() {
    let world = world();
    let repo = committed(&world);
    let ran = boxed(
        &world,
        &repo,
        &["--name", "b"],
        "printf data; printf talk >&2; echo x > x",
    )
    .go()
    .success();
    assert_eq!(ran.stdout, "data");
    assert!(
        ran.stderr.contains("talk") && ran.stderr.contains("box b: completed"),
        "{}",
        ran.stderr
    );
    let list = taffrail(&world, &repo, &["box", "list"]).success();
    assert!(
        list.stdout.starts_with("NAME") && list.stderr.is_empty(),
        "{}",
        list.snapshot()
    );
    let review = taffrail(&world, &repo, &["box", "review", "b"]).success();
    assert!(
        review.stdout.contains("+x\n") && review.stderr.starts_with("hint: "),
        "{}",
        review.snapshot()
    );
    let path = taffrail(&world, &repo, &["config", "path"]).success();
    assert_eq!(
        path.stdout,
        format!("{}\n", world.taffrail_home().join("config.toml").display())
    );
    let empty = taffrail(&world, &repo, &["trust"]).success();
    assert!(empty.stdout.is_empty() && !empty.stderr.is_empty());
}

/// A command on a terminal; all it wrote.
fn on_a_terminal(world: &Hermetic, repo: &Repo, args: &[&str], env: &[(&str, &str)]) -> String {
    let mut run = world
        .command(args)
        .in_directory(repo.root())
        .env("TERM", "xterm-256color");
    for (name, value) in env {
        run = run.env(*name, *value);
    }
    let mut terminal = Terminal::spawn(
        run,
        TerminalSize {
            rows: 60,
            columns: 160,
        },
    );
    terminal.wait_exit(PATIENCE);
    String::from_utf8_lossy(&terminal.raw()).into_owned()
}

/// Without how much room the disk has left, which other programs change from one look to the next.
fn without_room(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let room = line.split_once(" are left at ");
        let Some((before, after)) = room else {
            return line.to_owned();
        };
        let figure = before.find(|at: char| at.is_ascii_digit());
        let figure = before.get(..figure.unwrap_or(before.len()));
        format!("{}room at {after}", figure.unwrap_or(before))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn cli_02_colour_is_for_terminals_that_want_it_and_never_alone() {
    let world = world();
    let repo = committed(&world);
    waiting(
        &world,
        &repo,
        "waits",
        "echo x > x; printf '#!/bin/sh\\n' > tool; chmod +x tool",
    );
    for args in [
        &["doctor"][..],
        &["box", "review", "waits"],
        &["box", "review", "nothing"],
    ] {
        let painted = on_a_terminal(&world, &repo, args, &[]);
        assert!(painted.contains("\u{1b}["), "{args:?}: {painted}");
        for env in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
            let plain = on_a_terminal(&world, &repo, args, &env);
            assert!(!plain.contains('\u{1b}'), "{args:?} {env:?}: {plain:?}");
            let (words, same) = (without_room(&unpainted(&painted)), without_room(&plain));
            assert_eq!(words, same, "{args:?}: the same words");
        }
        let piped = taffrail(&world, &repo, args);
        assert!(
            !piped.stdout.contains('\u{1b}') && !piped.stderr.contains('\u{1b}'),
            "{}",
            piped.snapshot()
        );
    }
    let boxed = ["box", "--unattended", "--", "true"];
    assert!(
        !on_a_terminal(&world, &repo, &boxed, &[("NO_COLOR", "1")]).contains("\u{1b}[3"),
        "colour"
    );
}

/// Without colours.
fn unpainted(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or(part, |(_, rest)| rest)
    })
}

#[test]
fn cli_02_a_reader_that_went_away_is_no_error() {
    let world = world();
    let repo = committed(&world);
    waiting(
        &world,
        &repo,
        "waits",
        "i=0; while [ $i -lt 20000 ]; do echo a line of some length $i; i=$((i+1)); done > big.txt",
    );
    for line in [
        "box review waits",
        "completions bash",
        "man",
        "config show",
        "--help",
        "box --help",
        "box review --json waits",
    ] {
        let script = format!(
            "set -o pipefail; '{TAFFRAIL}' {line} | head -c1 >/dev/null; echo ${{PIPESTATUS[0]}}"
        );
        let ran = world
            .program("bash", &["-c", &script])
            .in_directory(repo.root())
            .go();
        assert_eq!(ran.stdout, "0\n", "{line}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("error") && !ran.stderr.contains("panic"),
            "{line}: {}",
            ran.stderr
        );
    }
    let script = format!(
        "yes 'a line' | '{TAFFRAIL}' redact | head -c1 >/dev/null; echo ${{PIPESTATUS[1]}}"
    );
    let ran = world.program("bash", &["-c", &script]).go();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("0\n", ""));
}

#[test]
fn cli_05_version_and_help_touch_no_state() {
    let world = world();
    let before = manifest(world.root(), Times::Counted);
    let gone = world.root().join("nowhere");
    let folder = world.root().join("closed");
    for args in [
        &["--version"][..],
        &["-V"],
        &["--help"],
        &["-h"],
        &["box", "--help"],
        &["box", "land", "--help"],
    ] {
        for home in [
            gone.as_os_str(),
            "relative".as_ref(),
            "".as_ref(),
            folder.as_os_str(),
        ] {
            let run = world
                .command(args)
                .env("HOME", home)
                .env("TAFFRAIL_HOME", home);
            let ran = run.go().success();
            assert!(
                ran.stdout.starts_with("taffrail ") || ran.stdout.contains("Usage: taffrail"),
                "{}",
                ran.stdout
            );
            assert_eq!(ran.stderr, "");
        }
        world
            .command(args)
            .without_env("HOME")
            .without_env("TAFFRAIL_HOME")
            .without_env("PATH")
            .go()
            .success();
    }
    assert_eq!(manifest(world.root(), Times::Counted), before);
    let script = format!("mkdir d && cd d && rmdir ../d && exec '{TAFFRAIL}' --version");
    world.program("sh", &["-c", &script]).go().success();
}

#[test]
fn cfg_01_the_editor_is_opened_and_its_work_checked() {
    let world = world();
    let repo = committed(&world);
    let edit = |text: &str| {
        let editor = world.root().join("editor");
        executable(&editor, format!("#!/bin/sh\nprintf '{text}' > \"$1\"\n"));
        world
            .command(&["config", "edit"])
            .in_directory(repo.root())
            .env("EDITOR", editor.as_os_str())
            .go()
    };
    let bad = edit("[sandbox]\\nnet = 3\\n");
    assert_eq!(bad.code, 2, "{}", bad.snapshot());
    assert!(
        bad.stderr.contains("sandbox.net") || bad.stderr.contains("net"),
        "{}",
        bad.stderr
    );
    edit("[sandbox]\\nnet = \"on\"\\n").success();
    let shown = taffrail(&world, &repo, &["config", "show", "--json"]).json();
    let row = shown["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["key"] == "sandbox.net")
        .cloned()
        .unwrap();
    assert!(
        row["value"].as_str().unwrap().contains("on")
            && row["origin"].as_str().unwrap().contains("config.toml"),
        "{row}"
    );
}

#[test]
fn fa_10_what_a_file_wants_carried_may_be_missing_what_a_flag_wants_may_not() {
    let world = world();
    let repo = committed(&world);
    repo.file(".gitignore", "node_modules/\nbuild/\n");
    repo.commit("ignored");
    repo.file("build/made", "x\n");
    world.config("[checkout]\ncarry = [\"node_modules\", \"build\", \".env\"]\n");
    let ran = taffrail(&world, &repo, &["box", "--", "ls", "build"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "made\n"),
        "{}",
        ran.stderr
    );
    let twin = taffrail(
        &world,
        &repo,
        &["box", "--carry", "node_modules", "--", "true"],
    );
    assert_eq!(twin.code, 3, "{}", twin.stderr);
    assert!(twin.stderr.contains("`node_modules`"), "{}", twin.stderr);
}
