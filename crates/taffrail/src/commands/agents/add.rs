//! `taffrail agents external add`: an entry is shown whole, and written when a person typed yes.

use taffrail_app::AppError;
use taffrail_app::external::registry::{self, Draft, Typed, Wanted};
use taffrail_config::Transport;
use taffrail_domain::{ErrorCode, ExitCode};
use taffrail_text::Shown;

use crate::cli::{ExternalAddArgs, TransportChoice};
use crate::commands::{Ending, ask_line};
use crate::failure::Failure;
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ExternalAddArgs) -> Ending {
    let app = invocation.open()?;
    let draft = registry::draft(&app, &wanted(invocation, args)?)?;
    show(invocation, &draft, &app.home.config().display().to_string());
    if !invocation.output.can_ask() {
        return Err(AppError::NeedsTerminal.into());
    }
    let answer = ask_line(&invocation.output, "type yes to write it:")?;
    if answer.unwrap_or_default().trim() != "yes" {
        invocation.output.say("nothing was written");
        return Ok(ExitCode::Refused);
    }
    registry::write(&app, &draft)?;
    let written = format!("{} is in the registry", draft.id);
    invocation.output.say(&written);
    let line = format!("hint: taffrail agents external probe {}", draft.id);
    invocation.output.say(&line);
    Ok(ExitCode::Done)
}

fn wanted(invocation: &Invocation, args: &ExternalAddArgs) -> Result<Wanted, Failure> {
    if let Some(agent) = &args.from_registry {
        let copy = args.registry.as_ref();
        return Ok(Wanted::Public {
            id: args.id.clone(),
            agent: agent.clone(),
            copy: copy.map(|path| invocation.inputs().cwd.join(path)),
        });
    }
    // clap asks for both where there is no registry.
    let (Some(id), Some(command)) = (&args.id, &args.command) else {
        let why = "an entry needs an id and a command";
        return Err(Failure::new(ErrorCode::Usage, why));
    };
    Ok(Wanted::Typed {
        id: id.clone(),
        draft: Typed {
            command: command.clone(),
            args: args.args.clone(),
            transport: match args.transport {
                TransportChoice::Acp => Transport::Acp,
                TransportChoice::Line => Transport::Line,
            },
            pass_env: args.pass_env.clone(),
            hosts: args.hosts.clone(),
            credential_files: args.credential_files.clone(),
            auth_method: args.auth_method.clone(),
            mode: args.mode.clone(),
        },
    })
}

/// Every word of the command on a line of its own, so that no blank hides where one ends.
fn show(invocation: &Invocation, draft: &Draft, file: &str) {
    let say = |line: &str| invocation.output.say(line);
    say("it would be started as, one argument a line:");
    for word in &draft.command {
        say(&format!("  {}", Shown::line(word)));
    }
    for (name, value) in &draft.env {
        say(&format!(
            "with {}={}",
            Shown::line(name),
            Shown::line(value)
        ));
    }
    for remark in &draft.remarks {
        say(&format!("note: {}", Shown::line(remark)));
    }
    say(&format!("to be written into {}:", Shown::line(file)));
    for line in draft.lines() {
        say(&format!("  {}", Shown::line(&line)));
    }
}
