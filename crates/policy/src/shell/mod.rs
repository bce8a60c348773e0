//! A command line: read twice, taken apart, each command judged (POL-05, POL-06).

mod database;
mod database_clients;
mod destructive;
mod destructive_remote;
mod destructive_system;
mod destructive_table;
mod extras;
mod flows;
mod git;
mod judge;
mod literal;
mod loose;
mod oddity;
mod plain;
mod reach;
mod reads;
mod seat;
mod sink;
mod sql;
mod statements;
mod tree;
mod word;
mod wrappers;

use std::ops::Range;

use taffrail_domain::Risk;

pub(crate) use destructive::runs_code;
pub use judge::{COMES_IN, Part};
pub use loose::is_carrier;
pub use reads::names as reading_commands;

use crate::context::Context;
use crate::paths;
use crate::reason::{Reason, Why};
use flows::Flow;
use seat::Seat;
use tree::{MOST_COMMANDS, Redirect, Tree};

/// A command line may be this long, in bytes.
pub const LONGEST: usize = 64 << 10;
/// The words of all commands may be this long together, in bytes; longer ones are not looked through. Bodies of
/// here-documents do not count.
const LONGEST_WORDS: usize = 16 << 10;

/// What a command line is.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// Every command that it would execute, as far as it can be known, in the order of the text.
    pub parts: Vec<Part>,
    /// What keeps it from being plain.
    pub odd: Odd,
}

/// What is odd about a line as a whole, its commands aside.
#[derive(Debug, Clone)]
pub struct Odd {
    /// Why.
    pub reasons: Vec<Reason>,
    /// What that risks.
    pub risk: Risk,
    /// It cannot be ruled out that it destroys, or it does.
    pub destructive: bool,
    /// Why it asks in every mode.
    pub floors: Vec<Reason>,
    /// Files that are redirected to or from, from `/`.
    pub touched: Vec<Vec<u8>>,
    /// Commands as they may stand there as well: with lines joined that the grammar keeps apart.
    pub others: Vec<Part>,
}

impl Default for Odd {
    fn default() -> Self {
        Self {
            reasons: Vec::new(),
            risk: Risk::Read,
            destructive: false,
            floors: Vec::new(),
            touched: Vec::new(),
            others: Vec::new(),
        }
    }
}

impl Odd {
    fn add(&mut self, risk: Risk, reason: Reason) {
        self.risk = self.risk.max(risk);
        self.destructive |= risk == Risk::Destructive;
        self.reasons.push(reason);
    }

    fn floor(&mut self, risk: Risk, reason: Reason) {
        self.add(risk, reason.clone());
        self.floors.push(reason);
    }

    /// Nobody can say what would run: whatever asks in every mode could be among it.
    fn unreadable(&mut self, why: Why) {
        self.floor(Risk::Destructive, Reason::new(Why::Unreadable, why.name()));
    }
}

/// Looks at a command line. Whatever it cannot look at makes it stricter.
pub fn assess(context: &Context<'_>, text: &[u8]) -> Line {
    let mut seat = Seat {
        context,
        cwds: vec![context.cwd.to_vec()],
        depth: 0,
    };
    let mut line = Line::default();
    line.odd = look(&mut seat, text, &mut line.parts);
    line
}

/// The same for a text that a command of a line runs.
fn assess_inside(seat: &Seat<'_>, text: &[u8], out: &mut Vec<Part>) -> Odd {
    look(&mut seat.clone(), text, out)
}

fn look(seat: &mut Seat<'_>, text: &[u8], out: &mut Vec<Part>) -> Odd {
    let mut odd = Odd::default();
    if let Err(why) = is_text(text) {
        odd.unreadable(why);
        return odd;
    }
    let tree = tree::read(text);
    agree(&tree, text, &mut odd);
    let length: usize = tree
        .commands
        .iter()
        .flat_map(|command| &command.words)
        .map(|word| word.raw.len())
        .sum();
    if length > LONGEST_WORDS || tree.commands.len() > MOST_COMMANDS {
        odd.unreadable(Why::TooLong);
        return odd;
    }
    let start = out.len();
    let ranges = judge_all(seat, &tree, out, &mut odd);
    redirects(seat, &tree, &mut odd);
    settings(&tree, &mut odd);
    let mut more = Vec::new();
    let flow = Flow {
        tree: &tree,
        ranges: &ranges,
        parts: out,
        start,
    };
    flows::look(seat, &flow, &mut odd, &mut more);
    out.append(&mut more);
    continued(seat, text, &mut odd);
    if out.len() == start && odd.reasons.is_empty() {
        odd.add(Risk::Shell, Reason::new(Why::Unknown, "nothing to run"));
    }
    odd
}

/// Text without control characters, within the limit.
fn is_text(text: &[u8]) -> Result<(), Why> {
    if text.len() > LONGEST {
        return Err(Why::TooLong);
    }
    let text = std::str::from_utf8(text).map_err(|_| Why::Bytes)?;
    let is_control = |at: char| at.is_control() && at != '\n' && at != '\t';
    if text.contains(is_control) {
        return Err(Why::Bytes);
    }
    Ok(())
}

/// Both readers must read the same. Where they do not, or only one of them reads anything odd, nobody knows what would run.
fn agree(tree: &Tree, text: &[u8], odd: &mut Odd) {
    for reason in &tree.odd {
        odd.add(Risk::Shell, reason.clone());
    }
    if tree.is_opaque {
        odd.unreadable(Why::MayDestroy);
    }
    let is_plain = tree.odd.is_empty() && !tree.is_opaque;
    match plain::read(text) {
        Ok(commands) => {
            if !is_plain || !is_same(tree, commands) {
                odd.unreadable(Why::Disagreement);
            }
        }
        Err(why) if is_plain => odd.add(Risk::Shell, Reason::new(why, "")),
        Err(_) => {}
    }
    // The grammar takes a backslash at the beginning of a line for a part of the line before.
    if !odd.reasons.is_empty() && begins_line_with_backslash(text) {
        odd.unreadable(Why::MayDestroy);
    }
}

