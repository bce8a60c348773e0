//! The command line of a tool call.

use serde_json::{Map, Value};

use super::TooMany;

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

/// How many commands one tool call may hold.
const MOST: usize = 256;
/// How long they may be together, in bytes.
const LONGEST: usize = 8 << 20;

/// More than 256 commands, or 8 MiB of them.
const TOO_MANY: TooMany = TooMany {
    what: "commands",
    most: MOST,
};

/// Every command that a raw input holds, each once, one below the other: a string as it stands, words with the quotes that
/// a shell needs, `args` behind them. `bare` says that a raw input that is a string is the command itself.
pub fn command(raw_input: &Value, bare: bool) -> Result<Option<String>, TooMany> {
    let mut found = Found::default();
    match raw_input {
        Value::String(text) if bare => found.push(text.clone())?,
        Value::Array(words) if bare => found.push(line(words))?,
        other => found.walk(other)?,
    }
    let found = found.commands;
    Ok((!found.is_empty()).then(|| found.join("\n")))
}

#[derive(Default)]
struct Found {
    commands: Vec<String>,
    bytes: usize,
}

impl Found {
    fn walk(&mut self, value: &Value) -> Result<(), TooMany> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.walk(item)),
            Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
                let plain = super::paths::plain(key);
                if COMMAND_KEYS.contains(&plain.as_str()) {
                    self.of_field(&plain, value, fields)
                } else {
                    self.walk(value)
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn of_field(
        &mut self,
        key: &str,
        value: &Value,
        fields: &Map<String, Value>,
    ) -> Result<(), TooMany> {
        match value {
            Value::String(text) => self.push(with_args(text.clone(), fields)),
            // `commands` lists whole commands; every other list is the words of one.
            Value::Array(items) if key == "commands" => {
                items.iter().try_for_each(|item| match item {
                    Value::String(text) => self.push(text.clone()),
                    Value::Array(words) => self.push(line(words)),
                    other => self.walk(other),
                })
            }
            Value::Array(words) => self.push(with_args(line(words), fields)),
            other => self.walk(other),
        }
    }

    fn push(&mut self, command: String) -> Result<(), TooMany> {
        self.bytes += command.len();
        if self.bytes > LONGEST || self.commands.len() >= MOST {
            return Err(TOO_MANY);
        }
        if !command.trim().is_empty() && !self.commands.contains(&command) {
            self.commands.push(command);
        }
        Ok(())
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
            assert_eq!(command(&raw, bare).unwrap().as_deref(), wanted, "{raw}");
        }
    }
}
