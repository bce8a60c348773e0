//! What is on record of a run before its agent is started: first whose it is and what for, with the run's own row; then what
//! it is given (FA-12, FA-29).

use serde_json::json;
use taffrail_config::WriteInCheckout;
use taffrail_domain::Rung;
use taffrail_store::{AgentPrompted, GrantSource, NewAgentRun};

use super::judge::Grant;
use super::offer::{self, Offer};
use super::prompt::Gathered;
use super::run::Session;
use crate::AppError;
use crate::boxes::BoxRequest;
use crate::boxes::facts::clean_json;

/// What the record says of our MCP server until it stands.
const NOT_YET: &str = "not opened yet";

impl Session<'_> {
    /// The rows of the run and of its agent, before anything is on disk: whatever cuts it off, they say what it was.
    pub(super) fn enrol(&self, boxed: &BoxRequest) -> Result<(), AppError> {
        let (app, request, entry) = (self.app, self.request, &self.passed.entry);
        let clean = |text: &str| app.redactor.clean(text);
        let argv = self.job.argv(boxed);
        let argv: Vec<_> = argv.iter().map(|word| word.to_string_lossy()).collect();
        let version = self.passed.version.as_deref().map(clean);
        let model = request.model.as_deref().map(clean);
        let mcp = offer::none(self.unwanted().unwrap_or(NOT_YET));
        let agent = NewAgentRun {
            agent: &clean(&entry.id),
            provider: &clean(&format!("acp:{}", entry.id)),
            argv: &clean_json(&app.redactor, &argv),
            version_found: version.as_ref(),
            task: &clean(&request.task),
            model: model.as_ref(),
            mode_requested: (*app.config.policy.mode).into(),
            unattended: request.unattended,
            may_write: request.may_write,
            grant: match self.grant() {
                Grant::Config => GrantSource::Config,
                Grant::None | Grant::Human => GrantSource::None,
            },
            client_capabilities: &clean(&capabilities(request.may_write).to_string()),
            mcp: &clean(&mcp.to_string()),
        };
        self.job.enrol(boxed, &self.job.run.short(), Some(&agent))
    }

    /// What the agent is given, right before it is started.
    pub(super) fn prompted(&self, gathered: &Gathered, offer: &Offer) -> Result<(), AppError> {
        let app = self.app;
        let given = AgentPrompted {
            bytes: gathered.prompt.bytes as u64,
            cut: &clean_json(&app.redactor, &gathered.prompt.cut),
            mcp: &app.redactor.clean(&offer.said.to_string()),
        };
        Ok(app.store.agent_prompted(&self.job.run, &given)?)
    }

    /// The configuration's yes to edits, where it counts: not where nothing is enforced (FA-24).
    pub(super) fn grant(&self) -> Grant {
        match self.allows_edits() {
            true if self.job.plan.rung != Rung::None => Grant::Config,
            true | false => Grant::None,
        }
    }

    /// The configuration allows edits that no sandbox holds: it does not count.
    pub(super) fn lacks_sandbox(&self) -> bool {
        self.allows_edits() && self.job.plan.rung == Rung::None
    }

    fn allows_edits(&self) -> bool {
        let allows = match self.app.config.external_agents.write_in_checkout.value {
            WriteInCheckout::Allow => true,
            WriteInCheckout::Ask => false,
        };
        allows && self.request.may_write
    }
}

/// What the client tells the agent that it serves (FA-20).
fn capabilities(may_write: bool) -> serde_json::Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": may_write}, "terminal": false})
}
