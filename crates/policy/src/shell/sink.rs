//! Programs that run a text which is not among their words: what comes in, or what stands in a file.

use super::{base, database, destructive};

/// Where a program takes from what it runs.
#[derive(Debug, PartialEq, Eq)]
pub enum Sink<'a> {
    /// What comes in. `is_told`: it does nothing else with it.
    Input { is_told: bool },
    /// A file.
    File(&'a [u8]),
}

/// Shells, each followed by the next blank.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ksh93",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "mksh",
    "pwsh",
    "powershell",
];
/// They hand it on to a shell elsewhere, or to something else.
const HAND_ON: &[&str] = &[
    "ssh",
    "docker",
    "docker-compose",
    "podman",
    "podman-compose",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "wsl",
    "fly",
    "flyctl",
    "heroku",
    "npx",
];

/// Whether a command is such a program. One whose text stands among its words is none.
pub fn sink(argv: &[Vec<u8>]) -> Option<Sink<'_>> {
    let (name, arguments) = argv.split_first()?;
    let program = base(name);
    let told = Sink::Input { is_told: true };
    match program.as_str() {
        program if SHELLS.contains(&program) => of_shell(arguments),
        "source" | "." => arguments.first().map(|file| input_or(file)),
        "at" | "batch" => (!arguments.iter().any(|word| word.starts_with(b"-f"))).then_some(told),
        "crontab" => match arguments {
            [] => Some(told),
            [.., last] if !last.starts_with(b"-") || last == b"-" => Some(input_or(last)),
            _ => None,
        },
        "parallel" => arguments
            .iter()
            .all(|word| word.starts_with(b"-"))
            .then_some(told),
        "iex" | "Invoke-Expression" => arguments.is_empty().then_some(told),
        "ed" | "ex" | "vi" | "vim" | "nvim" | "gdb" | "lldb" => {
            Some(Sink::Input { is_told: false })
        }
        program if HAND_ON.contains(&program) || database::is_client(program) => {
            let is_told = database::waits(argv);
            Some(Sink::Input { is_told })
        }
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" | "make" | "gmake" => {
            of_filter(arguments)
        }
        program if destructive::runs_code(program) => of_code(arguments),
        _ if name.contains(&b'/') => Some(Sink::File(name)),
        _ => None,
    }
}

fn input_or(file: &[u8]) -> Sink<'_> {
    match file {
        b"-" | b"/dev/stdin" | b"/dev/fd/0" | b"/proc/self/fd/0" => Sink::Input { is_told: true },
        file => Sink::File(file),
    }
}

fn of_shell(arguments: &[Vec<u8>]) -> Option<Sink<'_>> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_slice() {
            b"-" => return Some(input_or(word)),
            b"--rcfile" | b"--init-file" => return rest.next().map(|file| input_or(file)),
            b"-o" | b"+o" | b"-O" | b"+O" => {
                rest.next();
            }
            b"--version" | b"--help" | b"--command" => return None,
            [b'-', b'-', ..] => {}
            [b'-', cluster @ ..] if cluster.contains(&b'c') => return None,
            [b'-', cluster @ ..] if cluster.contains(&b's') => break,
            [b'-' | b'+', ..] => {}
            file => return Some(input_or(file)),
        }
    }
    Some(Sink::Input { is_told: true })
}

/// `awk -f FILE`.
fn of_filter(arguments: &[Vec<u8>]) -> Option<Sink<'_>> {
    let place = arguments.iter().position(|word| word == b"-f")?;
    arguments.get(place + 1).map(|file| input_or(file))
}

/// An interpreter that is given no text among its words (`-c`, `-e`, `-p`, `-r`, `-m`) takes a file, else what comes in.
fn of_code(arguments: &[Vec<u8>]) -> Option<Sink<'_>> {
    for word in arguments {
        match word.as_slice() {
            b"-" => break,
            b"-h" | b"-v" | b"-V" | b"-i" => return None,
            [b'-', b'-', long @ ..] => {
                let gives = ["eval", "print", "version", "help", "run", "test", "check"];
                if gives.iter().any(|known| long.starts_with(known.as_bytes())) {
                    return None;
                }
            }
            [b'-', cluster @ ..] if cluster.iter().any(|byte| b"ceEmpr".contains(byte)) => {
                return None;
            }
            [b'-', ..] => {}
            file => return Some(input_or(file)),
        }
    }
    Some(Sink::Input { is_told: true })
}
