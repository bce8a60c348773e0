//! Small texts of a run.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::{Value, json};
use taffrail_domain::{Action, Millis};

use crate::AppError;

/// A time as RFC 3339 in UTC.
pub(super) fn when(at: Millis) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The record could not be written on.
pub(super) fn not_kept(source: io::Error) -> AppError {
    AppError::Write {
        path: "frames.jsonl".into(),
        source,
    }
}

/// An action as JSON for its row. Bytes that are no text have their odd ones replaced.
pub(super) fn action_json(action: &Action) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let list = |paths: &[Vec<u8>]| paths.iter().map(|path| text(path)).collect::<Vec<_>>();
    match action {
        Action::Read { paths } => json!({"read": {"paths": list(paths)}}),
        Action::Write { paths, removes } => {
            json!({"write": {"paths": list(paths), "removes": list(removes)}})
        }
        Action::Shell { command, paths } => {
            json!({"shell": {"command": text(command), "paths": list(paths)}})
        }
        Action::Network { host } => json!({"network": {"host": host}}),
        Action::Delegate { agent } => json!({"delegate": {"agent": agent}}),
        Action::OwnTool { tool, paths } => {
            json!({"own_tool": {"tool": tool, "paths": list(paths)}})
        }
        Action::Unknown { what, paths } => {
            json!({"unknown": {"what": what, "paths": list(paths)}})
        }
    }
}

/// A path as an agent gave it, beneath the checkout where it lies there.
pub(super) fn beneath(tree: &Path, path: &[u8]) -> Vec<u8> {
    let path = Path::new(OsStr::from_bytes(path));
    let rest = path.strip_prefix(tree).unwrap_or(path);
    let rest = rest.strip_prefix(".").unwrap_or(rest);
    rest.as_os_str().as_bytes().to_vec()
}

/// The beginning of a text, of at most so many bytes.
pub(super) fn begin(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    text.get(..end).unwrap_or_default()
}
