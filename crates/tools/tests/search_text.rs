//! `search_text`: texts and expressions, limits, secrets.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // a test makes the files that it looks for

mod support;

use std::cell::Cell;
use std::time::{Duration, Instant};

use support::{Ground, Impatient, Patient, question, search, word};
use taffrail_tools::{ProjectFiles, SearchText, TextFound};

/// Longer than anything here takes on a busy machine, and no time at all against for ever.
const LONG: Duration = Duration::from_secs(60);

fn found(files: &ProjectFiles, ask: &SearchText) -> Vec<String> {
    shown(&files.search_text(ask, &Patient::default()).unwrap())
}

fn shown(found: &TextFound) -> Vec<String> {
    let matches = found.matches.iter();
    let shown = matches.map(|one| format!("{}:{}:{}", one.path, one.line, one.text));
    shown.collect()
}

fn expression(query: &str) -> SearchText {
    SearchText {
        regex: true,
        ..question(query)
    }
}

#[test]
fn mcp_01_texts_and_expressions() {
    let ground = Ground::new();
    ground.write("a.txt", "One two\r\ntwo.three\nÄrger\n");
    ground.write("b/c.rs", "fn main() {\n    two();\n}");
    let files = ground.files();
    let all = [
        "a.txt:1:One two",
        "a.txt:2:two.three",
        "b/c.rs:2:    two();",
    ];
    assert_eq!(found(&files, &question("two")), all);
    assert_eq!(found(&files, &question("TWO")), all);
    assert_eq!(found(&files, &question("ÄRGER")), ["a.txt:3:Ärger"]);
    let exact = SearchText {
        case_sensitive: true,
        ..question("TWO")
    };
    assert!(found(&files, &exact).is_empty());
    // A text is no expression.
    assert_eq!(found(&files, &question("o.t")), ["a.txt:2:two.three"]);
    assert!(found(&files, &question("^")).is_empty());
    let cases: [(&str, &[&str]); 6] = [
        ("two$", &["a.txt:1:One two"]),
        ("^two", &["a.txt:2:two.three"]),
        (r"\Atwo\.\w+\z", &["a.txt:2:two.three"]),
        (r"\bt\w+\(", &["b/c.rs:2:    two();"]),
        ("one|ärger", &["a.txt:1:One two", "a.txt:3:Ärger"]),
        (r"two\s+", &[]),
    ];
    for (query, expect) in cases {
        assert_eq!(found(&files, &expression(query)), expect, "{query}");
    }
    let glob = SearchText {
        glob: Some("*.rs".to_owned()),
        ..question("two")
    };
    assert_eq!(found(&files, &glob), all[2..]);
    assert_eq!(shown(&search(&files, "two", Some("b")).unwrap()), all[2..]);
    assert_eq!(
        shown(&search(&files, "two", Some("a.txt")).unwrap()),
        all[..2]
    );
    assert_eq!(search(&files, "two", Some("a.txt")).unwrap().files, 1);
}

#[test]
fn mcp_01_a_question_that_cannot_be_asked_says_why() {
    let ground = Ground::new();
    let files = ground.files();
    let long = "x".repeat(1_001);
    let bad = [
        question(""),
        question("a\nb"),
        question(&long),
        expression("("),
        expression("a{1000}{1000}"),
        expression(r"(?:\w{200}){200}"),
        expression(&"(".repeat(900)),
        expression("*"),
        expression(r"(a)\1"),
    ];
    for ask in bad {
        let started = Instant::now();
        let came = files.search_text(&ask, &Patient::default());
        assert_eq!(word(&came), "argument", "{:?}", ask.query);
        let error = came.unwrap_err();
        assert!(error.to_string().starts_with("`query`:"), "{error}");
        assert!(started.elapsed() < LONG);
    }
    for limit in [0, 501] {
        let ask = SearchText {
            limit,
            ..question("a")
        };
        assert_eq!(
            word(&files.search_text(&ask, &Patient::default())),
            "argument"
        );
    }
    assert_eq!(word(&search(&files, &"é".repeat(1_000), None)), "ok");
}

/// What makes other engines go on for ever takes a moment here.
#[test]
fn mcp_01_no_expression_takes_for_ever() {
    let ground = Ground::new();
    ground.write("a", format!("{}!\n", "a".repeat(20_000)));
    let files = ground.files();
    let started = Instant::now();
    for query in ["^(a+)+$", "(a|aa)+$", "(.*)*b", "(a*)*c"] {
        assert!(found(&files, &expression(query)).is_empty(), "{query}");
    }
    assert!(started.elapsed() < LONG);
}

#[test]
fn mcp_01_files_that_are_no_text_or_too_large_are_passed_over() {
    let ground = Ground::new();
    ground.write("binary", b"word\0");
    ground.write("latin", b"word \xe9");
    ground.write(
        "large",
        [b"word\n".as_slice(), &vec![b'x'; 8 << 20]].concat(),
    );
    ground.write(
        "most",
        [b"word\n".as_slice(), &vec![b'x'; (8 << 20) - 5]].concat(),
    );
    ground.write("text", "word");
    ground.write(".gitignore", "ignored\n");
    ground.write("ignored", "word");
    ground.link("text", "link");
    let files = ground.files();
    let came = search(&files, "word", None).unwrap();
    assert_eq!(shown(&came), ["most:1:word", "text:1:word"]);
    assert_eq!((came.files, came.truncated), (3, false));
    // One that is asked for by name is found, or it is said why not.
    assert_eq!(
        search(&files, "word", Some("ignored"))
            .unwrap()
            .matches
            .len(),
        1
    );
    for path in ["binary", "latin", "large"] {
        assert_eq!(word(&search(&files, "word", Some(path))), "unfit", "{path}");
    }
}

