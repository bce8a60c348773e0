//! Time as values: wall clock in UTC milliseconds for rows and display, monotonic for limits, durations as written.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Milliseconds since 1970, UTC. For rows and display; nothing is ordered by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

/// The one clock of the program. The binary makes the real one; tests make their own.
pub trait Clock: Send + Sync {
    /// The wall clock.
    fn now(&self) -> Millis;
}

/// A duration as it is written in configuration and flags: `250ms`, `90s`, `60m`, `12h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(std::time::Duration);

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a duration: write a whole number and `ms`, `s`, `m` or `h`, at most 8760h")]
pub struct DurationError(String);

impl Duration {
    /// A duration of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(std::time::Duration::from_secs(seconds))
    }

    /// The standard library's type, for limits.
    pub const fn get(self) -> std::time::Duration {
        self.0
    }
}

/// One year: longer limits are a slip of the pen.
const LONGEST_MILLIS: u64 = 8_760 * 3_600_000;

impl FromStr for Duration {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, DurationError> {
        let bad = || DurationError(text.to_owned());
        let unit_at = text.find(|at: char| !at.is_ascii_digit()).ok_or_else(bad)?;
        let (number, unit) = text.split_at(unit_at);
        let scale = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err(bad()),
        };
        let millis = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(scale))
            .ok_or_else(bad)?;
        if millis > LONGEST_MILLIS {
            Err(bad())
        } else {
            Ok(Self(std::time::Duration::from_millis(millis)))
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        match millis {
            0 => out.write_str("0s"),
            _ if millis.is_multiple_of(3_600_000) => write!(out, "{}h", millis / 3_600_000),
            _ if millis.is_multiple_of(60_000) => write!(out, "{}m", millis / 60_000),
            _ if millis.is_multiple_of(1_000) => write!(out, "{}s", millis / 1_000),
            _ => write!(out, "{millis}ms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_and_print() {
        for text in ["90s", "60m", "12h", "250ms"] {
            let parsed: Duration = text.parse().unwrap();
            let again: Duration = parsed.to_string().parse().unwrap();
            assert_eq!(parsed, again);
        }
        for bad in [
            "",
            "90",
            "s",
            "-1s",
            "1.5h",
            "9000h",
            "99999999999999999999s",
            "1d",
        ] {
            assert!(bad.parse::<Duration>().is_err(), "{bad} was taken");
        }
    }
}
