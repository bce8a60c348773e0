//! What a path is to the policy. Lexical first, and in the stricter direction only: what it takes for inside is then
//! followed by the rim. Opening a path safely is not done here but by handles (CNF-01).

use taffrail_domain::RepoPath;

use crate::context::{Context, Place};
use crate::reason::Why;

/// Start files of shells and of a login, which run without being asked for. By the last part of a path.
const START_FILES: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".inputrc",
    ".kshrc",
    ".login",
    ".profile",
    ".pythonrc",
    ".pythonstartup",
    ".xinitrc",
    ".xprofile",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "config.fish",
    "crontab",
];
/// Folders whose content is executed or obeyed, as they stand in a path, lower case.
const OBEYED_FOLDERS: &[&str] = &[
    ".git",
    ".config/autostart",
    ".config/fish",
    ".config/systemd",
    "launchagents",
    "launchdaemons",
    "etc/cron.d",
    "etc/profile.d",
    "etc/systemd",
];

/// What a path is, if it is anything special. The first that fits, the strictest first.
pub fn special(context: &Context<'_>, path: &[u8]) -> Option<Why> {
    let full = parts_of(context.cwd, path)?;
    let root = split(context.root);
    let home = split(context.home);
    let is_ours = |part: &&[u8]| part.eq_ignore_ascii_case(b".taffrail");
    // A run's own checkout lies beneath the home: what is in the tree counts from the tree's root.
    let (parts, is_in_home) = match full.strip_prefix(root.as_slice()) {
        Some(inside) => (inside, false),
        None => (full.as_slice(), !home.is_empty() && full.starts_with(&home)),
    };
    if is_in_home || parts.iter().any(is_ours) {
        return Some(Why::ManagedState);
    }
    (named(context, parts) || is_credential(context, path)).then_some(Why::Credential)
}

/// Whether a path that is about to be read may be: inside of the tree, and nothing special.
///
/// # Errors
/// What it is instead.
pub fn readable(context: &Context<'_>, cwds: &[Vec<u8>], path: &[u8]) -> Result<(), Why> {
    if matches!(path, b"" | b"-" | b"/dev/null") {
        return Ok(());
    }
    for cwd in cwds {
        let here = Context { cwd, ..*context };
        if let Some(why) = special(&here, path) {
            return Err(why);
        }
        inside(&here, path)?;
        match context.facts.leads(&joined(cwd, path)) {
            Place::Inside => {}
            Place::Outside => return Err(Why::Outside),
            Place::Credential => return Err(Why::Credential),
        }
    }
    Ok(())
}

/// Whether writing to a path is a floor: managed state, a credential, something obeyed.
pub fn write_floor(context: &Context<'_>, path: &[u8]) -> Option<Why> {
    special(context, path).or_else(|| is_obeyed(context, path).then_some(Why::Obeyed))
}

/// Whether a path lies in the tree, lexically.
///
/// # Errors
/// `Outside`.
pub fn inside(context: &Context<'_>, path: &[u8]) -> Result<(), Why> {
    let root = split(context.root);
    match parts_of(context.cwd, path) {
        Some(full) if full.starts_with(&root) => Ok(()),
        _ => Err(Why::Outside),
    }
}

/// What any part of a text, cut where a path cannot go on, names that is special: `@.env`, `if=.env`, `open('.env')`.
pub fn mentions_special(context: &Context<'_>, text: &[u8]) -> Option<Why> {
    pieces(text).find_map(|piece| special(context, piece))
}

/// The same, and what is obeyed.
pub fn mentions_floor(context: &Context<'_>, text: &[u8]) -> Option<Why> {
    mentions_special(context, text).or_else(|| {
        let mut pieces = pieces(text);
        pieces
            .any(|piece| is_obeyed(context, piece))
            .then_some(Why::Obeyed)
    })
}

/// An absolute path, with its dots left in it: following them is the rim's work.
pub fn joined(cwd: &[u8], path: &[u8]) -> Vec<u8> {
    if path == b"." {
        cwd.to_vec()
    } else if path.starts_with(b"/") {
        path.to_vec()
    } else {
        [cwd, b"/", path].concat()
    }
}

/// A text, cut where a path cannot go on: at marks, and there also at blanks.
pub fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let goes_on =
        |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"._/-+ ".contains(byte);
    let outer = text.split(move |byte| !goes_on(byte));
    outer.flat_map(|piece| {
        let words = piece.split(|byte| *byte == b' ');
        words.chain([piece]).filter(|piece| !piece.is_empty())
    })
}

fn is_credential(context: &Context<'_>, path: &[u8]) -> bool {
    let parts: Vec<&[u8]> = split(path)
        .into_iter()
        .filter(|part| *part != b"..")
        .collect();
    named(context, &parts)
}

fn named(context: &Context<'_>, parts: &[&[u8]]) -> bool {
    RepoPath::new(parts.join(&b'/')).is_ok_and(|path| context.facts.is_credential(&path))
}

/// By the words of the path, and by where it leads from the current folder: `hooks/x` in `.git` is obeyed too.
fn is_obeyed(context: &Context<'_>, path: &[u8]) -> bool {
    let said: Vec<&[u8]> = split(path)
        .into_iter()
        .filter(|part| *part != b"..")
        .collect();
    let root = split(context.root);
    let is_led = || {
        let full = parts_of(context.cwd, path);
        full.is_some_and(|full| {
            let inside = full.strip_prefix(root.as_slice());
            are_obeyed(context, inside.unwrap_or(&full))
        })
    };
    are_obeyed(context, &said) || split(context.cwd) != root && is_led()
}

fn are_obeyed(context: &Context<'_>, parts: &[&[u8]]) -> bool {
    let whole = parts.join(&b'/').to_ascii_lowercase();
    let last = parts.last().copied().unwrap_or_default();
    let is_start = |name: &&str| last.eq_ignore_ascii_case(name.as_bytes());
    START_FILES.iter().any(is_start)
        || OBEYED_FOLDERS
            .iter()
            .any(|folder| contains(&whole, folder.as_bytes()))
        || RepoPath::new(whole).is_ok_and(|path| context.facts.is_obeyed(&path))
}

/// Whether `part` stands in `whole` between slashes.
fn contains(whole: &[u8], part: &[u8]) -> bool {
    let whole: Vec<&[u8]> = split(whole);
    let part: Vec<&[u8]> = split(part);
    whole.windows(part.len()).any(|window| window == part)
}

/// The parts of an absolute path; none where `..` leads above `/`.
fn parts_of<'p>(cwd: &'p [u8], path: &'p [u8]) -> Option<Vec<&'p [u8]>> {
    let base = if path.starts_with(b"/") { b"/" } else { cwd };
    let mut full = Vec::new();
    for part in split(base).into_iter().chain(split(path)) {
        if part == b".." {
            full.pop()?;
        } else {
            full.push(part);
        }
    }
    Some(full)
}

/// The parts between the slashes, without empty ones and `.`.
fn split(path: &[u8]) -> Vec<&[u8]> {
    let parts = path.split(|byte| *byte == b'/');
    parts.filter(|part| !matches!(*part, b"" | b".")).collect()
}

/// A path from the root of the tree; none where it lies outside.
pub fn from_root(context: &Context<'_>, path: &[u8]) -> Option<Vec<u8>> {
    let root = split(context.root);
    let full = parts_of(context.cwd, path)?;
    full.strip_prefix(root.as_slice())
        .map(|inside| inside.join(&b'/'))
}
