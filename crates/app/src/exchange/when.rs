//! Times as other programs write them.

use taffrail_domain::Millis;

/// A time in RFC 3339, as milliseconds since 1970.
///
/// # Errors
/// What is wrong with the text.
pub fn rfc3339(text: &str) -> Result<Millis, String> {
    let time: Result<jiff::Timestamp, _> = text.parse();
    time.map(|time| Millis(time.as_millisecond()))
        .map_err(|_| format!("`{text}` is not a time in RFC 3339, such as 2026-11-29T20:15:00Z"))
}
