//! One run of a foreign agent from gates to record. Rows first, then effects.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use taffrail_acp::v1::{Implementation, McpServer};
use taffrail_acp::{Client, Context, Deadlines, Plan};
use taffrail_config::{AgentEntry, Quirk};
use taffrail_confine::interrupt::Interrupt;
use taffrail_confine::supervise::Launch;
use taffrail_store::{CheckoutState, MessageRole};
use taffrail_tools::{DoorOptions, TextDoor};

use super::doors::{RunDoors, Serving};
use super::driver::{self, Driven, Heard, Setup};
use super::frames::Frames;
use super::gates::{self, Passed};
use super::judge::Judge;
use super::prompt::{self, Gathered};
use super::record::Record;
use super::report::{self, ExternalReport};
use super::teller::Teller;
use super::{ExternalRequest, Surface, exports};
use crate::boxes::job::{Job, Prepared};
use crate::boxes::plan as box_plan;
use crate::boxes::view::Folders;
use crate::boxes::{BoxRequest, Step, Watch};
use crate::network::{self, Asks, HostAsked};
use crate::{App, AppError, boxes, secrets};

/// Messages that wait for the deciding thread of a run. Each holds at most one piece of output and its frames.
const WAITING: usize = 16;

/// Makes the checkout, drives the agent that passed the gates, captures what it changed. Once the run is on record, its
/// stream of events ends with one result, whatever comes.
///
/// # Errors
/// What a checkout, a sandbox and the store can give. A run that was begun has its rows by then.
pub fn run(
    app: &App,
    passed: &Passed,
    request: &ExternalRequest,
    surface: &dyn Surface,
    watch: &mut Watch<'_>,
) -> Result<ExternalReport, AppError> {
    let boxed = box_request(passed, request);
    let plan = box_plan::plan(app, &boxed)?;
    let run = app.new_run_id()?;
    let job = Job {
        app,
        plan: &plan,
        run,
        folders: Folders::of(&app.home, &run),
    };
    // From here on a first Ctrl-C ends the run in order: nothing half-made stays, nothing done is lost.
    let interrupt = Interrupt::note();
    let session = Session {
        app,
        request,
        passed,
        job: &job,
        surface,
        teller: &Teller::new(app, surface),
    };
    session.enrol(&boxed)?;
    session
        .prepare(&boxed, &interrupt, watch)
        .and_then(|prepared| session.go(&prepared, &boxed, watch))
}

/// The agent's command in a box.
fn box_request(passed: &Passed, request: &ExternalRequest) -> BoxRequest {
    let entry = &passed.entry;
    let model = request.model.iter().zip(&entry.model_flag);
    let model = model.flat_map(|(model, flag)| [flag.clone(), model.clone()]);
    let args = entry.args.iter().cloned().chain(model).map(OsString::from);
    BoxRequest {
        command: std::iter::once(OsString::from(&entry.command))
            .chain(args)
            .collect(),
        name: None,
        carry: request.carry.clone(),
        include_uncommitted: request.include_uncommitted,
        net: request.net,
        agent: Some(entry.id.clone()),
        keep: false,
        timeout: None,
        sandboxed: request.sandboxed,
    }
}

/// A run that is on record.
pub(super) struct Session<'a> {
    pub app: &'a App,
    pub request: &'a ExternalRequest,
    pub passed: &'a Passed,
    pub job: &'a Job<'a>,
    surface: &'a dyn Surface,
    teller: &'a Teller<'a>,
}

impl<'a> Session<'a> {
    fn prepare(
        &self,
        boxed: &BoxRequest,
        interrupt: &Interrupt,
        watch: &mut Watch<'_>,
    ) -> Result<Prepared, AppError> {
        let notices = self.passed.warnings.iter().chain(&self.job.plan.notices);
        notices.for_each(|notice| watch(Step::Notice(notice.clone())));
        let prepared = self.job.prepare(boxed, interrupt, watch);
        prepared.map_err(|error| self.abandon(error))
    }

