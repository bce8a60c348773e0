//! The hosts of URLs that a value names.

use serde_json::Value;

use super::paths::CONTENT_KEYS;

/// Keys whose value is an address even without a scheme.
const ADDRESS_KEYS: &[&str] = &[
    "url", "uri", "host", "hostname", "domain", "address", "endpoint",
];
/// Keys of what is looked for or asked, where an address is one that will be reached.
const ASKED_KEYS: &[&str] = &["prompt", "query", "description"];
/// How many different hosts are told.
const MOST: usize = 32;

/// Every host that a value names, lower case, without port and user, each once; 32 at most. Strings that are the text of
/// files are not looked into, nor are commands.
pub fn hosts(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk("", value, &mut found);
    found
}

/// `key` in plain spelling.
fn walk(key: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => of_text(key, text, found),
        Value::Array(items) => items.iter().for_each(|item| walk(key, item, found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| walk(&super::paths::plain(key), value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn of_text(key: &str, text: &str, found: &mut Vec<String>) {
    if CONTENT_KEYS.contains(&key) && !ASKED_KEYS.contains(&key) {
        return;
    }
    let mut any = false;
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at);
        rest = after.get(3..).unwrap_or_default();
        let scheme = before.rsplit(|at: char| !at.is_ascii_alphanumeric()).next();
        any = true;
        if !matches!(scheme, Some("" | "file") | None) {
            add(authority(rest), found);
        }
    }
    if !any && ADDRESS_KEYS.contains(&key) {
        add(authority(text.trim_start_matches("//")), found);
    }
}

/// The host of what follows `://`, as a browser reads it: up to the first slash of either kind, behind the last `@`.
fn authority(text: &str) -> &str {
    let ends = |at: char| {
        matches!(
            at,
            '/' | '\\' | '?' | '#' | '"' | '\'' | '<' | '>' | '`' | ')'
        ) || at.is_whitespace()
    };
    let all = text.split(ends).next().unwrap_or_default();
    let host = all.rsplit('@').next().unwrap_or_default();
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

fn add(host: &str, found: &mut Vec<String>) {
    let host = host.trim_end_matches(['.', ',', ';', '!']).to_lowercase();
    if !host.is_empty() && !found.contains(&host) && found.len() < MOST {
        found.push(host);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fa_22_hosts_are_read_as_a_browser_reads_them() {
        for (value, wanted) in [
            (json!({"url": "https://Docs.RS/serde"}), vec!["docs.rs"]),
            (
                json!({"url": "https://good.example@evil.example/x"}),
                vec!["evil.example"],
            ),
            (
                json!({"url": "https://evil.example\\@good.example/x"}),
                vec!["evil.example"],
            ),
            (
                json!({"url": "http://user:pw@h.example:8080?x=/"}),
                vec!["h.example"],
            ),
            (json!({"url": "http://[::1]:80/"}), vec!["[::1]"]),
            (json!({"url": "example.com/a"}), vec!["example.com"]),
            (
                json!({"prompt": "Read https://a.example/x and (http://b.example)."}),
                vec!["a.example", "b.example"],
            ),
            (
                json!({"urls": ["ftp://c.example", "https://c.example/2"]}),
                vec!["c.example"],
            ),
            (
                json!({"input": {"deep": [{"href": "wss://d.example."}]}}),
                vec!["d.example"],
            ),
            (json!({"uri": "file:///etc/passwd"}), vec![]),
            (json!({"content": "see https://in-a-file.example"}), vec![]),
            (json!({"query": "https://q.example/?a"}), vec!["q.example"]),
            (
                json!({"command": "curl https://in-a-command.example"}),
                vec![],
            ),
            (json!("https://bare.example"), vec!["bare.example"]),
            (json!({"path": "/a/b"}), vec![]),
            (json!(null), vec![]),
        ] {
            assert_eq!(hosts(&value), wanted, "{value}");
        }
    }
}
