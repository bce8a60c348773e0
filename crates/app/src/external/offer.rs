//! Our MCP server in one run, and what the record says of it (FA-25).

use std::sync::Arc;

use serde_json::{Value, json};
use taffrail_acp::v1::{EnvVariable, McpServer};
use taffrail_config::Quirk;
use taffrail_mcp::Names;

use super::doors::{self, DoorsOf, OnCall, RunDoors, Serving};
use super::run::Session;
use crate::AppError;

/// Our MCP server in one run.
pub(super) struct Offer {
    pub serving: Option<Serving>,
    pub doors: Option<Arc<RunDoors>>,
    pub servers: Vec<McpServer>,
    pub said: Value,
}

/// What is said where there is no offer.
pub(super) fn none(reason: &str) -> Value {
    json!({"offered": false, "reason": reason})
}

impl Session<'_> {
    /// Why nobody wants the server, if nobody does.
    pub(super) fn unwanted(&self) -> Option<&'static str> {
        let is_wanted = self.app.config.mcp.offer.value;
        match (self.request.mcp, is_wanted) {
            (false, _) => Some("--no-mcp"),
            (true, false) => Some("mcp.offer is false"),
            (true, true) => {
                let fails = self.passed.entry.has(Quirk::FailsWithMcp);
                fails.then_some("the agent fails with it (fails-with-mcp)")
            }
        }
    }

    /// Opens it, unless nobody wants it; the record says why there is none.
    pub(super) fn offer(&self, on_call: OnCall) -> Result<Offer, AppError> {
        if let Some(reason) = self.unwanted() {
            return Ok(Offer {
                serving: None,
                doors: None,
                servers: Vec::new(),
                said: none(reason),
            });
        }
        let folders = &self.job.folders;
        let of = DoorsOf {
            run: self.job.run,
            agent: self.passed.entry.id.clone(),
            checkout: folders.tree.clone(),
            project: self.job.plan.project.root.clone(),
            scope: self.request.mcp_scope,
            names: match self.passed.entry.has(Quirk::PlainToolNames) {
                true => Names::Plain,
                false => Names::Dotted,
            },
        };
        let opened = doors::open(self.app, &folders.scratch, of, on_call)?;
        let entry = opened.entry;
        let env = entry.env.into_iter();
        Ok(Offer {
            serving: Some(opened.serving),
            doors: Some(opened.doors),
            said: json!({
                "offered": true, "server": entry.name, "scope": self.request.mcp_scope.name(),
            }),
            servers: vec![McpServer {
                name: entry.name,
                command: entry.command,
                args: entry.args,
                env: env
                    .map(|(name, value)| EnvVariable { name, value })
                    .collect(),
            }],
        })
    }
}
