//! git: what only reads, where it runs in our sandbox with our environment (POL-05, CNF-06), and what takes away.
//!
//! Elsewhere a repository's own configuration may make the most harmless command run something, so that git asks.

use super::destructive::has_flag;
use super::loose;
use super::tree::Word;
use crate::reason::{Reason, Why};

/// A subcommand that reads, with its flags: whole words, or with `=` at the end also such with a value of their own.
struct Reading {
    name: &'static str,
    flags: &'static str,
    /// Operands are revisions and paths; else there must be none.
    takes_operands: bool,
}

const DIFF: &str = "-p -u -s --stat --shortstat --numstat --summary --name-only --name-status --patch --no-patch --raw \
                    --cached --staged --color --color= --no-color --word-diff --word-diff= -w -b --ignore-all-space \
                    --ignore-space-change --ignore-blank-lines --minimal --patience --histogram -M -C --find-renames \
                    --find-copies --no-renames --diff-filter= --unified= --check --exit-code --quiet -q --abbrev \
                    --abbrev= --full-index --no-ext-diff --no-textconv --merge-base -R --relative --diff-algorithm= \
                    --stat= -z --no-prefix --function-context -W";
const LOG: &str = "--oneline --graph --all --decorate --decorate= --no-decorate --reverse --merges --no-merges \
                   --first-parent --follow --since= --until= --after= --before= --author= --committer= --grep= \
                   --max-count= --skip= --pretty= --format= --date= --branches --tags --remotes --abbrev-commit \
                   --no-abbrev-commit --topo-order --date-order --left-right --cherry-pick --source --relative-date -i";

const READING: &[Reading] = &[
    Reading {
        name: "status",
        flags: "-s --short -b --branch --porcelain --porcelain= -u -uno -unormal -uall --untracked-files= --ignored -z \
                --long --show-stash --ahead-behind --no-ahead-behind --no-renames -v",
        takes_operands: true,
    },
    Reading {
        name: "log",
        flags: "+log +diff -c --cc -m -n=",
        takes_operands: true,
    },
    Reading {
        name: "show",
        flags: "+log +diff",
        takes_operands: true,
    },
    Reading {
        name: "diff",
        flags: "+diff",
        takes_operands: true,
    },
    Reading {
        name: "rev-parse",
        flags: "--short --short= --abbrev-ref --verify -q --quiet --show-toplevel --show-prefix --show-cdup --git-dir \
                --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --symbolic \
                --symbolic-full-name --absolute-git-dir --all --branches --tags --show-object-format",
        takes_operands: true,
    },
    Reading {
        name: "ls-files",
        flags: "-c -d -m -o -i -s -u -k -z -t -v --cached --deleted --modified --others --ignored --stage --unmerged \
                --killed --exclude-standard --directory --full-name --error-unmatch --eol --deduplicate",
        takes_operands: true,
    },
    Reading {
        name: "blame",
        flags: "-l -s -e -w -c -t -f -n -p --porcelain --line-porcelain --show-email --show-name --show-number --root \
                -M -C --date= --incremental -L=",
        takes_operands: true,
    },
    Reading {
        name: "branch",
        flags: "--list -l -a --all -r --remotes -v -vv --verbose --show-current --no-color --color= --sort= --format=",
        takes_operands: false,
    },
];

/// Options before the subcommand that change nothing of what it may do.
const BEFORE: &[&str] = &["--no-pager", "--no-optional-locks", "--literal-pathspecs"];

/// Whether this only reads, `sandboxed` aside. `arguments` come without `git`; their values are certain.
pub fn reads(arguments: &[&[u8]]) -> Result<(), Reason> {
    let mut rest = arguments.iter().copied();
    let subcommand = loop {
        let word = rest.next().ok_or_else(|| Reason::new(Why::Git, "git"))?;
        if !BEFORE.iter().any(|known| known.as_bytes() == word) {
            break word;
        }
    };
    if subcommand == b"--version" && rest.next().is_none() {
        return Ok(());
    }
    let reading = READING
        .iter()
        .find(|reading| reading.name.as_bytes() == subcommand);
    let reading = reading.ok_or_else(|| Reason::of(Why::Git, subcommand))?;
    let only_lists = reading.name != "branch" || rest.clone().any(|word| word == b"--list");
    while let Some(word) = rest.next() {
        if word == b"--" {
            return Ok(());
        }
        // A signature is checked by a program that the repository may name.
        if word.windows(2).any(|pair| pair == b"%G") {
            return Err(Reason::of(Why::Flag, word));
        }
        if !word.starts_with(b"-") {
            // `git branch NAME` makes one; with `--list` it is a pattern.
            if !reading.takes_operands && !only_lists {
                return Err(Reason::of(Why::Git, word));
            }
        } else if !is_known(reading.flags, word) && !is_count(reading.name, word) {
            let takes_next = matches!(
                (reading.name, word),
                ("log", b"-n") | ("blame", b"-L") | ("diff" | "log" | "show", b"-U")
            );
            if !takes_next || rest.next().is_none() {
                return Err(Reason::of(Why::Flag, word));
            }
        }
    }
    Ok(())
}

