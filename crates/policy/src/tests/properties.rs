//! What holds for every command line.

use proptest::prelude::*;
use taffrail_domain::{Answer, Held, Mode, Risk};

use super::line;

const ALLOW: &str = include_str!("../../tests/corpus/allow.txt");
const DESTRUCTIVE: &str = include_str!("../../tests/corpus/destructive.txt");

fn any_of(corpus: &'static str) -> impl Strategy<Value = String> {
    let lines: Vec<String> = corpus
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.is_empty() && !line.contains("\\n"))
        .map(str::to_owned)
        .collect();
    proptest::sample::select(lines)
}

/// What is no command by itself is something else after a wrapper.
fn is_command(line: &str) -> bool {
    let programs = [
        "rm ",
        "git ",
        "find ",
        "chmod ",
        "terraform ",
        "kubectl ",
        "docker ",
        "dd ",
        "npm ",
        "psql ",
    ];
    programs.iter().any(|program| line.starts_with(program))
}

/// Bytes that a shell has a meaning for, far more often than chance has them.
fn shell_like() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "ls", "cat", "rm", " ", " ", " ", "'", "\"", "\\", "$", "`", "(", ")", "{", "}", "[", "]",
        "<", ">", "|", "&", ";", "\n", "#", "~", "*", "?", "!", "=", "<<", "EOF", "if", "then",
        "fi", "for", "do", "done", "case", "esac", "$(", "${", "((", "[[", "]]", "function", "a",
        "-x", "é", "\0", "\r", "\u{202e}", "1", "2>", "&>", ".env", "bash -c", "time",
    ];
    let bytes = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60);
    bytes.prop_map(|pieces| pieces.concat().into_bytes())
}

fn strictness(command: &[u8], mode: Mode) -> (Answer, Risk) {
    let found = line(command, mode, Held::Sandboxed);
    (found.answer, found.risk)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pol_05_arbitrary_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        line(&bytes, Mode::Ask, Held::Open);
    }

    #[test]
    fn pol_05_shell_like_bytes_are_survived_and_bytes_that_are_no_text_ask(bytes in shell_like()) {
        let found = line(&bytes, Mode::Ask, Held::Sandboxed);
        let is_text = !bytes.contains(&0) && !bytes.contains(&b'\r');
        prop_assert!(is_text || found.answer == Answer::Ask && found.destructive);
    }

    /// S9: a line is let through only where each of its commands is.
    #[test]
    fn pol_05_a_line_is_as_strict_as_its_strictest_command(
        first in any_of(ALLOW),
        join in proptest::sample::select(vec![" && ", " || ", "; ", " | ", "\n", "&&", ";", "|", "||"]),
        bytes in shell_like(),
    ) {
        // `|` and `|ls` are two lines that are one operator together.
        prop_assume!(!bytes.starts_with(b"|") && !bytes.starts_with(b"&") && !bytes.starts_with(b";"));
        let second = line(&bytes, Mode::Ask, Held::Sandboxed);
        let whole = [first.as_bytes(), join.as_bytes(), &bytes].concat();
        let whole = line(&whole, Mode::Ask, Held::Sandboxed);
        prop_assert!(second.answer != Answer::Ask || whole.answer == Answer::Ask || bytes.trim_ascii().is_empty());
    }

    #[test]
    fn pol_05_s9_two_lines_that_are_let_through_are_let_through_together(
        first in any_of(ALLOW),
        join in proptest::sample::select(vec![" && ", " || ", "; ", " | ", "\n"]),
        second in any_of(ALLOW),
    ) {
        // A folder that a `cd` may have led to, and one that it may not, must both do; `;` at the end joins nothing.
        // The grammar joins `\` to the line before it, and now and then the line after a pipe to the pipe: both ask.
        prop_assume!(!first.ends_with(';') && !first.contains("cd ") && !second.starts_with('\\'));
        prop_assume!(join != "\n" || !first.contains('|'));
        let whole = [first.as_str(), join, second.as_str()].concat();
        prop_assert_eq!(strictness(whole.as_bytes(), Mode::Ask), (Answer::Allow, Risk::Read), "{}", whole);
    }

    #[test]
    fn pol_06_what_destroys_does_so_in_company(
        first in any_of(ALLOW),
        join in proptest::sample::select(vec![" && ", " || ", "; ", " | ", "\n"]),
        second in any_of(DESTRUCTIVE),
    ) {
        prop_assume!(!first.ends_with(';'));
        let whole = line([first.as_str(), join, second.as_str()].concat().as_bytes(), Mode::Trust, Held::Sandboxed);
        prop_assert!(whole.destructive && whole.answer == Answer::Ask);
    }

    /// More words, more bytes: a wrapper or a shell around a command makes nothing milder.
    #[test]
    fn pol_05_wrapping_makes_nothing_milder(
        wrapper in proptest::sample::select(vec![
            "timeout 5 ", "nice ", "env ", "time ", "command ", "sudo ", "xargs ", "nohup ", "exec ", "stdbuf -oL ",
        ]),
        inner in any_of(DESTRUCTIVE).prop_filter("a command by itself", |line| is_command(line)),
    ) {
        let bare = line(inner.as_bytes(), Mode::Trust, Held::Sandboxed);
        let wrapped = line(format!("{wrapper}{inner}").as_bytes(), Mode::Trust, Held::Sandboxed);
        prop_assert!(wrapped.answer >= bare.answer, "{}{}", wrapper, inner);
        let quoted = format!("bash -c '{}'", inner.replace('\'', "'\\''"));
        let wrapped = line(quoted.as_bytes(), Mode::Trust, Held::Sandboxed);
        prop_assert!(wrapped.destructive && wrapped.answer >= bare.answer, "{}", quoted);
    }

    /// What is not plain never becomes so by quoting only a part of it.
    #[test]
    fn pol_05_a_byte_that_means_something_asks(
        first in any_of(ALLOW),
        byte in proptest::sample::select(b"&<>()`".to_vec()),
    ) {
        let whole = [first.as_bytes(), b" ", &[byte], b" x"].concat();
        prop_assert_eq!(line(&whole, Mode::Ask, Held::Sandboxed).answer, Answer::Ask);
    }

    #[test]
    fn pol_02_a_stricter_mode_never_answers_milder(bytes in shell_like()) {
        let answers: Vec<Answer> = Mode::ALL.iter().map(|mode| strictness(&bytes, *mode).0).collect();
        prop_assert!(answers.windows(2).all(|pair| pair[0] >= pair[1]), "{:?}", answers);
    }
}

