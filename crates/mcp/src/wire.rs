//! How an answer and a refusal look on the wire: structured content and the same JSON as text, or `isError` with the
//! tool's name before the message and the stable code beside it.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, MetaObject, Tool as WireTool, ToolAnnotations,
};
use serde_json::{Value, json};
use taffrail_domain::ErrorCode;

use crate::catalog::Tool;
use crate::host::Failure;
use crate::names::Names;
use crate::refusal::Words;

/// Where the stable code of a refusal stands in `_meta`.
pub(crate) const CODE_KEY: &str = "taffrail/code";

/// What stands before a hint, on a line of its own.
pub(crate) const HINT: &str = "\nhint: ";

/// A tool's answer.
pub(crate) fn answer(tool: &Tool, value: Value, words: Words) -> CallToolResult {
    let compact = value.to_string().len();
    if compact > tool.answer_limit {
        return failure(tool.name, &too_large(compact, tool.answer_limit), words);
    }
    success(value)
}

/// A value, as structured content and as text.
pub(crate) fn success(value: Value) -> CallToolResult {
    let pretty = format!("{value:#}");
    let mut result = CallToolResult::success(vec![ContentBlock::text(pretty)]);
    result.structured_content = Some(value);
    result
}

/// What each slate tool answers over HTTP: a value, not an error (XSL-02).
pub(crate) fn denied() -> CallToolResult {
    success(json!({"code": ErrorCode::SlateTransportDenied.row().name}))
}

/// A refusal, in words that a model can act on.
pub(crate) fn failure(tool: &str, failure: &Failure, words: Words) -> CallToolResult {
    let row = failure.code.row();
    let mut text = words.message(&format!("{tool}: {}", failure.message));
    let hint = failure.hint.as_deref().unwrap_or(row.hint);
    if !hint.is_empty() {
        text.push_str(HINT);
        text.push_str(&words.message(hint));
    }
    let mut meta = MetaObject::new();
    meta.insert(CODE_KEY.to_owned(), row.name.into());
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

fn too_large(bytes: usize, limit: usize) -> Failure {
    Failure {
        code: ErrorCode::ToolArgument,
        message: format!("the answer has {bytes} bytes, more than the limit of {limit}"),
        hint: Some("ask for less: a smaller limit, or a narrower query".to_owned()),
    }
}

/// A tool as the SDK lists it.
pub(crate) fn listed(tool: &Tool, names: Names) -> WireTool {
    let info = tool.info(names);
    let hints = info.annotations;
    let mut wire = WireTool::new(info.name, info.description, object(info.input_schema));
    wire.title = Some(info.title);
    wire.output_schema = info.output_schema.map(object);
    wire.annotations = Some(
        ToolAnnotations::with_title(tool.title)
            .read_only(hints.read_only_hint)
            .destructive(hints.destructive_hint)
            .idempotent(hints.idempotent_hint)
            .open_world(hints.open_world_hint),
    );
    wire
}

fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(match schema {
        Value::Object(keys) => keys,
        _ => JsonObject::new(),
    })
}
