//! Plays a recorded conversation as the agent: lines of `{t, dir, msg}` with `a2c` to send, `c2a` to wait for, `stderr`
//! and `a2c-raw` to write. The client under test is not the one of the record, so it is followed loosely: its requests
//! by method, its answers by the agent's own ids. Times are not kept.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Stop;
use super::port::Port;

/// What the agent answers to requests of which the record knows nothing.
const UNRECORDED: &[&str] = &[
    "authenticate",
    "session/set_mode",
    "session/set_config_option",
    "session/close",
];

/// What every client sends sooner or later: these alone are waited for.
const CERTAIN: &[&str] = &["initialize", "session/new", "session/prompt"];

struct Line {
    direction: String,
    message: Value,
}

/// Plays the record `text` to its end, then answers what still comes until the end of input.
///
/// # Errors
/// How it ended, when it ended earlier; a record that is none.
pub(super) fn play(port: Port, text: &str) -> Result<(), Stop> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(at, line)| parsed(line).ok_or_else(|| format!("no record at line {}", at + 1)))
        .collect::<Result<Vec<Line>, String>>()?;
    let mut playback = Playback {
        port,
        ids: BTreeMap::new(),
        folder: None,
        left_out: Vec::new(),
    };
    playback.play(&lines)?;
    playback.go_on()
}

fn parsed(line: &str) -> Option<Line> {
    let value: Value = serde_json::from_str(line).ok()?;
    let message = value.get("msg")?.clone();
    // Our own record keeps a frame as text, the recorder's as JSON.
    let message = match message.as_str().map(serde_json::from_str) {
        Some(Ok(parsed @ Value::Object(_))) => parsed,
        _ => message,
    };
    Some(Line {
        direction: value.get("dir")?.as_str()?.to_owned(),
        message,
    })
}

struct Playback {
    port: Port,
    /// The record's id of a request of its client, and that of ours.
    ids: BTreeMap<String, Value>,
    /// The record's folder, and ours.
    folder: Option<(String, String)>,
    /// Ids of the record's client whose requests ours did not send: their answers are not sent.
    left_out: Vec<String>,
}

impl Playback {
    fn play(&mut self, lines: &[Line]) -> Result<(), Stop> {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            match line.direction.as_str() {
                "a2c" => self.send(&line.message)?,
                "c2a" => at += self.follow(&line.message, lines.get(at..).unwrap_or_default())?,
                "stderr" => self.port.stderr(&with_newline(&line.message))?,
                "a2c-raw" => self.port.raw(&with_newline(&line.message))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, message: &Value) -> Result<(), Stop> {
        let mut message = self.moved(message);
        let is_answer = message.get("method").is_none();
        if is_answer && let Some(id) = message.get("id") {
            let id = id.to_string();
            if self.left_out.contains(&id) {
                return Ok(());
            }
            if let Some(ours) = self.ids.get(&id) {
                message["id"] = ours.clone();
            }
        }
        self.port.frame(&message)
    }

    /// Waits for what the record's client sent. The number of lines of `rest` to leave out, where ours has gone on to
    /// something later.
    fn follow(&mut self, recorded: &Value, rest: &[Line]) -> Result<usize, Stop> {
        let id = recorded.get("id").cloned().unwrap_or_default();
        match recorded.get("method").and_then(Value::as_str) {
            None => {
                self.port.wait(|message| {
                    message.get("method").is_none() && message.get("id") == Some(&id)
                })?;
                Ok(0)
            }
            // Cancelled by whoever drove the record; nobody does here.
            Some(_) if recorded.get("id").is_none() => Ok(0),
            Some(method) if comes_up(method, rest) => self.request(recorded, method, &id, rest),
            Some(_) => {
                self.left_out.push(id.to_string());
                Ok(0)
            }
        }
    }

    fn request(
        &mut self,
        recorded: &Value,
        method: &str,
        id: &Value,
        rest: &[Line],
    ) -> Result<usize, Stop> {
        loop {
            let message = self
                .port
                .wait(|message| message.get("method").is_some() && message.get("id").is_some())?;
            let came = message["method"].as_str().unwrap_or_default();
            if came == method {
                self.matched(recorded, &message, id);
                return Ok(0);
            }
            if let Some(ahead) = rest.iter().position(|line| is_request(line, came)) {
                let later = rest.get(ahead).map(|line| line.message.clone());
                let later = later.unwrap_or_default();
                self.left_out.push(id.to_string());
                self.matched(&later, &message, &later["id"]);
                return Ok(ahead + 1);
            }
            self.unrecorded(&message)?;
        }
    }

    /// Behind the record: requests that ours sends are answered, another prompt with the end of its turn.
    fn go_on(&mut self) -> Result<(), Stop> {
        loop {
            let message = self
                .port
                .wait(|message| message.get("method").is_some() && message.get("id").is_some())?;
            self.unrecorded(&message)?;
        }
    }

    fn unrecorded(&mut self, message: &Value) -> Result<(), Stop> {
        let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
        match message["method"].as_str().unwrap_or_default() {
            "session/prompt" => answer["result"] = json!({"stopReason": "end_turn"}),
            came if UNRECORDED.contains(&came) => answer["result"] = json!({}),
            _ => answer["error"] = json!({"code": -32601, "message": "Method not found"}),
        }
        self.port.frame(&answer)
    }

    fn matched(&mut self, recorded: &Value, message: &Value, id: &Value) {
        self.ids.insert(id.to_string(), message["id"].clone());
        let cwd = |message: &Value| Some(message.pointer("/params/cwd")?.as_str()?.to_owned());
        if let (Some(theirs), Some(ours)) = (cwd(recorded), cwd(message)) {
            self.folder = Some((theirs, ours));
        }
    }

    /// The message with the record's folder replaced by ours.
    fn moved(&self, message: &Value) -> Value {
        match (message, &self.folder) {
            (Value::String(text), Some((theirs, ours))) => text.replace(theirs, ours).into(),
            (Value::Array(items), _) => items.iter().map(|item| self.moved(item)).collect(),
            (Value::Object(fields), _) => fields
                .iter()
                .map(|(key, value)| (key.clone(), self.moved(value)))
                .collect(),
            _ => message.clone(),
        }
    }
}

/// Whether ours can be waited for here: it surely sends `method`, or it surely sends something later than that, by which
/// it is seen that it does not.
fn comes_up(method: &str, rest: &[Line]) -> bool {
    CERTAIN.contains(&method)
        || rest
            .iter()
            .any(|line| is_request(line, "session/new") || is_request(line, "session/prompt"))
}

fn is_request(line: &Line, method: &str) -> bool {
    line.direction == "c2a"
        && line.message.get("id").is_some()
        && line.message["method"].as_str() == Some(method)
}

fn with_newline(message: &Value) -> Vec<u8> {
    let mut text = match message.as_str() {
        Some(text) => text.to_owned(),
        None => message.to_string(),
    };
    text.push('\n');
    text.into_bytes()
}
