//! One box from plan to captured change. Rows first, then effects.

use taffrail_confine::fs::remove_tree;
use taffrail_confine::interrupt::Interrupt;
use taffrail_confine::supervise::{self, Event, Veto};
use taffrail_domain::{Enforcement, Oid, RunStatus};
use taffrail_store::CheckoutState;

use super::facts::clean_json;
use super::finish::{self, Driven};
use super::job::Job;
use super::offer;
use super::plan::{self, BoxRequest};
use super::private_home::{self, Lent, Refreshed};
use super::report::{BoxReport, Ready, Step, Watch};
use super::view::Folders;
use crate::network::{self, Asks};
use crate::{App, AppError};

/// Makes a box, runs the command in it, captures what it changed.
pub fn run(app: &App, request: &BoxRequest, watch: &mut Watch<'_>) -> Result<BoxReport, AppError> {
    let plan = plan::plan(app, request)?;
    let run = app.new_run_id()?;
    let folders = Folders::of(&app.home, &run);
    let job = Job {
        app,
        plan: &plan,
        run,
        folders,
    };
    // From here on a first Ctrl-C ends the box in order: nothing half-made stays, nothing done is lost.
    let interrupt = Interrupt::note();
    let name = request.name.clone().unwrap_or_else(|| run.short());
    job.enrol(request, &name, None)?;
    for notice in &plan.notices {
        watch(Step::Notice(notice.clone()));
    }
    let prepared = job.prepare(request, &interrupt, watch);
    let prepared = prepared.map_err(|error| abandon(&job, error))?;
    let driven = drive(&job, request, &prepared.checkout.base, watch);
    credentials(&job, &prepared.lent, watch);
    watch(Step::Capturing);
    finish::finish(&job, name, request.keep, driven)
}

fn drive(job: &Job<'_>, request: &BoxRequest, base: &Oid, watch: &mut Watch<'_>) -> Driven {
    let mut seen = Seen::default();
    let outcome = job.command(request).and_then(|launch| {
        // From here on there may be work in the checkout that is nowhere else: a sweep keeps it.
        job.app
            .store
            .set_checkout_state(&job.run, CheckoutState::Live)?;
        let asks = Asks {
            run: job.run,
            agent: job.plan.entry.as_ref().map_or("", |entry| &entry.id),
            approver: None,
            hears: &|_| {},
        };
        // The command has the terminal: what it wants to reach is asked in the inbox.
        offer::offering(job, launch, watch, |launch, watch| {
            Ok(network::asking(job.app, &job.plan.gate, &asks, || {
                supervise::run(launch, &mut |event| seen.take(job, base, &event, watch))
            })?)
        })
    });
    Driven {
        enforcement: seen.enforcement,
        outcome: seen.failed.map_or(outcome, Err),
    }
}

/// What the events of one command left behind.
#[derive(Default)]
struct Seen {
    enforcement: Option<Enforcement>,
    failed: Option<AppError>,
}

impl Seen {
    /// The row that the command runs is written before it does; where that fails it is not started.
    fn take(
        &mut self,
        job: &Job<'_>,
        base: &Oid,
        event: &Event<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Veto> {
        match event {
            Event::Enforced(enforcement) => {
                self.enforcement = Some((*enforcement).clone());
                let facts = clean_json(&job.app.redactor, enforcement);
                if let Err(error) = job.app.store.run_started(&job.run, &facts) {
                    self.failed = Some(error.into());
                    return Err(Veto);
                }
                watch(Step::Ready(&ready(job, base, enforcement)));
            }
            // No box asks to be told of a signal.
            Event::Started(_) | Event::Signal(_) => {}
            Event::Suspended => watch(Step::Suspended(true)),
            Event::Resumed => watch(Step::Suspended(false)),
        }
        Ok(())
    }
}

fn ready<'a>(job: &'a Job<'_>, base: &'a Oid, enforcement: &'a Enforcement) -> Ready<'a> {
    Ready {
        run: job.run,
        project: &job.plan.project.root,
        base,
        branch: job.plan.project.branch.as_deref(),
        agent: job.plan.entry.as_ref().map(|entry| entry.id.as_str()),
        enforcement,
    }
}

pub(crate) fn credentials(job: &Job<'_>, lent: &[Lent], watch: &mut Watch<'_>) {
    let mut say = |text: String| watch(Step::Notice(text));
    match private_home::take_back(&job.app.inputs.user_home, &job.folders.home, lent) {
        Ok(results) => results.iter().map(refreshed).for_each(say),
        Err(error) => say(format!(
            "a refreshed credential could not be taken back: {error}"
        )),
    }
}

fn refreshed(result: &Refreshed) -> String {
    match result {
        Refreshed::WrittenBack(path) => {
            format!("~/{} now holds the refreshed token", path.to_text())
        }
        Refreshed::Kept(path, why) => format!("~/{} was left as it was: {why}", path.to_text()),
    }
}

/// A box that could not be prepared leaves nothing but its row.
pub(crate) fn abandon(job: &Job<'_>, error: AppError) -> AppError {
    let (store, reason) = (&job.app.store, error.code().row().name);
    let ended = store.run_ended(&job.run, RunStatus::Error, reason, None);
    let removed = remove_tree(&job.folders.checkout);
    let marked = removed.map(|()| store.set_checkout_state(&job.run, CheckoutState::Removed));
    // The first error is the one to tell; what could not be cleared here is swept by the next command.
    drop((ended, marked));
    error
}
