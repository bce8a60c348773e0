//! One box from plan to captured change. Rows first, then effects.

use std::ffi::OsString;
use std::path::Path;

use serde::Serialize;
use taffrail_confine::fs::private_dir;
use taffrail_confine::sandbox;
use taffrail_confine::supervise::{self, Cause, Event, Launch, Outcome};
use taffrail_domain::{Ended, Enforcement, Oid, RunId, RunKind, RunStatus};
use taffrail_gitbox::{Checkout, CheckoutPlan};
use taffrail_redact::Clean;
use taffrail_store::{CheckoutState, NewRun, files};

use super::finish::{self, Finish};
use super::first;
use super::plan::{self, BoxRequest, Plan};
use super::private_home::{self, Lent, Refreshed};
use super::report::{BoxReport, Ready, Step};
use super::view::{self, Folders};
use crate::{App, AppError};

/// Tells a surface what happens.
pub type Watch<'a> = dyn FnMut(Step<'_>) + 'a;

/// A box whose checkout and HOME stand.
pub(super) struct Prepared {
    pub checkout: Checkout,
    pub lent: Vec<Lent>,
}

/// Makes a box, runs the command in it, captures what it changed.
pub fn run(app: &App, request: &BoxRequest, watch: &mut Watch<'_>) -> Result<BoxReport, AppError> {
    let plan = plan::plan(app, request)?;
    let run = app.new_run_id()?;
    let folders = Folders::of(&app.home, &run);
    let name = enrol(app, request, &plan, run, &folders)?;
    notices(&plan, watch);
    let prepared = match prepare(app, request, &plan, run, &folders, watch) {
        Ok(prepared) => prepared,
        Err(error) => return Err(abandon(app, run, &folders, error)),
    };
    let driven = drive(app, &plan, &prepared, &folders, run, request, watch);
    credentials(app, &folders, &prepared.lent, watch);
    watch(Step::Capturing);
    let finish = Finish {
        run,
        name,
        plan: &plan,
        folders: &folders,
        keep: request.keep,
    };
    finish::finish(app, &finish, driven)
}

/// The run's row and the ledger's, in one transaction, before anything is on disk (FA-12).
fn enrol(
    app: &App,
    request: &BoxRequest,
    plan: &Plan,
    run: RunId,
    folders: &Folders,
) -> Result<String, AppError> {
    let name = request.name.clone().unwrap_or_else(|| run.short());
    let facts = facts(app, request, plan);
    let agent = plan
        .entry
        .as_ref()
        .map(|entry| app.redactor.clean(&entry.id));
    app.store.insert_run(&NewRun {
        id: run,
        kind: RunKind::Box,
        name: &app.redactor.clean(&name),
        project_root: &plan.project.root,
        common_dir: &plan.project.common_dir,
        command: &command_line(app, &request.command),
        agent: agent.as_ref(),
        net: &plan.net,
        owner: &App::owner()?,
        checkout: &folders.checkout,
        facts: &facts,
    })?;
    Ok(name)
}

fn notices(plan: &Plan, watch: &mut Watch<'_>) {
    for notice in &plan.notices {
        watch(Step::Notice(notice.clone()));
    }
}

fn prepare(
    app: &App,
    request: &BoxRequest,
    plan: &Plan,
    run: RunId,
    folders: &Folders,
    watch: &mut Watch<'_>,
) -> Result<Prepared, AppError> {
    for dir in [
        &folders.boxed,
        &folders.home,
        &folders.scratch,
        &folders.session,
        &folders.kept,
    ] {
        private_dir(dir)?;
    }
    let checkout = checkout(app, request, plan, folders, watch)?;
    let first = checkout
        .uncommitted
        .as_ref()
        .map(|uncommitted| &uncommitted.commit);
    app.store.run_prepared(&run, &checkout.base, first)?;
    sandbox::refuse_hard_links(&folders.tree)?;
    for what in &checkout.not_supported {
        watch(Step::Notice(what.clone()));
    }
    let lent = private_home::furnish(&app.inputs.user_home, &folders.home, plan.entry.as_ref())?;
    identity(&folders.home, plan)?;
    let prepared = Prepared { checkout, lent };
    if let Some(setup) = &plan.setup {
        watch(Step::Setup(&setup.command));
        set_up(app, plan, folders, run, &setup.command)?;
    }
    Ok(prepared)
}

