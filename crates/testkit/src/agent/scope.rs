//! The names of a script: `${cwd}`, `${x.result.content}`, `${env:HOME}`, `${pad:5MiB}`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::words::Word;

/// What names stand for.
#[derive(Debug, Default)]
pub(super) struct Scope {
    values: BTreeMap<String, Value>,
}

impl Scope {
    /// `name` stands for `value` from now on.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Every name and what it stands for.
    pub(super) fn all(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    /// What `path` stands for: a name, then keys or numbers, with dots between them.
    ///
    /// # Errors
    /// A name or key that is not there.
    pub(super) fn get(&self, path: &str) -> Result<Value, String> {
        if let Some(size) = path.strip_prefix("pad:") {
            return Ok(Value::String("x".repeat(bytes_of(size)?)));
        }
        if let Some(name) = path.strip_prefix("env:") {
            return Ok(std::env::var(name).unwrap_or_default().into());
        }
        let mut steps = path.split('.');
        let first = steps.next().unwrap_or_default();
        let mut value = self.values.get(first);
        for step in steps {
            value = value.and_then(|value| match step.parse::<usize>() {
                Ok(at) if value.is_array() => value.get(at),
                _ => value.get(step),
            });
        }
        value.cloned().ok_or_else(|| format!("no value: {path}"))
    }

    /// A word as bytes, with its names filled in. JSON is written out.
    ///
    /// # Errors
    /// A name that is not there.
    pub(super) fn bytes(&self, word: &Word) -> Result<Vec<u8>, String> {
        match word {
            Word::Bare(text) => self.fill(text.as_bytes()),
            Word::Text(bytes) => self.fill(bytes),
            Word::Json(value) => Ok(self.json(value)?.to_string().into_bytes()),
        }
    }

    /// A word as text; bytes that are not UTF-8 replaced.
    ///
    /// # Errors
    /// A name that is not there.
    pub(super) fn text(&self, word: &Word) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.bytes(word)?).into_owned())
    }

    /// A word as a value: JSON with its names filled in, a name's own value, a number, `true`, `null`; else text.
    ///
    /// # Errors
    /// A name that is not there.
    pub(super) fn value(&self, word: &Word) -> Result<Value, String> {
        match word {
            Word::Json(value) => self.json(value),
            Word::Text(_) => Ok(Value::String(self.text(word)?)),
            Word::Bare(bare) => match whole_name(bare) {
                Some(name) => self.get(name),
                None => {
                    let text = self.text(word)?;
                    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
                }
            },
        }
    }

    fn json(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) => match whole_name(text) {
                Some(name) => self.get(name),
                None => {
                    let filled = self.fill(text.as_bytes())?;
                    Ok(String::from_utf8_lossy(&filled).into_owned().into())
                }
            },
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, value)| Ok((key.clone(), self.json(value)?)))
                .collect(),
            plain => Ok(plain.clone()),
        }
    }

    fn fill(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(at) = find(rest, b"${") {
            let (before, name) = rest.split_at(at);
            out.extend(before);
            let end = find(name, b"}").ok_or("a name that is not closed")?;
            let path = String::from_utf8_lossy(name.get(2..end).unwrap_or_default());
            out.extend(shown(&self.get(&path)?).into_bytes());
            rest = name.get(end + 1..).unwrap_or_default();
        }
        out.extend(rest);
        Ok(out)
    }
}

/// A value as text: a string as it is, all else as JSON.
pub(super) fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A size like `12`, `20KiB`, `64MiB`.
///
/// # Errors
/// What is no size.
pub(super) fn bytes_of(size: &str) -> Result<usize, String> {
    let (digits, unit) = match (size.strip_suffix("MiB"), size.strip_suffix("KiB")) {
        (Some(digits), _) => (digits, 1 << 20),
        (_, Some(digits)) => (digits, 1 << 10),
        _ => (size, 1),
    };
    let number: usize = digits.parse().map_err(|_| format!("no size: {size}"))?;
    Ok(number * unit)
}

fn whole_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    (!name.contains(['$', '}'])).then_some(name)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope() -> Scope {
        let mut scope = Scope::default();
        scope.set("cwd", json!("/a b'c\""));
        scope.set("id", json!(7));
        scope.set("x", json!({"result": {"list": ["p", "q"]}}));
        scope
    }

    #[test]
    fn names_are_filled_in_by_kind_of_word() {
        let scope = scope();
        let text = scope.text(&Word::Text(b"<${cwd}/f ${id}>".to_vec()));
        assert_eq!(text.unwrap(), "</a b'c\"/f 7>");
        let value = scope.value(&Word::Json(json!({"p": "${cwd}/f", "i": "${id}"})));
        assert_eq!(value.unwrap(), json!({"p": "/a b'c\"/f", "i": 7}));
        let one = scope.value(&Word::Bare("${x.result.list.1}".to_owned()));
        assert_eq!(one.unwrap(), json!("q"));
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error() {
        let scope = scope();
        assert_eq!(scope.get("y").unwrap_err(), "no value: y");
        assert!(scope.get("x.result.nothing").is_err());
        assert!(scope.text(&Word::Bare("a${".to_owned())).is_err());
    }

    #[test]
    fn padding_has_its_size() {
        let pad = scope().text(&Word::Bare("${pad:3KiB}".to_owned())).unwrap();
        assert_eq!(pad.len(), 3072);
        assert_eq!(bytes_of("2MiB"), Ok(2 << 20));
        assert!(bytes_of("2GB").is_err());
    }
}
