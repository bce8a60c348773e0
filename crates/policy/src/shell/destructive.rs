//! What takes away what cannot easily be brought back (POL-06), looked up in a table over a command's words.

use super::database;
use super::destructive_remote::REMOTE;
use super::destructive_system::SYSTEM;
use super::destructive_table::{INTERPRETERS, Need, TABLE};
use super::tree::Word;

/// What is destructive about a command, if anything is. `name` is its last part.
pub fn about(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let mut rows = TABLE.iter().chain(SYSTEM).chain(REMOTE);
    rows.find(|(names, needs, _)| {
        names.iter().any(|row| is_named(row, name))
            && needs.iter().all(|need| holds(*need, arguments))
    })
    .map(|(_, _, about)| *about)
    .or_else(|| database::about(name, arguments))
}

/// Whether a program is called like this row says. Some file systems do not tell cases apart.
fn is_named(row: &str, name: &str) -> bool {
    match row.strip_suffix('*') {
        Some(start) => name
            .get(..start.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(start)),
        None => row.eq_ignore_ascii_case(name),
    }
}

/// Whether a program runs text that it is given: what comes out of a pipe, or stands after `-c` or `-e`.
pub fn is_interpreter(name: &str) -> bool {
    let shells = [
        "sh", "bash", "zsh", "dash", "ksh*", "ash", "fish", "csh", "tcsh", "rbash", "mksh",
        "busybox", "source", ".", "eval", "xargs", "parallel", "at", "batch", "crontab", "psql",
        "ssh",
    ];
    let mut rows = shells.iter().chain(INTERPRETERS);
    rows.any(|row| is_named(row, name))
}

/// Whether an interpreter is told, behind `-c` or `-e`, what nobody can read beforehand.
pub fn runs_what_is_unreadable(name: &str, arguments: &[Word]) -> bool {
    let is_code = |word: &Word| {
        matches!(
            word.text(),
            [b'-', b'c' | b'e' | b'E' | b'r' | b'p'] | b"--eval" | b"--print"
        )
    };
    let mut pairs = arguments.windows(2);
    runs_code(name)
        && pairs.any(
            |pair| matches!(pair, [flag, code] if is_code(flag) && database::is_unreadable(code)),
        )
}

/// Whether a program runs a language of its own, which is no shell's.
pub fn runs_code(name: &str) -> bool {
    INTERPRETERS.iter().any(|row| is_named(row, name))
}

fn holds(need: Need, arguments: &[Word]) -> bool {
    let mut texts = arguments.iter().map(Word::text);
    match need {
        Need::Flag(short, long) => texts.any(|text| has_flag(text, short, long)),
        Need::Sub(words) => {
            let plain: Vec<&[u8]> = texts.filter(|text| !text.starts_with(b"-")).collect();
            let fits = |window: &[&[u8]]| {
                window
                    .iter()
                    .zip(words)
                    .all(|(at, word)| *at == word.as_bytes())
            };
            plain.windows(words.len()).any(fits)
        }
        Need::Is(words) => texts.any(|text| words.iter().any(|word| word.as_bytes() == text)),
        Need::Starts(words) => {
            texts.any(|text| words.iter().any(|word| text.starts_with(word.as_bytes())))
        }
        Need::Ends(words) => {
            texts.any(|text| words.iter().any(|word| text.ends_with(word.as_bytes())))
        }
        Need::Holds(words) => texts.any(|text| {
            let lower = String::from_utf8_lossy(text).to_lowercase();
            let lower = single_blanks(&lower);
            words.iter().any(|word| lower.contains(word))
        }),
        Need::Runs => texts.any(sed_runs),
        Need::Uncertain => arguments.iter().any(|word| word.value.is_none()),
    }
}

/// One blank between words, whatever stood there: `DROP  TABLE`.
fn single_blanks(text: &str) -> String {
    let mut before = ' ';
    text.chars()
        .map(|at| if at.is_whitespace() { ' ' } else { at })
        .filter(|at| {
            let keep = *at != ' ' || before != ' ';
            before = *at;
            keep
        })
        .collect()
}

/// Whether a script of `sed` runs something: the command `e`, or the flag `e` of `s`.
fn sed_runs(script: &[u8]) -> bool {
    let mut pieces = script.split(|byte| b";\n{}".contains(byte));
    pieces.any(|piece| {
        let piece = piece.trim_ascii();
        let address = |byte: &u8| byte.is_ascii_digit() || b",$~+! ".contains(byte);
        let start = piece
            .iter()
            .position(|byte| !address(byte))
            .unwrap_or_default();
        match piece.get(start..).unwrap_or_default() {
            [b'e'] | [b'e', b' ', ..] => true,
            [b's', between, rest @ ..] => {
                let flags = rest.rsplit(|byte| byte == between).next();
                flags.is_some_and(|flags| flags.contains(&b'e') && flags.len() < 6)
                    && rest.iter().filter(|byte| *byte == between).count() > 1
            }
            [b'/', rest @ ..] => {
                let after = rest
                    .rsplit(|byte| *byte == b'/')
                    .next()
                    .map(<[u8]>::trim_ascii);
                matches!(after, Some([b'e'] | [b'e', b' ', ..]))
            }
            _ => false,
        }
    })
}

/// Short flags may stand in a cluster, long ones may be abbreviated. After `--` flags count too: stricter.
pub fn has_flag(text: &[u8], short: &str, long: &[&str]) -> bool {
    match text {
        [b'-', b'-', name @ ..] => {
            let name = name.split(|byte| *byte == b'=').next().unwrap_or_default();
            !name.is_empty() && long.iter().any(|long| long.as_bytes().starts_with(name))
        }
        [b'-', cluster @ ..] => cluster.iter().any(|byte| short.as_bytes().contains(byte)),
        _ => false,
    }
}