/// S10: the length of a chain only ever makes it stricter.
#[test]
fn pol_05_s10_limits_make_it_stricter() {
    for count in [1, 49, 50, 51, 255, 256, 257, 1_000, 10_000] {
        let chain = "ls && ".repeat(count) + "rm -rf a";
        let found = line(chain.as_bytes(), Mode::Trust, Held::Sandboxed);
        assert!(found.answer == Answer::Ask && found.destructive, "{count}");
    }
    for (count, answer) in [(255, Answer::Allow), (256, Answer::Ask)] {
        let chain = "ls && ".repeat(count) + "ls";
        let found = line(chain.as_bytes(), Mode::Ask, Held::Sandboxed);
        assert_eq!(found.answer, answer, "{count}");
    }
    let long = format!("echo {}", "a".repeat(70_000));
    assert_eq!(
        line(long.as_bytes(), Mode::Ask, Held::Open).answer,
        Answer::Ask
    );
    let mut nested = "ls".to_owned();
    for _ in 0..12 {
        nested = format!("bash -c '{}'", nested.replace('\'', "'\\''"));
        if nested.len() > 60_000 {
            break;
        }
    }
    assert_eq!(
        line(nested.as_bytes(), Mode::Ask, Held::Open).answer,
        Answer::Ask
    );
    for part in [
        "(",
        "$(",
        "`",
        "{ ",
        "if ",
        "'\"",
        "<<a ",
        "<(",
        "${a",
        "[[ ",
        "((",
        "case x in ",
        "f(){ ",
    ] {
        let deep: String = part.chars().cycle().take(60_000).collect();
        assert_eq!(
            line(deep.as_bytes(), Mode::Ask, Held::Open).answer,
            Answer::Ask,
            "{part}"
        );
    }
}

/// In an optimised build none of these takes 50 ms (`benches/decide.rs`); here none may take seconds.
#[test]
fn pol_05_the_longest_lines_take_no_time() {
    let parts = [
        "a ", "ls;", "ls|", "(", "'\"", "$(", "`a", "<<a ", "{a,", ".env/", "a=b ", "\\", "$a",
        "*", "\n", "rm x;",
    ];
    for part in parts {
        let text: Vec<u8> = part.bytes().cycle().take(64 << 10).collect();
        #[allow(clippy::disallowed_methods, reason = "a test looks at the clock")]
        let start = std::time::Instant::now();
        line(&text, Mode::Ask, Held::Open);
        let took = start.elapsed();
        assert!(took.as_secs() < 4, "{part:?}: {took:?}");
    }
}
