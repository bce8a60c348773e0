//! `taffrail memory why-not`: the filter or rank that kept a memory out of a recall (REC-07).

use serde::Serialize;
use taffrail_app::traces;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::WhyNotArgs;
use crate::output::{Colour, Envelope, print_json};
use crate::startup::Invocation;

#[derive(Serialize)]
struct Wire {
    memory: String,
    trace: String,
    kept_out_by: &'static str,
    because: String,
    recorded: bool,
    status: &'static str,
    lifecycle: &'static str,
}

pub fn run(invocation: &Invocation, args: &WhyNotArgs) -> Ending {
    let app = invocation.open()?;
    let why = traces::why_not(&app, &args.memory, args.trace.as_deref())?;
    let output = &invocation.output;
    if args.json {
        let wire = Wire {
            memory: why.memory.id.short(),
            trace: why.trace.id.short(),
            kept_out_by: why.kept.name(),
            because: why.because,
            recorded: why.is_recorded,
            status: why.memory.status.name(),
            lifecycle: why.memory.lifecycle.name(),
        };
        print_json(output, &Envelope::Data(wire))?;
        return Ok(ExitCode::Done);
    }
    let from = match why.is_recorded {
        true => "as the trace says",
        false => "as it stands today: the trace does not hold it",
    };
    let text = format!(
        "{}  {}  {}\n  {}\n",
        why.memory.id,
        output.paint().with(Colour::Strong, why.kept.name()),
        from,
        Shown::line(&why.because),
    );
    output.data(text.as_bytes())?;
    Ok(ExitCode::Done)
}
