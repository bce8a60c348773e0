//! Which of an agent's tools does what, and how its parameters are called.

use serde_json::{Map, Value, json};

use super::act::Act;
use super::conversation::Part;

/// A tool as an agent declares it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    pub(super) name: String,
    /// JSON schema of its parameters.
    pub(super) schema: Value,
}

/// Names by preference, the agents' own spelling; a namespace before `__`, `.` or `/` does not count.
const WRITE: &[&str] = &[
    "write_file",
    "Write",
    "write",
    "create",
    "create_file",
    "text_editor",
    "str_replace_editor",
];
const EDIT: &[&str] = &[
    "replace",
    "Edit",
    "edit",
    "str_replace",
    "edit_file",
    "text_editor",
    "str_replace_editor",
];
const READ: &[&str] = &[
    "read_file",
    "Read",
    "read",
    "view",
    "text_editor",
    "str_replace_editor",
];
const SHELL: &[&str] = &[
    "run_shell_command",
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "execute_command",
    "run_command",
    "execute",
];

/// Parameter names by meaning.
const PATH: &[&str] = &[
    "file_path",
    "absolute_path",
    "filePath",
    "path",
    "filename",
    "file",
];
const CONTENT: &[&str] = &["content", "file_text", "contents", "text"];
const COMMAND: &[&str] = &["command", "cmd", "script"];
const OLD: &[&str] = &[
    "old_string",
    "old_str",
    "oldString",
    "old_text",
    "before",
    "old",
];
const NEW: &[&str] = &[
    "new_string",
    "new_str",
    "newString",
    "new_text",
    "after",
    "new",
];

/// For editors that are one tool with a verb in `command`.
const VERBS: &[(&[&str], &[&str])] = &[
    (WRITE, &["create", "write"]),
    (EDIT, &["str_replace"]),
    (READ, &["view", "read"]),
];

/// The call of one of `tools` that does `act`, by the shell where there is no better one; words when there is none.
pub(super) fn call_for(act: &Act, tools: &[Tool], directory: Option<&str>) -> Part {
    let (names, values) = match act {
        Act::Write { path, content } => (WRITE, vec![(PATH, path), (CONTENT, content)]),
        Act::Edit { path, old, new } => (EDIT, vec![(PATH, path), (OLD, old), (NEW, new)]),
        Act::Read(path) => (READ, vec![(PATH, path)]),
        Act::Shell(command) => (SHELL, vec![(COMMAND, command)]),
        Act::Text(text) => return Part::Text(text.clone()),
        Act::Call { .. } | Act::HttpError(_) | Act::Hang | Act::Drop => {
            return Part::Text(String::new());
        }
    };
    let fitting = names.iter().filter_map(|name| find(tools, name));
    for tool in fitting {
        if let Some(arguments) = fill(tool, names, &values, directory) {
            return Part::Call {
                tool: tool.name.clone(),
                arguments,
            };
        }
    }
    match shell_command(act) {
        Some(command) => call_for(&Act::Shell(command), tools, directory),
        None => Part::Text(format!("no tool among {} does {act:?}", names_of(tools))),
    }
}

fn names_of(tools: &[Tool]) -> String {
    tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn find<'a>(tools: &'a [Tool], name: &str) -> Option<&'a Tool> {
    let exact = tools.iter().find(|tool| tool.name == name);
    exact.or_else(|| {
        tools.iter().find(|tool| {
            let tail = tool.name.rsplit(['.', '/', ':']).next().unwrap_or_default();
            tail.rsplit("__").next() == Some(name)
        })
    })
}

/// Arguments for `tool`; `None` when it has no parameter for one of `values`.
fn fill(
    tool: &Tool,
    names: &[&str],
    values: &[(&[&str], &String)],
    directory: Option<&str>,
) -> Option<Value> {
    let properties = tool.schema.get("properties")?.as_object()?;
    let mut arguments = Map::new();
    for (aliases, value) in values {
        let name = aliases
            .iter()
            .find(|name| properties.contains_key(**name))?;
        let schema = properties.get(*name)?;
        arguments.insert((*name).to_owned(), typed(name, schema, value, directory));
    }
    if let Some(verb) = verb(names, properties) {
        arguments.entry("command").or_insert(verb);
    }
    for required in required_of(&tool.schema) {
        let schema = properties.get(required).unwrap_or(&Value::Null);
        arguments.entry(required).or_insert_with(|| example(schema));
    }
    Some(Value::Object(arguments))
}

fn typed(name: &str, schema: &Value, value: &str, directory: Option<&str>) -> Value {
    if type_of(schema) == "array" {
        return json!(["bash", "-c", value]);
    }
    let told = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let absolute = name == "absolute_path" || told.to_ascii_lowercase().contains("absolute");
    match directory.filter(|_| absolute && PATH.contains(&name) && !value.starts_with('/')) {
        Some(directory) => json!(format!("{}/{value}", directory.trim_end_matches('/'))),
        None => json!(value),
    }
}

fn verb(names: &[&str], properties: &Map<String, Value>) -> Option<Value> {
    let known = properties.get("command")?.get("enum")?.as_array()?;
    let (_, verbs) = VERBS.iter().find(|(of, _)| *of == names)?;
    known
        .iter()
        .find(|verb| verb.as_str().is_some_and(|verb| verbs.contains(&verb)))
        .cloned()
}

fn required_of(schema: &Value) -> impl Iterator<Item = &str> {
    let list = schema
        .get("required")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

fn type_of(schema: &Value) -> String {
    let named = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().find(|name| *name != "null"),
        other => other,
    };
    named
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// The smallest value that `schema` allows, as far as its type, enumeration and required fields say.
pub(super) fn example(schema: &Value) -> Value {
    if let Some(first) = schema
        .get("enum")
        .and_then(Value::as_array)
        .and_then(|list| list.first())
    {
        return first.clone();
    }
    match type_of(schema).as_str() {
        "object" => {
            let nothing = Value::Null;
            let properties = schema.get("properties").unwrap_or(&nothing);
            let fields = required_of(schema).map(|name| {
                (
                    name.to_owned(),
                    example(properties.get(name).unwrap_or(&nothing)),
                )
            });
            Value::Object(fields.collect())
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" | "number" => json!(1),
        _ => json!("x"),
    }
}

/// What a shell does instead; `None` for what is a shell command already.
fn shell_command(act: &Act) -> Option<String> {
    match act {
        Act::Write { path, content } => {
            Some(format!("printf %s {} > {}", quoted(content), quoted(path)))
        }
        Act::Edit { path, old, new } => {
            let program = format!("s/{}/{}/", pattern(old), pattern(new));
            Some(format!("sed -i {} {}", quoted(&program), quoted(path)))
        }
        Act::Read(path) => Some(format!("cat {}", quoted(path))),
        Act::Text(_)
        | Act::Shell(_)
        | Act::Call { .. }
        | Act::HttpError(_)
        | Act::Hang
        | Act::Drop => None,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn pattern(text: &str) -> String {
    let special = |c| matches!(c, '/' | '&' | '\\' | '.' | '*' | '[' | ']' | '^' | '$');
    text.chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

#[cfg(test)]
mod tests;
