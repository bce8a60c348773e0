//! What a person is told at the end of a run.

use taffrail_app::external::ExternalReport;
use taffrail_config::AgentEntry;
use taffrail_domain::{ChangeState, EndReason, RunStatus};
use taffrail_text::Shown;

use crate::commands::agents::words;
use crate::commands::boxes;
use crate::output::Output;
use crate::startup::Invocation;

/// Refused actions and paths that are listed; the rest is counted.
const LISTED: usize = 12;

pub fn tell(invocation: &Invocation, entry: &AgentEntry, report: &ExternalReport, may_write: bool) {
    let output = &invocation.output;
    let run = report.run.short();
    output.say(&headline(report));
    if let Some(result) = &report.result {
        output.say(&format!(
            "  {}: {}",
            result.status,
            Shown::line(&result.summary)
        ));
    }
    let refused: Vec<String> = report.refused.iter().map(|line| explained(line)).collect();
    list(output, "refused", &refused);
    if report.change.state == ChangeState::Discarded {
        output.say("  the run may not write (--write): what it changed was thrown away");
    } else if !may_write && report.change.changes.is_empty() {
        output.say("  it ran without --write: no change of its is kept");
    } else {
        let lines = boxes::change_lines(&report.change, output.paint_talk(), false);
        lines.iter().for_each(|line| output.say(line));
    }
    unasked(output, report);
    let candidates = report.proposed.new + report.seeds;
    if candidates > 0 {
        output.say(&format!(
            "  {candidates} candidate(s) for the memory wait: taffrail memory review"
        ));
    }
    failed(output, report);
    output.say(&format!("record: taffrail agents external show {run}"));
    let hint = hint(report.reason, entry);
    hint.iter()
        .for_each(|hint| output.say(&format!("hint: {}", Shown::line(hint))));
}

/// What a person can do about an ending that their own entry or sign-in brings about.
fn hint(reason: EndReason, entry: &AgentEntry) -> Option<String> {
    let section = format!("[external_agents.{}] of config.toml", entry.id);
    if reason == EndReason::InitializeTimeout {
        let has = entry.initialize_timeout;
        return Some(format!(
            "where it starts slowly, give it longer than {has}: `initialize_timeout` in {section}"
        ));
    }
    if reason != EndReason::SignIn {
        return None;
    }
    Some(match entry.sign_in.as_str() {
        "" => format!(
            "sign in to it outside of a run, and name the files of its sign-in (`credential_files`) or its variables \
             (`pass_env`) in {section}"
        ),
        known => known.to_owned(),
    })
}

fn headline(report: &ExternalReport) -> String {
    let seconds = report.lasted.as_secs_f64();
    let how = match report.status {
        RunStatus::Completed => "completed".to_owned(),
        status if status.name() == report.reason.name() => status.name().to_owned(),
        status => format!("{status}: {}", report.reason, status = status.name()),
    };
    let totals = boxes::totals(&report.change);
    format!(
        "{} {}: {how} in {seconds:.1} s, {totals}",
        report.agent,
        report.run.short()
    )
}

/// A refusal with what it rests on in words.
fn explained(line: &str) -> String {
    let ground = line
        .strip_suffix(')')
        .and_then(|line| line.rsplit_once(" ("));
    match ground {
        Some((what, ground)) => format!("{what} ({})", words::ground(ground)),
        None => line.to_owned(),
    }
}

fn list(output: &Output, what: &str, lines: &[String]) {
    for line in lines.iter().take(LISTED) {
        output.say(&format!("  {what}: {}", Shown::line(line).truncated(160)));
    }
    if lines.len() > LISTED {
        output.say(&format!("  {what}: {} more", lines.len() - LISTED));
    }
}

fn unasked(output: &Output, report: &ExternalReport) {
    if report.wrote_without_asking.is_empty() {
        return;
    }
    if report.commands_allowed {
        output.say("  no question was about these paths; commands that were allowed may have changed them:");
    }
    list(
        output,
        "changed without asking",
        &report.wrote_without_asking,
    );
}

/// What helps where something went wrong: the agent's words, and the end of what it wrote beside them.
fn failed(output: &Output, report: &ExternalReport) {
    if report.status == RunStatus::Completed {
        return;
    }
    if !report.detail.is_empty() {
        output.say(&format!("  {}", Shown::line(&report.detail)));
    }
    if report.reason == EndReason::InvalidResult {
        output.say("  the final text is kept as a partial result");
    }
    if report.status == RunStatus::Cancelled {
        // Whoever ended it knows why; the end of a stderr that was cut off would only look like a fault.
        return;
    }
    for line in report
        .stderr
        .lines()
        .rev()
        .take(LISTED)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        output.say(&format!("  stderr: {}", Shown::line(line)));
    }
}
