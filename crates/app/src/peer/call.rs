//! One call of a tool as the client sees it: begun, asked about, ended.

use serde_json::{Value, json};

use super::port::Port;

/// Bytes of a tool's answer that are shown.
const SHOWN: usize = 64 << 10;

/// What became of a call.
pub(super) enum Done {
    /// It was made, and this is what came of it.
    Yes(String),
    /// The client did not allow it.
    Refused(String),
}

/// A call that was not told yet.
pub(super) struct Call {
    id: String,
    kind: &'static str,
    title: String,
    input: Value,
    locations: Vec<Value>,
    content: Vec<Value>,
}

impl Call {
    pub fn new(id: &str, kind: &'static str, title: String, input: Value) -> Self {
        Self {
            id: id.to_owned(),
            kind,
            title,
            input,
            locations: Vec::new(),
            content: Vec::new(),
        }
    }

    /// It is about this file.
    pub fn at(mut self, path: &str) -> Self {
        self.locations.push(json!({"path": path}));
        self
    }

    /// It shows this.
    pub fn with(mut self, content: Value) -> Self {
        self.content.push(content);
        self
    }

    /// Tells it, does it and tells how it ended; `does` gets what a question about it shows. Whether it was made.
    pub fn make(self, port: &Port, does: impl FnOnce(&Value) -> Result<Done, String>) -> bool {
        let asked = json!({
            "toolCallId": self.id, "title": self.title, "kind": self.kind, "status": "pending",
            "rawInput": self.input, "locations": self.locations, "content": self.content,
        });
        let mut told = asked.clone();
        if let Some(told) = told.as_object_mut() {
            told.insert("sessionUpdate".to_owned(), json!("tool_call"));
        }
        port.update(told);
        let (status, text, was_made) = match does(&asked) {
            Ok(Done::Yes(text)) => ("completed", text, true),
            Ok(Done::Refused(why)) | Err(why) => ("failed", why, false),
        };
        let mut ended = json!({
            "sessionUpdate": "tool_call_update", "toolCallId": self.id, "status": status,
        });
        if !text.is_empty() {
            let text = json!({"type": "text", "text": head(text)});
            // An update replaces the whole list: what was shown stays.
            let content = self.content.into_iter();
            let content = content.chain([json!({"type": "content", "content": text})]);
            if let Some(ended) = ended.as_object_mut() {
                ended.insert("content".to_owned(), content.collect());
            }
        }
        port.update(ended);
        was_made
    }
}

/// The beginning of a long text.
fn head(mut text: String) -> String {
    if text.len() > SHOWN {
        let left_out = text.len() - text.floor_char_boundary(SHOWN);
        text.truncate(text.len() - left_out);
        text.push_str(&format!("\n[{left_out} more bytes]\n"));
    }
    text
}
