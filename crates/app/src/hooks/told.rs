//! What a program tells of its session.

use std::path::PathBuf;

use serde_json::Value;

/// Bytes that are read of it; what is longer is no account of a session.
pub const TOLD_BYTES: u64 = 1 << 20;

/// What a program told of its session; what it did not tell, or told in a form of its own, is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Its own id of the session.
    pub session_id: Option<String>,
    /// The folder that it works in, an absolute path.
    pub cwd: Option<PathBuf>,
}

impl Told {
    /// From what came on standard input. Nothing, or no JSON, tells nothing.
    pub fn read(bytes: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let text = |key: &str| text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let cwd = text("cwd").map(PathBuf::from);
        Self {
            session_id: text("session_id"),
            cwd: cwd.filter(|cwd| cwd.is_absolute()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_taken_and_the_rest_is_not_missed() {
        let told = Told::read(br#"{"session_id":"s-1","cwd":"/work","source":"startup","x":[1]}"#);
        assert_eq!(told.session_id.as_deref(), Some("s-1"));
        assert_eq!(told.cwd.as_deref(), Some(std::path::Path::new("/work")));
        let odd: [&[u8]; 8] = [
            b"",
            b"no json",
            b"\xff\xfe",
            b"[]",
            b"null",
            br#"{"session_id":7,"cwd":["x"]}"#,
            br#"{"session_id":"","cwd":"relative/path"}"#,
            br#"{"session_id":"cut"#,
        ];
        for bytes in odd {
            assert_eq!(Told::read(bytes), Told::default(), "{bytes:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(Told::read(deep.as_bytes()), Told::default());
    }
}
