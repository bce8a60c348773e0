//! The agent's own requests: questions, files through the client, whatever else a script wants, and their answers.

use serde_json::{Value, json};

use super::Stop;
use super::deeds::resolved;
use super::parse::Command;
use super::play::{Player, number, word};
use super::scope::shown;
use super::talk::merge;

impl Player {
    pub(super) fn request(&mut self, command: &Command) -> Result<(), Stop> {
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
