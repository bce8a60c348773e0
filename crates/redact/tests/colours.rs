//! RED-01, RED-02: secrets between and across the control sequences of terminals.

use taffrail_redact::{Options, Redactor};

fn redactor() -> Redactor {
    Redactor::new(Options::default())
}

fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6".repeat(3))
}

fn streamed(text: &str, size: usize) -> String {
    let (mut stream, mut out) = (redactor().stream(), Vec::new());
    for chunk in text.as_bytes().chunks(size) {
        stream.push(chunk, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn red_02_a_coloured_secret_goes_and_the_colours_stay() {
    let token = token();
    let (begin, end) = token.split_at(9);
    for (text, clean) in [
        (
            format!("\x1b[31m{token}\x1b[0m"),
            "\x1b[31m[REDACTED:secret]\x1b[0m",
        ),
        (
            format!("at \x1b[1;38;5;9m{token}\x1b[m."),
            "at \x1b[1;38;5;9m[REDACTED:secret]\x1b[m.",
        ),
        (
            format!("x {begin}\x1b[01;31m\x1b[K{end} y"),
            "x [REDACTED:secret]\x1b[01;31m\x1b[K y",
        ),
        (
            "\x1b[1mpassword\x1b[0m: \x1b[33m\"hunter22x!\"\x1b[0m".to_owned(),
            "\x1b[1mpassword\x1b[0m: \x1b[33m\"[REDACTED:secret]\"\x1b[0m",
        ),
        (
            format!("TO\x1b[4mKEN\x1b[24m=\x1b[32m{token}\x1b[39m\n"),
            "TO\x1b[4mKEN\x1b[24m=\x1b[32m[REDACTED:secret]\x1b[39m\n",
        ),
        (
            format!("\\u001b[31m{token}\\u001b[0m"),
            "\\u001b[31m[REDACTED:secret]\\u001b[0m",
        ),
    ] {
        assert_eq!(redactor().clean(&text).as_str(), clean);
    }
}

#[test]
fn red_01_a_coloured_secret_is_the_same_for_every_chunking() {
    let token = token();
    let (begin, end) = token.split_at(17);
    let line = format!(
        "ok \x1b[32mgreen\x1b[0m \x1b[31m{begin}\x1b[0;1m{end}\x1b[0m \x1b[ \x1b\x1b[2Jx\n"
    );
    let text = line.repeat(700);
    let whole = redactor().clean(&text);
    assert!(
        !whole.as_str().contains(end) && whole.as_str().matches("[REDACTED:secret]").count() == 700
    );
    for size in [1, 2, 3, 7, 61, 1000, 16 << 10, 50_000] {
        assert_eq!(streamed(&text, size), whole.as_str(), "{size}");
    }
    for cut in 0..line.len() {
        let (head, tail) = line.split_at(cut);
        let (mut stream, mut out) = (redactor().stream(), Vec::new());
        stream.push(head.as_bytes(), &mut out);
        stream.push(tail.as_bytes(), &mut out);
        stream.finish(&mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            redactor().clean(&line).as_str(),
            "{cut}"
        );
    }
}

#[test]
fn red_02_findings_in_coloured_text_are_offsets_of_the_input() {
    let token = token();
    let (begin, end) = token.split_at(11);
    let text = format!("\x1b[1mé\x1b[0m \x1b[31m{begin}\x1b[0m{end}\x1b[0m");
    let found = redactor().findings(&text);
    assert_eq!(found.len(), 1);
    let found = text.get(found[0].start..found[0].end);
    assert_eq!(found, Some(format!("{begin}\x1b[0m{end}").as_str()));
}

/// What is no sequence, or more of them than can be held, stays as it is.
#[test]
fn red_01_any_number_of_sequences_comes_out_again() {
    for text in [
        "\x1b".repeat(5000),
        "\x1b[".repeat(5000),
        "\x1b[1m".repeat(50_000),
        format!("\x1b[{}m", "1;".repeat(200)),
        "a\x1b[31".to_owned(),
        "é\x1b]8;;x\x07y".to_owned(),
    ] {
        assert_eq!(redactor().clean(&text).as_str(), text);
        assert_eq!(streamed(&text, 4096), text);
    }
    let (mut stream, mut out, mut held) = (redactor().stream(), Vec::new(), 0);
    for sent in 1..200 {
        stream.push("\x1b[38;5;1m".repeat(1000).as_bytes(), &mut out);
        held = held.max(sent * 9000 - out.len());
    }
    assert!(held < 100 << 10, "{held}");
}

/// The twin: without the sequences taken out, nothing in such a line is a token.
#[test]
fn red_02_twin_a_token_is_not_one_word_with_a_colour_in_it() {
    let token = token();
    let (begin, end) = token.split_at(9);
    let split = format!("{begin}\x1c[31m{end}");
    assert_eq!(redactor().clean(&split).as_str(), split);
}