fn is_same(tree: &Tree, commands: plain::Commands) -> bool {
    let values = tree.commands.iter().map(|command| {
        let words = command.words.iter();
        words
            .map(|word| word.value.clone())
            .collect::<Option<Vec<_>>>()
    });
    values.eq(commands.into_iter().map(Some))
}

fn begins_line_with_backslash(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').skip(1);
    lines.any(|line| line.trim_ascii_start().starts_with(b"\\"))
}

/// The parts of each command, by their places in `out`.
fn judge_all(
    seat: &mut Seat<'_>,
    tree: &Tree,
    out: &mut Vec<Part>,
    odd: &mut Odd,
) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(tree.commands.len());
    for command in &tree.commands {
        let start = out.len();
        judge::judge(seat, &command.words, out);
        ranges.push(start..out.len());
        if !seat::follow_cd(seat, out.get(start..).unwrap_or_default()) {
            odd.unreadable(Why::TooDeep);
            break;
        }
    }
    ranges.resize(tree.commands.len(), 0..0);
    ranges
}

/// Variables that programs run, and functions without an end.
fn settings(tree: &Tree, odd: &mut Odd) {
    let mut settings = tree.settings.iter();
    if let Some(about) = settings.find_map(|(name, value)| loose::in_setting(name, value)) {
        odd.add(Risk::Destructive, Reason::new(Why::Destroys, about));
    }
    if tree.is_endless {
        let about = "a function that runs itself";
        odd.add(Risk::Destructive, Reason::new(Why::Destroys, about));
    }
}

/// A backslash at the end of a line joins it to the next one, also in the middle of a word. The grammar does not do so.
fn continued(seat: &Seat<'_>, text: &[u8], odd: &mut Odd) {
    let mut texts = vec![
        joined(text, |_| true),
        joined(text, |line| !line.contains(&b'#')),
    ];
    texts.dedup();
    texts.retain(|joined| joined.len() < text.len());
    for text in texts {
        let mut parts = Vec::new();
        let found = assess_inside(seat, &text, &mut parts);
        if found.destructive || parts.iter().any(|part| part.destructive) {
            odd.add(
                Risk::Destructive,
                Reason::new(Why::Destroys, "over two lines"),
            );
        }
        let floors = parts.iter().flat_map(|part| part.floors.clone());
        for floor in found.floors.into_iter().chain(floors) {
            odd.floor(found.risk, floor);
        }
        odd.touched.extend(found.touched);
        odd.others.extend(found.others);
        odd.others.append(&mut parts);
    }
}

/// The text with the lines joined that may be. In a comment a backslash joins nothing.
fn joined(text: &[u8], may: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    let mut joined = Vec::with_capacity(text.len());
    while let Some(line) = lines.next() {
        match line.strip_suffix(b"\\") {
            Some(begun) if lines.peek().is_some() && may(line) => joined.extend(begun),
            _ => joined.extend(line.iter().chain(lines.peek().map(|_| &b'\n'))),
        }
    }
    joined
}

fn redirects(seat: &Seat<'_>, tree: &Tree, odd: &mut Odd) {
    for redirect in &tree.redirects {
        let target = redirect.target.text();
        let places = seat.cwds.iter().map(|cwd| paths::joined(cwd, target));
        odd.touched.extend(places);
        if reaches_out(redirect.target.text()) {
            let reason = Reason::of(Why::Network, redirect.target.text());
            odd.add(Risk::Network, reason);
        }
        if redirect.writes {
            written(seat, redirect, odd);
        } else if let Err(why) = paths::readable(seat.context, &seat.cwds, redirect.target.text()) {
            let risk = if why == Why::Credential {
                Risk::Credential
            } else {
                Risk::Shell
            };
            let reason = Reason::of(why, redirect.target.text());
            match why {
                Why::Credential | Why::ManagedState => odd.floor(risk, reason),
                _ => odd.add(risk, reason),
            }
        }
    }
}

/// What bash takes for a connection.
fn reaches_out(target: &[u8]) -> bool {
    target.starts_with(b"/dev/tcp/") || target.starts_with(b"/dev/udp/")
}

fn written(seat: &Seat<'_>, redirect: &Redirect, odd: &mut Odd) {
    let target = redirect.target.text();
    odd.add(Risk::Write, Reason::of(Why::Writes, target));
    if redirect.truncates && redirect.alone {
        odd.add(Risk::Destructive, Reason::of(Why::Destroys, target));
    }
    if reaches_out(target) {
        return;
    }
    if target.starts_with(b"/dev/") || target.starts_with(b"/proc/") || target.starts_with(b"/sys/")
    {
        odd.add(Risk::Destructive, Reason::of(Why::Destroys, target));
    }
    for cwd in &seat.cwds {
        let here = Context {
            cwd,
            ..*seat.context
        };
        // A target that is not certain is looked at by its parts.
        let floor =
            paths::write_floor(&here, target).or_else(|| paths::mentions_floor(&here, target));
        match floor {
            Some(why @ Why::Credential) => odd.floor(Risk::Credential, Reason::of(why, target)),
            Some(why) => odd.floor(Risk::Write, Reason::of(why, target)),
            None if paths::inside(&here, target).is_err() => {
                odd.add(Risk::Shell, Reason::of(Why::Outside, target));
            }
            None => {}
        }
    }
}

fn base(name: &[u8]) -> String {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(last).into_owned()
}
