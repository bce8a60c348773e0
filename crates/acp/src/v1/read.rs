//! What an agent says, read leniently: what is missing or of another form is as if it had not been said.

use serde_json::Value;
use taffrail_domain::ToolKind;

use super::{AuthMethod, Implementation, OptionKind, PermissionOption, PromptCapabilities};

/// The memory that a raw input written as a string may take once it is read.
const NESTED: usize = 16 << 20;

/// The answer to `initialize`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Initialized {
    /// The version, as sent.
    pub version: Value,
    /// How the agent calls itself.
    pub agent: Option<Implementation>,
    /// What a prompt may hold.
    pub prompt: PromptCapabilities,
    /// All capabilities, as sent.
    pub capabilities: Value,
    /// The ways to sign in.
    pub auth_methods: Vec<AuthMethod>,
}

impl Initialized {
    /// Reads it.
    pub fn read(result: &Value) -> Self {
        let capabilities = at(result, "agentCapabilities").clone();
        let prompt = at(&capabilities, "promptCapabilities");
        let flag = |key| at(prompt, key).as_bool().unwrap_or_default();
        Self {
            version: at(result, "protocolVersion").clone(),
            agent: at(result, "agentInfo").as_object().map(|_| {
                let agent = at(result, "agentInfo");
                Implementation {
                    name: text_of(at(agent, "name")),
                    title: some_text(agent, "title"),
                    version: text_of(at(agent, "version")),
                }
            }),
            prompt: PromptCapabilities {
                image: flag("image"),
                audio: flag("audio"),
                embedded_context: flag("embeddedContext"),
            },
            auth_methods: list(at(result, "authMethods"))
                .iter()
                .filter_map(auth_method)
                .collect(),
            capabilities,
        }
    }
}

fn auth_method(value: &Value) -> Option<AuthMethod> {
    Some(AuthMethod {
        id: some_text(value, "id")?,
        name: text_of(at(value, "name")),
        description: some_text(value, "description"),
    })
}

/// The answer to `session/new`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewSession {
    /// The session; none where it is missing, no string or empty.
    pub session: Option<String>,
    /// The modes.
    pub modes: Option<ModeState>,
    /// The options.
    pub options: Vec<ConfigOption>,
    /// The model, of a field `models` that is no longer part of the protocol and still sent.
    pub model: Option<String>,
}

impl NewSession {
    /// Reads it.
    pub fn read(result: &Value) -> Self {
        Self {
            session: some_text(result, "sessionId").filter(|id| !id.is_empty()),
            modes: ModeState::read(at(result, "modes")),
            options: ConfigOption::read_all(at(result, "configOptions")),
            model: some_text(at(result, "models"), "currentModelId"),
        }
    }
}

/// The modes of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModeState {
    /// The one it is in.
    pub current: Option<String>,
    /// The ids of those there are.
    pub available: Vec<String>,
}

impl ModeState {
    fn read(value: &Value) -> Option<Self> {
        value.as_object()?;
        Some(Self {
            current: some_text(value, "currentModeId"),
            available: list(at(value, "availableModes"))
                .iter()
                .filter_map(|mode| some_text(mode, "id"))
                .collect(),
        })
    }
}

/// An option of a session with a list of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigOption {
    /// Its id.
    pub id: String,
    /// Its category; its id where none was told.
    pub category: String,
    /// Its value now.
    pub current: Option<String>,
    /// Its values, each with its name; those of groups without the groups.
    pub values: Vec<(String, String)>,
}

impl ConfigOption {
    /// Reads a list of options.
    pub fn read_all(value: &Value) -> Vec<Self> {
        list(value).iter().filter_map(Self::read).collect()
    }

    /// The value that `wanted` names: by its id, else by its name.
    pub fn value(&self, wanted: &str) -> Option<&str> {
        let by_id = self.values.iter().find(|(id, _)| id == wanted);
        let found = by_id.or_else(|| self.values.iter().find(|(_, name)| name == wanted));
        found.map(|(id, _)| id.as_str())
    }

    fn read(value: &Value) -> Option<Self> {
        let id = some_text(value, "id")?;
        let entries =
            list(at(value, "options"))
                .iter()
                .flat_map(|entry| match list(at(entry, "options")) {
                    [] => std::slice::from_ref(entry),
                    grouped => grouped,
                });
        let values = entries
            .filter_map(|entry| Some((some_text(entry, "value")?, text_of(at(entry, "name")))))
            .collect();
        Some(Self {
            category: some_text(value, "category").unwrap_or_else(|| id.clone()),
            current: some_text(value, "currentValue"),
            id,
            values,
        })
    }
}

/// What a message tells of a tool call. A field that is missing or null was not told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolFields {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The name of its tool.
    pub name: Option<String>,
    /// Its kind; `Other` where one was told that is not known.
    pub kind: Option<ToolKind>,
    /// Its status.
    pub status: Option<String>,
    /// Its locations, as sent; the whole list.
    pub locations: Option<Value>,
    /// Its content, as sent; the whole list.
    pub content: Option<Value>,
    /// Its raw input, as sent.
    pub raw_input: Option<Value>,
    /// Its raw output, as sent.
    pub raw_output: Option<Value>,
}

impl ToolFields {
    /// Reads it, taking what is large. None where it is no object; an id that is missing is empty.
    pub fn take(value: &mut Value) -> Option<Self> {
        let fields = value.as_object_mut()?;
        let mut taken = |key| fields.remove(key).filter(|value| !value.is_null());
        let mut text = |key| match taken(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            id: text("toolCallId").unwrap_or_default(),
            title: text("title"),
            name: text("name"),
            kind: text("kind").map(|word| tool_kind(&word)),
            status: text("status"),
            locations: taken("locations"),
            content: taken("content"),
            raw_input: taken("rawInput"),
            raw_output: taken("rawOutput"),
        })
    }
}

/// The kind that a word means; `Other` for a word that is not known.
pub fn tool_kind(word: &str) -> ToolKind {
    word.parse().unwrap_or(ToolKind::Other)
}

/// A raw input as a value: a string that holds a JSON object becomes that object, as some agents pass on what the model
/// wrote.
pub fn raw_input(value: &Value) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    if !text.trim_start().starts_with('{') {
        return value.clone();
    }
    crate::wire::parse(text.as_bytes(), NESTED).unwrap_or_else(|_| value.clone())
}

/// The text of a content block; none for another kind of block.
pub fn content_text(block: &Value) -> Option<&str> {
    match at(block, "type").as_str() {
        Some("text") | None => at(block, "text").as_str(),
        Some(_) => None,
    }
}

/// A string as it is, a number or a flag as JSON, anything else as nothing.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

impl PermissionOption {
    /// Reads a list of options; those without an id are left out, because they cannot be selected.
    pub fn read_all(value: &Value) -> Vec<Self> {
        list(value)
            .iter()
            .filter_map(|option| {
                Some(Self {
                    option_id: some_text(option, "optionId")?,
                    name: text_of(at(option, "name")),
                    kind: OptionKind::read(&text_of(at(option, "kind"))),
                })
            })
            .collect()
    }
}

fn at<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn some_text(value: &Value, key: &str) -> Option<String> {
    at(value, key).as_str().map(str::to_owned)
}