/// `-5` of `log`, `-U3` of `diff`, `-M90`.
fn is_count(subcommand: &str, word: &[u8]) -> bool {
    let (short, digits) = match word {
        [b'-', b'U', digits @ ..] => (subcommand != "status", digits),
        [b'-', b'n', digits @ ..] | [b'-', digits @ ..] => {
            (matches!(subcommand, "log" | "show"), digits)
        }
        _ => return false,
    };
    short && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn is_known(flags: &str, word: &[u8]) -> bool {
    flags.split_ascii_whitespace().any(|flag| match flag {
        "+log" => is_known(LOG, word),
        "+diff" => is_known(DIFF, word),
        _ if flag.starts_with("--") && flag.ends_with('=') => word.starts_with(flag.as_bytes()),
        _ => flag.as_bytes() == word,
    })
}

/// Subcommands, the flags or words that make them destructive (none: all of them do), and what it is called.
const DESTRUCTIVE: &[(&str, &str, &[&str], &str)] = &[
    (
        "reset",
        "",
        &["hard", "merge", "keep"],
        "changes thrown away",
    ),
    ("clean", "", &["never-alone"], "untracked files removed"),
    (
        "push",
        "fd",
        &[
            "force",
            "force-with-lease",
            "force-if-includes",
            "mirror",
            "delete",
            "prune",
        ],
        "history of a remote overwritten",
    ),
    (
        "branch",
        "DdMmCf",
        &["delete", "force", "move", "copy"],
        "a branch removed or moved",
    ),
    (
        "checkout",
        "fB",
        &["force", "ours", "theirs", "patch"],
        "changes thrown away",
    ),
    (
        "switch",
        "fC",
        &["force", "discard-changes", "force-create"],
        "changes thrown away",
    ),
    ("restore", "", &["*"], "changes thrown away"),
    ("stash", "", &["drop", "clear", "pop"], "a stash removed"),
    ("fetch", "f", &["force"], "a local branch overwritten"),
    ("pull", "f", &["force"], "a local branch overwritten"),
    ("lfs", "", &["prune"], "files thrown away"),
    ("fast-import", "", &["force"], "branches overwritten"),
    (
        "reflog",
        "",
        &["expire", "delete", "drop"],
        "history thrown away",
    ),
    ("gc", "", &["prune", "aggressive"], "history thrown away"),
    ("prune", "", &["*"], "history thrown away"),
    ("repack", "ad", &["keep-unreachable"], "history thrown away"),
    ("filter-branch", "", &["*"], "history rewritten"),
    ("filter-repo", "", &["*"], "history rewritten"),
    ("replace", "", &["*"], "history rewritten"),
    ("rebase", "", &["*"], "history rewritten"),
    (
        "commit",
        "",
        &["amend", "fixup", "squash"],
        "history rewritten",
    ),
    ("update-ref", "", &["*"], "a reference moved"),
    ("symbolic-ref", "d", &["delete"], "a reference moved"),
    ("tag", "df", &["delete", "force"], "a tag removed or moved"),
    ("rm", "rf", &["force"], "files removed"),
    (
        "worktree",
        "f",
        &["remove", "prune", "force"],
        "a work tree removed",
    ),
    (
        "remote",
        "",
        &["remove", "rm", "prune", "set-url"],
        "a remote removed",
    ),
    (
        "submodule",
        "",
        &["deinit", "foreach"],
        "a submodule removed, or a command in each",
    ),
    ("bisect", "", &["run"], "a command at each step"),
    ("notes", "", &["remove", "prune"], "notes removed"),
    (
        "sparse-checkout",
        "",
        &["set", "disable"],
        "files taken out of the tree",
    ),
    ("merge-index", "", &["*"], "a program for each file"),
    ("read-tree", "", &["*"], "the index overwritten"),
    ("checkout-index", "f", &["force"], "files overwritten"),
    (
        "apply",
        "",
        &["unsafe-paths"],
        "a patch outside of the tree",
    ),
    ("am", "", &["abort", "skip"], "changes thrown away"),
    ("merge", "", &["abort"], "changes thrown away"),
    ("cherry-pick", "", &["abort", "skip"], "changes thrown away"),
    ("revert", "", &["abort"], "changes thrown away"),
];

/// What is destructive about it.
pub fn destroys(arguments: &[Word]) -> Option<&'static str> {
    let (subcommand, rest) = subcommand(arguments)?;
    let Some(name) = subcommand.value.as_deref() else {
        return Some("a subcommand that is not certain");
    };
    if name == b"clean" {
        let only_shows = rest
            .iter()
            .any(|word| has_flag(word.text(), "n", &["dry-run"]));
        return (!only_shows).then_some("untracked files removed");
    }
    if name == b"checkout" && takes_paths(rest) {
        return Some("changes thrown away");
    }
    let forces = |word: &Word| matches!(word.text(), [b'+' | b':', ..]);
    if matches!(name, b"push" | b"fetch" | b"pull") && rest.iter().any(forces) {
        return Some("history overwritten");
    }
    if is_spared(name, rest) {
        return None;
    }
    let may_be_a_flag = |word: &Word| word.value.is_none() && word.raw.first() != Some(&b'"');
    if matches!(name, b"reset" | b"clean") && rest.iter().any(may_be_a_flag) {
        return Some("what is thrown away is not certain");
    }
    let row = DESTRUCTIVE.iter().filter(|row| row.0.as_bytes() == name);
    row.into_iter()
        .find(|(_, short, words, _)| {
            let said = |word: &Word| {
                has_flag(word.text(), short, words)
                    || words.iter().any(|at| at.as_bytes() == word.text())
            };
            words.contains(&"*") || rest.iter().any(said)
        })
        .map(|row| row.3)
}

