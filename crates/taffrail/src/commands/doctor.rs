//! `taffrail doctor`

use taffrail_app::doctor::{self, Finding, Weight};
use taffrail_domain::ExitCode;
use taffrail_store::Mended;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::DoctorArgs;
use crate::output::{Colour, Envelope, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &DoctorArgs) -> Ending {
    if args.repair {
        say_mended(invocation, &doctor::repair(invocation.inputs())?);
    }
    let findings = doctor::examine(&invocation.inputs());
    if args.json {
        print_json(&invocation.output, &Envelope::Data(&findings))?;
    } else {
        invocation
            .output
            .data(page(invocation, &findings).as_bytes())?;
    }
    let fails = |finding: &Finding| match finding.weight {
        Weight::Good => false,
        Weight::Warning => args.strict,
        Weight::Bad => true,
    };
    Ok(if findings.iter().any(fails) {
        ExitCode::Failure
    } else {
        ExitCode::Done
    })
}

/// What was done, on stderr: the findings afterwards are the data.
fn say_mended(invocation: &Invocation, mended: &Mended) {
    let output = &invocation.output;
    if let Some(copy) = &mended.copy {
        let copy = copy.display().to_string();
        output.say(&format!(
            "the database from before is in {}",
            Shown::line(&copy)
        ));
    }
    for line in &mended.done {
        output.say(Shown::line(line).as_ref());
    }
    if mended.done.is_empty() {
        output.say("there was nothing to mend");
    }
}

fn page(invocation: &Invocation, findings: &[Finding]) -> String {
    let paint = invocation.output.paint();
    let line = |finding: &Finding| {
        let mark = match finding.weight {
            Weight::Good => paint.with(Colour::Added, "ok  "),
            Weight::Warning => paint.with(Colour::Warn, "warn"),
            Weight::Bad => paint.with(Colour::Removed, "bad "),
        };
        let saw = Shown::line(&finding.saw);
        let fix = if finding.fix.is_empty() {
            String::new()
        } else {
            format!("      hint: {}\n", Shown::line(&finding.fix))
        };
        format!("{mark}  {:<9} {saw}\n{fix}", finding.about)
    };
    findings.iter().map(line).collect()
}
