//! Times as a file holds them: RFC 3339 in UTC; a number of milliseconds behind `@` where a calendar has no words for it.

use jiff::Timestamp;
use taffrail_domain::Millis;

pub(super) fn write(time: Millis) -> String {
    Timestamp::from_millisecond(time.0)
        .map_or_else(|_| format!("@{}", time.0), |time| time.to_string())
}

pub(super) fn read(text: &str) -> Option<Millis> {
    match text.strip_prefix('@') {
        Some(number) => number.parse().ok().map(Millis),
        None => text
            .parse::<Timestamp>()
            .ok()
            .map(|time| Millis(time.as_millisecond())),
    }
}
