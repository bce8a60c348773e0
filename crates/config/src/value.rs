//! A value and where it came from.

use std::fmt;
use std::ops::Deref;

/// Where a value came from, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A flag of the command line.
    Flag,
    /// This environment variable.
    Environment(&'static str),
    /// The user's `config.toml`.
    File {
        /// The line, from 1, on which the value stands.
        line: usize,
    },
    /// The entry of an agent that Taffrail brings along.
    BuiltIn,
    /// What holds when nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => out.write_str("flag"),
            Self::Environment(name) => write!(out, "environment {name}"),
            Self::File { line } => write!(out, "config.toml line {line}"),
            Self::BuiltIn => out.write_str("built in"),
            Self::Default => out.write_str("default"),
        }
    }
}

/// A value with its origin. Dereferences to the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<T> {
    /// The value in force.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

impl<T> Value<T> {
    /// A value that nobody set.
    pub const fn of_default(value: T) -> Self {
        Self {
            value,
            origin: Origin::Default,
        }
    }

    /// The flag's value where one was given, which wins over everything else.
    #[must_use]
    pub fn or_flag(self, flag: Option<T>) -> Self {
        match flag {
            Some(value) => Self {
                value,
                origin: Origin::Flag,
            },
            None => self,
        }
    }
}

impl<T> Deref for Value<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
