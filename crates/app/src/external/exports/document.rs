//! `acp-run.json`: the record of a run, with the names that other programs know it by.

use std::io::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use taffrail_domain::{ChangeState, Ended, RunId};
use taffrail_store::{AgentRunRow, Captured, RunRow};

use super::lists::{self, List, Sort};
use super::pages;
use crate::boxes::view::Folders;
use crate::external::text::when;
use crate::{App, AppError};

/// The version of the form of this document.
const VERSION: u32 = 1;
/// What stands where nobody reported anything: never a number.
const MISSING: &str = "missing";

/// The record of one run; its lists are read while it is written.
pub struct Document<'a> {
    app: &'a App,
    pub(in crate::external) row: RunRow,
    pub(in crate::external) agent: AgentRunRow,
    pub(in crate::external) change: Option<Captured>,
    unseen: Value,
}

impl<'a> Document<'a> {
    /// The record of a run.
    ///
    /// # Errors
    /// `NotFound` where no agent is on record for the run; what the store can give.
    pub fn of(app: &'a App, run: &RunId) -> Result<Self, AppError> {
        let row = app.store.run(run)?;
        let agent = app.store.agent_run(run)?;
        let agent = agent.ok_or_else(|| super::no_agent(&run.short()))?;
        let change = app.store.captured(run)?;
        let unseen = match &agent.unseen {
            Some(unseen) => lists::json(&app.redactor, unseen),
            None => super::unseen::of(app, &row, change.as_ref())?,
        };
        Ok(Self {
            app,
            row,
            agent,
            change,
            unseen,
        })
    }

