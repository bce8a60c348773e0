//! One box that is being made: its rows, its checkout, its HOME, and how something is started in it.

use std::ffi::OsString;

use taffrail_confine::fs::{Root, private_dir};
use taffrail_confine::interrupt::Interrupt;
use taffrail_confine::sandbox;
use taffrail_confine::supervise::{self, Cause, FirstSignal, Launch, Streams};
use taffrail_domain::{Ended, RepoPath, RunId, RunKind};
use taffrail_gitbox::{Checkout, CheckoutPlan, Identity};
use taffrail_store::{NewAgentRun, NewRun, files};

use super::facts::{command_line, facts};
use super::first;
use super::plan::{BoxRequest, Plan};
use super::private_home::{self, Lent};
use super::report::{Step, Watch};
use super::view::{self, Folders};
use crate::{App, AppError};

/// A run with its plan and its folders.
pub(crate) struct Job<'a> {
    pub app: &'a App,
    pub plan: &'a Plan,
    pub run: RunId,
    pub folders: Folders,
}

/// A box whose checkout and HOME stand.
pub(crate) struct Prepared {
    pub checkout: Checkout,
    pub lent: Vec<Lent>,
}

impl Job<'_> {
    /// The run's row, the ledger's and, where an agent will be driven, that agent's, in one transaction, before anything is
    /// on disk (FA-12).
    pub fn enrol(
        &self,
        request: &BoxRequest,
        name: &str,
        driven: Option<&NewAgentRun<'_>>,
    ) -> Result<(), AppError> {
        let (app, plan) = (self.app, self.plan);
        let agent = plan
            .entry
            .as_ref()
            .map(|entry| app.redactor.clean(&entry.id));
        let row = NewRun {
            id: self.run,
            kind: match driven {
                Some(_) => RunKind::External,
                None => RunKind::Box,
            },
            name: &app.redactor.clean(name),
            project_root: &plan.project.root,
            common_dir: &plan.project.common_dir,
            command: &command_line(&app.redactor, &request.command),
            agent: agent.as_ref(),
            net: &plan.net,
            owner: &App::owner()?,
            checkout: &self.folders.checkout,
            facts: &facts(&app.redactor, request, plan),
        };
        match driven {
            Some(agent) => app.store.insert_agent_run(&row, agent),
            None => app.store.insert_run(&row),
        }?;
        Ok(())
    }

    /// Makes checkout and HOME, and runs what a person agreed to run first. An interrupt that came meanwhile is an error.
    pub fn prepare(
        &self,
        request: &BoxRequest,
        interrupt: &Interrupt,
        watch: &mut Watch<'_>,
    ) -> Result<Prepared, AppError> {
        let (app, plan, folders) = (self.app, self.plan, &self.folders);
        for dir in folders.to_make() {
            private_dir(dir)?;
        }
        let checkout = self.checkout(request.include_uncommitted, watch)?;
        let first = checkout
            .uncommitted
            .as_ref()
            .map(|uncommitted| &uncommitted.commit);
        app.store.run_prepared(&self.run, &checkout.base, first)?;
        sandbox::refuse_hard_links(&folders.tree)?;
        for what in &checkout.not_supported {
            watch(Step::Notice(what.clone()));
        }
        let lent =
            private_home::furnish(&app.inputs.user_home, &folders.home, plan.entry.as_ref())?;
        self.git_identity()?;
        if let Some(setup) = &plan.setup {
            watch(Step::Setup(&setup.command));
            self.set_up(&setup.command)?;
        }
        if interrupt.came() {
            return Err(AppError::Interrupted);
        }
        Ok(Prepared { checkout, lent })
    }

    /// The checkout, and outside of it what the capture must be able to believe later.
    fn checkout(
        &self,
        include_uncommitted: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Checkout, AppError> {
        let folders = &self.folders;
        let wanted = CheckoutPlan {
            dest: &folders.tree,
            include_uncommitted,
            kept: &folders.kept,
            carry: &self.plan.carry,
            credentials: &self.app.config.checkout.carry.value,
        };
        let mut progress = |at| watch(Step::Checkout(at));
        let (git, project) = (self.app.git(), &self.plan.project);
        let checkout = taffrail_gitbox::make_checkout(git, project, &wanted, &mut progress)
            .map_err(|error| AppError::from(error).or_full(&[&folders.tree]))?;
        files::write_private(&folders.listing(), &checkout.listing.to_bytes())?;
        if let Some(uncommitted) = &checkout.uncommitted {
            files::write_private(&folders.first_patch(), &uncommitted.patch)?;
            files::write_private(
                &folders.first_changes(),
                &first::to_bytes(&uncommitted.changes),
            )?;
        }
        Ok(checkout)
    }

    /// The agent's own commits carry the operator's name; nothing else of the operator's git comes along.
    fn git_identity(&self) -> Result<(), AppError> {
        let user = self
            .plan
            .project
            .operator
            .as_ref()
            .map(user_section)
            .unwrap_or_default();
        let text = format!("{user}[gc]\n\tauto = 0\n");
        let home = Root::open(&self.folders.home)?;
        if let Ok(path) = RepoPath::new(".gitconfig") {
            home.write_new(&path, text.as_bytes(), 0o600)?;
        }
        Ok(())
    }

    fn set_up(&self, command: &str) -> Result<(), AppError> {
        let argv = ["bash", "--noprofile", "--norc", "-c", command].map(OsString::from);
        let outcome = supervise::run(&self.launch(&argv)?, &mut |_| Ok(()))?;
        let how = match (outcome.cause, outcome.ended) {
            (Cause::Exit, Ended::Exited(0)) => return Ok(()),
            (Cause::Cancelled(_) | Cause::Stopped, _) => return Err(AppError::Interrupted),
            (Cause::Exit | Cause::Timeout | Cause::SupervisorLost, Ended::Exited(code)) => {
                format!("exit code {code}")
            }
            (Cause::Exit | Cause::Timeout | Cause::SupervisorLost, Ended::Signalled(signal)) => {
                format!("signal {signal}")
            }
        };
        Err(AppError::SetupFailed {
            command: command.to_owned(),
            how,
        })
    }

    /// The person's command, with the arguments that its agent needs inside our sandbox right after its name.
    pub fn argv(&self, request: &BoxRequest) -> Vec<OsString> {
        let (name, rest) = request.command.split_at(request.command.len().min(1));
        let quirks = view::quirk_args(self.plan).iter().map(OsString::from);
        let words = name.iter().cloned().chain(quirks);
        words.chain(rest.iter().cloned()).collect()
    }

    /// How that is started.
    pub fn command(&self, request: &BoxRequest) -> Result<Launch, AppError> {
        let timeout = request.timeout.map(taffrail_domain::Duration::get);
        Ok(Launch {
            timeout,
            ..self.launch(&self.argv(request))?
        })
    }

    /// How a command is started in this box.
    pub fn launch(&self, argv: &[OsString]) -> Result<Launch, AppError> {
        let command = argv.first().cloned().unwrap_or_default();
        let view = view::view(self.app, self.plan, &self.folders, &command)?;
        Ok(Launch {
            exe: self.app.inputs.exe.clone(),
            policy: view.policy,
            program: view.program,
            argv: argv.to_vec(),
            env: view.env,
            cwd: view.cwd,
            run: self.run,
            timeout: None,
            streams: Streams::Terminal,
            stop: None,
            first_signal: FirstSignal::Cancels,
            door: self.plan.gate.door()?,
        })
    }
}

/// A section of a git configuration that names the operator.
fn user_section(operator: &Identity) -> String {
    let quoted = |text: &str| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        escaped.replace(['\n', '\r'], " ")
    };
    let (name, email) = (quoted(&operator.name), quoted(&operator.email));
    format!("[user]\n\tname = \"{name}\"\n\temail = \"{email}\"\n")
}
