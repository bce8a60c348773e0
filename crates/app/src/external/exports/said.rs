//! `context.jsonl` and `archive.jsonl`: what was said and done, one JSON object a line, in the order in which it was recorded.

use std::io::Write;
use std::iter::Peekable;

use serde::Serialize;
use serde_json::Value;
use taffrail_domain::RunId;
use taffrail_redact::Redactor;
use taffrail_store::{MessageRole, MessageRow, StoreError, ToolCallRow};

use super::pages;
use crate::external::text::when;
use crate::{App, AppError};

/// Bytes of an output that a model would be sent again; the archive has as much as is on record.
const PACKED: usize = 2 << 10;

/// One line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    role: &'static str,
    content: String,
    /// When it was recorded: the time of its row, not of this file.
    ts: String,
    /// `message`, or `thought`, which is no answer.
    kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    /// The content is the beginning of what is on record.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    packed: bool,
}

/// A tool call, as the agent described it.
#[derive(Debug, Serialize)]
struct Call {
    id: String,
    name: String,
    arguments: Value,
}

/// What a model would be sent to go on.
pub(super) fn context(app: &App, run: &RunId, out: &mut dyn Write) -> Result<(), AppError> {
    each(app, run, &mut |item| {
        let item = item?;
        if matches!(&item, Item::Message(row) if row.role == MessageRole::Thought) {
            return Ok(());
        }
        lines(&app.redactor, item, PACKED, out)
    })
}

/// Everything that is on record.
pub(super) fn archive(app: &App, run: &RunId, out: &mut dyn Write) -> Result<(), AppError> {
    each(app, run, &mut |item| {
        lines(&app.redactor, item?, usize::MAX, out)
    })
}

/// Something said or done.
enum Item {
    Message(MessageRow),
    Call(ToolCallRow),
}

/// Messages and tool calls, each in their own order, side by side by their times.
fn each(
    app: &App,
    run: &RunId,
    visit: &mut dyn FnMut(Result<Item, StoreError>) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let mut messages = pages::messages(&app.store, *run).peekable();
    let mut calls = pages::tool_calls(&app.store, *run).peekable();
    loop {
        let next = if is_call_next(&mut messages, &mut calls) {
            calls.next().map(|call| call.map(Item::Call))
        } else {
            messages.next().map(|message| message.map(Item::Message))
        };
        match next {
            Some(item) => visit(item)?,
            None => return Ok(()),
        }
    }
}

/// A prompt comes before the calls of its turn, and an answer after them, also where all happened in one millisecond.
fn is_call_next(
    messages: &mut Peekable<impl Iterator<Item = Result<MessageRow, StoreError>>>,
    calls: &mut Peekable<impl Iterator<Item = Result<ToolCallRow, StoreError>>>,
) -> bool {
    match (messages.peek(), calls.peek()) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(Ok(message)), Some(Ok(call))) if message.role == MessageRole::User => {
            call.first_at < message.at
        }
        (Some(Ok(message)), Some(Ok(call))) => call.first_at <= message.at,
        (Some(_), Some(error)) => error.is_err(),
    }
}

fn lines(
    redactor: &Redactor,
    item: Item,
    limit: usize,
    out: &mut dyn Write,
) -> Result<(), AppError> {
    match item {
        Item::Message(row) => line(&message(redactor, &row), out),
        Item::Call(row) => {
            let [called, came] = call(redactor, row, limit);
            line(&called, out)?;
            line(&came, out)
        }
    }
}

fn line(line: &Line, out: &mut dyn Write) -> Result<(), AppError> {
    serde_json::to_writer(&mut *out, line)
        .map_err(std::io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .map_err(AppError::Output)
}

fn message(redactor: &Redactor, row: &MessageRow) -> Line {
    let (role, kind) = match row.role {
        MessageRole::User => ("user", "message"),
        MessageRole::Assistant => ("assistant", "message"),
        MessageRole::Thought => ("assistant", "thought"),
    };
    Line {
        role,
        content: redactor.clean(&row.text).into_string(),
        ts: when(row.at),
        kind,
        tool_calls: Vec::new(),
        tool_call_id: None,
        is_error: None,
        packed: false,
    }
}

/// The call, and what came of it.
fn call(redactor: &Redactor, row: ToolCallRow, limit: usize) -> [Line; 2] {
    let id = redactor.clean(&row.call).into_string();
    let name = row.title.or(row.kind).unwrap_or_default();
    let called = Call {
        id: id.clone(),
        name: redactor.clean(&name).into_string(),
        arguments: row
            .input
            .map_or(Value::Null, |input| super::lists::json(redactor, &input)),
    };
    let output = redactor.clean(&row.output.unwrap_or_default());
    let packed = output.as_str().len() > limit;
    let called = Line {
        role: "assistant",
        content: String::new(),
        ts: when(row.first_at),
        kind: "message",
        tool_calls: vec![called],
        tool_call_id: None,
        is_error: None,
        packed: false,
    };
    let came = Line {
        role: "tool",
        content: if packed { output.cut(limit) } else { output }.into_string(),
        ts: when(row.last_at),
        kind: "message",
        tool_calls: Vec::new(),
        tool_call_id: Some(id),
        is_error: row.status.map(|status| status == "failed"),
        packed,
    };
    [called, came]
}