#[test]
fn mcp_01_an_answer_is_bounded() {
    let ground = Ground::new();
    (0..10).for_each(|at| ground.write(&format!("f{at}"), "word\n".repeat(100)));
    let files = ground.files();
    let first = files
        .search_text(
            &SearchText {
                limit: 150,
                ..question("word")
            },
            &Patient::default(),
        )
        .unwrap();
    assert_eq!((first.matches.len(), first.truncated), (150, true));
    assert_eq!(first.matches[149].path, "f1");
    assert_eq!(first.matches[149].line, 50);
    let exact = SearchText {
        limit: 100,
        path: Some("f9".to_owned()),
        ..question("word")
    };
    let exact = files.search_text(&exact, &Patient::default()).unwrap();
    assert_eq!((exact.matches.len(), exact.truncated), (100, false));
    // 500 lines of 500 characters of four bytes are more than an answer takes.
    let wide = "\u{1f600}".repeat(600);
    ground.write("wide", format!("word {wide}\n").repeat(500));
    let came = search(&files, "word", Some("wide")).unwrap();
    let bytes: usize = came.matches.iter().map(|one| one.text.len()).sum();
    assert!(
        came.truncated && bytes <= 256 << 10 && bytes > 200 << 10,
        "{bytes}"
    );
}

#[test]
fn mcp_01_a_long_line_is_shown_around_what_was_found() {
    let ground = Ground::new();
    let files = ground.files();
    for (before, after) in [
        (0, 10),
        (0, 490),
        (0, 5_000),
        (99, 5_000),
        (5_000, 5),
        (5_000, 5_000),
    ] {
        let line = format!("{}needle{}", "é".repeat(before), "x".repeat(after));
        ground.write("file", &line);
        let came = search(&files, "needle", None).unwrap();
        let text = &came.matches[0].text;
        assert!(text.contains("needle"), "{before} {after}: {text}");
        assert!(text.chars().count() <= 500, "{before} {after}");
        let whole = before + after + 6 <= 500;
        assert_eq!(*text == line, whole, "{before} {after}");
    }
}

#[test]
fn red_01_a_secret_is_masked_and_cannot_be_guessed_at() {
    let ground = Ground::new();
    let secret = ["ghp_", "x7Kp2Qm9Zt4Rv8Lw1Nc6Bd3Fh5Js0Gy2Ua4E"].concat();
    let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    let end = ["-----END RSA ", "PRIVATE KEY-----"].concat();
    let body = "MIIEowIBAAKCAQEAtVKUtcx5b6Tn3m7vKqQm2xyZ\n".repeat(5);
    ground.write(
        "config.py",
        format!("import os\ntoken = \"{secret}\"\n{begin}\n{body}{end}\nlast = 1\n"),
    );
    let files = ground.files();
    let came = shown(&search(&files, "token =", None).unwrap());
    assert_eq!(came.len(), 1);
    assert!(
        came[0].contains("[REDACTED") && !came[0].contains(&secret),
        "{came:?}"
    );
    // Neither the whole, nor a part of it, nor an expression says whether it is there.
    for query in [
        secret.as_str(),
        &secret[4..12],
        "x7Kp2Q",
        "MIIEow",
        "AKCAQEA",
    ] {
        assert!(
            search(&files, query, None).unwrap().matches.is_empty(),
            "{query}"
        );
    }
    assert!(found(&files, &expression("token.*x7K.*")).is_empty());
    // Lines below a key are where they are in the file.
    assert_eq!(
        shown(&search(&files, "last", None).unwrap()),
        ["config.py:10:last = 1"]
    );
    // The twin: the bytes are there.
    let bytes = std::fs::read_to_string(ground.root.join("config.py")).unwrap();
    assert!(bytes.contains("x7Kp2Q") && bytes.contains("AKCAQEA"));
}

#[test]
fn mcp_01_a_call_that_is_taken_back_stops() {
    let ground = Ground::new();
    (0..100).for_each(|at| ground.write(&format!("f{at:03}"), "word"));
    let files = ground.files();
    let watch = Impatient(Cell::new(10));
    assert_eq!(
        word(&files.search_text(&question("word"), &watch)),
        "interrupted"
    );
}

/// A call that is taken back while a large file is searched does not go on to its end.
#[test]
fn mcp_01_a_call_that_is_taken_back_stops_in_the_middle_of_a_file() {
    let ground = Ground::new();
    ground.write("large", "nothing of it\n".repeat(500_000));
    let files = ground.files();
    // Told of one file, and taken back then.
    let watch = Impatient(Cell::new(1));
    let came = files.search_text(&question("absent"), &watch);
    assert_eq!(word(&came), "interrupted");
}

#[test]
fn mcp_01_an_expression_is_tried_on_so_much_of_a_line_and_a_text_on_all_of_it() {
    let ground = Ground::new();
    ground.write("file", format!("{}needle", "x".repeat(70_000)));
    let files = ground.files();
    assert!(found(&files, &expression("needle")).is_empty());
    assert_eq!(search(&files, "needle", None).unwrap().matches.len(), 1);
}
