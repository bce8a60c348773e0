//! `taffrail workspace import`

use taffrail_app::workspaces::{self, Report};
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{FromSlates, WorkspaceImportArgs};
use crate::commands::memory::owner;
use crate::output::{Envelope, Table, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &WorkspaceImportArgs) -> Ending {
    let app = invocation.open()?;
    let named = args.scope.personal || args.scope.project.is_some();
    let whose = named.then(|| owner(&args.scope));
    let report = match args.from {
        FromSlates::Keryx => workspaces::import_keryx(&app, &args.folder, whose)?,
    };
    if args.json {
        print_json(&invocation.output, &Envelope::Data(&report))?;
        return Ok(ExitCode::Done);
    }
    tell(invocation, &report)?;
    Ok(ExitCode::Done)
}

fn tell(invocation: &Invocation, report: &Report) -> std::io::Result<()> {
    let output = &invocation.output;
    if !report.imported.is_empty() {
        let mut table = Table::new(["unbound", "seeds", "slate"]);
        for slate in &report.imported {
            let from = format!("{} generation {}", slate.slate, slate.generation);
            table.row([
                slate.unbound.clone(),
                slate.seeds.to_string(),
                Shown::line(&from).to_string(),
            ]);
        }
        output.rows(&table)?;
    }
    for slate in &report.imported {
        for remark in &slate.remarks {
            let (slate, remark) = (Shown::line(&slate.slate), Shown::line(remark));
            output.say(&format!("note: {slate}: {remark}"));
        }
    }
    for skipped in &report.skipped {
        let (place, why) = (Shown::line(&skipped.place), Shown::line(&skipped.why));
        output.say(&format!("skipped {place}: {why}"));
    }
    let whose = report.project.as_deref().unwrap_or("nobody's project");
    output.say(&format!(
        "{} new for {}, {} as before, {} without a seed, {} skipped",
        report.imported.len(),
        Shown::line(whose),
        report.same,
        report.empty,
        report.skipped.len()
    ));
    if !report.imported.is_empty() {
        output.say("hint: taffrail workspace catch-up");
    }
    Ok(())
}