    /// Writes it for people and programs: two spaces per level, a line at the end.
    pub(super) fn write(&self, out: &mut dyn Write) -> Result<(), AppError> {
        serde_json::to_writer_pretty(&mut *out, self)
            .map_err(std::io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(AppError::Output)
    }

    fn text(&self, text: &str) -> String {
        lists::text(&self.app.redactor, text)
    }

    fn json(&self, json: &str) -> Value {
        lists::json(&self.app.redactor, json)
    }

    fn reported(&self, json: Option<&String>) -> Value {
        json.map_or_else(|| Value::from(MISSING), |json| self.json(json))
    }

    /// What is said only where there is something to say.
    fn maybe(&self) -> [(&'static str, Option<Value>); 20] {
        let (row, agent) = (&self.row, &self.agent);
        let text = |found: &Option<String>| found.as_ref().map(|found| self.text(found).into());
        let json = |found: &Option<String>| found.as_ref().map(|found| self.json(found));
        [
            ("protocolVersion", agent.protocol.map(Value::from)),
            ("versionFound", text(&agent.version_found)),
            ("agentCapabilities", json(&agent.agent_capabilities)),
            ("agentMode", self.agent_mode()),
            ("model", text(&agent.model)),
            (
                "embeddedContextSent",
                agent.embedded_context.map(Value::from),
            ),
            ("base", row.base.as_ref().map(|base| base.as_str().into())),
            ("stopReason", text(&agent.stop_reason)),
            ("reason", text(&row.reason)),
            ("endDetail", text(&agent.end_detail)),
            ("exit", row.ended.map(exit)),
            ("killReason", text(&agent.killed)),
            ("result", json(&agent.result)),
            ("resultVerdict", text(&agent.result_verdict)),
            ("partial", text(&agent.partial)),
            ("sessionId", text(&agent.agent_session)),
            ("change", self.changed()),
            ("patchArtifact", self.patch()),
            ("startedAt", row.times.started.map(when).map(Value::from)),
            ("endedAt", row.times.ended.map(when).map(Value::from)),
        ]
    }

    fn always(&self) -> [(&'static str, Value); 29] {
        let (row, agent) = (&self.row, &self.agent);
        let path = |path: &std::path::Path| self.text(&path.to_string_lossy());
        // Where the agent stands: what else lies in the folder of the run is not its to see.
        let tree = Folders::of(&self.app.home, &row.id).tree;
        [
            ("schemaVersion", VERSION.into()),
            ("runId", row.id.short().into()),
            ("agentId", self.text(&agent.agent).into()),
            ("provider", self.text(&agent.provider).into()),
            ("transport", "acp".into()),
            ("argv", self.json(&agent.argv)),
            ("worktreePath", path(&tree).into()),
            ("projectPath", path(&row.project.root).into()),
            ("agentInfo", self.agent_info()),
            ("task", self.text(&agent.task).into()),
            ("prompt", self.prompt()),
            ("mode", self.mode()),
            ("unattended", agent.unattended.into()),
            ("mayWrite", agent.may_write.into()),
            ("grant", agent.grant.name().into()),
            ("clientCapabilities", self.json(&agent.client_capabilities)),
            ("context", self.json(&agent.mcp)),
            ("sandbox", self.reported(row.enforcement.as_ref())),
            ("usage", self.reported(agent.usage.as_ref())),
            ("cost", self.reported(agent.cost.as_ref())),
            ("status", row.status.name().into()),
            ("repairAsked", agent.repair_asked.into()),
            ("cancelSent", agent.cancel_sent.into()),
            ("killed", agent.killed.is_some().into()),
            ("frames", self.frames()),
            ("stderr", self.stderr()),
            ("notes", self.reported(agent.notes.as_ref())),
            ("unseen", self.unseen()),
            ("createdAt", when(row.times.created).into()),
        ]
    }

    fn agent_info(&self) -> Value {
        let agent = &self.agent;
        match &agent.agent_name {
            None => "unreported".into(),
            Some(name) => {
                let version = agent.agent_version.as_ref();
                json!({"name": self.text(name), "version": version.map(|version| self.text(version))})
            }
        }
    }

    fn agent_mode(&self) -> Option<Value> {
        let mode = self.agent.agent_mode.as_ref()?;
        let verified = self.agent.agent_mode_verified.unwrap_or_default();
        Some(json!({"requested": self.text(mode), "verified": verified}))
    }

    fn mode(&self) -> Value {
        let (requested, effective) = (self.agent.mode_requested, self.agent.mode_effective);
        json!({
            "requested": requested.name(), "effective": effective.name(),
            "clamped": requested != effective,
        })
    }

    fn prompt(&self) -> Value {
        json!({"bytes": self.agent.prompt_bytes, "cut": self.json(&self.agent.prompt_cut)})
    }

    fn frames(&self) -> Value {
        let agent = &self.agent;
        let number = |number: Option<u64>| number.map_or_else(|| MISSING.into(), Value::from);
        json!({
            "fromAgent": {"frames": number(agent.frames_in), "bytes": number(agent.bytes_in)},
            "toAgent": {"frames": number(agent.frames_out), "bytes": number(agent.bytes_out)},
            "junk": self.reported(agent.junk.as_ref()),
        })
    }

    fn stderr(&self) -> Value {
        let agent = &self.agent;
        let text = agent.stderr.as_ref().map(|text| self.text(text));
        let number = agent
            .stderr_bytes
            .map_or_else(|| MISSING.into(), Value::from);
        json!({"text": text, "bytes": number})
    }

    /// What could not be seen or controlled, a list.
    pub(in crate::external) fn unseen(&self) -> Value {
        self.unseen.clone()
    }

    fn changed(&self) -> Option<Value> {
        let change = self.change.as_ref()?;
        Some(json!({
            "state": change.state.name(), "hash": change.hash.to_string(), "files": change.changes.len(),
            "bytes": change.patch_bytes,
        }))
    }

    /// The file of the diff, while it is there to be decided on or was landed.
    fn patch(&self) -> Option<Value> {
        let change = self.change.as_ref()?;
        let is_kept = matches!(change.state, ChangeState::Pending | ChangeState::Landed);
        let path = Folders::of(&self.app.home, &self.row.id).patch();
        let name = path.file_name()?.to_string_lossy().into_owned();
        is_kept.then(|| name.into())
    }

    fn lists<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (store, run, redactor) = (&self.app.store, self.row.id, &self.app.redactor);
        map.serialize_entry(
            "decisions",
            &List(|| {
                pages::decisions(store, run)
                    .map(|row| row.map(|row| lists::decision(redactor, &row)))
            }),
        )?;
        map.serialize_entry(
            "questions",
            &List(|| {
                pages::questions(store, run)
                    .map(|row| row.map(|row| lists::question(redactor, &row)))
            }),
        )?;
        for (name, sort) in [
            ("fsRequests", Sort::Files),
            ("terminalRequests", Sort::Terminals),
            ("elicitationRequests", Sort::Elicitation),
            ("mcpRequests", Sort::Mcp),
            ("otherRequests", Sort::Other),
        ] {
            let of_sort = || {
                let rows = pages::requests(store, run).filter(move |row| {
                    row.as_ref().is_ok_and(|row| Sort::of(&row.method) == sort) || row.is_err()
                });
                rows.map(|row| row.map(|row| lists::request(redactor, &row)))
            };
            map.serialize_entry(name, &List(of_sort))?;
        }
        map.serialize_entry(
            "toolCalls",
            &List(|| {
                pages::tool_calls(store, run)
                    .map(|row| row.map(|row| lists::tool_call(redactor, &row)))
            }),
        )
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (name, value) in self.always() {
            map.serialize_entry(name, &value)?;
        }
        for (name, value) in self.maybe() {
            if let Some(value) = value {
                map.serialize_entry(name, &value)?;
            }
        }
        self.lists(&mut map)?;
        map.end()
    }
}

fn exit(ended: Ended) -> Value {
    match ended {
        Ended::Exited(code) => json!({"code": code}),
        Ended::Signalled(signal) => json!({"signal": signal}),
    }
}
