//! One command of a line: what it is, what it runs in turn, and what it risks.

use taffrail_domain::{Held, Risk};

use super::seat::Seat;
use super::tree::Word;
use super::wrappers::{self, Does, script_of, unwrap};
use super::{assess_inside, destructive, git, loose, reach, reads};
use crate::context::Context;
use crate::paths;
use crate::reason::{Reason, Why};

/// Through so many wrappers a command is followed.
const DEEPEST: usize = 6;
/// Words after a wrapper that are tried for the name of its command.
const MOST_GUESSES: usize = 16;

/// One command as it would be executed, as far as it can be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its words; one that is not certain stands as it was written.
    pub argv: Vec<Vec<u8>>,
    /// What it risks.
    pub risk: Risk,
    /// It takes away what cannot easily be brought back.
    pub destructive: bool,
    /// Why it is not simply read.
    pub reasons: Vec<Reason>,
    /// Why it asks in every mode.
    pub floors: Vec<Reason>,
    /// Every word is certain.
    pub is_certain: bool,
    /// It does nothing by itself but run another part, harmlessly.
    pub is_wrapper: bool,
    /// The folders that it may be run in, absolute.
    pub folders: Vec<Vec<u8>>,
    /// Files that a text which it runs redirects to or from, from `/`.
    pub touched: Vec<Vec<u8>>,
}

impl Part {
    fn new(seat: &Seat<'_>, words: &[Word]) -> Self {
        Self {
            argv: words.iter().map(|word| word.text().to_vec()).collect(),
            risk: Risk::Read,
            destructive: false,
            reasons: Vec::new(),
            floors: Vec::new(),
            is_certain: words.iter().all(|word| word.value.is_some()),
            is_wrapper: false,
            folders: seat.cwds.clone(),
            touched: Vec::new(),
        }
    }

    /// The last part of its name.
    pub fn base(&self) -> String {
        super::base(self.argv.first().map_or(b"", Vec::as_slice))
    }

    /// Whether it reaches another machine.
    pub fn reaches(&self) -> bool {
        self.reasons.iter().any(|reason| reason.why == Why::Network)
    }

    /// At least this risk, and why.
    fn raise(&mut self, risk: Risk, reason: Reason) {
        self.risk = self.risk.max(risk);
        self.destructive |= risk == Risk::Destructive;
        self.reasons.push(reason);
    }

    fn floor(&mut self, risk: Risk, reason: Reason) {
        self.raise(risk, reason.clone());
        self.floors.push(reason);
    }
}

/// Judges a command and everything that it runs.
pub fn judge(seat: &Seat<'_>, words: &[Word], out: &mut Vec<Part>) {
    let Some((name_word, arguments)) = words.split_first() else {
        return;
    };
    let mut part = Part::new(seat, words);
    let Some(name) = name_word.value.as_deref() else {
        part.raise(
            Risk::Destructive,
            Reason::of(Why::MayDestroy, &name_word.raw),
        );
        floors(seat, "", arguments, &mut part);
        return out.push(part);
    };
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let base = String::from_utf8_lossy(base).into_owned();
    let is_path = name.contains(&b'/');
    if looks_up(&base, arguments) && !is_path {
        return out.push(part);
    }
    if seat.depth > DEEPEST {
        let why = Why::TooDeep.name();
        part.floor(Risk::Destructive, Reason::new(Why::Unreadable, why));
        return out.push(part);
    }
    if run_by_wrapper(seat, &base, is_path, arguments, &mut part, out) {
        return;
    }
    leaf(seat, name, &base, words, &mut part);
    out.push(part);
    if matches!(base.as_str(), "find" | "gfind" | "fd" | "fdfind") {
        run_by_find(seat, arguments, out);
    }
}

/// What `find` runs for what it finds.
fn run_by_find(seat: &Seat<'_>, arguments: &[Word], out: &mut Vec<Part>) {
    let inside = Seat {
        depth: seat.depth + 1,
        ..seat.clone()
    };
    let runs = |word: &Word| {
        let text = word.text();
        // The last four are those of `fd`.
        let starts = |flag: &[u8]| text.starts_with(flag);
        starts(b"-exec")
            || starts(b"-ok")
            || matches!(text, b"-x" | b"-X" | b"--exec" | b"--exec-batch")
    };
    let ends = |word: &Word| matches!(word.text(), b";" | b"+");
    let mut rest = arguments;
    while let Some(place) = rest.iter().position(runs) {
        rest = rest.get(place + 1..).unwrap_or_default();
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        judge(&inside, rest.get(..end).unwrap_or_default(), out);
    }
}

