//! The rows of `taffrail config show`: every value with where it came from, and no secret among them.

use crate::setting::quoted;
use crate::value::Origin;
use crate::{Config, sections};

/// One value in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key with its section, `sandbox.net`.
    pub key: String,
    /// The value as it would be written in the file; `unset` where there is none, `(not shown)` where it looks
    /// like a secret. Control characters are escaped.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

/// What stands in a row instead of a secret.
const NOT_SHOWN: &str = "(not shown)";
/// Words in a variable's name that say that its value is a secret.
const SECRET_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
    "PRIVATE",
];
/// From this length on, an unbroken mix of letters and digits is taken for a secret.
const SECRET_LENGTH: usize = 20;

/// Every value, section by section, then the agents' entries by id.
pub fn show(config: &Config) -> Vec<Row> {
    let entries = config.agents.values().flat_map(|entry| entry.rows());
    let mut rows = sections::rows(config);
    for row in &mut rows {
        row.value = guarded(std::mem::take(&mut row.value));
    }
    rows.into_iter().chain(entries).collect()
}

/// A variable's value, unless its name or the value itself looks like a secret.
pub(crate) fn variable(name: &str, value: &str) -> String {
    let upper = name.to_ascii_uppercase();
    // A switch such as `AUTH=1` is no secret: what is short and only digits is shown.
    let switch = value.len() <= 4 && value.bytes().all(|at| at.is_ascii_digit());
    if !switch && SECRET_WORDS.iter().any(|word| upper.contains(word)) {
        NOT_SHOWN.to_owned()
    } else {
        guarded(quoted(value))
    }
}

/// A shown value, with nothing of it left where a part looks like a secret.
pub(crate) fn guarded(shown: String) -> String {
    if shown.split(['"', ',', ' ', '=']).any(looks_secret) {
        NOT_SHOWN.to_owned()
    } else {
        shown
    }
}

/// Whether a text could be a key, a token or a URL with a password. Wrong in the direction of not showing.
pub(crate) fn looks_secret(text: &str) -> bool {
    let url_user = text.split_once("://").is_some_and(|(_, rest)| {
        rest.split('/')
            .next()
            .is_some_and(|host| host.contains('@'))
    });
    let run = text.split(|at: char| !(at.is_ascii_alphanumeric() || "_-+".contains(at)));
    let key_like = run.into_iter().any(|run| {
        run.len() >= SECRET_LENGTH
            && run.bytes().any(|at| at.is_ascii_digit())
            && run.bytes().any(|at| at.is_ascii_alphabetic())
    });
    let prefixed = ["sk-", "ghp_", "gho_", "github_pat_", "xox", "AIza", "AKIA"]
        .iter()
        .any(|prefix| text.starts_with(prefix));
    url_user || key_like || prefixed
}
