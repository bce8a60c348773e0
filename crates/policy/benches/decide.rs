//! How many command lines are judged in a second (CLI-06: at least 1,000), and the longest ones.

use taffrail_domain::{Action, Actor, Held, Mode, RepoPath};
use taffrail_policy::{Context, Facts, Place, Rules, Whole, decide};

/// A disk on which nothing is special.
struct Plain;

impl Facts for Plain {
    fn is_credential(&self, path: &RepoPath) -> bool {
        path.name().starts_with(b".env")
    }

    fn is_obeyed(&self, _path: &RepoPath) -> bool {
        false
    }

    fn leads(&self, _path: &[u8]) -> Place {
        Place::Inside
    }

    fn is_unfit_whole(&self, _path: &[u8], _whole: Whole) -> bool {
        false
    }
}

fn judge(command: &[u8]) -> bool {
    let context = Context {
        actor: Actor::BuiltIn,
        held: Held::Sandboxed,
        grant: false,
        root: b"/project",
        cwd: b"/project",
        home: b"/home/user/.taffrail",
        facts: &Plain,
    };
    let action = Action::Shell {
        command: command.to_vec(),
        paths: Vec::new(),
    };
    decide(&action, Mode::Ask, &Rules::default(), &context).destructive
}

const SHORT: &[&str] = &[
    "ls -la src",
    "git log --oneline -5",
    "grep -rn TODO src | head -20",
    "cargo test 2>&1 | tail",
    "timeout 5 bash -c 'cat README.md | wc -l'",
    "rm -rf \"$HOME/x\"",
];

#[divan::bench(args = SHORT)]
fn short(command: &str) -> bool {
    judge(command.as_bytes())
}

const LONG: &[(&str, &str)] = &[
    ("words", "a "),
    ("commands", "ls;"),
    ("pipes", "ls|"),
    ("parentheses", "("),
    ("quotes", "'\""),
    ("substitutions", "$("),
    ("backticks", "`a"),
    ("here-documents", "<<a "),
    ("braces", "{a,"),
    ("paths", ".env/"),
];

/// 64 KiB of one thing, over and over.
#[divan::bench(args = LONG)]
fn longest((_, part): &(&str, &str)) -> bool {
    let text: Vec<u8> = part.bytes().cycle().take(64 << 10).collect();
    judge(&text)
}

fn main() {
    divan::main();
}
