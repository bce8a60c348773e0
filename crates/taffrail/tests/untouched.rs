//! Promise: the operator's tree and `.git` are as they were, whatever ends a box (FA-11).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::scene::{CHANGED, Scene, script};
use common::{PATIENCE, boxed, boxed_terminal, review, taffrail, wait_for_file};
use rustix::process::Signal;
use taffrail_testkit::{Key, Times, manifest};

#[test]
fn fa_11_s27_success() {
    let scene = Scene::new();
    let ran = scene.boxed(&["--name", "b"], "exit 0");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(scene.changed("b"), CHANGED);
    scene.assert_clean();
}

/// Without bubblewrap times and modes can be changed, and the run says so: no byte is.
#[cfg(feature = "peers")]
#[test]
fn fa_11_not_even_times_and_modes() {
    let scene = Scene::new();
    let root = scene.repo.root().display().to_string();
    let tries =
        format!("touch '{root}' '{root}/README.md'; chmod 777 '{root}' '{root}/.git/config'");
    scene.boxed(&["--name", "b"], &tries);
    scene.assert_clean();
}

#[test]
fn fa_11_s27_twin_without_a_sandbox_reaches_the_tree() {
    let scene = Scene::new();
    let ran = scene.boxed(&["--name", "b", "--no-sandbox"], "exit 0");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(scene.repo.exists("planted") && scene.repo.exists(".git/hooks/post-checkout"));
    assert!(!scene.repo.exists("untracked.txt"));
}

#[test]
fn fa_11_the_command_crashes() {
    for signal in ["SEGV", "KILL", "ABRT"] {
        let scene = Scene::new();
        let ran = scene.boxed(&["--name", "b"], &format!("kill -{signal} $$"));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(review(&scene.world, &scene.repo, "b")["status"], "died");
        assert_eq!(scene.changed("b"), CHANGED);
        scene.assert_clean();
    }
}

#[test]
fn fa_11_the_command_cannot_be_started() {
    let scene = Scene::new();
    for (command, code) in [
        ("no-such-program", 7),
        ("./nothing-here", 7),
        ("./README.md", 7),
        ("./src", 7),
    ] {
        let ran = taffrail(&scene.world, &scene.repo, &["box", "--", command]);
        assert_eq!(ran.code, code, "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
        scene.assert_clean();
    }
    // Executable, and no program: the kernel says so only when it is started.
    scene.repo.executable("run.sh", "\u{1}\u{2} no program\n");
    scene.repo.commit("no program");
    let scene = Scene {
        before: manifest(scene.repo.root(), Times::Counted),
        ..scene
    };
    let ran = taffrail(&scene.world, &scene.repo, &["box", "--", "./run.sh"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    scene.assert_clean();
}

#[test]
fn fa_11_signals_without_a_terminal() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let scene = Scene::new();
        let text = script(&scene.repo, "exec sleep 300");
        let running = boxed(&scene.world, &scene.repo, &["--name", "b"], &text).start();
        wait_for_file(&scene.world, "ready");
        running.signal(signal);
        let ran = running.wait();
        assert_eq!(ran.code, 130, "{signal:?}: {}", ran.stderr);
        assert_eq!(
            review(&scene.world, &scene.repo, "b")["status"],
            "cancelled"
        );
        assert_eq!(scene.changed("b"), CHANGED);
        scene.assert_clean();
    }
}

#[test]
fn fa_11_ctrl_c_on_a_terminal() {
    let scene = Scene::new();
    let text = script(&scene.repo, "exec sleep 300");
    let mut terminal = boxed_terminal(&scene.world, &scene.repo, &["--name", "b"], &text);
    wait_for_file(&scene.world, "ready");
    terminal.key(Key::Control('c'));
    terminal.wait_for("[k]eep", PATIENCE);
    terminal.send("k\r");
    assert_eq!(terminal.wait_exit(PATIENCE), 1);
    assert_eq!(scene.changed("b"), CHANGED);
    scene.assert_clean();
}

#[test]
fn fa_11_ctrl_c_at_the_question() {
    let scene = Scene::new();
    let mut terminal = boxed_terminal(
        &scene.world,
        &scene.repo,
        &["--name", "b"],
        &script(&scene.repo, "exit 0"),
    );
    terminal.wait_for("[k]eep", PATIENCE);
    terminal.key(Key::Control('c'));
    terminal.wait_exit(PATIENCE);
    assert_eq!(
        review(&scene.world, &scene.repo, "b")["change"]["state"],
        "pending"
    );
    scene.assert_clean();
}

#[test]
fn fa_11_the_terminal_is_closed() {
    let scene = Scene::new();
    let text = script(&scene.repo, "exec sleep 300");
    let mut terminal = boxed_terminal(&scene.world, &scene.repo, &["--name", "b"], &text);
    wait_for_file(&scene.world, "ready");
    terminal.hang_up();
    assert_eq!(terminal.wait_exit(PATIENCE), 130);
    assert_eq!(
        review(&scene.world, &scene.repo, "b")["status"],
        "cancelled"
    );
    assert_eq!(scene.changed("b"), CHANGED);
    scene.assert_clean();
}

#[test]
fn fa_11_a_signal_on_a_terminal_asks_nothing() {
    let scene = Scene::new();
    let text = script(&scene.repo, "exec sleep 300");
    let mut terminal = boxed_terminal(&scene.world, &scene.repo, &["--name", "b"], &text);
    wait_for_file(&scene.world, "ready");
    let pid = rustix::process::Pid::from_raw(terminal.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(terminal.wait_exit(PATIENCE), 130);
    assert_eq!(scene.changed("b"), CHANGED);
    scene.assert_clean();
}

#[test]
fn fa_11_the_time_is_over() {
    // On a busy machine the time of the first limits may be over before everything is done that is looked for.
    let ended = ["1s", "10s", "60s"].into_iter().find_map(|limit| {
        let scene = Scene::new();
        let ran = scene.boxed(&["--name", "b", "--timeout", limit], "exec sleep 300");
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        assert_eq!(review(&scene.world, &scene.repo, "b")["status"], "timeout");
        scene.assert_clean();
        (scene.changed("b") == CHANGED).then_some(scene)
    });
    ended.expect("a run that does its work before its time is over");
}
