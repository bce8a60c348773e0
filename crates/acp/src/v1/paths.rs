//! Every path that a tool call names (FA-22): a path too many makes the answer stricter, a path too few would not.

use serde_json::Value;

/// Keys of the text of files and of commands, in plain spelling: their values are no paths, whatever they look like.
pub(super) const CONTENT_KEYS: &[&str] = &[
    "content",
    "contents",
    "text",
    "newtext",
    "oldtext",
    "newstring",
    "oldstring",
    "newstr",
    "oldstr",
    "filetext",
    "diff",
    "patch",
    "description",
    "prompt",
    "command",
    "commands",
    "cmd",
    "script",
    "query",
    "regex",
];
/// Ends of keys, in plain spelling, whose strings are paths even if they do not look like one (`Makefile`).
const PATH_ENDS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "cwd",
    "workdir",
    "location",
    "locations",
    "source",
    "destination",
    "src",
    "dst",
    "dest",
    "target",
];
/// How many paths one tool call may name.
const MOST: usize = 1000;
/// The longest path, in bytes: `PATH_MAX`.
pub(super) const LONGEST: usize = 4096;

/// A tool call names more than can be looked at: it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany {
    /// Of what.
    pub what: &'static str,
    /// How many there may be.
    pub most: usize,
}

/// More than 1,000 paths.
const TOO_MANY: TooMany = TooMany {
    what: "paths",
    most: MOST,
};

/// Every path of `locations`, of the raw input and of `content` (its diffs and links), in that order, each once.
pub fn paths(
    locations: &Value,
    raw_input: &Value,
    content: &Value,
) -> Result<Vec<String>, TooMany> {
    let mut found = Found::default();
    for location in items(locations) {
        found.add_text(location.get("path").and_then(Value::as_str));
    }
    found.walk("", raw_input)?;
    for entry in items(content) {
        found.add_text(entry.get("path").and_then(Value::as_str));
        let inner = entry.get("content");
        found.add_uri(uri(inner));
        found.add_uri(uri(inner.and_then(|block| block.get("resource"))));
    }
    found.all()
}

/// A key without its spelling: `file_path`, `filePath` and `File-Path` are one.
pub(super) fn plain(key: &str) -> String {
    key.chars()
        .filter(|at| at.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether the strings of a key are paths.
pub(super) fn names_path(plain: &str) -> bool {
    PATH_ENDS.iter().any(|end| plain.ends_with(end))
}

fn uri(block: Option<&Value>) -> Option<&str> {
    block?.get("uri")?.as_str()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[derive(Default)]
struct Found {
    paths: Vec<String>,
    /// Paths of the headers of diffs, which count only where nothing else was found: they often lost their root.
    headers: Vec<String>,
}

impl Found {
    /// `key` in plain spelling.
    fn walk(&mut self, key: &str, value: &Value) -> Result<(), TooMany> {
        match value {
            Value::String(text) => self.add_string(key, text),
            Value::Array(items) => items.iter().try_for_each(|item| self.walk(key, item))?,
            Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
                // `{"changes": {"/a/b": …}}`: a key may be a path itself.
                if looks_like_path(key) {
                    self.add(key.clone());
                }
                self.walk(&plain(key), value)
            })?,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if self.paths.len() > MOST {
            Err(TOO_MANY)
        } else {
            Ok(())
        }
    }

    fn add_string(&mut self, key: &str, text: &str) {
        if CONTENT_KEYS.contains(&key) {
            return self.add_headers(text);
        }
        if text.starts_with("file://") {
            return self.add_uri(Some(text));
        }
        let named = names_path(key) && !text.contains('\n') && !text.contains("://");
        if (named && !text.is_empty() && text.len() <= LONGEST) || looks_like_path(text) {
            self.add(text.to_owned());
        } else {
            self.add_headers(text);
        }
    }

    /// The files that a patch names: `*** Update File: x` always, `+++ b/x` where nothing else does.
    fn add_headers(&mut self, text: &str) {
        if !text.contains("*** ") && !text.contains("+++ ") && !text.contains("--- ") {
            return;
        }
        for line in text.lines() {
            let patched = ["Add File: ", "Update File: ", "Delete File: ", "Move to: "]
                .iter()
                .find_map(|word| line.strip_prefix("*** ")?.strip_prefix(word));
            let header = line
                .strip_prefix("+++ ")
                .or_else(|| line.strip_prefix("--- "));
            if let Some(path) = patched {
                self.add(path.trim().to_owned());
            } else if let Some(path) = header.and_then(|path| path.split('\t').next()) {
                let path = path.trim();
                let path = path
                    .strip_prefix("a/")
                    .or_else(|| path.strip_prefix("b/"))
                    .unwrap_or(path);
                if !matches!(path, "" | "/dev/null" | "dev/null") && self.headers.len() <= MOST {
                    self.headers.push(path.to_owned());
                }
            }
            if self.paths.len() > MOST {
                return;
            }
        }
    }

    fn add_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) if text.starts_with("file://") => self.add_uri(Some(text)),
            Some(text) => self.add(text.to_owned()),
            None => {}
        }
    }

    fn add_uri(&mut self, uri: Option<&str>) {
        let Some(path) = uri.and_then(|uri| uri.strip_prefix("file://")) else {
            return;
        };
        // `file://host/path` names the path on that host; it is taken as ours, which is stricter.
        let path = path
            .find('/')
            .map_or("", |at| path.get(at..).unwrap_or_default());
        let path = path.split(['?', '#']).next().unwrap_or_default();
        self.add(decoded(path));
    }

    fn add(&mut self, path: String) {
        // One past the limit is enough to know that it was passed.
        if !path.is_empty() && self.paths.len() <= MOST {
            self.paths.push(path);
        }
    }

    fn all(mut self) -> Result<Vec<String>, TooMany> {
        if self.paths.is_empty() {
            self.paths = self.headers;
        }
        if self.paths.len() > MOST {
            return Err(TOO_MANY);
        }
        let mut seen = std::collections::HashSet::new();
        self.paths.retain(|path| seen.insert(path.clone()));
        Ok(self.paths)
    }
}

/// Whether a string that nothing names a path looks like one: rooted, of the home or the parent, or one word with a slash.
fn looks_like_path(text: &str) -> bool {
    if text.len() > LONGEST || text.contains('\n') || text.contains("://") {
        return false;
    }
    let rooted = ["/", "~", "./", "../", "$HOME", "${HOME"];
    rooted.iter().any(|root| text.starts_with(root))
        || text == ".."
        || (text.contains('/') && !text.contains(char::is_whitespace))
}

/// A path of a URI without its `%xx`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        if let (b'%', Some(code)) = (first, code) {
            bytes.push(code);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
