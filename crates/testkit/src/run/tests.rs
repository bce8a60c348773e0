use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::processes::wait_gone;

const LIMIT: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Run {
    Run::new("/bin/sh", &["-c", script]).env("PATH", "/usr/bin:/bin")
}

#[test]
fn input_output_and_exit_code_come_through() {
    let ran = shell("cat; echo bad >&2; exit 4").input("in").go();
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        ("in", "bad\n", 4)
    );
    assert_eq!(
        ran.snapshot(),
        "exit: 4\n--- stdout\nin<no newline>\n--- stderr\nbad\n"
    );
    assert_eq!(shell("kill -TERM $$").go().code, 128 + 15);
    assert_eq!(
        shell("cat; echo '[1]'").go().success().json(),
        serde_json::json!([1])
    );
}

#[test]
fn a_program_over_its_limit_is_killed_with_its_group_and_fails_the_test() {
    let value = format!("{}-limit", std::process::id());
    let running = shell("sleep 300 & echo so far; sleep 300")
        .env("RUN_MARK", &value)
        .limit(Duration::from_millis(300))
        .start();
    running.wait_for("so far", LIMIT);
    let panic = catch_unwind(AssertUnwindSafe(|| running.wait())).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("not ended in 300ms") && message.contains("so far"),
        "{message}"
    );
    assert_eq!(
        wait_gone(&format!("RUN_MARK={value}"), LIMIT),
        Vec::<u32>::new()
    );
}

#[test]
fn a_descendant_that_keeps_the_output_open_does_not_hold_up_the_end() {
    let mark = format!("{}-keeps", std::process::id());
    let ran = shell("setsid sleep 300 & echo done")
        .env("RUN_MARK", &mark)
        .limit(LIMIT)
        .go();
    assert_eq!(ran.stdout, "done\n");
    crate::kill_all(&format!("RUN_MARK={mark}"), LIMIT);
}

#[test]
fn a_program_under_way_can_be_watched_and_signalled() {
    let mut running = shell("trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done").start();
    running.wait_for("ready", LIMIT);
    assert!(running.is_running());
    running.signal(Signal::TERM);
    assert_eq!(running.wait().code, 5);
}

/// Written by this process itself, one of a hundred did not start.
#[test]
fn a_program_that_was_just_written_starts_while_others_fork() {
    let folder = tempfile::tempdir().unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                Command::new("/bin/sh").args(["-c", ":"]).status().unwrap();
            }
        });
        for number in 0..100 {
            let (made, copied) = (folder.path().join("made"), folder.path().join("copied"));
            executable(&made, format!("#!/bin/sh\nexit {number}\n"));
            executable_copy(&made, &copied);
            for program in [made, copied] {
                assert_eq!(Run::new(program, &[""; 0]).go().code, number);
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_failed_expectation_shows_all_output() {
    let ran = shell("echo out; echo err >&2; exit 1").go();
    let panic = catch_unwind(|| ran.success()).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("out\n") && message.contains("err\n"),
        "{message}"
    );
}

#[test]
fn a_failed_expectation_shows_beginning_and_end_of_a_flood() {
    let ran = shell("echo begins; yes ü | head -c 1000000; echo ends; exit 1").go();
    let panic = catch_unwind(|| ran.success()).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.len() < 40_000, "{} bytes", message.len());
    let told = ["begins\n", "bytes left out", "ends\n"];
    assert!(told.iter().all(|part| message.contains(part)));
}

#[test]
fn waiting_looks_once_at_least_and_ends_at_its_limit() {
    assert!(eventually(Duration::ZERO, || true));
    assert!(!eventually(Duration::from_millis(20), || false));
    let mut looks = 0;
    assert!(eventually(LIMIT, || {
        looks += 1;
        looks == 3
    }));
}
