//! `taffrail box [FLAGS] -- CMD…`

use serde::Serialize;
use taffrail_app::boxes::{self, BoxReport, BoxRequest, NetRequest, Step};
use taffrail_app::{App, AppError};
use taffrail_domain::{Ended, ErrorCode, ExitCode, RunKind, RunStatus};
use taffrail_text::Shown;

use super::ending::{Over, ending};
use super::words;
use crate::cli::{NetChoice, RunArgs};
use crate::commands::Ending;
use crate::failure::Failure;
use crate::output::{Envelope, Meter, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, app: &App, args: &RunArgs) -> Ending {
    if args.command.is_empty() {
        let failure = Failure::new(ErrorCode::Usage, "no command was given");
        return Err(failure.hinting("taffrail box -- claude"));
    }
    let meter = Meter::new(invocation.output.can_animate());
    let mut had_terminal = false;
    let mut watch = |step: Step<'_>| {
        if had_terminal && !matches!(step, Step::Suspended(_)) {
            invocation.output.plain_screen();
        }
        had_terminal |= matches!(step, Step::Setup(_) | Step::Ready(_));
        tell(invocation, &meter, &step);
    };
    let request = request(args);
    let outcome = boxes::run::run(app, &request, &mut watch);
    if had_terminal {
        invocation.output.plain_screen();
    }
    let report = outcome.map_err(|error| install(app, &request, error))?;
    meter.done();
    if args.json {
        print_json(&invocation.output, &Envelope::Data(Answer::from(&report)))?;
    } else {
        summary(invocation, &report);
    }
    let over = Over {
        run: &report.run,
        kind: RunKind::Box,
        name: &report.name,
        status: report.status,
        change: &report.change,
        unattended: args.unattended,
        json: args.json,
    };
    ending(invocation, app, &over)?;
    Ok(exit(report.status))
}

/// An agent that is not there is told of with the way to install it.
fn install(app: &App, request: &BoxRequest, error: AppError) -> Failure {
    let missing = error.code() == ErrorCode::CommandNotFound;
    let failure = Failure::from(error);
    match boxes::installation(app, request).filter(|_| missing) {
        Some(how) => failure.hinting(format!("install it: {how}")),
        None => failure,
    }
}

fn request(args: &RunArgs) -> BoxRequest {
    BoxRequest {
        command: args.command.clone(),
        name: args.name.clone(),
        carry: args.carry.clone(),
        include_uncommitted: args.include_uncommitted,
        net: args.net.map(|net| match net {
            NetChoice::Off => NetRequest::Off,
            NetChoice::On => NetRequest::On,
            NetChoice::Ask => NetRequest::Ask,
            NetChoice::Ports => NetRequest::Ports,
        }),
        agent: args.agent.clone(),
        keep: args.keep,
        timeout: args.timeout,
        sandboxed: !args.no_sandbox,
    }
}

fn tell(invocation: &Invocation, meter: &Meter, step: &Step<'_>) {
    match step {
        Step::Checkout(at) => meter.say(words::checkout(*at)),
        Step::Setup(command) => {
            // Its own output follows, on the same terminal.
            meter.done();
            invocation
                .output
                .say(&format!("setup: {}", Shown::line(command)));
        }
        Step::Capturing => meter.say("looking at what changed".to_owned()),
        Step::Ready(ready) => {
            meter.done();
            words::ready(ready, invocation.output.paint_talk())
                .iter()
                .for_each(|line| invocation.output.say(line));
        }
        Step::Notice(text) => meter.aside(|| {
            invocation
                .output
                .say(&format!("note: {}", Shown::line(text)));
        }),
        Step::Starting | Step::Suspended(_) => {}
    }
}

fn summary(invocation: &Invocation, report: &BoxReport) {
    let output = &invocation.output;
    let seconds = report.lasted.as_secs_f64();
    let how = ended(report);
    output.say(&format!(
        "box {}: {how} in {seconds:.1} s, {}",
        words::name(&report.name),
        words::totals(&report.change)
    ));
    words::changes(&report.change, output.paint_talk(), false)
        .iter()
        .for_each(|line| output.say(line));
    if report.left > 0 {
        output.say(&format!(
            "  ended after it: {} that it had left running",
            words::processes(report.left)
        ));
    }
    if let Some(refused) = words::refused_hosts(&report.hosts) {
        output.say(&format!("  refused: {refused}"));
    }
    if let Some(unreached) = words::unreached_hosts(&report.hosts) {
        output.say(&format!("  allowed, and not reached: {unreached}"));
    }
    if let Some(kept) = &report.kept {
        output.say(&format!(
            "  kept: {}",
            Shown::line(&kept.display().to_string())
        ));
    }
}

fn ended(report: &BoxReport) -> String {
    match (report.status, report.ended) {
        (RunStatus::Error, Some(Ended::Exited(code))) => format!("exit code {code}"),
        (RunStatus::Died, Some(Ended::Signalled(signal))) => format!("killed by signal {signal}"),
        (status, _) => status.name().to_owned(),
    }
}

/// The exit code by the status (FA-01).
pub const fn exit(status: RunStatus) -> ExitCode {
    match status {
        RunStatus::Completed => ExitCode::Done,
        RunStatus::Timeout | RunStatus::Budget => ExitCode::Limit,
        RunStatus::Refused => ExitCode::Refused,
        RunStatus::Cancelled => ExitCode::Interrupted,
        RunStatus::Error | RunStatus::Died | RunStatus::Preparing | RunStatus::Running => {
            ExitCode::Failure
        }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    run: String,
    name: &'a str,
    status: &'static str,
    reason: &'static str,
    ended: Option<Ended>,
    milliseconds: u128,
    left: usize,
    enforcement: Option<&'a taffrail_domain::Enforcement>,
    net: &'a taffrail_domain::Net,
    change: words::ChangeAnswer,
    kept: Option<String>,
}

impl<'a> From<&'a BoxReport> for Answer<'a> {
    fn from(report: &'a BoxReport) -> Self {
        Self {
            run: report.run.short(),
            name: &report.name,
            status: report.status.name(),
            reason: report.reason,
            ended: report.ended,
            milliseconds: report.lasted.as_millis(),
            left: report.left,
            enforcement: report.enforcement.as_ref(),
            net: &report.net,
            change: words::ChangeAnswer::from(&report.change),
            kept: report.kept.as_ref().map(|path| path.display().to_string()),
        }
    }
}