fn checkout(
    app: &App,
    request: &BoxRequest,
    plan: &Plan,
    folders: &Folders,
    watch: &mut Watch<'_>,
) -> Result<Checkout, AppError> {
    let wanted = CheckoutPlan {
        dest: &folders.tree,
        include_uncommitted: request.include_uncommitted,
        kept: &folders.kept,
        carry: &plan.carry,
        credentials: &app.config.checkout.carry.value,
    };
    let mut progress = |at| watch(Step::Checkout(at));
    let checkout =
        taffrail_gitbox::make_checkout(app.git(), &plan.project, &wanted, &mut progress)?;
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

/// The agent's own commits in its checkout carry the operator's name; nothing else of the operator's git comes along.
fn identity(home: &Path, plan: &Plan) -> Result<(), AppError> {
    let quoted = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace(['\n', '\r'], " ")
    };
    let user = plan.project.operator.as_ref().map(|operator| {
        format!(
            "[user]\n\tname = \"{}\"\n\temail = \"{}\"\n",
            quoted(&operator.name),
            quoted(&operator.email)
        )
    });
    let text = format!("{}[gc]\n\tauto = 0\n", user.unwrap_or_default());
    let root = taffrail_confine::fs::Root::open(home)?;
    if let Ok(path) = taffrail_domain::RepoPath::new(".gitconfig") {
        root.write_new(&path, text.as_bytes(), 0o600)?;
    }
    Ok(())
}

fn set_up(
    app: &App,
    plan: &Plan,
    folders: &Folders,
    run: RunId,
    command: &str,
) -> Result<(), AppError> {
    let argv: Vec<OsString> = ["bash", "--noprofile", "--norc", "-c", command]
        .map(OsString::from)
        .into();
    let launch = launch(app, plan, folders, run, &argv)?;
    let outcome = supervise::run(&launch, &mut |_| {})?;
    match (outcome.cause, outcome.ended) {
        (Cause::Exit, Ended::Exited(0)) => Ok(()),
        (Cause::Cancelled(_), _) => Err(AppError::Interrupted),
        (_, ended) => Err(AppError::SetupFailed {
            command: command.to_owned(),
            how: how(ended),
        }),
    }
}

pub(super) fn how(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Signalled(signal) => format!("signal {signal}"),
    }
}

/// What the command came to: proof and outcome.
pub(super) struct Driven {
    pub enforcement: Option<Enforcement>,
    pub outcome: Result<Outcome, AppError>,
}

fn drive(
    app: &App,
    plan: &Plan,
    prepared: &Prepared,
    folders: &Folders,
    run: RunId,
    request: &BoxRequest,
    watch: &mut Watch<'_>,
) -> Driven {
    let mut seen = Seen {
        enforcement: None,
        failed: None,
    };
    let outcome = command(app, plan, folders, run, request).and_then(|launch| {
        // From here on there may be work in the checkout that is nowhere else: a sweep keeps it.
        app.store.set_checkout_state(&run, CheckoutState::Live)?;
        Ok(supervise::run(&launch, &mut |event| {
            seen.take(app, run, plan, &prepared.checkout.base, event, watch);
        })?)
    });
    let outcome = match seen.failed {
        Some(error) => Err(error),
        None => outcome,
    };
    Driven {
        enforcement: seen.enforcement,
        outcome,
    }
}

fn command(
    app: &App,
    plan: &Plan,
    folders: &Folders,
    run: RunId,
    request: &BoxRequest,
) -> Result<Launch, AppError> {
    let argv = with_quirks(&request.command, view::quirk_args(plan));
    let timeout = request.timeout.map(taffrail_domain::Duration::get);
    Ok(Launch {
        timeout,
        ..launch(app, plan, folders, run, &argv)?
    })
}

/// What the events of one command left behind.
struct Seen {
    enforcement: Option<Enforcement>,
    failed: Option<AppError>,
}

