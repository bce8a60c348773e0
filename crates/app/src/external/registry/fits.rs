//! What of an entry of the public registry is taken: pinned packages, plain arguments, variables that change nothing but the
//! agent. The rest is refused by name.

use serde_json::Value;

/// Most arguments, and most variables.
const MOST: usize = 64;
/// Longest argument or value, in bytes.
const LONGEST: usize = 1_024;
/// Longest name of a package, in bytes.
const LONGEST_NAME: usize = 214;
/// Characters of untrusted text that a message repeats.
const CLIPPED: usize = 120;
/// Variables that change what a program loads or trusts, or whose model it speaks to: a registry sets none of them.
const REFUSED: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "SHELL",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
];
/// Beginnings of such names.
const REFUSED_BEGINNINGS: &[&str] = &[
    "LD_",
    "DYLD_",
    "NODE_",
    "NPM_",
    "PYTHON",
    "UV_",
    "PIP_",
    "PERL5",
    "RUBY",
    "JAVA_",
    "GIT_",
    "SSH_",
    "SSL_",
    "TAFFRAIL_",
];
/// Ends of such names, in any case.
const REFUSED_ENDS: &[&str] = &[
    "_PROXY",
    "_URL",
    "_HOST",
    "_ENDPOINT",
    "_CERTS",
    "_BASE",
    "_OPTIONS",
];

/// The package of npm, pinned to a version: `name@1.2.3` or `@scope/name@1.2.3`.
pub(super) fn npm_package(npx: &Value) -> Result<String, String> {
    let whole = package(npx)?;
    let (scope, rest) = match whole.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .map(|(scope, rest)| (Some(scope), rest))
            .ok_or_else(|| unfit(whole))?,
        None => (None, whole),
    };
    let (name, version) = rest.split_once('@').ok_or_else(|| unpinned(whole))?;
    if scope.is_none_or(is_name) && is_name(name) && is_version(version) {
        Ok(whole.to_owned())
    } else {
        Err(unfit(whole))
    }
}

/// The package of PyPI, pinned to a version: `name==1.2.3` or `name@1.2.3`.
pub(super) fn pypi_package(uvx: &Value) -> Result<String, String> {
    let whole = package(uvx)?;
    let (name, version) = whole
        .split_once("==")
        .or_else(|| whole.split_once('@'))
        .ok_or_else(|| unpinned(whole))?;
    let plain = name.split_once('[').map_or(name, |(name, _)| name);
    let extras = name.get(plain.len()..).unwrap_or_default();
    let extras = extras.is_empty()
        || extras
            .strip_prefix('[')
            .and_then(|extras| extras.strip_suffix(']'))
            .is_some_and(|extras| extras.split(',').all(is_name));
    if is_name(plain) && extras && is_version(version) {
        Ok(whole.to_owned())
    } else {
        Err(unfit(whole))
    }
}

/// The arguments: plain text of a bounded length.
pub(super) fn args(distribution: &Value) -> Result<Vec<String>, String> {
    let list = match distribution.get("args") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err("its `args` is no list".into()),
    };
    if list.len() > MOST {
        return Err(format!(
            "it has {} arguments; the limit is {MOST}",
            list.len()
        ));
    }
    list.iter()
        .map(|item| {
            let text = item
                .as_str()
                .ok_or("its `args` has something else than text")?;
            plain("an argument", text).map(|()| text.to_owned())
        })
        .collect()
}

/// The variables: none that a registry has no business with.
pub(super) fn env(distribution: &Value) -> Result<Vec<(String, String)>, String> {
    let table = match distribution.get("env") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(table)) => table,
        Some(_) => return Err("its `env` is no object".into()),
    };
    if table.len() > MOST {
        return Err(format!(
            "it has {} variables; the limit is {MOST}",
            table.len()
        ));
    }
    table
        .iter()
        .map(|(name, value)| {
            variable(name)?;
            let value = value
                .as_str()
                .ok_or("its `env` has something else than text")?;
            plain("the value of a variable", value)?;
            Ok((name.clone(), value.to_owned()))
        })
        .collect()
}

/// Untrusted text for a message: bounded. A surface escapes it.
pub(super) fn clipped(text: &str) -> String {
    text.chars().take(CLIPPED).collect()
}

fn package(distribution: &Value) -> Result<&str, String> {
    let name = distribution.get("package").and_then(Value::as_str);
    let name = name.ok_or("its distribution names no `package`")?;
    if name.len() > LONGEST_NAME {
        return Err(unfit(name));
    }
    Ok(name)
}

fn unfit(name: &str) -> String {
    format!(
        "`{}` is not the name of a package with its version",
        clipped(name)
    )
}

fn unpinned(name: &str) -> String {
    format!("the package `{}` is not pinned to a version", clipped(name))
}

/// A name never begins with `-`, so that no loader takes it for a flag, nor with `.`, so that it is no path.
fn is_name(name: &str) -> bool {
    name.starts_with(|at: char| at.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|at| at.is_ascii_alphanumeric() || matches!(at, b'-' | b'_' | b'.'))
}

fn is_version(version: &str) -> bool {
    version.starts_with(|at: char| at.is_ascii_digit())
        && version
            .bytes()
            .all(|at| at.is_ascii_alphanumeric() || matches!(at, b'-' | b'.' | b'+' | b'!'))
}

fn plain(what: &str, text: &str) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err(format!(
            "{what} has {} bytes; the limit is {LONGEST}",
            text.len()
        ));
    }
    if text.chars().any(is_hidden) {
        let text = clipped(text);
        return Err(format!(
            "{what} holds a control or invisible character: `{text}`"
        ));
    }
    Ok(())
}

/// What a person would not see, or see in another order.
fn is_hidden(at: char) -> bool {
    at.is_control()
        || matches!(at,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn variable(name: &str) -> Result<(), String> {
    let upper = name.to_ascii_uppercase();
    let is_refused = REFUSED.contains(&upper.as_str())
        || REFUSED_BEGINNINGS
            .iter()
            .any(|beginning| upper.starts_with(beginning))
        || REFUSED_ENDS.iter().any(|end| upper.ends_with(end));
    let is_plain = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name
            .bytes()
            .all(|at| at.is_ascii_alphanumeric() || at == b'_');
    if is_plain && !is_refused {
        Ok(())
    } else {
        Err(format!(
            "it sets the variable `{}`, which a registry may not",
            clipped(name)
        ))
    }
}
