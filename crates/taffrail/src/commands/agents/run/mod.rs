//! `taffrail agents external run ID --task …`

mod live;
mod summary;

use std::io::Read;

use taffrail_app::App;
use taffrail_app::boxes::{NetRequest, Step};
use taffrail_app::external::gates::Asked;
use taffrail_app::external::{self, ExternalReport, ExternalRequest, McpScope};
use taffrail_domain::{EndReason, ErrorCode, ExitCode, RunKind, RunStatus};
use taffrail_text::Shown;

use self::live::Live;
use super::approver::TerminalApprover;
use super::offer;
use crate::cli::{ExternalNet, ExternalRunArgs, McpScope as ScopeChoice};
use crate::commands::{Ending, boxes};
use crate::failure::Failure;
use crate::output::{Meter, Screen};
use crate::startup::Invocation;

/// A task may have 64 KiB; one byte more is read, so that a longer one is refused and not cut.
const TASK: u64 = (64 << 10) + 1;

pub fn run(invocation: &Invocation, args: &ExternalRunArgs) -> Ending {
    // What is wrong with the line itself comes before the gates, which may be a question to a person.
    if args.task.trim().is_empty() {
        return Err(empty());
    }
    let mut app = boxes::open(invocation)?;
    let asked = Asked {
        write: args.write,
        unattended: args.unattended,
    };
    let passed = offer::pass(invocation, &mut app, &args.id, &asked)?;
    let request = request(args)?;
    let output = &invocation.output;
    let screen = Screen::new(output);
    let approver = (!args.unattended)
        .then(|| TerminalApprover::open(&app, output, &screen))
        .flatten();
    let meter = Meter::new(output.can_animate());
    let paint = output.paint_talk();
    let live = Live::new(&screen, &meter, approver.as_ref(), args.json, paint);
    let mut watch = |step: Step<'_>| match step {
        Step::Checkout(at) => meter.say(boxes::checkout_words(at)),
        Step::Notice(text) => live.notice(&text),
        Step::Starting => meter.say(format!("starting {}", Shown::line(&args.id))),
        Step::Setup(command) => {
            meter.done();
            screen.say(&format!("setup: {}", Shown::line(command)));
        }
        Step::Ready(_) | Step::Capturing | Step::Suspended(_) => meter.done(),
    };
    let report = external::run(&app, &passed, &request, &live, &mut watch);
    let cancelled = |report: &ExternalReport| report.status == RunStatus::Cancelled;
    let interrupted = report.as_ref().is_ok_and(cancelled);
    let is_told = live.is_over();
    meter.done();
    // Whoever reads nothing is told nothing more, and holds up nobody.
    let hears = screen.end(interrupted) || output.stderr_is_terminal;
    let report = report.map_err(|error| match Failure::from(error) {
        failure if is_told => failure.told(),
        failure => failure,
    })?;
    if hears && !args.json {
        summary::tell(invocation, &passed.entry, &report, args.write);
    }
    if hears {
        end(invocation, &app, args, &report)?;
    }
    Ok(exit(&report))
}

/// As a box ends: a person at the terminal says what becomes of the change.
fn end(
    invocation: &Invocation,
    app: &App,
    args: &ExternalRunArgs,
    report: &ExternalReport,
) -> Result<(), Failure> {
    let over = boxes::Over {
        run: &report.run,
        kind: RunKind::External,
        name: &report.run.short(),
        status: report.status,
        change: &report.change,
        unattended: args.unattended,
        json: args.json,
    };
    boxes::ending(invocation, app, &over)
}

fn request(args: &ExternalRunArgs) -> Result<ExternalRequest, Failure> {
    Ok(ExternalRequest {
        agent: args.id.clone(),
        task: task(&args.task)?,
        may_write: args.write,
        unattended: args.unattended,
        model: args.model.clone(),
        timeout: args.timeout,
        include_uncommitted: args.include_uncommitted,
        carry: args.carry.clone(),
        mcp_scope: match args.mcp_scope {
            ScopeChoice::Checkout => McpScope::Checkout,
            ScopeChoice::Project => McpScope::Project,
        },
        mcp: !args.no_mcp,
        allow_read: args.allow_read.clone(),
        sandboxed: !args.no_sandbox,
        net: args.net.map(|net| match net {
            ExternalNet::Off => NetRequest::Off,
            ExternalNet::On => NetRequest::On,
            ExternalNet::Ask => NetRequest::Ask,
        }),
    })
}

/// The task, or standard input for `-`.
fn task(given: &str) -> Result<String, Failure> {
    let mut task = given.to_owned();
    if given == "-" {
        task.clear();
        let read = std::io::stdin().take(TASK).read_to_string(&mut task);
        read.map_err(|error| Failure::new(ErrorCode::Io, &format!("standard input: {error}")))?;
    }
    if task.trim().is_empty() {
        return Err(empty());
    }
    Ok(task)
}

fn empty() -> Failure {
    Failure::new(
        ErrorCode::Usage,
        "the task is empty: --task says what to do",
    )
}

/// The exit code by status and reason (FA-01).
const fn exit(report: &ExternalReport) -> ExitCode {
    match (report.status, report.reason) {
        (RunStatus::Completed, _) => ExitCode::Done,
        (_, EndReason::InvalidResult) => ExitCode::InvalidResult,
        (_, EndReason::SignIn) => ExitCode::Provider,
        (RunStatus::Timeout | RunStatus::Budget, _) => ExitCode::Limit,
        (RunStatus::Cancelled, _) => ExitCode::Interrupted,
        (RunStatus::Refused, _) => ExitCode::Refused,
        (RunStatus::Error | RunStatus::Died | RunStatus::Preparing | RunStatus::Running, _) => {
            ExitCode::Failure
        }
    }
}
