//! OpenAI's `responses`.

use serde_json::{Value, json};

use super::{Answer, CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, pieces};
use crate::model::conversation::{Conversation, Message, Part, field, items, plain_text};
use crate::model::http::Event;
use crate::model::tools::Tool;

pub(super) fn conversation(body: &Value) -> Conversation {
    let messages = match body.get("input") {
        Some(Value::String(text)) => vec![Message {
            user: Some(text.clone()),
            results: 0,
        }],
        _ => items(body, "input").iter().map(message).collect(),
    };
    let schema = body.pointer("/text/format/schema").cloned();
    Conversation::new(messages, tools(items(body, "tools")), body).with_schema(schema)
}

fn message(item: &Value) -> Message {
    Message {
        user: (field(item, "role") == "user")
            .then(|| plain_text(item.get("content").unwrap_or(&Value::Null))),
        results: usize::from(field(item, "type").ends_with("_output")),
    }
}

/// Functions, and those in namespaces; tools that the vendor runs itself are left out.
fn tools(declared: &[Value]) -> Vec<Tool> {
    declared
        .iter()
        .flat_map(|one| match field(one, "type") {
            "function" => vec![Tool {
                name: field(one, "name").to_owned(),
                schema: one.get("parameters").cloned().unwrap_or_default(),
            }],
            "namespace" => tools(items(one, "tools")),
            _ => Vec::new(),
        })
        .collect()
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let output: Vec<Value> = answer
        .parts
        .iter()
        .enumerate()
        .map(|(index, part)| item(answer, index, part))
        .collect();
    envelope(answer, "completed", &json!(output))
}

pub(super) fn events(answer: &Answer<'_>) -> (Vec<Event>, Vec<Event>) {
    let begun = envelope(answer, "in_progress", &json!([]));
    let mut said = vec![json!({"type": "response.created", "response": begun})];
    for (index, part) in answer.parts.iter().enumerate() {
        said.extend(item_events(answer, index, part));
    }
    let end = json!({"type": "response.completed", "response": whole(answer)});
    let last = numbered(said.len(), end);
    let said = said
        .into_iter()
        .enumerate()
        .map(|(number, event)| numbered(number, event));
    (said.collect(), vec![last])
}

fn numbered(number: usize, mut event: Value) -> Event {
    event["sequence_number"] = json!(number);
    Event::typed(&event)
}

fn envelope(answer: &Answer<'_>, status: &str, output: &Value) -> Value {
    json!({
        "id": answer.id("resp"),
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": answer.model,
        "output": output,
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    })
}

fn item(answer: &Answer<'_>, index: usize, part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({
            "id": answer.part_id("msg", index),
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Part::Call { tool, arguments } => json!({
            "id": answer.part_id("fc", index),
            "type": "function_call",
            "status": "completed",
            "call_id": answer.part_id("call", index),
            "name": tool,
            "arguments": arguments.to_string(),
        }),
    }
}

fn item_events(answer: &Answer<'_>, index: usize, part: &Part) -> Vec<Value> {
    let done = item(answer, index, part);
    let mut opened = done.clone();
    opened["status"] = json!("in_progress");
    let id = &done["id"];
    let mut events = Vec::new();
    match part {
        Part::Text(text) => {
            opened["content"] = json!([]);
            let place = |kind: &str| json!({"type": kind, "item_id": id, "output_index": index, "content_index": 0});
            events.push(with(
                place("response.content_part.added"),
                "part",
                json!({"type": "output_text", "text": "", "annotations": []}),
            ));
            events.extend(
                pieces(text)
                    .iter()
                    .map(|piece| with(place("response.output_text.delta"), "delta", json!(piece))),
            );
            events.push(with(
                place("response.output_text.done"),
                "text",
                json!(text),
            ));
            events.push(with(
                place("response.content_part.done"),
                "part",
                done["content"][0].clone(),
            ));
        }
        Part::Call { arguments, .. } => {
            opened["arguments"] = json!("");
            let place = |kind: &str| json!({"type": kind, "item_id": id, "output_index": index});
            let text = arguments.to_string();
            events.push(with(
                place("response.function_call_arguments.delta"),
                "delta",
                json!(text),
            ));
            events.push(with(
                place("response.function_call_arguments.done"),
                "arguments",
                json!(text),
            ));
        }
    }
    events.insert(
        0,
        json!({"type": "response.output_item.added", "output_index": index, "item": opened}),
    );
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": done}));
    events
}

fn with(mut event: Value, name: &str, value: Value) -> Value {
    event[name] = value;
    event
}