    fn go(
        &self,
        prepared: &Prepared,
        boxed: &BoxRequest,
        watch: &mut Watch<'_>,
    ) -> Result<ExternalReport, AppError> {
        let (app, folders) = (self.app, &self.job.folders);
        let raw = app.config.record.raw.value;
        let frames = Frames::create(&folders.session, &app.redactor, raw);
        let frames = frames.map_err(|error| self.abandon(error))?;
        let mut record = Record::new(app, self.job.run, self.teller, frames);
        watch(Step::Starting);
        let driven = self.drive(&mut record, boxed, prepared);
        let (driven, doors) = driven.map_err(|error| self.abandon(error))?;
        boxes::run::credentials(self.job, &prepared.lent, watch);
        watch(Step::Capturing);
        let ending = report::Ending {
            app,
            request: self.request,
            job: self.job,
            agent: &self.passed.entry.id,
            doors: doors.as_deref(),
        };
        let concluded = report::conclude(&ending, &mut record, driven);
        concluded.inspect_err(|error| self.teller.fail(&self.job.run, error, record.refusals()))
    }

    /// A run whose agent was not started leaves nothing but its record.
    fn abandon(&self, error: AppError) -> AppError {
        let error = boxes::run::abandon(self.job, error);
        // What cannot be written now can be made of the rows later.
        exports::export(self.app, &self.job.run).ok();
        self.teller.fail(&self.job.run, &error, Vec::new());
        error
    }

    fn drive(
        &self,
        record: &mut Record<'a>,
        boxed: &BoxRequest,
        prepared: &Prepared,
    ) -> Result<(Driven, Option<Arc<RunDoors>>), AppError> {
        let (app, tree) = (self.app, &self.job.folders.tree);
        self.passed
            .warnings
            .iter()
            .for_each(|warning| record.note(warning));
        for what in &prepared.checkout.not_supported {
            record.note(what);
        }
        if self.lacks_sandbox() {
            record.note("write_in_checkout does not count without the sandbox");
        }
        let project = app.project_containing(&self.job.plan.project.root)?;
        let may_write = self.request.may_write;
        let gathered = prompt::gather(app, project.as_ref(), tree, &self.request.task, may_write)?;
        let mut judge = Judge::new(app, tree, self.job.plan.rung, may_write)?;
        judge.grant = self.grant();
        let (heard, hears) = sync_channel(WAITING);
        let calls = heard.clone();
        let offer = self.offer(Box::new(move |call| {
            // A run that is over hears of no call any more.
            drop(calls.send(Heard::Called(Box::new(call))));
        }))?;
        let launch = self.launch(boxed)?;
        self.prompted(&gathered, &offer)?;
        record.message(MessageRole::User, &gathered.prompt.text)?;
        let client = Client::new(self.plan(&gathered, offer.servers));
        // From here on there may be work in the checkout that is nowhere else: a sweep keeps it.
        app.store
            .set_checkout_state(&self.job.run, CheckoutState::Live)?;
        let setup = self.setup(offer.doors.is_some())?;
        let hosts = heard.clone();
        let drive = || driver::drive(&setup, record, &mut judge, client, launch, (heard, hears));
        // A run that is over hears of no host any more.
        let driven = self.with_network(&|asked| drop(hosts.send(Heard::Host(asked))), drive)?;
        // What the agent has done is not given up for what becomes of its server.
        if let Some(Err(error)) = offer.serving.map(Serving::stop) {
            record.note(&format!("what was offered over MCP: {error}"));
        }
        Ok((driven, offer.doors))
    }

    /// A host that no rule names is asked of whoever is there; where nobody is asked, it is refused.
    fn with_network<T>(&self, hears: &(dyn Fn(HostAsked) + Sync), work: impl FnOnce() -> T) -> T {
        if self.request.unattended {
            return work();
        }
        let asks = Asks {
            run: self.job.run,
            agent: &self.passed.entry.id,
            approver: self.surface.approver(),
            hears,
        };
        network::asking(self.app, &self.job.plan.gate, &asks, work)
    }

