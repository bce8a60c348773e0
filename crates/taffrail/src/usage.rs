//! What was typed and is not understood, told in the house style, with the command that was meant or the help of the
//! command that was named (CLI-03).

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use taffrail_domain::ErrorCode;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// What clap has to say: help and version are no failures.
pub fn answer(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        drop(error.print());
        return ExitCode::from(ErrorCode::Usage.row().exit as u8);
    }
    let text = error.render().to_string();
    let (said, _) = text
        .split_once("\n\nFor more information")
        .unwrap_or((&text, ""));
    let said = said.trim_start_matches("error: ").trim_end();
    let words = before_the_command(args);
    let wants_json = words.iter().any(|word| word == "--json");
    Failure::new(ErrorCode::Usage, said)
        .hinting(hint(error, &words))
        .report(&Output::new(true, None), wants_json)
}

/// The words after the program's name, up to a `--`: what follows belongs to another program.
fn before_the_command(args: &[OsString]) -> Vec<String> {
    args.iter()
        .skip(1)
        .take_while(|arg| *arg != "--")
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect()
}

/// What helps with a value that the command itself does not take: its own help.
pub fn help(args: &[OsString]) -> String {
    let path = named(&Cli::command(), &before_the_command(args));
    match path.as_slice() {
        [] => "taffrail --help".to_owned(),
        path => format!("taffrail {} --help", path.join(" ")),
    }
}

fn hint(error: &clap::Error, words: &[String]) -> String {
    let named = named(&Cli::command(), words);
    let unknown = unknown(error).filter(|word| !word.starts_with('-'));
    match (named.as_slice(), unknown.as_deref()) {
        ([], Some("version")) => "taffrail --version".to_owned(),
        ([], Some(word)) if of_box(word) => format!("taffrail box {word}"),
        ([], Some(word)) => format!("taffrail --help, or taffrail box -- {word} to run it"),
        ([only], Some(word)) if only == "box" => {
            format!("taffrail box -- {word} to run it, or taffrail box --help")
        }
        ([only], None) if only == "box" && error.kind() == ErrorKind::MissingRequiredArgument => {
            "taffrail box -- claude, or taffrail box --help".to_owned()
        }
        ([first, second], None)
            if first == "box" && error.kind() == ErrorKind::MissingRequiredArgument =>
        {
            format!("taffrail box list shows the names, taffrail box {second} --help the rest")
        }
        ([], None) => "taffrail --help".to_owned(),
        (path, _) => format!("taffrail {} --help", path.join(" ")),
    }
}

/// The subcommands that were named, the outermost first.
fn named(root: &Command, words: &[String]) -> Vec<String> {
    let (mut at, mut path) = (root, Vec::new());
    for word in words {
        if let Some(next) = at.find_subcommand(word) {
            path.push(word.clone());
            at = next;
        }
    }
    path
}

/// The word that clap does not know.
fn unknown(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return None,
    };
    match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    }
}

fn of_box(word: &str) -> bool {
    let root = Cli::command();
    let within = root.find_subcommand("box");
    within.is_some_and(|commands| commands.find_subcommand(word).is_some())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn hint_of(line: &str) -> String {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Cli::try_parse_from(&args).unwrap_err();
        hint(&error, &before_the_command(&args))
    }

    #[test]
    fn cli_03_the_hint_is_what_was_meant() {
        for (line, meant) in [
            ("taffrail review x", "taffrail box review"),
            ("taffrail land", "taffrail box land"),
            (
                "taffrail claude",
                "taffrail --help, or taffrail box -- claude to run it",
            ),
            ("taffrail version", "taffrail --version"),
            ("taffrail --nonsense", "taffrail --help"),
            (
                "taffrail box",
                "taffrail box -- claude, or taffrail box --help",
            ),
            (
                "taffrail box claude",
                "taffrail box -- claude to run it, or taffrail box --help",
            ),
            (
                "taffrail box --name x bash -l",
                "taffrail box -- bash to run it, or taffrail box --help",
            ),
            ("taffrail box --nonsense", "taffrail box --help"),
            (
                "taffrail box review",
                "taffrail box list shows the names, taffrail box review --help the rest",
            ),
            (
                "taffrail box land x --confirm all",
                "taffrail box land --help",
            ),
            ("taffrail config get x", "taffrail config --help"),
        ] {
            assert_eq!(hint_of(line), meant, "{line}");
        }
    }
}