impl Seen {
    fn take(
        &mut self,
        app: &App,
        run: RunId,
        plan: &Plan,
        base: &Oid,
        event: Event<'_>,
        watch: &mut Watch<'_>,
    ) {
        match event {
            Event::Enforced(enforcement) => {
                self.enforcement = Some(enforcement.clone());
                let recorded = app.store.run_started(&run, &clean_json(app, enforcement));
                self.failed = recorded.err().map(AppError::from).or(self.failed.take());
                let ready = Ready {
                    run,
                    project: &plan.project.root,
                    base,
                    branch: plan.project.branch.as_deref(),
                    agent: plan.entry.as_ref().map(|entry| entry.id.as_str()),
                    enforcement,
                };
                watch(Step::Ready(&ready));
            }
            Event::Started(_) => {}
            Event::Suspended => watch(Step::Suspended(true)),
            Event::Resumed => watch(Step::Suspended(false)),
        }
    }
}

pub(super) fn launch(
    app: &App,
    plan: &Plan,
    folders: &Folders,
    run: RunId,
    argv: &[OsString],
) -> Result<Launch, AppError> {
    let command = argv.first().cloned().unwrap_or_default();
    let view = view::view(app, plan, folders, &command)?;
    Ok(Launch {
        exe: app.inputs.exe.clone(),
        policy: view.policy,
        program: view.program,
        argv: argv.to_vec(),
        env: view.env,
        cwd: folders.tree.clone(),
        run,
        timeout: None,
        terminal: true,
    })
}

/// Puts the arguments that an agent needs inside our sandbox right after its name.
fn with_quirks(command: &[OsString], quirks: &[String]) -> Vec<OsString> {
    let (name, rest) = command.split_at(command.len().min(1));
    let quirks = quirks.iter().map(OsString::from);
    name.iter()
        .cloned()
        .chain(quirks)
        .chain(rest.iter().cloned())
        .collect()
}

fn credentials(app: &App, folders: &Folders, lent: &[Lent], watch: &mut Watch<'_>) {
    let mut say = |text: String| watch(Step::Notice(text));
    match private_home::take_back(&app.inputs.user_home, &folders.home, lent) {
        Ok(results) => results.iter().filter_map(refreshed).for_each(say),
        Err(error) => say(format!(
            "a refreshed credential could not be taken back: {error}"
        )),
    }
}

fn refreshed(result: &Refreshed) -> Option<String> {
    match result {
        Refreshed::WrittenBack(path) => Some(format!(
            "~/{} now holds the refreshed token",
            path.to_text()
        )),
        Refreshed::Kept(path, why) => {
            Some(format!("~/{} was left as it was: {why}", path.to_text()))
        }
    }
}

/// A box that could not be prepared leaves nothing but its row.
fn abandon(app: &App, run: RunId, folders: &Folders, error: AppError) -> AppError {
    let reason = error.code().row().name;
    let ended = app.store.run_ended(&run, RunStatus::Error, reason, None);
    let removed = taffrail_confine::fs::remove_tree(&folders.checkout);
    let marked = removed.map(|()| app.store.set_checkout_state(&run, CheckoutState::Removed));
    // The first error is the one to tell; what could not be cleared here is swept by the next command.
    drop((ended, marked));
    error
}

#[derive(Serialize)]
struct Facts<'a> {
    version: &'static str,
    carry: &'a [String],
    include_uncommitted: bool,
    setup: Option<&'a str>,
    quirk_args: &'a [String],
    sandbox_asked: bool,
    bubblewrap: String,
}

fn facts(app: &App, request: &BoxRequest, plan: &Plan) -> Clean {
    let facts = Facts {
        version: env!("CARGO_PKG_VERSION"),
        carry: &plan.carry,
        include_uncommitted: request.include_uncommitted,
        setup: plan.setup.as_ref().map(|setup| setup.command.as_str()),
        quirk_args: view::quirk_args(plan),
        sandbox_asked: request.sandboxed,
        bubblewrap: plan
            .ladder
            .bwrap
            .as_ref()
            .map_or_else(Clone::clone, |path| path.display().to_string()),
    };
    clean_json(app, &facts)
}

/// JSON for a row. What cannot be written as JSON is a fault of ours and shows as `null`.
pub(super) fn clean_json<T: Serialize>(app: &App, value: &T) -> Clean {
    app.redactor
        .clean(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
}

fn command_line(app: &App, command: &[OsString]) -> Clean {
    let words: Vec<String> = command
        .iter()
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    app.redactor.clean(&words.join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |at: char| at.is_alphanumeric() || "-_=/.,:@%+".contains(at);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
