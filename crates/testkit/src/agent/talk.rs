//! The verbs of the protocol: what is waited for, answered, told and asked.

use serde_json::{Value, json};

use super::Stop;
use super::deeds::resolved;
use super::parse::Command;
use super::play::{Player, number, word};
use super::scope::shown;

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

    fn request(&mut self, command: &Command) -> Result<(), Stop> {
        let name = || -> Result<String, Stop> { self.text(command, 0) };
        match command.verb.as_str() {
            "ask" | "ask-later" => {
                let (name, params) = (name()?, self.value(command, 1)?);
                self.ask(&name, params)?;
                self.unless_later(command, &name)
            }
            "ask-edit" | "ask-run" => {
                let name = name()?;
                let params = self.question(command, &name)?;
                self.ask(&name, params)?;
                self.answered(&name)
            }
            "await" => {
                let name = name()?;
                self.answered(&name)
            }
            "call" => {
                let name = command.into.clone().unwrap_or_else(|| "call".to_owned());
                let (method, params) = (self.text(command, 0)?, self.value(command, 1)?);
                self.send(&name, &method, &params, Value::Null)?;
                self.answered(&name)
            }
            "call-later" => {
                let (method, params) = (self.text(command, 1)?, self.value(command, 2)?);
                let name = name()?;
                self.send(&name, &method, &params, Value::Null)
            }
            "read" => self.read(command),
            "write" => self.write(command),
            other => Err(format!("not played: {other}").into()),
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

    /// `session/request_permission`; session and options are filled in where the script leaves them out.
    fn ask(&mut self, name: &str, mut params: Value) -> Result<(), Stop> {
        if params.get("sessionId").is_none() {
            params["sessionId"] = self.scope.get("sessionId")?;
        }
        if params.get("options").is_none() {
            params["options"] = usual_options();
        }
        let options = params["options"].clone();
        self.send(name, "session/request_permission", &params, options)
    }

    /// The question of `ask-edit NAME PATH NEW [OLD]` and of `ask-run NAME COMMAND`.
    fn question(&self, command: &Command, name: &str) -> Result<Value, Stop> {
        if command.verb == "ask-run" {
            let line = self.text(command, 1)?;
            return Ok(json!({"toolCall": {
                "toolCallId": name, "kind": "execute", "title": line, "status": "pending",
                "rawInput": {"command": line},
            }}));
        }
        let path = resolved(self, &self.text(command, 1)?);
        let old = match command.words.get(3) {
            Some(word) => self.scope.text(word)?.into(),
            None => Value::Null,
        };
        Ok(json!({"toolCall": {
            "toolCallId": name, "kind": "edit", "title": format!("Edit {}", path.display()),
            "status": "pending", "locations": [{"path": path}],
            "content": [{"type": "diff", "path": path, "oldText": old, "newText": self.text(command, 2)?}],
        }}))
    }

    fn unless_later(&mut self, command: &Command, name: &str) -> Result<(), Stop> {
        match command.verb.ends_with("-later") {
            true => Ok(()),
            false => self.answered(name),
        }
    }

    /// A request of the agent, remembered as `name` until its answer is taken.
    fn send(
        &mut self,
        name: &str,
        method: &str,
        params: &Value,
        options: Value,
    ) -> Result<(), Stop> {
        self.counter += 1;
        let id = self.next_id.take().unwrap_or(self.counter.into());
        self.asked.insert(name.to_owned(), (id.clone(), options));
        self.port
            .frame(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Takes the answer of the request `name`: `${name.outcome}` is `allow`, `reject`, `cancelled`, `other` for a question,
    /// `served` for all else, and `error`.
    fn answered(&mut self, name: &str) -> Result<(), Stop> {
        let asked = self.asked.remove(name);
        let (id, options) = asked.ok_or_else(|| format!("nothing was asked as {name}"))?;
        let message = self
            .port
            .wait(|message| message.get("method").is_none() && message.get("id") == Some(&id))?;
        let mut kept = json!({"outcome": outcome(&message, &options)});
        merge(&mut kept, &message);
        self.scope.set(name, kept);
        self.last = name.to_owned();
        self.taken = false;
        Ok(())
    }

    /// `read PATH [LINE [LIMIT]] -> NAME`: `${NAME}` is the answer, `${NAME.result.content}` the text.
    fn read(&mut self, command: &Command) -> Result<(), Stop> {
        let name = command.into.clone().unwrap_or_else(|| "read".to_owned());
        let path = resolved(self, &self.text(command, 0)?);
        let mut params = json!({"sessionId": self.scope.get("sessionId")?, "path": path});
        for (at, key) in [(1, "line"), (2, "limit")] {
            if let Some(word) = command.words.get(at) {
                params[key] = number::<i64>(&self.scope.text(word)?)?.into();
            }
        }
        self.send(&name, "fs/read_text_file", &params, Value::Null)?;
        self.answered(&name)
    }

    fn write(&mut self, command: &Command) -> Result<(), Stop> {
        let name = command.into.clone().unwrap_or_else(|| "write".to_owned());
        let path = resolved(self, &self.text(command, 0)?);
        let content = shown(&self.scope.value(word(command, 1)?)?);
        let session = self.scope.get("sessionId")?;
        let params = json!({"sessionId": session, "path": path, "content": content});
        self.send(&name, "fs/write_text_file", &params, Value::Null)?;
        self.answered(&name)
    }
}

fn usual_options() -> Value {
    json!([
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ])
}

fn outcome(message: &Value, options: &Value) -> &'static str {
    if message.get("error").is_some() {
        return "error";
    }
    let Some(options) = options.as_array() else {
        return "served";
    };
    let answer = &message["result"]["outcome"];
    if answer["outcome"] == "cancelled" {
        return "cancelled";
    }
    let chosen = options
        .iter()
        .find(|option| option["optionId"] == answer["optionId"]);
    match chosen.and_then(|option| option["kind"].as_str()) {
        Some(kind) if kind.starts_with("allow") => "allow",
        Some(kind) if kind.starts_with("reject") => "reject",
        _ => "other",
    }
}

fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}
