//! `taffrail policy check`: what would be answered to a command, and why. Runs nothing.

use std::io::{self, BufWriter, Write};

use taffrail_app::policy::{Answered, Circumstances, Policy, Verdict, answer};
use taffrail_domain::{Actor, ExitCode, Held, Mode};
use taffrail_policy::Decision;
use taffrail_text::Shown;

use super::Ending;
use super::lines::{LINE_LIMIT, Lines};
use crate::cli::{PolicyArgs, PolicyCheckArgs, PolicyCommand};
use crate::output::{Envelope, Table, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &PolicyArgs) -> Ending {
    let PolicyCommand::Check(args) = &args.command;
    let inputs = invocation.inputs();
    let policy = Policy::open(&inputs)?;
    // A run of a foreign agent is in the sandbox.
    let held = if args.sandboxed || args.foreign {
        Held::Sandboxed
    } else {
        Held::Open
    };
    let actor = if args.foreign {
        Actor::Foreign
    } else {
        Actor::BuiltIn
    };
    let chosen = args.mode.map(Mode::from);
    if let Some(path) = args.batch.as_deref() {
        let when = Circumstances {
            mode: chosen.unwrap_or(Mode::Ask),
            held,
            actor,
        };
        return batch(&policy, Lines::open(path)?, &inputs.cwd, when);
    }
    let when = Circumstances {
        mode: chosen.unwrap_or(policy.mode),
        held,
        actor,
    };
    let command = command_line(args);
    let decision = policy.check(command.as_bytes(), &inputs.cwd, when);
    if args.json {
        print_json(
            &invocation.output,
            &Envelope::Data(Verdict::from(&decision)),
        )?;
    } else {
        invocation.output.data(explained(&decision).as_bytes())?;
    }
    Ok(ExitCode::Done)
}

/// Whether the answer is to be JSON.
pub fn wants_json(args: &PolicyArgs) -> bool {
    let PolicyCommand::Check(args) = &args.command;
    args.json
}

/// One word is a whole line, as somebody would paste it; several are the words of one command.
fn command_line(args: &PolicyCheckArgs) -> String {
    match args.words.as_slice() {
        [line] => line.clone(),
        words => words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// A word as bash takes it for itself.
fn quoted(word: &str) -> String {
    let is_plain = |at: u8| at.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&at);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn explained(decision: &Decision) -> String {
    let mut out = String::new();
    let mut line = |name: &str, text: &str| {
        let text = Shown::line(text);
        out.push_str(&format!(
            "{name:<12} {text}
"
        ));
    };
    line("answer", decision.answer.name());
    line("risk", decision.risk.name());
    line(
        "destructive",
        if decision.destructive { "yes" } else { "no" },
    );
    let mode = if decision.is_clamped() {
        format!(
            "{} ({} was asked for)",
            decision.effective, decision.requested
        )
    } else {
        decision.effective.to_string()
    };
    line("mode", &mode);
    if let Some(rule) = &decision.rule {
        line("rule", rule);
    }
    for reason in &decision.reasons {
        line("because", &reason.to_string());
    }
    if !decision.commands.is_empty() {
        out.push('\n');
        out.push_str(&commands(decision));
    }
    out
}

fn commands(decision: &Decision) -> String {
    let mut table = Table::new(["risk", "command", "because"]);
    for part in &decision.commands {
        let words: Vec<String> = part
            .argv
            .iter()
            .map(|word| quoted(&String::from_utf8_lossy(word)))
            .collect();
        let reasons: Vec<String> = part.reasons.iter().map(ToString::to_string).collect();
        table.row([
            part.risk.to_string(),
            Shown::line(&words.join(" ")).to_string(),
            Shown::line(&reasons.join(", ")).to_string(),
        ]);
    }
    table.render()
}

/// Answers line by line, in order; exit 1 when any line was refused.
fn batch(
    policy: &Policy,
    mut input: Lines,
    folder: &std::path::Path,
    when: Circumstances,
) -> Ending {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut refused, mut line) = (false, Vec::new());
    while input.read(&mut line)? {
        let answered = if line.len() > LINE_LIMIT {
            Answered::too_long(line.len())
        } else {
            answer(policy, &line, folder, when)
        };
        refused |= answered.is_refusal();
        serde_json::to_writer(&mut out, &answered).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        if !input.is_next_here() {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(if refused {
        ExitCode::Failure
    } else {
        ExitCode::Done
    })
}
