//! What of a command line a `deny` or an `ask` of the user speaks of (POL-04): commands, and the paths and hosts that
//! their words name. Stricter than needed where it cannot be told: such a rule is there to be held.

use taffrail_domain::Risk;

use crate::assess::Assessment;
use crate::context::Context;
use crate::glob;
use crate::paths;
use crate::reason::Why;
use crate::rules::RuleSpec;
use crate::shell::{Part, is_carrier, runs_code};

/// Subcommands of git that run a command which they are given.
const GIT_RUNS: &[&[u8]] = &[
    b"submodule",
    b"bisect",
    b"rebase",
    b"filter-branch",
    b"difftool",
    b"for-each-repo",
];

/// Whether a rule speaks of any command of a line, or of a file that it redirects to or from.
pub fn is_caught(rule: &RuleSpec, found: &Assessment, context: &Context<'_>) -> bool {
    let mut parts = found.parts.iter().chain(&found.others);
    let inner = found.parts.iter().flat_map(|part| &part.touched);
    let mut touched = found.touched.iter().chain(inner);
    let risk_fits = |risk: Risk| rule.risk.is_none_or(|wanted| wanted == risk);
    if let Some(pattern) = &rule.path {
        let names = |part: &Part| risk_fits(part.risk) && names_path(pattern, part, context);
        return parts.any(names)
            || risk_fits(found.risk) && touched.any(|path| fits_path(pattern, path, context));
    }
    if let Some(pattern) = &rule.host {
        let names = |part: &Part| risk_fits(part.risk) && names_host(pattern, part);
        return parts.any(names)
            || risk_fits(found.risk) && touched.any(|path| is_connection(pattern, path));
    }
    if rule.command.is_empty() {
        return parts.any(|part| risk_fits(part.risk)) || risk_fits(found.risk);
    }
    parts.any(|part| risk_fits(part.risk) && runs(rule, part))
}

/// Whether a command that stands there, or what another machine, a container or a later time is told, begins with the words
/// of a rule.
fn runs(rule: &RuleSpec, part: &Part) -> bool {
    if begins(rule, &part.argv) {
        return true;
    }
    let base = part.base();
    // A flag that is not known may have a value, so that what is run begins later than it seems.
    let is_odd = part.is_wrapper && part.reasons.iter().any(|reason| reason.why == Why::Flag);
    if !is_odd && !git_hands_on(&base, part) && !is_carrier(&base) {
        return false;
    }
    let inside = |argv: &[Vec<u8>]| {
        (1..argv.len()).any(|at| begins(rule, argv.get(at..).unwrap_or_default()))
    };
    let is_text = |word: &&Vec<u8>| word.iter().any(u8::is_ascii_whitespace);
    let mut texts = part.argv.iter().filter(is_text);
    inside(&part.argv)
        || texts.any(|text| {
            let between = |byte: &u8| byte.is_ascii_whitespace() || b";|&(){}'\"=`!".contains(byte);
            let words = text.split(between).filter(|word| !word.is_empty());
            let words: Vec<Vec<u8>> = [Vec::new()]
                .into_iter()
                .chain(words.map(<[u8]>::to_vec))
                .collect();
            inside(&words)
        })
}

/// `git submodule foreach git push`: subcommands that are given a command to run.
fn git_hands_on(base: &str, part: &Part) -> bool {
    let mut words = part.argv.iter();
    base == "git" && words.any(|word| GIT_RUNS.contains(&word.as_slice()))
}

/// Whether a command begins with a rule's words: through the folder of its program, in any case of it, and through flags
/// that stand between the words.
fn begins(rule: &RuleSpec, argv: &[Vec<u8>]) -> bool {
    let mut words = rule.command.iter().map(String::as_bytes);
    let (Some((name, rest)), Some(first)) = (argv.split_first(), words.next()) else {
        return false;
    };
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let base = base.strip_suffix(b".exe").unwrap_or(base);
    let mut rest = rest.iter();
    (first.eq_ignore_ascii_case(base) || first == name.as_slice())
        && words.all(|word| found_past_flags(&mut rest, |at, _| at == word))
}

