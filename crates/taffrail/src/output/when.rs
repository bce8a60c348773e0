//! Times: for people UTC to the second and how long ago, for scripts RFC 3339.

use serde::{Serialize, Serializer};
use taffrail_domain::Millis;

/// A time in JSON: RFC 3339 in UTC with milliseconds, `2026-11-29T20:15:02.000Z`. Every answer of `--json` writes times so.
#[derive(Debug, Clone, Copy)]
pub struct Moment(pub Millis);

impl From<Millis> for Moment {
    fn from(at: Millis) -> Self {
        Self(at)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = jiff::Timestamp::from_millisecond(self.0.0).map_or_else(
            |_| format!("{} ms", self.0.0),
            |time| time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        );
        serializer.serialize_str(&text)
    }
}

/// `2026-11-29 20:15:02 UTC`
pub fn timestamp(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(
        |_| format!("{} ms", at.0),
        |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// `just now`, `5 min ago`, `3 h ago`, `12 d ago`. A time in the future reads as just now.
pub fn ago(at: Millis, now: Millis) -> String {
    let seconds = now.0.saturating_sub(at.0).max(0) / 1_000;
    match seconds {
        0..=59 => "just now".into(),
        60..=3_599 => format!("{} min ago", seconds / 60),
        3_600..=86_399 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(
            timestamp(Millis(1_700_000_000_000)),
            "2023-11-14 22:13:20 UTC"
        );
        assert_eq!(ago(Millis(0), Millis(7_200_000)), "2 h ago");
        assert_eq!(ago(Millis(10), Millis(0)), "just now");
        let moment = serde_json::to_string(&Moment(Millis(1_700_000_000_007))).unwrap();
        assert_eq!(moment, "\"2023-11-14T22:13:20.007Z\"");
    }
}