/// `command -v NAME` only says where it is.
fn looks_up(name: &str, arguments: &[Word]) -> bool {
    let flag = arguments.first().and_then(|word| word.value.as_deref());
    name == "command"
        && matches!(flag, Some(b"-v" | b"-V"))
        && arguments.iter().all(|word| word.value.is_some())
}

/// Judges what a wrapper, `eval` or a shell runs. The wrapper's own part stands before it.
fn run_by_wrapper(
    seat: &Seat<'_>,
    base: &str,
    is_path: bool,
    arguments: &[Word],
    part: &mut Part,
    out: &mut Vec<Part>,
) -> bool {
    let inside = Seat {
        depth: seat.depth + 1,
        ..seat.clone()
    };
    if let Some((script, only)) = script_of(base, arguments) {
        if base == "su" {
            part.floor(Risk::Destructive, Reason::new(Why::Privilege, base));
        } else if !only || is_path {
            part.raise(Risk::Shell, Reason::new(Why::Interpreter, base));
        }
        part.is_wrapper = true;
        floors(seat, base, &[], part);
        out.push(part.clone());
        run_text(&inside, script, out);
        return true;
    }
    if matches!(base, "eval" | "trap") && !arguments.is_empty() {
        part.raise(Risk::Shell, Reason::new(Why::Interpreter, base));
        out.push(part.clone());
        eval(&inside, base, arguments, out);
        return true;
    }
    let Some(unwrapped) = unwrap(base, arguments) else {
        return false;
    };
    if wrappers::splits(base, arguments) {
        part.raise(Risk::Destructive, Reason::new(Why::MayDestroy, "-S"));
    }
    if unwrapped.inner.is_empty() && unwrapped.does != Does::Raises {
        return false;
    }
    match unwrapped.does {
        Does::Raises => part.floor(Risk::Destructive, Reason::new(Why::Privilege, base)),
        Does::Changes => part.raise(Risk::Shell, Reason::new(Why::NotListed, base)),
        Does::Nothing if is_path => part.raise(Risk::Shell, Reason::new(Why::NotListed, base)),
        Does::Nothing => {}
    }
    if let Some(word) = unwrapped.odd {
        part.raise(Risk::Shell, Reason::of(Why::Flag, &word.raw));
        guess(arguments, part);
    }
    part.is_wrapper = true;
    if let Some(about) = destroys(base, arguments) {
        part.raise(Risk::Destructive, Reason::new(Why::Destroys, about));
    }
    if reach::network(base, arguments) {
        part.raise(Risk::Network, Reason::new(Why::Network, base));
    }
    let own = arguments.len() - unwrapped.inner.len();
    floors(seat, base, arguments.get(..own).unwrap_or_default(), part);
    out.push(part.clone());
    let own = arguments.get(..own).unwrap_or_default();
    judge(&inside, &filled(base, own, unwrapped.inner), out);
    true
}

/// Stands among the words of a command for those that come in while the line runs.
pub const COMES_IN: &str = "…";

/// What `xargs` and `parallel` run: what comes in is added at the end, or put where a word says so.
fn filled(base: &str, own: &[Word], inner: &[Word]) -> Vec<Word> {
    let mut inner = inner.to_vec();
    if !matches!(base, "xargs" | "gxargs" | "parallel") {
        return inner;
    }
    let mark = wrappers::replaced(own).unwrap_or(b"{}");
    for word in &mut inner {
        let text = word.text();
        if !mark.is_empty() && text.windows(mark.len()).any(|part| part == mark) {
            word.value = None;
        }
    }
    inner.push(Word {
        raw: COMES_IN.as_bytes().to_vec(),
        value: None,
    });
    inner
}

