//! OpenAI's `chat/completions`.

use serde_json::{Value, json};

use super::{Answer, CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, pieces};
use crate::model::conversation::{Conversation, Message, Part, field, items, plain_text};
use crate::model::http::Event;
use crate::model::tools::Tool;

pub(super) fn conversation(body: &Value) -> Conversation {
    let messages = items(body, "messages").iter().map(message).collect();
    let tools = items(body, "tools").iter().filter_map(tool).collect();
    let schema = body.pointer("/response_format/json_schema/schema").cloned();
    Conversation::new(messages, tools, body).with_schema(schema)
}

fn message(one: &Value) -> Message {
    let role = field(one, "role");
    Message {
        user: (role == "user").then(|| plain_text(one.get("content").unwrap_or(&Value::Null))),
        results: usize::from(role == "tool"),
    }
}

fn tool(declared: &Value) -> Option<Tool> {
    let function = declared.get("function")?;
    let schema = function.get("parameters").cloned().unwrap_or_default();
    Some(Tool {
        name: field(function, "name").to_owned(),
        schema,
    })
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let calls: Vec<Value> = calls(answer).collect();
    let mut message = json!({"role": "assistant", "content": answer.text()});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(answer)});
    let mut body = envelope(answer, "chat.completion", &json!([choice]));
    body["usage"] = usage();
    body
}

pub(super) fn events(answer: &Answer<'_>) -> (Vec<Event>, Vec<Event>) {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        envelope(answer, "chat.completion.chunk", &json!([choice]))
    };
    let mut said = vec![chunk(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    for part in answer.parts {
        if let Part::Text(text) = part {
            said.extend(
                pieces(text)
                    .iter()
                    .map(|piece| chunk(json!({"content": piece}), Value::Null)),
            );
        }
    }
    for (index, mut call) in calls(answer).enumerate() {
        call["index"] = json!(index);
        said.push(chunk(json!({"tool_calls": [call]}), Value::Null));
    }
    let mut last = envelope(answer, "chat.completion.chunk", &json!([]));
    last["usage"] = usage();
    let end = vec![
        Event::unnamed(&chunk(json!({}), json!(finish_reason(answer)))),
        Event::unnamed(&last),
        Event {
            name: None,
            data: "[DONE]".to_owned(),
        },
    ];
    (said.iter().map(Event::unnamed).collect(), end)
}

fn envelope(answer: &Answer<'_>, object: &str, choices: &Value) -> Value {
    json!({
        "id": answer.id("chatcmpl"),
        "object": object,
        "created": 1,
        "model": answer.model,
        "choices": choices,
    })
}

fn calls<'a>(answer: &'a Answer<'_>) -> impl Iterator<Item = Value> + 'a {
    answer
        .parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| match part {
            Part::Text(_) => None,
            Part::Call { tool, arguments } => Some(json!({
                "id": answer.part_id("call", index),
                "type": "function",
                "function": {"name": tool, "arguments": arguments.to_string()},
            })),
        })
}

fn finish_reason(answer: &Answer<'_>) -> &'static str {
    if answer.has_calls() {
        "tool_calls"
    } else {
        "stop"
    }
}

fn usage() -> Value {
    json!({
        "prompt_tokens": INPUT_TOKENS,
        "completion_tokens": OUTPUT_TOKENS,
        "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
    })
}