/// What goes on with something that was begun, or changes the index alone.
fn is_spared(name: &[u8], rest: &[Word]) -> bool {
    let said =
        |short: &str, long: &[&str]| rest.iter().any(|word| has_flag(word.text(), short, long));
    match name {
        b"rebase" => said("", &["continue", "show-current-patch", "edit-todo"]),
        b"restore" => said("S", &["staged"]) && !said("W", &["worktree"]),
        _ => false,
    }
}

/// Whether it overwrites files: they are named after a revision, or look like files. With a new branch nothing is.
fn takes_paths(rest: &[Word]) -> bool {
    let makes = |word: &Word| has_flag(word.text(), "bt", &["track", "orphan", "detach"]);
    if rest.iter().any(makes) {
        return false;
    }
    let operands = rest.iter().filter(|word| !word.text().starts_with(b"-"));
    rest.iter().any(|word| is_path_of_checkout(word.text())) || operands.count() > 1
}

/// `--`, `.` and what looks like a file rather than a branch.
fn is_path_of_checkout(text: &[u8]) -> bool {
    let is_pattern = text.iter().any(|byte| b"*?[".contains(byte));
    matches!(text, b"--" | b"." | b"-p")
        || text.starts_with(b"./")
        || text.starts_with(b":")
        || is_pattern
        || has_ending(text)
}

/// `main.rs`: a name with an ending of letters, which branches seldom have.
fn has_ending(text: &[u8]) -> bool {
    let name = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let mut halves = name.rsplitn(2, |byte| *byte == b'.');
    let (ending, rest) = (halves.next().unwrap_or_default(), halves.next());
    rest.is_some() && (1..=5).contains(&ending.len()) && ending.iter().all(u8::is_ascii_lowercase)
}

/// Whether it changes git's own files: configuration and hooks, which git obeys.
pub fn is_obeyed(arguments: &[Word]) -> bool {
    let Some((subcommand, rest)) = subcommand(arguments) else {
        return false;
    };
    let sets = |word: &Word| word.text().starts_with(b"-c") || word.text().starts_with(b"--config");
    let looks = [
        "--get",
        "--list",
        "-l",
        "--get-all",
        "--get-regexp",
        "get",
        "list",
        "--show-origin",
    ];
    let only_looks = rest
        .iter()
        .any(|word| looks.iter().any(|at| at.as_bytes() == word.text()));
    subcommand.text() == b"config" && !only_looks
        || arguments
            .iter()
            .take_while(|word| word.raw != subcommand.raw)
            .any(sets)
}

/// What could be destroyed by a program that its configuration or a flag names.
pub fn runs(arguments: &[Word]) -> Option<&'static str> {
    if is_obeyed(arguments) {
        return loose::in_words(arguments);
    }
    let flags = [
        "-O",
        "--open-files-in-pager",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "-x",
        "--extcmd",
    ];
    let mut words = arguments
        .iter()
        .zip(arguments.iter().skip(1).map(Some).chain([None]));
    words.find_map(|(word, next)| {
        let flag = flags
            .iter()
            .any(|flag| word.text().starts_with(flag.as_bytes()));
        // `-O'rm x'`: the value stands in the word itself.
        let short = word
            .text()
            .get(2..)
            .filter(|_| !word.text().starts_with(b"--"));
        let value = short.map(|value| Word {
            raw: value.to_vec(),
            value: Some(value.to_vec()),
        });
        let own = flag
            .then(|| loose::in_words(std::slice::from_ref(value.as_ref().unwrap_or(word))))
            .flatten();
        own.or_else(|| {
            next.filter(|_| flag)
                .and_then(|next| loose::in_words(std::slice::from_ref(next)))
        })
    })
}

/// The subcommand and what follows it, global options with their values passed over.
fn subcommand(arguments: &[Word]) -> Option<(&Word, &[Word])> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        match word.text() {
            b"-C" | b"-c" | b"--git-dir" | b"--work-tree" | b"--namespace" | b"--exec-path"
            | b"--config-env" => at += 2,
            text if text.starts_with(b"-") => at += 1,
            _ => return Some((word, arguments.get(at + 1..).unwrap_or_default())),
        }
    }
    None
}