    /// The agent's process: what a box gives it, and what a driven one needs beside.
    fn launch(&self, boxed: &BoxRequest) -> Result<Launch, AppError> {
        let mut launch = self.job.command(boxed)?;
        let entry = &self.passed.entry;
        launch.env = launch
            .env
            .set(gates::DEPTH_VARIABLE, gates::child_depth(self.app));
        launch.env = GIT
            .iter()
            .fold(launch.env, |env, (name, value)| env.set(name, value));
        if let (Some(model), Some(name)) = (&self.request.model, &entry.model_env) {
            launch.env = launch.env.set(name, model);
        }
        // The agent starts our broker by its path.
        launch.policy.read.push(self.app.inputs.exe.clone());
        Ok(launch)
    }

    fn plan(&self, gathered: &Gathered, mcp_servers: Vec<McpServer>) -> Plan {
        let (request, entry) = (self.request, &self.passed.entry);
        let config = &self.app.config.external_agents;
        let context = gathered.prompt.resources.iter().map(|resource| Context {
            uri: resource.uri.clone(),
            mime_type: "text/markdown".to_owned(),
            text: resource.text.clone(),
        });
        let total = request.timeout.unwrap_or(config.timeout.value);
        Plan {
            client: Implementation {
                name: "taffrail".to_owned(),
                title: Some("Taffrail".to_owned()),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            cwd: text(&self.job.folders.tree),
            mcp_servers,
            write: request.may_write,
            text: gathered.prompt.text.clone(),
            context: context.collect(),
            auth_method: self.passed.auth_method.clone(),
            mode: entry.mode.clone(),
            sets_mode_anyway: entry.has(Quirk::ModeOnlyWhenSet),
            model: self.model(),
            deadlines: Deadlines {
                initialize: entry.initialize_timeout.get(),
                total: total.get(),
                silence: config.inactivity.value.get(),
                ..Deadlines::default()
            },
        }
    }

    /// A model that neither an argument nor a variable names is asked for over the protocol.
    fn model(&self) -> Option<String> {
        let AgentEntry {
            model_flag,
            model_env,
            ..
        } = &self.passed.entry;
        let told = model_flag.is_some() || model_env.is_some();
        self.request.model.clone().filter(|_| !told)
    }

    fn setup(&self, offers_mcp: bool) -> Result<Setup<'a>, AppError> {
        let (app, entry) = (self.app, &self.passed.entry);
        let tree = &self.job.folders.tree;
        let door = TextDoor::open(
            tree,
            DoorOptions {
                allow_read: self.request.allow_read.iter().map(PathBuf::from).collect(),
                managed: secrets::managed(app)?,
                may_write: self.request.may_write,
            },
        )?;
        Ok(Setup {
            app,
            surface: self.surface,
            door,
            missing_is_empty: self.request.may_write && entry.has(Quirk::MissingFileIsEmpty),
            unattended: self.request.unattended,
            offers_mcp,
            refusal_ends_turn: entry.has(Quirk::RefusalEndsTurn),
            stderr_budget: entry.stderr_budget(),
            tree: text(tree),
            agent: entry.id.clone(),
        })
    }
}

/// What git of an agent's commands obeys whatever the checkout's own configuration says by then: it starts nothing
/// (CNF-06).
const GIT: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_CONFIG_COUNT", "6"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "core.sshCommand"),
    ("GIT_CONFIG_VALUE_2", "false"),
    ("GIT_CONFIG_KEY_3", "diff.external"),
    ("GIT_CONFIG_VALUE_3", ""),
    ("GIT_CONFIG_KEY_4", "gpg.program"),
    ("GIT_CONFIG_VALUE_4", "false"),
    ("GIT_CONFIG_KEY_5", "gc.auto"),
    ("GIT_CONFIG_VALUE_5", "0"),
];

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
