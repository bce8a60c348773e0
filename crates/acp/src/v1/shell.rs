//! The command line of a tool call.

use serde_json::{Map, Value};

/// Keys of a command, in plain spelling.
const COMMAND_KEYS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "script",
    "shellcommand",
    "commandline",
    "bash",
];

/// Every command that a raw input holds, each once, one below the other: a string as it stands, words with the quotes that
/// a shell needs, `args` behind them. `bare` says that a raw input that is a string is the command itself.
pub fn command(raw_input: &Value, bare: bool) -> Option<String> {
    let mut found = Vec::new();
    match raw_input {
        Value::String(text) if bare => push(text.clone(), &mut found),
        Value::Array(words) if bare => push(line(words), &mut found),
        other => walk(other, &mut found),
    }
    (!found.is_empty()).then(|| found.join("\n"))
}

fn walk(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let plain = super::paths::plain(key);
                if COMMAND_KEYS.contains(&plain.as_str()) {
                    of_field(&plain, value, fields, found);
                } else {
                    walk(value, found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn of_field(key: &str, value: &Value, fields: &Map<String, Value>, found: &mut Vec<String>) {
    match value {
        Value::String(text) => push(with_args(text.clone(), fields), found),
        // `commands` lists whole commands; every other list is the words of one.
        Value::Array(items) if key == "commands" => {
            for item in items {
                match item {
                    Value::String(text) => push(text.clone(), found),
                    Value::Array(words) => push(line(words), found),
                    other => walk(other, found),
                }
            }
        }
        Value::Array(words) => push(with_args(line(words), fields), found),
        other => walk(other, found),
    }
}

fn with_args(mut command: String, fields: &Map<String, Value>) -> String {
    let args = ["args", "arguments", "argv"]
        .iter()
        .find_map(|key| fields.get(*key));
    match args {
        Some(Value::Array(args)) if !args.is_empty() => {
            command.push(' ');
            command.push_str(&line(args));
        }
        Some(Value::String(args)) if !args.is_empty() => {
            command.push(' ');
            command.push_str(args);
        }
        _ => {}
    }
    command
}

fn line(words: &[Value]) -> String {
    let quoted: Vec<_> = words
        .iter()
        .map(|word| match word {
            Value::String(text) => quoted(text),
            other => quoted(&other.to_string()),
        })
        .collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |at: u8| at.is_ascii_alphanumeric() || b"_-./:=,+@%".contains(&at);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn push(command: String, found: &mut Vec<String>) {
    if !command.trim().is_empty() && !found.contains(&command) {
        found.push(command);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fa_22_a_command_is_found_wherever_it_stands() {
        for (raw, bare, wanted) in [
            (json!({"command": "ls && rm x"}), true, Some("ls && rm x")),
            (
                json!({"cmd": ["bash", "-lc", "a b"]}),
                true,
                Some("bash -lc 'a b'"),
            ),
            (
                json!({"command": "git", "args": ["commit", "-m", "it's"]}),
                false,
                Some(r"git commit -m 'it'\''s'"),
            ),
            (
                json!({"command": "ls", "commands": ["ls"]}),
                true,
                Some("ls"),
            ),
            (
                json!({"command": "ls", "commands": ["ls", "rm x"]}),
                true,
                Some("ls\nrm x"),
            ),
            (
                json!({"commands": [["rm", "-r", "a b"]]}),
                true,
                Some("rm -r 'a b'"),
            ),
            (
                json!({"input": {"tool": {"Shell_Command": "x"}}}),
                false,
                Some("x"),
            ),
            (json!("make all"), true, Some("make all")),
            (json!("make all"), false, None),
            (json!(["rm", "a b"]), true, Some("rm 'a b'")),
            (json!({"command": {"program": "x"}}), true, None),
            (json!({"command": ""}), true, None),
            (json!({"command": 7}), true, None),
            (json!(null), true, None),
            (json!({"path": "/a", "content": "x"}), true, None),
        ] {
            assert_eq!(command(&raw, bare).as_deref(), wanted, "{raw}");
        }
    }
}
