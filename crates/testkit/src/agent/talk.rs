//! The verbs of the protocol: what is waited for, answered, told and asked.

use serde_json::{Value, json};

use super::Stop;
use super::parse::Command;
use super::play::Player;

impl Player {
    pub(super) fn talk(&mut self, command: &Command) -> Result<(), Stop> {
        match command.verb.as_str() {
            "expect" => self.expect(&self.text(command, 0)?, command.into.as_deref()),
            "expect-cancel" => self.expect("session/cancel", command.into.as_deref()),
            "expect-end" => self.port.wait_for_end(),
            "auto" => {
                let (method, result) = (self.text(command, 0)?, self.value(command, 1)?);
                self.port.auto(&method, result);
                Ok(())
            }
            "open" => self.open(command),
            "answer" => self.answer(&json!({"result": self.value(command, 0)?})),
            "fail" => self.fail(command),
            "end" => self.end(command),
            "next-id" => {
                self.next_id = Some(self.value(command, 0)?);
                Ok(())
            }
            "notify" => {
                let (method, params) = (self.text(command, 0)?, self.value(command, 1)?);
                self.notify(&method, &params)
            }
            "update" => self.update(&self.value(command, 0)?),
            "update-for" => {
                let (session, update) = (self.value(command, 0)?, self.value(command, 1)?);
                let params = json!({"sessionId": session, "update": update});
                self.notify("session/update", &params)
            }
            "say" => self.chunk("agent_message_chunk", &self.text(command, 0)?),
            "think" => self.chunk("agent_thought_chunk", &self.text(command, 0)?),
            "result" => self.document(&self.value(command, 0)?),
            "done" => self.done(command),
            _ => self.request(command),
        }
    }

    /// Waits for a request or a notification of `method`; its id, session and folder are the script's from then on.
    pub(super) fn expect(&mut self, method: &str, into: Option<&str>) -> Result<(), Stop> {
        self.port.not_auto(method);
        let message = self
            .port
            .wait(|message| message.get("method").and_then(Value::as_str) == Some(method))?;
        let params = message.get("params").cloned().unwrap_or(Value::Null);
        if let Some(id) = message.get("id") {
            self.requests.insert(method.to_owned(), id.clone());
            self.scope.set("id", id.clone());
        }
        for (field, name) in [("cwd", "cwd"), ("mcpServers", "mcpServers")] {
            if let Some(value) = params.get(field) {
                self.scope.set(name, value.clone());
            }
        }
        if method == "session/prompt" {
            self.scope.set("sessionId", params["sessionId"].clone());
        }
        self.scope.set("params", params.clone());
        if let Some(name) = into {
            self.scope.set(name, params);
        }
        Ok(())
    }

    /// Everything up to the first prompt, with the given capabilities.
    fn open(&mut self, command: &Command) -> Result<(), Stop> {
        let capabilities = match command.words.first() {
            Some(word) => self.scope.value(word)?,
            None => json!({}),
        };
        self.expect("initialize", None)?;
        let info = json!({"name": "fake", "version": "1.0.0"});
        self.answer(&json!({"result": {
            "protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities,
        }}))?;
        self.expect("session/new", None)?;
        self.answer(&json!({"result": {"sessionId": "s1"}}))?;
        self.expect("session/prompt", None)
    }

    /// Answers the newest request of the client.
    fn answer(&mut self, outcome: &Value) -> Result<(), Stop> {
        let id = self.scope.get("id")?;
        if let Some(session) = outcome.pointer("/result/sessionId") {
            self.scope.set("sessionId", session.clone());
        }
        self.reply(&id, outcome)
    }

    fn reply(&mut self, id: &Value, outcome: &Value) -> Result<(), Stop> {
        let mut message = json!({"jsonrpc": "2.0", "id": id});
        merge(&mut message, outcome);
        self.port.frame(&message)
    }

    fn fail(&mut self, command: &Command) -> Result<(), Stop> {
        let mut error = json!({"code": self.value(command, 0)?});
        for (at, key) in [(1, "message"), (2, "data")] {
            if let Some(word) = command.words.get(at) {
                error[key] = self.scope.value(word)?;
            }
        }
        self.answer(&json!({"error": error}))
    }

    /// Answers the prompt, whatever was answered since.
    fn end(&mut self, command: &Command) -> Result<(), Stop> {
        let mut result = json!({"stopReason": self.value(command, 0)?});
        if let Some(more) = command.words.get(1) {
            merge(&mut result, &self.scope.value(more)?);
        }
        let id = self.requests.get("session/prompt").cloned();
        let id = id.ok_or_else(|| "no prompt to answer".to_owned())?;
        self.reply(&id, &json!({"result": result}))
    }

    fn done(&mut self, command: &Command) -> Result<(), Stop> {
        let summary = match command.words.first() {
            Some(word) => self.scope.text(word)?,
            None => "ok".to_owned(),
        };
        self.document(&json!({"status": "DONE", "summary": summary}))?;
        let id = self.requests.get("session/prompt").cloned();
        let id = id.ok_or_else(|| "no prompt to answer".to_owned())?;
        self.reply(&id, &json!({"result": {"stopReason": "end_turn"}}))
    }

    fn document(&mut self, document: &Value) -> Result<(), Stop> {
        self.chunk(
            "agent_message_chunk",
            &format!("```json\n{document}\n```\n"),
        )
    }

    pub(super) fn chunk(&mut self, kind: &str, text: &str) -> Result<(), Stop> {
        self.update(&json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}))
    }

    pub(super) fn update(&mut self, update: &Value) -> Result<(), Stop> {
        let session = self.scope.get("sessionId")?;
        let params = json!({"sessionId": session, "update": update});
        self.notify("session/update", &params)
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<(), Stop> {
        self.port
            .frame(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }
}

/// Adds the fields of `from` to those of `into`.
pub(super) fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}
