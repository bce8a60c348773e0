//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::{Answer, CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, pieces};
use crate::model::conversation::{Conversation, Message, Part, field, items, plain_text};
use crate::model::http::Event;
use crate::model::tools::Tool;

pub(super) fn conversation(body: &Value) -> Conversation {
    let messages = items(body, "contents").iter().map(message).collect();
    let tools = items(body, "tools")
        .iter()
        .flat_map(|group| items(group, "functionDeclarations"))
        .map(tool)
        .collect();
    let schema = body.get("generationConfig").and_then(|config| {
        let json = field(config, "responseMimeType") == "application/json";
        let schema = config
            .get("responseJsonSchema")
            .or_else(|| config.get("responseSchema"));
        json.then(|| schema.cloned().unwrap_or_else(|| json!({"type": "object"})))
    });
    Conversation::new(messages, tools, body).with_schema(schema)
}

fn message(content: &Value) -> Message {
    let parts = items(content, "parts");
    Message {
        user: (field(content, "role") != "model").then(|| plain_text(&json!(parts))),
        results: parts
            .iter()
            .filter(|part| part.get("functionResponse").is_some())
            .count(),
    }
}

fn tool(declared: &Value) -> Tool {
    let schema = declared
        .get("parametersJsonSchema")
        .or_else(|| declared.get("parameters"));
    Tool {
        name: field(declared, "name").to_owned(),
        schema: schema.cloned().unwrap_or_default(),
    }
}

pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let parts: Vec<Value> = answer
        .parts
        .iter()
        .enumerate()
        .map(|(index, said)| part(answer, index, said))
        .collect();
    finished(answer, &json!(parts))
}

pub(super) fn events(answer: &Answer<'_>) -> (Vec<Event>, Vec<Event>) {
    let mut said = Vec::new();
    for (index, one) in answer.parts.iter().enumerate() {
        match one {
            Part::Text(text) => {
                said.extend(
                    pieces(text)
                        .iter()
                        .map(|piece| chunk(answer, &json!([{"text": piece}]))),
                );
            }
            Part::Call { .. } => said.push(chunk(answer, &json!([part(answer, index, one)]))),
        }
    }
    let last = finished(answer, &json!([{"text": ""}]));
    (
        said.iter().map(Event::unnamed).collect(),
        vec![Event::unnamed(&last)],
    )
}

fn part(answer: &Answer<'_>, index: usize, said: &Part) -> Value {
    match said {
        Part::Text(text) => json!({"text": text}),
        Part::Call { tool, arguments } => {
            let id = answer.part_id("call", index);
            json!({"functionCall": {"id": id, "name": tool, "args": arguments}})
        }
    }
}

fn chunk(answer: &Answer<'_>, parts: &Value) -> Value {
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}],
        "modelVersion": answer.model,
        "responseId": answer.id("answer"),
    })
}

fn finished(answer: &Answer<'_>, parts: &Value) -> Value {
    let mut last = chunk(answer, parts);
    last["candidates"][0]["finishReason"] = json!("STOP");
    last["usageMetadata"] = json!({
        "promptTokenCount": INPUT_TOKENS,
        "candidatesTokenCount": OUTPUT_TOKENS,
        "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        "cachedContentTokenCount": CACHED_TOKENS,
    });
    last
}
