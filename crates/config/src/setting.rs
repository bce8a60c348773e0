//! The types a key can have: from TOML, from a variable's text, and back to text for people.

use std::collections::BTreeMap;
use std::path::PathBuf;

use taffrail_domain::Duration;
use toml::de::DeValue;

use crate::message::{clip, found};

/// Why a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Another type, or not one of the words.
    Type,
    /// A list or table with something else in it: what.
    Inside(String),
    /// Right type, wrong value: why.
    Value(String),
    /// A value that a later version will take.
    NotYet,
}

/// A type that a key can have.
pub(crate) trait Setting: Sized {
    /// What it must be, to be read after "must be".
    const EXPECTED: &'static str;

    /// From the file.
    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit>;

    /// From a variable's text. Lists are separated by `,`.
    fn from_text(text: &str) -> Result<Self, Unfit>;

    /// As it would be written in the file.
    fn shown(&self) -> String;
}

impl Setting for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        value.as_bool().ok_or(Unfit::Type)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        text.parse().map_err(|_| Unfit::Type)
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Setting for String {
    const EXPECTED: &'static str = "a string";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        value.as_str().map(str::to_owned).ok_or(Unfit::Type)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        Ok(text.to_owned())
    }

    fn shown(&self) -> String {
        quoted(self)
    }
}

impl Setting for PathBuf {
    const EXPECTED: &'static str = "a path as a string";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        String::from_toml(value).map(Self::from)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        Ok(Self::from(text))
    }

    fn shown(&self) -> String {
        quoted(&self.to_string_lossy())
    }
}

/// The empty string means none, so that a value can be taken back.
impl<T: Setting> Setting for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        if value.as_str() == Some("") {
            return Ok(None);
        }
        T::from_toml(value).map(Some)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        if text.is_empty() {
            return Ok(None);
        }
        T::from_text(text).map(Some)
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "unset".to_owned(), T::shown)
    }
}

impl Setting for Duration {
    const EXPECTED: &'static str = "a duration such as \"90s\", \"60m\" or \"12h\"";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        value.as_str().ok_or(Unfit::Type).and_then(Self::from_text)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        text.parse::<Self>()
            .map_err(|error| Unfit::Value(error.to_string()))
    }

    fn shown(&self) -> String {
        quoted(&self.to_string())
    }
}

impl Setting for u64 {
    const EXPECTED: &'static str = "a whole number, 0 or more";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        let number = value.as_integer().ok_or(Unfit::Type)?;
        Self::from_str_radix(number.as_str(), number.radix()).map_err(|_| Unfit::Type)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        text.parse().map_err(|_| Unfit::Type)
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Setting for Vec<String> {
    const EXPECTED: &'static str = "a list of strings";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        each(value, String::from_toml)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        Ok(items(text).map(str::to_owned).collect())
    }

    fn shown(&self) -> String {
        listed(self.iter().map(|text| quoted(text)))
    }
}

impl Setting for Vec<PathBuf> {
    const EXPECTED: &'static str = "a list of paths as strings";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        each(value, |item| String::from_toml(item).map(PathBuf::from))
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        Ok(items(text).map(PathBuf::from).collect())
    }

    fn shown(&self) -> String {
        listed(self.iter().map(|path| quoted(&path.to_string_lossy())))
    }
}

impl Setting for Vec<u16> {
    const EXPECTED: &'static str = "a list of ports from 1 to 65535";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        each(value, |item| port(u64::from_toml(item)?))
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        items(text)
            .map(|item| port(u64::from_text(item)?))
            .collect()
    }

    fn shown(&self) -> String {
        listed(self.iter().map(u16::to_string))
    }
}

impl Setting for BTreeMap<String, String> {
    const EXPECTED: &'static str = "a table of strings";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        let table = value.as_table().ok_or(Unfit::Type)?;
        table
            .iter()
            .map(|(name, value)| {
                // The value may be a secret: only its name is said.
                let value = String::from_toml(value.get_ref()).map_err(|_| {
                    Unfit::Inside(format!("`{}` as something else", clip(name.get_ref())))
                })?;
                Ok((name.get_ref().to_string(), value))
            })
            .collect()
    }

    fn from_text(_text: &str) -> Result<Self, Unfit> {
        Err(Unfit::Type)
    }

    fn shown(&self) -> String {
        let pairs: Vec<_> = self
            .iter()
            .map(|(name, value)| format!("{} = {}", bare_or_quoted(name), quoted(value)))
            .collect();
        if pairs.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

/// A TOML basic string: quotes, backslashes and control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for at in text.chars() {
        match at {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if at.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(at))),
            _ => out.push(at),
        }
    }
    out.push('"');
    out
}

/// A key as it would be written in the file.
pub(crate) fn bare_or_quoted(key: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !key.is_empty() && key.bytes().all(bare) {
        key.to_owned()
    } else {
        quoted(key)
    }
}

fn each<T>(
    value: &DeValue<'_>,
    read: impl Fn(&DeValue<'_>) -> Result<T, Unfit>,
) -> Result<Vec<T>, Unfit> {
    let array = value.as_array().ok_or(Unfit::Type)?;
    let item = |item: &DeValue<'_>| match read(item) {
        Err(Unfit::Type) => Err(Unfit::Inside(found(item))),
        other => other,
    };
    array.iter().map(|value| item(value.get_ref())).collect()
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

fn port(number: u64) -> Result<u16, Unfit> {
    u16::try_from(number)
        .ok()
        .filter(|port| *port != 0)
        .ok_or(Unfit::Type)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