/// Whether the next word, flags and the value of one flag passed over, is the one that is wanted; what is asked is told
/// whether the word may be such a value.
pub fn found_past_flags(
    rest: &mut std::slice::Iter<'_, Vec<u8>>,
    is_wanted: impl Fn(&[u8], bool) -> bool,
) -> bool {
    let mut after_flag = false;
    for at in rest {
        if is_wanted(at, after_flag) {
            return true;
        }
        if at.starts_with(b"-") {
            after_flag = true;
        } else if !std::mem::take(&mut after_flag) {
            return false;
        }
    }
    false
}

/// What stands behind the letter of a short flag: `-fPATH`; empty where there is none.
fn behind_a_letter(word: &[u8]) -> &[u8] {
    match word {
        [b'-', letter, value @ ..] if *letter != b'-' => value,
        _ => b"",
    }
}

/// Whether a word of a command, or a piece of one, is a path that fits: `if=PATH`, `--file=PATH`, `-fPATH`, `@PATH`. A text
/// with blanks is looked into only where it is code.
fn names_path(pattern: &str, part: &Part, context: &Context<'_>) -> bool {
    let is_code = runs_code(&part.base());
    let fits = |path: &[u8]| {
        let mut folders = part.folders.iter();
        folders.any(|cwd| fits_path(pattern, path, &Context { cwd, ..*context }))
    };
    part.argv.iter().any(|word| {
        let is_cut = is_code || !word.contains(&b' ');
        fits(word) || fits(behind_a_letter(word)) || is_cut && paths::pieces(word).any(fits)
    })
}

/// A pattern is over the path from the root of the tree. A folder of which everything fits is caught with it.
fn fits_path(pattern: &str, path: &[u8], context: &Context<'_>) -> bool {
    let folder = pattern.strip_suffix("/**");
    let fits = |path: &[u8]| {
        let mut patterns = [Some(pattern), folder].into_iter().flatten();
        patterns.any(|pattern| glob::fits(pattern.as_bytes(), path))
    };
    !path.is_empty() && paths::from_root(context, path).is_some_and(|path| fits(&path))
}

/// Whether a command names a host that fits: in a URL, behind an `@`, and as a word alone, or behind a letter, where it
/// reaches other machines or the rule is of one host.
fn names_host(pattern: &str, part: &Part) -> bool {
    if part.risk == Risk::Read {
        return false;
    }
    let (is_code, reaches) = (runs_code(&part.base()), part.reaches());
    let is_of_one = !pattern.contains(['*', '?']);
    part.argv.iter().skip(1).any(|word| {
        let names =
            reaches || is_of_one || word.contains(&b'@') || word.windows(3).any(|at| at == b"://");
        let fits = |text: &[u8]| has_host(pattern, text);
        names && (is_code || !word.contains(&b' ')) && (fits(word) || fits(behind_a_letter(word)))
    })
}

/// Whether what stands between marks in a text is a host that fits.
fn has_host(pattern: &str, text: &[u8]) -> bool {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b".-_".contains(byte);
    let mut pieces = text.split(|byte| !goes_on(byte));
    pieces.any(|piece| {
        let host = piece.strip_suffix(b".").unwrap_or(piece);
        !host.is_empty() && fits_host(pattern, host)
    })
}

/// `/dev/tcp/HOST/PORT`.
fn is_connection(pattern: &str, path: &[u8]) -> bool {
    let rest = path
        .strip_prefix(b"/dev/tcp/")
        .or(path.strip_prefix(b"/dev/udp/"));
    rest.is_some_and(|rest| has_host(pattern, rest))
}

/// Whether a host fits a pattern, in any case.
pub fn fits_host(pattern: &str, host: &[u8]) -> bool {
    glob::fits(
        pattern.to_ascii_lowercase().as_bytes(),
        &host.to_ascii_lowercase(),
    )
}
