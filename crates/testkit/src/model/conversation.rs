//! What a request says, whatever its wire format: which script, how far, with which tools, from which directory.

use serde_json::{Value, json};

use super::act::{Act, Scripts};
use super::tools::{self, Tool};

/// A request without its wire format.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Conversation {
    /// The newest text of the user that carries a marker.
    pub(super) marked: Option<String>,
    /// Answers of tools after it.
    pub(super) results: usize,
    /// The tools that the agent declared.
    pub(super) tools: Vec<Tool>,
    /// Everything that was said, instructions included.
    pub(super) text: String,
    /// The schema that the answer must follow, when the agent asks for JSON.
    pub(super) schema: Option<Value>,
}

/// What the model answers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Words and calls; `whole` is false when the connection breaks after them.
    Said { parts: Vec<Part>, whole: bool },
    /// An HTTP error.
    Error(u16),
    /// Nothing, ever.
    Silence,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(String),
    Call { tool: String, arguments: Value },
}

impl Part {
    pub(super) fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }
}

/// One message, in the order of the conversation.
pub(super) struct Message {
    /// The user's own text; `None` for other roles.
    pub(super) user: Option<String>,
    /// Answers of tools in it.
    pub(super) results: usize,
}

impl Conversation {
    /// Finds the newest marker in `messages`, and how far the agent has come since.
    pub(super) fn new(messages: Vec<Message>, tools: Vec<Tool>, body: &Value) -> Self {
        let mut made = Self {
            tools,
            text: all_text(body),
            ..Self::default()
        };
        for message in messages {
            made.results += message.results;
            if let Some(text) = message.user.filter(|text| marker(text).is_some()) {
                made.marked = Some(text);
                made.results = 0;
            }
        }
        made
    }

    /// With the schema that the answer must follow.
    pub(super) fn with_schema(mut self, schema: Option<Value>) -> Self {
        self.schema = schema;
        self
    }

    /// The answer that `scripts` give.
    pub(super) fn reply(&self, scripts: &Scripts) -> Reply {
        if let Some(schema) = self.schema.as_ref().filter(|_| self.tools.is_empty()) {
            return Reply::said(vec![Part::Text(tools::example(schema).to_string())]);
        }
        let Some(marker) = self.marked.as_deref().and_then(marker) else {
            return Reply::said(vec![Part::Text("ok".to_owned())]);
        };
        let Some(script) = scripts.get(marker.script) else {
            return Reply::said(vec![Part::Text(format!("no script `{}`", marker.script))]);
        };
        let directory = marker
            .directory
            .map(str::to_owned)
            .or_else(|| directory_in(&self.text));
        self.follow(&script.acts_after(self.results), directory.as_deref())
    }

    fn follow(&self, acts: &[Act], directory: Option<&str>) -> Reply {
        let mut parts = Vec::new();
        for act in acts {
            match act {
                Act::HttpError(status) => return Reply::Error(*status),
                Act::Hang => return Reply::Silence,
                Act::Drop => {
                    return Reply::Said {
                        parts,
                        whole: false,
                    };
                }
                Act::Text(text) => parts.push(Part::Text(text.clone())),
                Act::Call { tool, arguments } => {
                    parts.push(Part::Call {
                        tool: tool.clone(),
                        arguments: json!(arguments),
                    });
                }
                Act::Write { .. } | Act::Edit { .. } | Act::Shell(_) | Act::Read(_) => {
                    parts.push(tools::call_for(act, &self.tools, directory));
                }
            }
        }
        Reply::said(parts)
    }
}

impl Reply {
    fn said(parts: Vec<Part>) -> Self {
        Self::Said { parts, whole: true }
    }
}

struct Marker<'a> {
    script: &'a str,
    directory: Option<&'a str>,
}

/// The last `<<script:NAME>>` or `<<script:NAME in=/absolute/directory>>` of `text`.
fn marker(text: &str) -> Option<Marker<'_>> {
    let (_, after) = text.rsplit_once("<<script:")?;
    let (inside, _) = after.split_once(">>")?;
    let (script, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    Some(Marker {
        script,
        directory: rest.trim().strip_prefix("in="),
    })
}

/// How agents introduce their working directory; only `:`, `is`, quotes and blanks may stand before the path.
const INTRODUCTIONS: &[&str] = &["working directory", "working in the directory"];

/// The working directory that an agent tells its model, in `<cwd>` or in a sentence.
fn directory_in(text: &str) -> Option<String> {
    let tagged = text
        .rsplit_once("<cwd>")
        .and_then(|(_, after)| path_at_start(after));
    tagged.or_else(|| {
        let lower = text.to_ascii_lowercase();
        INTRODUCTIONS.iter().find_map(|words| {
            lower.rmatch_indices(words).find_map(|(at, _)| {
                let after = text.get(at + words.len()..)?.trim_start_matches([':', ' ']);
                let after = after.strip_prefix("is").unwrap_or(after);
                path_at_start(after.trim_start_matches([':', ' ', '`', '"', '\'']))
            })
        })
    })
}

fn path_at_start(text: &str) -> Option<String> {
    let end = text
        .find(['\n', '"', '`', '<', ')', '\''])
        .unwrap_or(text.len());
    let path = text.get(..end)?.trim_end().trim_end_matches(['.', ',']);
    path.starts_with('/').then(|| path.to_owned())
}

/// Every string value below `value`, in order, a line each; not the names of fields.
fn all_text(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(all_text).collect(),
        Value::Object(fields) => {
            let said = fields.iter().filter(|(name, _)| *name != "tools");
            said.map(|(_, field)| all_text(field)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// The text of a content that is a string, or a list of parts of which some have a `text`.
pub(super) fn plain_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The items of a list; none when it is missing.
pub(super) fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The text of a field; empty when it is missing.
pub(super) fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_marker_wins_and_may_name_a_directory() {
        let found = marker("<<script:one>> and <<script:two in=/a b/c>> now").unwrap();
        assert_eq!((found.script, found.directory), ("two", Some("/a b/c")));
        assert!(marker("<<script:open").is_none() && marker("nothing").is_none());
    }

    #[test]
    fn the_working_directory_is_found_in_the_words_of_each_agent() {
        let table = [
            (
                "I'm currently working in the directory: /x\nmore",
                Some("/x"),
            ),
            ("My current working directory is: /a/b\nnext", Some("/a/b")),
            (
                " - Primary working directory: /a/b c\n - Platform",
                Some("/a/b c"),
            ),
            ("* Current working directory: `/a/b`.", Some("/a/b")),
            ("<environment_context>\n  <cwd>/a/b</cwd>", Some("/a/b")),
            (
                "the working directory is kept; see https://x.example/y",
                None,
            ),
        ];
        for (text, expect) in table {
            assert_eq!(directory_in(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn results_count_from_the_newest_marked_message() {
        let user = |text: &str| Message {
            user: Some(text.to_owned()),
            results: 0,
        };
        let result = || Message {
            user: None,
            results: 1,
        };
        let messages = vec![
            user("<<script:a>>"),
            result(),
            user("<<script:b>>"),
            result(),
            user("go on"),
            result(),
        ];
        let made = Conversation::new(messages, Vec::new(), &Value::Null);
        assert_eq!(
            (made.marked.as_deref(), made.results),
            (Some("<<script:b>>"), 2)
        );
    }
}