/// A flag of a wrapper that is not known may have a value, so that the command begins later than it seems: whatever word
/// could be its name is looked at.
fn guess(arguments: &[Word], part: &mut Part) {
    for place in 0..arguments.len().min(MOST_GUESSES) {
        let Some((name, rest)) = arguments.get(place..).and_then(<[_]>::split_first) else {
            return;
        };
        let name = name.text().rsplit(|byte| *byte == b'/').next();
        let name = String::from_utf8_lossy(name.unwrap_or_default());
        let destroys = match name.as_ref() {
            "git" => git::destroys(rest),
            name => destructive::about(name, rest),
        };
        if let Some(about) = destroys {
            part.raise(Risk::Destructive, Reason::new(Why::Destroys, about));
            return;
        }
    }
}

/// Judges a text that the command before it, the last of `out`, runs. What is odd about the text is held against it.
fn run_text(seat: &Seat<'_>, script: &Word, out: &mut Vec<Part>) {
    let place = out.len().saturating_sub(1);
    let Some(text) = &script.value else {
        if let Some(part) = out.get_mut(place) {
            part.raise(Risk::Destructive, Reason::of(Why::MayDestroy, &script.raw));
            floors(seat, "", std::slice::from_ref(script), part);
        }
        return;
    };
    let inside = assess_inside(seat, text, out);
    if let Some(part) = out.get_mut(place) {
        for reason in inside.reasons {
            part.raise(inside.risk, reason);
        }
        part.destructive |= inside.destructive;
        part.touched.extend(inside.touched);
        for floor in inside.floors {
            part.floor(inside.risk, floor);
        }
    }
}

/// `eval` joins its words by blanks; `trap` has the command first.
fn eval(seat: &Seat<'_>, base: &str, arguments: &[Word], out: &mut Vec<Part>) {
    let words = if base == "trap" {
        arguments.get(..1).unwrap_or_default()
    } else {
        arguments
    };
    let values: Option<Vec<&[u8]>> = words.iter().map(|word| word.value.as_deref()).collect();
    let joined = Word {
        raw: words
            .iter()
            .map(|word| word.raw.as_slice())
            .collect::<Vec<_>>()
            .join(&b' '),
        value: values.map(|values| values.join(&b' ')),
    };
    run_text(seat, &joined, out);
}

/// A command that runs nothing else that we know of.
fn leaf(seat: &Seat<'_>, name: &[u8], base: &str, words: &[Word], part: &mut Part) {
    let arguments = words.get(1..).unwrap_or_default();
    let values: Option<Vec<&[u8]>> = words.iter().map(|word| word.value.as_deref()).collect();
    match values.as_ref().and_then(|argv| reads::check(seat, argv)) {
        Some(Ok(())) => return,
        Some(Err(reason)) if matches!(reason.why, Why::Credential | Why::ManagedState) => {
            part.floor(risk_of_floor(reason.why), reason);
        }
        // A flag that is not known may write.
        Some(Err(reason)) if matches!(reason.why, Why::Flag | Why::Argument) => {
            part.raise(Risk::Shell, reason);
            floors(seat, base, arguments, part);
        }
        Some(Err(reason)) => {
            part.raise(Risk::Shell, reason);
            floors_of_reading(seat, arguments, part);
        }
        None if name == b"git" => by_git(seat, arguments, values.as_deref(), part),
        None => {
            part.raise(Risk::Shell, Reason::of(Why::NotListed, name));
            floors(seat, base, arguments, part);
        }
    }
    by_tables(base, arguments, part);
}

/// What only reads is on the list where it runs in our sandbox; its operands may be paths.
fn by_git(seat: &Seat<'_>, arguments: &[Word], values: Option<&[&[u8]]>, part: &mut Part) {
    let values = values.and_then(<[_]>::split_first).map(|(_, rest)| rest);
    let reads = values.ok_or_else(|| Reason::new(Why::Git, ""));
    let reads = reads.and_then(|values| git::reads(values).map(|()| values));
    match reads {
        Ok(values) => {
            if seat.context.held != Held::Sandboxed {
                part.raise(Risk::Shell, Reason::new(Why::Git, "outside of the sandbox"));
            }
            let operands = values.iter().filter(|word| !word.starts_with(b"-"));
            for word in operands {
                if let Err(why) = paths::readable(seat.context, &seat.cwds, word) {
                    part.raise(Risk::Shell, Reason::of(why, word));
                }
            }
            floors_of_reading(seat, arguments, part);
        }
        Err(reason) => {
            part.raise(Risk::Shell, reason);
            floors(seat, "git", arguments, part);
        }
    }
    if git::is_obeyed(arguments) {
        part.floor(Risk::Shell, Reason::new(Why::Obeyed, "git's configuration"));
    }
    if let Some(about) = git::runs(arguments) {
        part.raise(Risk::Destructive, Reason::new(Why::Destroys, about));
    }
}

