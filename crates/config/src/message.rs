//! The words of a mistake: what is known, what may have been meant, what stands there.

use toml::de::DeValue;

use crate::error::Problem;
use crate::sections;
use crate::setting::{Setting, Unfit};
use crate::show::looks_secret;

/// Longest piece of a foreign key or value in a message, in characters.
const MOST_SHOWN: usize = 60;

/// Why a value of this type does not fit.
pub(crate) fn problem<T: Setting>(unfit: Unfit, found: String) -> Problem {
    match unfit {
        Unfit::Type => Problem::WrongType {
            expected: T::EXPECTED,
            found,
        },
        Unfit::Inside(what) => Problem::WrongType {
            expected: T::EXPECTED,
            found: format!("one with {what} in it"),
        },
        Unfit::Value(why) => Problem::BadValue { why },
        Unfit::NotYet => Problem::NotYet {
            value: found.trim_matches('`').to_owned(),
        },
    }
}

/// An unknown key, with what may have been meant.
pub(crate) fn unknown(name: &str, known: &[&str]) -> Problem {
    let help = did_you_mean(name, known)
        .map(|best| format!("did you mean `{best}`?"))
        .or_else(|| sections::home_of(name).map(|home| format!("`{name}` belongs in [{home}]")))
        .or_else(|| sections::SECTIONS.contains(&name).then(|| dotted(name)))
        .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
    Problem::UnknownKey { help }
}

/// `external_agents.enabled = true` in the middle of a file is a key of the section that stands above it.
fn dotted(section: &str) -> String {
    format!("write it below [{section}], or above the first section of the file")
}

/// The known word that is near enough to be a slip of the pen: one change in three characters.
pub(crate) fn did_you_mean<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > MOST_SHOWN {
        return None;
    }
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(name, word), *word))
        .filter(|(changes, word)| changes * 3 <= word.len().max(3))
        .min()
        .map(|(_, word)| word)
}

/// What stands there, for a message. What looks like a secret is not repeated.
pub(crate) fn found(value: &DeValue<'_>) -> String {
    let shown = |text: &str| format!("`{}`", clip(text));
    match value {
        DeValue::String(text) if looks_secret(text) => "a string".to_owned(),
        DeValue::String(text) => shown(&format!("\"{}\"", text.escape_debug())),
        DeValue::Integer(number) => shown(&number.to_string()),
        DeValue::Float(number) => shown(number.as_str()),
        DeValue::Boolean(value) => shown(&value.to_string()),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Cuts foreign text for a message.
pub(crate) fn clip(text: &str) -> String {
    if text.chars().count() <= MOST_SHOWN {
        text.to_owned()
    } else {
        text.chars().take(MOST_SHOWN).chain(['…']).collect()
    }
}
