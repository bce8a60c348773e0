//! Listed commands that a table of flags does not describe.

use super::{argument, readable};
use crate::reason::{Reason, Why};
use crate::shell::seat::Seat;

/// Their names.
pub const NAMES: &[&str] = &["echo", "printf", "date", "sed", "test", "[", "cd"];
/// Programs that may be asked for their version, and for nothing else. None of them looks into the folder for it.
const VERSIONED: &[&str] = &[
    "bash", "clang", "cmake", "g++", "gcc", "make", "node", "perl", "python", "python3", "ruby",
];
/// What reads other files, or the environment, from inside of a filter.
const JQ_REACHES_OUT: &[&str] = &[
    "import",
    "include",
    "env",
    "ENV",
    "modulemeta",
    "get_search_list",
];

/// The answer of these commands; none for every other.
pub fn check(seat: &Seat<'_>, name: &str, arguments: &[&[u8]]) -> Option<Result<(), Reason>> {
    match name {
        "echo" => Some(Ok(())),
        "printf" => Some(printf(arguments)),
        "date" => Some(date(arguments)),
        "sed" if matches!(arguments, [b"-n", ..]) => Some(sed(seat, arguments)),
        "test" => Some(test(seat, arguments)),
        "[" => Some(bracket(seat, arguments)),
        "cd" => Some(cd(seat, arguments)),
        _ if VERSIONED.contains(&name) && matches!(arguments, [b"--version"]) => Some(Ok(())),
        _ => None,
    }
}

/// A pattern, or a filter of `jq`.
pub fn pattern(program: &str, pattern: &[u8]) -> Result<(), Reason> {
    let text = String::from_utf8_lossy(pattern);
    let mut names = text.split(|at: char| !at.is_ascii_alphanumeric() && at != '_');
    if program == "jq" && names.any(|name| JQ_REACHES_OUT.contains(&name)) {
        return Err(argument(pattern));
    }
    Ok(())
}

/// `-v` sets a variable, and so does `%n`.
fn printf(arguments: &[&[u8]]) -> Result<(), Reason> {
    let arguments = match arguments {
        [b"--", rest @ ..] => rest,
        _ => arguments,
    };
    let format = arguments.first().copied().unwrap_or_default();
    if format.starts_with(b"-") {
        return Err(Reason::of(Why::Flag, format));
    }
    // `%%` is a `%`; of every other directive the first letter says what it is.
    let text = String::from_utf8_lossy(format).replace("%%", "");
    let mut directives = text.split('%').skip(1);
    let sets = |directive: &str| directive.chars().find(char::is_ascii_alphabetic) == Some('n');
    if directives.any(sets) {
        return Err(argument(format));
    }
    Ok(())
}

/// Only the form that prints: a date without a `+` would set the clock.
fn date(arguments: &[&[u8]]) -> Result<(), Reason> {
    let mut rest = arguments.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            b"-u" | b"--utc" | b"--universal" | b"-R" | b"--rfc-email" | b"-I" | b"--iso-8601" => {}
            b"-d" | b"--date" => {
                rest.next().ok_or_else(|| argument(word))?;
            }
            [b'+', ..] => {}
            _ if word.starts_with(b"--date=") || word.starts_with(b"--rfc-3339=") => {}
            _ if word.starts_with(b"--iso-8601=") => {}
            [b'-', b'I', unit @ ..] if unit.iter().all(u8::is_ascii_lowercase) => {}
            _ => return Err(argument(word)),
        }
    }
    Ok(())
}

/// `sed -n` with line numbers and `p`: every other script may write or execute.
fn sed(seat: &Seat<'_>, arguments: &[&[u8]]) -> Result<(), Reason> {
    let (script, files) = match arguments {
        [b"-n", b"-e", script, files @ ..] | [b"-n", script, files @ ..] => (*script, files),
        _ => return Err(Reason::new(Why::Argument, "sed without -n")),
    };
    let print = script.strip_suffix(b"p").ok_or_else(|| argument(script))?;
    let mut numbers = print.split(|byte| *byte == b',');
    let is_line =
        |part: &[u8]| part == b"$" || !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let fits = numbers.clone().count() <= 2 && numbers.all(is_line);
    if !fits {
        return Err(argument(script));
    }
    for file in files {
        if file.starts_with(b"-") {
            return Err(Reason::of(Why::Flag, file));
        }
        readable(seat, file)?;
    }
    Ok(())
}

fn bracket(seat: &Seat<'_>, arguments: &[&[u8]]) -> Result<(), Reason> {
    match arguments.split_last() {
        Some((last, rest)) if *last == b"]" => test(seat, rest),
        _ => Err(Reason::new(Why::Argument, "[ without ]")),
    }
}

/// `-v` and `-R` evaluate the subscript of an array, and with it commands.
fn test(seat: &Seat<'_>, arguments: &[&[u8]]) -> Result<(), Reason> {
    for word in arguments {
        if matches!(*word, b"-v" | b"-R" | b"-o") {
            return Err(Reason::of(Why::Flag, word));
        }
        if !word.starts_with(b"-") {
            readable(seat, word)?;
        }
    }
    Ok(())
}

/// One folder of the tree, by its name. `-` and no folder at all lead to where nobody can see.
fn cd(seat: &Seat<'_>, arguments: &[&[u8]]) -> Result<(), Reason> {
    match arguments {
        [folder] if !folder.starts_with(b"-") && !folder.is_empty() => readable(seat, folder),
        _ => Err(Reason::new(Why::Environment, "cd")),
    }
}