fn by_tables(base: &str, arguments: &[Word], part: &mut Part) {
    if let Some(about) = destroys(base, arguments) {
        part.raise(Risk::Destructive, Reason::new(Why::Destroys, about));
    }
    if evaluates(base, arguments) || destructive::runs_what_is_unreadable(base, arguments) {
        part.raise(Risk::Destructive, Reason::new(Why::MayDestroy, base));
    }
    if reach::network(base, arguments) {
        part.raise(Risk::Network, Reason::new(Why::Network, base));
    }
    if reach::agent(base, arguments) {
        part.raise(Risk::Delegate, Reason::new(Why::Agent, base));
    }
    if reach::credential(base, arguments) {
        part.floor(Risk::Credential, Reason::new(Why::Credential, base));
    }
    if matches!(
        base,
        "source"
            | "."
            | "export"
            | "alias"
            | "unalias"
            | "set"
            | "shopt"
            | "hash"
            | "enable"
            | "unset"
    ) {
        part.raise(Risk::Shell, Reason::new(Why::Environment, base));
    }
}

/// Builtins that run the commands in the subscript of an array, quoted as it may be: `read 'x[$(…)]'`.
fn evaluates(base: &str, arguments: &[Word]) -> bool {
    let builtins = [
        "declare",
        "export",
        "getopts",
        "let",
        "local",
        "mapfile",
        "printf",
        "read",
        "readarray",
        "readonly",
        "test",
        "typeset",
        "unset",
        "wait",
        "[",
    ];
    let runs = |word: &Word| {
        let text = word.text();
        text.contains(&b'[') && (text.contains(&b'`') || text.windows(2).any(|at| at == b"$("))
    };
    builtins.contains(&base) && arguments.iter().any(runs)
}

fn destroys(base: &str, arguments: &[Word]) -> Option<&'static str> {
    match base {
        "git" | "hub" | "yadm" => git::destroys(arguments),
        base => destructive::about(base, arguments).or_else(|| loose::about(base, arguments)),
    }
}

/// What asks in every mode, by any of the words.
fn floors(seat: &Seat<'_>, base: &str, arguments: &[Word], part: &mut Part) {
    if base == "taffrail" && !is_harmless(arguments) {
        part.floor(
            Risk::Shell,
            Reason::new(Why::ManagedState, "a command that a person gives"),
        );
    }
    if base == "crontab"
        || base == "systemctl"
        || base == "launchctl"
        || base == "at"
        || base == "batch"
    {
        part.floor(Risk::Shell, Reason::new(Why::Obeyed, base));
    }
    mentions(seat, arguments, part, paths::mentions_floor);
}

type Mentions = fn(&Context<'_>, &[u8]) -> Option<Why>;

/// What the words mention that asks in every mode, from every folder that the line may be in.
fn mentions(seat: &Seat<'_>, arguments: &[Word], part: &mut Part, which: Mentions) {
    for word in arguments {
        let mut found = seat.cwds.iter().filter_map(|cwd| {
            let here = Context {
                cwd,
                ..*seat.context
            };
            which(&here, word.text())
        });
        if let Some(why) = found.next() {
            part.floor(risk_of_floor(why), Reason::of(why, word.text()));
        }
    }
}

/// The same for a command that is known to write nothing: what a tool obeys may be read.
fn floors_of_reading(seat: &Seat<'_>, arguments: &[Word], part: &mut Part) {
    mentions(seat, arguments, part, paths::mentions_special);
}

fn risk_of_floor(why: Why) -> Risk {
    if why == Why::Credential {
        Risk::Credential
    } else {
        Risk::Write
    }
}

fn is_harmless(arguments: &[Word]) -> bool {
    let values: Vec<&[u8]> = arguments
        .iter()
        .filter_map(|word| word.value.as_deref())
        .collect();
    values.len() == arguments.len()
        && matches!(
            values.as_slice(),
            [] | [b"--version" | b"--help" | b"help"]
                | [b"policy", b"check", ..]
                | [b"doctor" | b"redact"]
        )
}
