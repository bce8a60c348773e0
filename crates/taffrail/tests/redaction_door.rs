//! Promise: `taffrail redact` masks wherever the chunks end, and its batch door answers every line (CLI-06); what is
//! untrusted is shown escaped (POL-08).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use std::time::Duration;

use common::{boxed, committed, taffrail, waiting, world};
use taffrail_testkit::{Hermetic, Ran};

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "x7Kq2Vb9Rt4Lm8Zc1Nd6Wp3Hs5Jf0Yg9QaEu"].concat()
}

fn redact(world: &Hermetic, args: &[&str], input: &[u8]) -> Ran {
    let args = [&["redact"], args].concat();
    world
        .command(&args)
        .input(input)
        .limit(Duration::from_secs(40))
        .go()
}

#[test]
fn cli_06_the_filter_masks_wherever_the_chunks_end() {
    let world = world();
    let token = token();
    assert_eq!(
        redact(&world, &[], b"plain \xff text\n").success().stdout,
        "plain \u{fffd} text\n"
    );
    assert_eq!(redact(&world, &[], b"").success().stdout, "");
    for before in [
        0,
        1,
        (64 << 10) - 60,
        (64 << 10) - 10,
        (64 << 10) - 1,
        64 << 10,
    ] {
        let padding = "x ".repeat(before / 2) + &"\n".repeat(1 + before % 2);
        let ran = redact(
            &world,
            &[],
            format!("{padding}token={token}\nafter\n").as_bytes(),
        )
        .success();
        assert!(
            !ran.stdout.contains(&token) && ran.stdout.contains("[REDACTED:"),
            "{before}"
        );
        assert!(
            ran.stdout.starts_with(&padding) && ran.stdout.ends_with("\nafter\n"),
            "{before}"
        );
    }
}

/// Of ten lines one is no JSON, one has no text, and one holds a secret.
fn question(number: usize, secret: &str) -> String {
    match number % 10 {
        3 => "not json".to_owned(),
        5 => format!("{{\"id\":{number}}}"),
        7 => serde_json::json!({"id": number, "text": secret}).to_string(),
        _ => serde_json::json!({"id": number, "text": "plain"}).to_string(),
    }
}

#[track_caller]
fn assert_answers(number: usize, answer: &serde_json::Value, secret: &str, token: &str) {
    let holds = match number % 10 {
        3 => answer["id"].is_null() && answer["error"]["code"] == "usage",
        5 => answer["id"] == number && answer["error"]["message"].is_string(),
        7 => {
            let text = answer["text"].as_str().unwrap();
            let masked = !text.contains(token) && text.ends_with(" end");
            let finding = &answer["findings"][0];
            let at = |key: &str| usize::try_from(finding[key].as_u64().unwrap()).unwrap();
            let found = &secret[at("start")..at("end")];
            answer["id"] == number && masked && found.contains(&token[4..])
        }
        _ => {
            answer["id"] == number
                && answer["text"] == "plain"
                && answer["findings"] == serde_json::json!([])
        }
    };
    assert!(holds, "{number}: {answer}");
}

#[test]
fn cli_06_the_batch_answers_every_line_in_order() {
    let world = world();
    let token = token();
    let secret = format!("ä token={token} end");
    let lines: Vec<String> = (0..1_000).map(|number| question(number, &secret)).collect();
    let input = lines.join("\n\n") + "\n";
    let file = world.root().join("batch.jsonl");
    std::fs::write(&file, &input).unwrap();
    let from_file = redact(&world, &["--batch", file.to_str().unwrap()], b"");
    let from_stdin = redact(&world, &["--batch", "-"], input.as_bytes());
    assert_eq!(from_file.stdout, from_stdin.stdout);
    assert_eq!(
        (from_file.code, from_stdin.code),
        (1, 1),
        "some lines erred"
    );
    assert_eq!(from_stdin.stdout.lines().count(), 1_000);
    for (number, line) in from_stdin.stdout.lines().enumerate() {
        let answer = serde_json::from_str(line).unwrap();
        assert_answers(number, &answer, &secret, &token);
    }
    let good = redact(&world, &["--batch", "-"], b"{\"id\":\"a\",\"text\":\"b\"}");
    assert_eq!(
        (good.code, good.stdout.lines().count()),
        (0, 1),
        "no newline at the end"
    );
}

#[test]
fn pol_08_untrusted_text_is_shown_escaped_everywhere() {
    let world = world();
    let repo = committed(&world);
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{200b}\u{9b}31m";
    let script = format!("printf '%s' '{evil}' > body.txt; echo x > '{evil}name'; : {evil}");
    // A name holds no control characters, and may hold the rest.
    let name: String = evil.chars().filter(|at| !at.is_control()).collect();
    let flags = ["--name", &format!("b{name}")];
    boxed(&world, &repo, &flags, &script).go();
    let run = taffrail(&world, &repo, &["box", "list", "--json"]).json()["data"][0]["run"]
        .as_str()
        .unwrap()
        .to_owned();
    for args in [
        &["box", "list"][..],
        &["box", "review", &run],
        &["box", "review", "--stat", &run],
        &["box", "review", "--record", &run],
        &["box", "land", &run],
        &["box", "review", evil],
        &["box", "--name", evil, "--", "true"],
        &["box", "--agent", evil, "--", "true"],
        &["box", "--carry", evil, "--", "true"],
        &["box", "--", evil],
    ] {
        let ran = taffrail(&world, &repo, args);
        for text in [&ran.stdout, &ran.stderr] {
            let bad = text.chars().find(|at| {
                (at.is_control() && *at != '\n')
                    || ('\u{202a}'..='\u{202e}').contains(at)
                    || *at == '\u{200b}'
            });
            assert_eq!(bad, None, "{args:?}: {text:?}");
        }
    }
}

#[test]
fn pol_08_ordinary_prose_of_every_language_is_left_alone() {
    let world = world();
    let repo = committed(&world);
    let prose = "größer naïve 日本語 العربية हिन्दी 한국어 ελληνικά 🚢";
    waiting(
        &world,
        &repo,
        "b",
        &format!("echo '{prose}' > 'größer 箱.txt'"),
    );
    let shown = taffrail(&world, &repo, &["box", "review", "b"]).success();
    assert!(
        shown.stdout.contains(prose) && shown.stdout.contains("größer 箱.txt"),
        "{}",
        shown.stdout
    );
}
