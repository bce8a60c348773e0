//! Anthropic's `messages`.

use serde_json::{Value, json};

use super::{Answer, CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, pieces};
use crate::model::conversation::{Conversation, Message, Part, field, items, plain_text};
use crate::model::http::Event;
use crate::model::tools::Tool;

pub(super) fn conversation(body: &Value) -> Conversation {
    let messages = items(body, "messages").iter().map(message).collect();
    let tools = items(body, "tools").iter().map(|declared| Tool {
        name: field(declared, "name").to_owned(),
        schema: declared.get("input_schema").cloned().unwrap_or_default(),
    });
    Conversation::new(messages, tools.collect(), body)
}

fn message(one: &Value) -> Message {
    let blocks = items(one, "content");
    Message {
        user: (field(one, "role") == "user")
            .then(|| plain_text(one.get("content").unwrap_or(&Value::Null))),
        results: blocks
            .iter()
            .filter(|block| field(block, "type") == "tool_result")
            .count(),
    }
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let blocks: Vec<Value> = answer
        .parts
        .iter()
        .enumerate()
        .map(|(index, part)| block(answer, index, part))
        .collect();
    let mut message = envelope(answer);
    message["content"] = json!(blocks);
    message["stop_reason"] = json!(stop_reason(answer));
    message
}

pub(super) fn events(answer: &Answer<'_>) -> (Vec<Event>, Vec<Event>) {
    let mut said = vec![json!({"type": "message_start", "message": envelope(answer)})];
    for (index, part) in answer.parts.iter().enumerate() {
        said.push(json!({"type": "content_block_start", "index": index, "content_block": opened(answer, index, part)}));
        said.extend(
            deltas(part).into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        said.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = [
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason(answer), "stop_sequence": null},
            "usage": {"output_tokens": OUTPUT_TOKENS},
        }),
        json!({"type": "message_stop"}),
    ];
    (
        said.iter().map(Event::typed).collect(),
        end.iter().map(Event::typed).collect(),
    )
}

fn envelope(answer: &Answer<'_>) -> Value {
    json!({
        "id": answer.id("msg"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "output_tokens": OUTPUT_TOKENS,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": CACHED_TOKENS,
        },
    })
}

fn stop_reason(answer: &Answer<'_>) -> &'static str {
    if answer.has_calls() {
        "tool_use"
    } else {
        "end_turn"
    }
}

fn block(answer: &Answer<'_>, index: usize, part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call { tool, arguments } => json!({
            "type": "tool_use", "id": answer.part_id("toolu", index), "name": tool, "input": arguments,
        }),
    }
}

/// A block as a stream opens it: without what its deltas bring.
fn opened(answer: &Answer<'_>, index: usize, part: &Part) -> Value {
    let mut empty = block(answer, index, part);
    match part {
        Part::Text(_) => empty["text"] = json!(""),
        Part::Call { .. } => empty["input"] = json!({}),
    }
    empty
}

fn deltas(part: &Part) -> Vec<Value> {
    match part {
        Part::Text(text) => pieces(text)
            .iter()
            .map(|piece| json!({"type": "text_delta", "text": piece}))
            .collect(),
        Part::Call { arguments, .. } => pieces(&arguments.to_string())
            .iter()
            .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
            .collect(),
    }
}
