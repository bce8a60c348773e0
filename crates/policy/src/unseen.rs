//! Where a `deny` or an `ask` of the user may hold without being seen (POL-04): a word that is made only while the line
//! runs, a folder that is read or changed whole. Such a line asks.

use crate::assess::Assessment;
use crate::caught::found_past_flags;
use crate::context::Context;
use crate::paths;
use crate::reason::{Reason, Why};
use crate::rules::RuleSpec;
use crate::shell::{COMES_IN, Part};

/// Programs that take folders whole, by their own nature or by one of these flags.
const WHOLE: &[(&[&str], &str)] = &[
    (
        &[
            "rg", "ag", "ack", "diff", "mv", "tar", "gtar", "bsdtar", "rsync", "7z", "ditto",
        ],
        "",
    ),
    (
        &[
            "grep", "egrep", "fgrep", "cp", "rm", "zip", "scp", "chmod", "chown",
        ],
        "rRa",
    ),
];
/// Actions of `find` that do more than name what is found.
const OF_FIND: &[&[u8]] = &[b"-exec", b"-execdir", b"-ok", b"-okdir", b"-delete"];
/// Words of these name nothing that is opened or run.
const ONLY_SAY: &[&str] = &["echo", "printf", "true", "false", ":"];

/// Whether what a rule speaks of may be among what a line does, though it stands nowhere in it.
pub fn may_be_caught(rule: &RuleSpec, found: &Assessment, context: &Context<'_>) -> bool {
    let mut parts = found.parts.iter();
    let speaks = |part: &Part| rule.risk.is_none_or(|wanted| wanted == part.risk);
    if let Some(pattern) = &rule.path {
        let folder = literal_folder(pattern.as_bytes());
        return parts.any(|part| {
            speaks(part) && (may_name(folder, part, context) || takes_whole(folder, part, context))
        });
    }
    let hides = |reasons: &[Reason]| reasons.iter().any(|reason| reason.why == Why::MayDestroy);
    let may_run = |part: &Part| speaks(part) && (hides(&part.reasons) || may_begin(rule, part));
    !rule.command.is_empty() && (hides(&found.reasons) || parts.any(may_run))
}

/// What stands in a pattern before the first part that stands for others, without its last slash.
fn literal_folder(pattern: &[u8]) -> &[u8] {
    let is_open = |byte: &u8| b"*?".contains(byte);
    let end = pattern.iter().position(is_open).unwrap_or(pattern.len());
    let literal = pattern.get(..end).unwrap_or_default();
    match literal.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => literal.get(..slash).unwrap_or_default(),
        None => b"",
    }
}

/// A word as it stands in the text, of which bash makes another; or one that comes in while the line runs.
fn is_made(part: &Part, word: &[u8]) -> bool {
    let is_open = |byte: &u8| b"$`*?[{".contains(byte);
    !part.is_certain && (word == COMES_IN.as_bytes() || word.iter().any(is_open))
}

/// Whether a word that bash makes could be a path below the folder: what is certain of it does not lead elsewhere.
fn may_name(folder: &[u8], part: &Part, context: &Context<'_>) -> bool {
    if ONLY_SAY.contains(&part.base().as_str()) {
        return false;
    }
    let mut words = part.argv.iter().skip(1);
    words.any(|word| {
        let is_open = |byte: &u8| b"$`*?[{\"".contains(byte);
        let end = word.iter().position(is_open).unwrap_or_default();
        let certain = word.get(..end).unwrap_or_default();
        is_made(part, word) && is_on_one_way(folder, certain, part, context)
    })
}

/// Whether a folder is taken whole that holds the folder, or lies in it.
fn takes_whole(folder: &[u8], part: &Part, context: &Context<'_>) -> bool {
    let base = part.base();
    let has = |flags: &str| {
        let mut words = part.argv.iter().skip(1);
        words.any(|word| match word.as_slice() {
            [b'-', b'-', long @ ..] => long.starts_with(b"recurs") || long == b"archive",
            [b'-', short @ ..] => short.iter().any(|byte| flags.as_bytes().contains(byte)),
            _ => false,
        })
    };
    let is_find = base == "find"
        && part
            .argv
            .iter()
            .any(|word| OF_FIND.contains(&word.as_slice()));
    let mut rows = WHOLE.iter();
    if !is_find
        && !rows.any(|(names, flags)| {
            names.contains(&base.as_str()) && (flags.is_empty() || has(flags))
        })
    {
        return false;
    }
    let mut words = part
        .argv
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with(b"-"));
    let here = matches!(
        base.as_str(),
        "rg" | "ag" | "ack" | "grep" | "egrep" | "fgrep" | "find"
    );
    // Without a folder of its own it takes the one that it is in; a pattern is taken for a folder, which is stricter.
    let begins_with_a_flag = part.argv.get(1).is_some_and(|word| word.starts_with(b"-"));
    let is_alone = here && (words.clone().count() < 2 || is_find && begins_with_a_flag);
    is_alone && is_on_one_way(folder, b".", part, context)
        || words.any(|word| is_a_folder_on_the_way(folder, word, part, context))
}

fn is_a_folder_on_the_way(folder: &[u8], word: &[u8], part: &Part, context: &Context<'_>) -> bool {
    let mut folders = part.folders.iter();
    folders.any(|cwd| {
        let here = Context { cwd, ..*context };
        paths::from_root(&here, word).is_some_and(|path| {
            path.is_empty() || begins_with(folder, &path) || begins_with(&path, folder)
        })
    })
}

/// The same of the beginning of a word, which may end in the middle of a name.
fn is_on_one_way(folder: &[u8], certain: &[u8], part: &Part, context: &Context<'_>) -> bool {
    let mut folders = part.folders.iter();
    folders.any(|cwd| {
        let here = Context { cwd, ..*context };
        // A word that leads out of the tree as far as it is certain asks by that.
        paths::from_root(&here, certain)
            .is_some_and(|path| folder.starts_with(&path) || path.starts_with(folder))
    })
}

/// Whether a path is this folder or lies in it.
fn begins_with(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with(b"/"))
}

/// Whether the words of a rule may stand at the beginning of a command, a word that bash makes taken for any.
fn may_begin(rule: &RuleSpec, part: &Part) -> bool {
    let mut wanted = rule.command.iter().map(String::as_bytes);
    let (Some((name, rest)), Some(first)) = (part.argv.split_first(), wanted.next()) else {
        return false;
    };
    let base = part.base();
    if !is_made(part, name) && !first.eq_ignore_ascii_case(base.as_bytes()) {
        return false;
    }
    let mut rest = rest.iter();
    // What stands behind a flag is its value.
    let may_follow = |word: &[u8]| {
        found_past_flags(&mut rest, |at, is_value| {
            at == word || !is_value && is_made(part, at)
        })
    };
    !part.is_certain && wanted.all(may_follow)
}
